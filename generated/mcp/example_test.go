package mcp_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server with a tool, and a client that calls it. Programs use stdio.Serve(ctx, server), and stdio.Command or
// streamable.URL as the client's transport. Package typed derives the schemas of a tool from Go types.
func Example() {
	greet := func(_ context.Context, arguments wire.Object) (*mcp.CallToolResult, error) {
		text := &mcp.TextContent{Text: "Hello, " + arguments.GetString("name") + "!"}
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{text}}, nil
	}
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "hello", Version: "1.0.0"}, catalog.NewTool(&mcp.Tool{Name: "greet"}, greet))
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	near, far := inproc.Pair()
	go server.Serve(ctx, far)
	session, err := mcp.Connect(ctx, near, mcp.ClientOptions{Name: "app", Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolRequestParams{
		Name:      "greet",
		Arguments: wire.MustObject(map[string]any{"name": "Ada"}),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	// Output: Hello, Ada!
}
