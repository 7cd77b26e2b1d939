package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
)

type server struct{ mcp.UnimplementedServer }

func (server) ListTools(context.Context, *mcp.PaginatedRequestParams) (*mcp.ListToolsResult, error) {
	return &mcp.ListToolsResult{Tools: []mcp.Tool{{Name: "hello", Description: new("Says hello.")}}}, nil
}

func (server) CallTool(_ context.Context, params *mcp.CallToolRequestParams) (mcp.CallToolResponse, error) {
	return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "Hello!"}}}, nil
}

func main() {
	options := runtime.ServerOptions{
		Name: "hello", Version: "1.0.0",
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}},
	}
	if err := stdio.Serve(context.Background(), runtime.NewServer(options, mcp.BindServer(server{}))); err != nil {
		log.Fatal(err)
	}
}
