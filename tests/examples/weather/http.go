package main

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// serveHTTP serves the sessions that come over HTTP until ctx ends or a signal asks the
// process to end, and then waits for the calls in flight. A server without this file, and
// without its call in main.go, links no net/http.
func serveHTTP(ctx context.Context, address string, server *runtime.Server) error {
	return streamable.ListenAndServe(ctx, address, "/mcp", streamable.NewHandler(server, streamable.Options{}))
}
