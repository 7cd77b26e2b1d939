// Command weather is an MCP server. It uses standard input and output, or HTTP if it is given
// an address:
//
//	weather
//	weather --http localhost:8080    # Streamable HTTP at http://localhost:8080/mcp
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcplog"
	"github.com/mcpgen/mcpgen/runtime/stdio"
)

func main() {
	address := flag.String("http", "", "serve Streamable HTTP on this `address` instead of standard input and output")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	// Standard output belongs to the protocol, so the log goes to standard error. Records that
	// a handler logs with its context also go to the client.
	slog.SetDefault(slog.New(mcplog.New("weather", slog.NewTextHandler(os.Stderr, nil))))
	if err := serve(context.Background(), *address); err != nil {
		slog.Error("the server failed", "error", err)
		os.Exit(1)
	}
}

// serve serves one session over standard input and output, or all sessions over HTTP.
// SIGINT and SIGTERM end it after the calls in progress.
func serve(ctx context.Context, address string) error {
	server, err := NewServer(&handlers{}, mcp.ServerOptions{Name: "weather", Version: "0.1.0"}, report, stations, station)
	if err != nil {
		return err
	}
	if address != "" {
		return serveHTTP(ctx, address, server)
	}
	return stdio.Serve(ctx, server)
}
