// Command hello is an MCP server of four small tools. It shows what a server written by
// hand on a generated package looks like.
//
// It talks over standard input and output, or over HTTP when it is given an address:
//
//	hello
//	hello -http localhost:8080    # Streamable HTTP at http://localhost:8080/mcp
//	hello -sse localhost:8080     # HTTP with SSE, for old clients, at http://localhost:8080/sse
package main

import (
	"cmp"
	"context"
	"flag"
	"log/slog"
	"os"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/sse"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	httpAddress := flag.String("http", "", "serve Streamable HTTP on this `address`")
	sseAddress := flag.String("sse", "", "serve HTTP with SSE on this `address`")
	flag.Parse()
	// Standard output is the protocol's, so the log goes to standard error.
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := serve(context.Background(), log, *httpAddress, *sseAddress); err != nil {
		log.Error("the server failed", "error", err)
		os.Exit(1)
	}
}

// serve serves one session over standard input and output, or all that come over HTTP.
func serve(ctx context.Context, log *slog.Logger, httpAddress, sseAddress string) error {
	server := newServer(log)
	switch {
	case httpAddress != "":
		return streamable.ListenAndServe(ctx, httpAddress, "/mcp", streamable.NewHandler(server, streamable.Options{}))
	case sseAddress != "":
		return streamable.ListenAndServe(ctx, sseAddress, "/sse", sse.NewHandler(server, sse.Options{}))
	}
	return stdio.Serve(ctx, server)
}

func newServer(log *slog.Logger) *runtime.Server {
	return runtime.NewServer(runtime.ServerOptions{
		Name:         "hello",
		Version:      "1.0.0",
		Instructions: "Four tools to try a client with.",
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}},
		Logger:       log,
	}, mcp.BindServer(&server{tools: tools(log)}))
}

// server implements the methods about tools; the embedded type answers all others with
// "method not found".
type server struct {
	mcp.UnimplementedServer
	tools []tool
}

// tool is what a client reads of a tool, and what runs when the client calls it.
type tool struct {
	mcp.Tool
	call handler
}

// handler runs a tool. An error of its own making, as opposed to a result with IsError,
// means that the tool could not be run.
type handler func(ctx context.Context, arguments wire.Object) (*mcp.CallToolResult, error)

// ListTools answers tools/list.
func (s *server) ListTools(context.Context, *mcp.PaginatedRequestParams) (*mcp.ListToolsResult, error) {
	result := &mcp.ListToolsResult{}
	for _, t := range s.tools {
		result.Tools = append(result.Tools, t.Tool)
	}
	return result, nil
}

// CallTool answers tools/call.
func (s *server) CallTool(ctx context.Context, params *mcp.CallToolRequestParams) (*mcp.CallToolResult, error) {
	for _, t := range s.tools {
		if t.Name == params.Name {
			return t.call(ctx, params.Arguments)
		}
	}
	return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown tool %.100q", params.Name)
}

// typed makes a handler of a function that takes its arguments decoded. Arguments that
// do not fit are the caller's mistake.
func typed[A any, P interface {
	*A
	DecodeJSON(*wire.Reader) error
}](call func(context.Context, A) (*mcp.CallToolResult, error)) handler {
	return func(ctx context.Context, arguments wire.Object) (*mcp.CallToolResult, error) {
		var a A
		r := wire.NewStringReader(string(cmp.Or(arguments, "{}")))
		if err := P(&a).DecodeJSON(r); err != nil {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid arguments: %v", err)
		}
		return call(ctx, a)
	}
}

// text is a result of one text block.
func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: s}}}
}

// failure is the result of a tool that ran and failed. The model reads why.
func failure(why string) *mcp.CallToolResult {
	result := text(why)
	result.IsError = new(true)
	return result
}
