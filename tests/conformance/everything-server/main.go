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
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

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
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, log, *httpAddress, *sseAddress); err != nil && ctx.Err() == nil {
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
	go keepUpdating(ctx, catalog)
	switch {
	case httpAddress != "":
		return serveHTTP(ctx, log, httpAddress, "/mcp", streamable.NewHandler(server, streamable.Options{Disconnect: true}))
	case sseAddress != "":
		return serveHTTP(ctx, log, sseAddress, "/sse", sse.NewHandler(server, sse.Options{}))
	}
	return server.Serve(ctx, &stdio.Transport{})
}

// sessions are those of a handler of HTTP requests.
type sessions interface {
	http.Handler
	Close()
}

// serveHTTP has a handler serve a path until ctx ends, then waits for what is under way.
func serveHTTP(ctx context.Context, log *slog.Logger, address, path string, h sessions) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(path, h)
	server := streamable.NewServer(mux)
	server.RegisterOnShutdown(h.Close) // else the streams that clients keep open hold it up
	log.Info("listening", "url", "http://"+listener.Addr().String()+path)

	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(ctx)
}
