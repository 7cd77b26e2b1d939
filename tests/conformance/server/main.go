// Command server serves package everything to the official conformance suite of the Model
// Context Protocol. It talks over standard input and output, or over HTTP:
//
//	server -http localhost:8080    # Streamable HTTP at http://localhost:8080/mcp
//	server -sse localhost:8080     # HTTP with SSE at http://localhost:8080/sse
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
)

func main() {
	httpAddress := flag.String("http", "", "serve Streamable HTTP on this `address`, at /mcp")
	sseAddress := flag.String("sse", "", "serve HTTP with SSE on this `address`, at /sse")
	flag.Parse()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil)) // standard output belongs to the protocol
	if err := serve(context.Background(), log, *httpAddress, *sseAddress); err != nil {
		log.Error("the server failed", "error", err)
		os.Exit(1)
	}
}

// serve serves until ctx ends or a signal tells the process to end. It logs the URL.
func serve(ctx context.Context, log *slog.Logger, httpAddress, sseAddress string) error {
	server, catalog, err := everything.New(everything.Options{Logger: log, Tasks: true})
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
		//lint:ignore SA1019 It is for peers that have nothing newer.
		return streamable.ListenAndServe(ctx, sseAddress, "/sse", streamable.NewSSEHandler(server, streamable.Options{}))
	}
	return stdio.Serve(ctx, server)
}

// keepUpdating reports the watched resource as updated every few seconds, until ctx ends.
func keepUpdating(ctx context.Context, c *catalog.Catalog) {
	ticker := time.NewTicker(3 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.ResourceUpdated(everything.Watched)
		case <-ctx.Done():
			return
		}
	}
}
