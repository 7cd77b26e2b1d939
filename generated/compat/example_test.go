package compat_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server that is written for 2026-07-28 speaks every revision, here to a client that knows only 2024-11-05.
func ExampleNewServer() {
	greet := catalog.NewTool(&mcp20260728.Tool{Name: "greet"},
		func(context.Context, wire.Object) (*mcp20260728.CallToolResult, error) {
			text := &mcp20260728.TextContent{Text: "Hello!"}
			return &mcp20260728.CallToolResult{Content: []mcp20260728.ContentBlock{text}}, nil
		})
	server, err := compat.NewServer(mcp20260728.BindBase(), runtime.ServerOptions{Name: "hello", Version: "1.0.0"}, greet)
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	near, far := inproc.Pair()
	go server.Serve(ctx, far)
	client := runtime.NewClient(runtime.ClientOptions{Name: "app", Version: "1.0.0"},
		mcp20241105.BindClient(mcp20241105.UnimplementedClient{}))
	session, err := client.Connect(ctx, near)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := mcp20241105.NewServerCaller(session).CallTool(ctx, &mcp20241105.CallToolRequestParams{Name: "greet"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.Revision(), result.Content[0].(*mcp20241105.TextContent).Text)
	// Output: 2024-11-05 Hello!
}
