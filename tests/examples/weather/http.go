package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// serveHTTP serves sessions over HTTP, at a URL that it logs, until ctx ends or a signal tells
// the process to end, and then waits for the calls in progress. Without this file and its call in
// main.go, the server does not link net/http.
func serveHTTP(ctx context.Context, address string, server *runtime.Server) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	handler, mux := streamable.NewHandler(server, streamable.Options{}), http.NewServeMux()
	mux.Handle("/mcp", handler)
	streamable.MountProbes(mux, handler)
	slog.Info("listening", "url", "http://"+listener.Addr().String()+"/mcp")
	return streamable.Serve(ctx, listener, streamable.NewServer(mux), handler)
}
