// Command notes is an MCP server that talks over standard input and output.
package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcplog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
)

func main() {
	// Standard output belongs to the protocol, so the log goes to standard error. Records that
	// a handler logs with its context also go to the client.
	slog.SetDefault(slog.New(mcplog.New("notes", slog.NewTextHandler(os.Stderr, nil))))
	if err := serve(context.Background()); err != nil {
		slog.Error("the server failed", "error", err)
		os.Exit(1)
	}
}

// serve serves one session over standard input and output.
// SIGINT and SIGTERM end it after the calls in progress.
func serve(ctx context.Context) error {
	server, err := NewServer(&handlers{}, mcp.ServerOptions{Name: "notes", Version: "0.1.0"})
	if err != nil {
		return err
	}
	return stdio.Serve(ctx, server)
}
