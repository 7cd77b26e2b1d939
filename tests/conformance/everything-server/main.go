// Command everything-server is the server that the official conformance suite of the
// Model Context Protocol tests: it has a tool, prompt or resource for every scenario, and
// two tools more for other tests. It speaks every revision that has a generated package.
//
//	everything-server                        # standard input and output
//	everything-server -http localhost:8080   # Streamable HTTP at http://localhost:8080/mcp
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

	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

func main() {
	httpAddress := flag.String("http", "", "serve Streamable HTTP on this `address`, at /mcp")
	flag.Parse()
	// Standard output is the protocol's, so the log goes to standard error.
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, log, *httpAddress); err != nil && ctx.Err() == nil {
		log.Error("the server failed", "error", err)
		os.Exit(1)
	}
}

// serve serves one session over standard input and output, or all that come over HTTP.
func serve(ctx context.Context, log *slog.Logger, address string) error {
	server, catalog, err := newServer(log)
	if err != nil {
		return err
	}
	go keepUpdating(ctx, catalog)
	if address == "" {
		return server.Serve(ctx, &stdio.Transport{})
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	handler := streamable.NewHandler(server, streamable.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	web := &http.Server{Handler: mux}
	context.AfterFunc(ctx, func() {
		handler.Close()
		web.Close()
	})
	log.Info("listening", "url", "http://"+listener.Addr().String()+"/mcp")
	return web.Serve(listener)
}
