// Command everything-server is the server that the official conformance suite of the
// Model Context Protocol tests: it has a tool, prompt or resource for every scenario, and
// two tools more for other tests. It speaks every revision that has a generated package.
//
//	everything-server                        # standard input and output
//	everything-server -http localhost:8080   # Streamable HTTP at http://localhost:8080/mcp
//	everything-server -sse localhost:8080    # HTTP with SSE at http://localhost:8080/sse
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"

	"github.com/mcpgen/mcpgen/runtime/sse"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

func main() {
	httpAddress := flag.String("http", "", "serve Streamable HTTP on this `address`, at /mcp")
	sseAddress := flag.String("sse", "", "serve HTTP with SSE on this `address`, at /sse")
	flag.Parse()
	// Standard output is the protocol's, so the log goes to standard error.
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := serve(context.Background(), log, *httpAddress, *sseAddress); err != nil {
		log.Error("the server failed", "error", err)
		os.Exit(1)
	}
}

// serve serves one session over standard input and output, or all that come over HTTP.
func serve(ctx context.Context, log *slog.Logger, httpAddress, sseAddress string) error {
	server, catalog, err := newServer(log)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go keepUpdating(ctx, catalog)
	switch {
	case httpAddress != "":
		return streamable.ListenAndServe(ctx, httpAddress, "/mcp", streamable.NewHandler(server, streamable.Options{Disconnect: true}))
	case sseAddress != "":
		return streamable.ListenAndServe(ctx, sseAddress, "/sse", sse.NewHandler(server, sse.Options{}))
	}
	return stdio.Serve(ctx, server)
}
