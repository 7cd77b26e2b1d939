package main

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// serveHTTP serves sessions over HTTP, at a URL that it logs, until ctx ends or a signal tells
// the process to end, and then waits for the calls in progress. Without this file and its call in
// main.go, the server does not link net/http.
func serveHTTP(ctx context.Context, address string, server *runtime.Server) error {
	handler := streamable.NewHandler(server, streamable.Options{})
	return streamable.ListenAndServe(ctx, address, "/mcp", handler)
}
