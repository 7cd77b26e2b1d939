package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// serveHTTP serves the sessions that come over HTTP until ctx ends, and then waits for
// what is under way. A server without this file, and without what calls it in main.go,
// links no net/http.
func serveHTTP(ctx context.Context, address string, server *runtime.Server) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	sessions := streamable.NewHandler(server, streamable.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mcp", sessions)
	web := streamable.NewServer(mux)
	web.RegisterOnShutdown(sessions.Close) // else the streams that clients keep open hold it up
	slog.Info("listening", "url", "http://"+listener.Addr().String()+"/mcp")

	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return web.Shutdown(ctx)
}
