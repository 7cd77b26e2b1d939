// Command hello is an MCP server with four small tools, which are Go functions. It shows
// structured results, failures, progress and cancellation.
//
// It uses standard input and output, or HTTP if it is given an address:
//
//	hello
//	hello -http localhost:8080    # Streamable HTTP at http://localhost:8080/mcp
//	hello -sse localhost:8080     # HTTP+SSE, for old clients, at http://localhost:8080/sse
package main

import (
	"context"
	"flag"
	"log/slog"
	"os"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/typed"
)

func main() {
	httpAddress := flag.String("http", "", "serve Streamable HTTP on this `address`")
	sseAddress := flag.String("sse", "", "serve HTTP with SSE on this `address`")
	flag.Parse()
	// Standard output belongs to the protocol, so the log goes to standard error.
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := serve(context.Background(), log, *httpAddress, *sseAddress); err != nil {
		log.Error("the server failed", "error", err)
		os.Exit(1)
	}
}

// serve serves one session over standard input and output, or all sessions over HTTP.
func serve(ctx context.Context, log *slog.Logger, httpAddress, sseAddress string) error {
	server, err := newServer(log)
	switch {
	case err != nil:
		return err
	case httpAddress != "":
		return streamable.ListenAndServe(ctx, httpAddress, "/mcp", streamable.NewHandler(server, streamable.Options{}))
	case sseAddress != "":
		//lint:ignore SA1019 It is for peers that have nothing newer.
		return streamable.ListenAndServe(ctx, sseAddress, "/sse", streamable.NewSSEHandler(server, streamable.Options{}))
	}
	return stdio.Serve(ctx, server)
}

func newServer(log *slog.Logger) (*runtime.Server, error) {
	return mcp.NewServer(mcp.ServerOptions{
		Name:         "hello",
		Version:      "1.0.0",
		Instructions: "Four tools to try a client with.",
		Logger:       log,
	},
		typed.Tool(&mcp.Tool{
			Name:        "greet",
			Description: new("Greets somebody."),
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: new(true)},
		}, greet),
		typed.ContentTool(&mcp.Tool{
			Name:        "divide",
			Description: new("Divides one number by another. Dividing by zero fails."),
		}, divide),
		typed.ContentTool(&mcp.Tool{
			Name:        "count",
			Description: new("Counts to a number and reports its progress."),
		}, count),
		typed.ContentTool(&mcp.Tool{
			Name:        "wait",
			Description: new("Waits, unless it is cancelled."),
		}, waiter{log}.wait),
	)
}
