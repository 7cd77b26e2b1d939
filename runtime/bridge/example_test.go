package bridge_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/bridge"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client that speaks only 2024-11-05 uses a server that speaks only 2025-11-25. A program serves the bridge
// with stdio.Serve(ctx, bridge), or over HTTP with streamable.NewHandler.
func Example() {
	ctx := context.Background()
	tools := catalog.New(catalog.Options{})
	err := tools.Add(catalog.NewTool(&mcp20251125.Tool{Name: "measure"},
		func(context.Context, wire.Object) (*mcp20251125.CallToolResult, error) {
			text := &mcp20251125.TextContent{Text: "It is 21 °C."}
			return &mcp20251125.CallToolResult{Content: []mcp20251125.ContentBlock{text}, StructuredContent: `{"degrees":21}`}, nil
		}))
	if err != nil {
		log.Fatal(err)
	}
	server := runtime.NewServer(runtime.ServerOptions{Name: "weather", Version: "1.0.0", Capabilities: wire.Raw(`{"tools":{}}`)},
		tools.Over(mcp20251125.BindBase()))

	between := bridge.New(func() runtime.Transport { // stdio.Command or streamable.URL in a program
		near, far := inproc.Pair()
		go server.Serve(ctx, far)
		return near
	}, compat.Table(), bridge.Options{
		Lost: func(_ context.Context, r compat.Report) { fmt.Println(r) },
	})
	defer between.Close()

	near, far := inproc.Pair()
	go between.Serve(ctx, far)
	client := runtime.NewClient(runtime.ClientOptions{Name: "app", Version: "1.0.0"},
		mcp20241105.BindClient(mcp20241105.UnimplementedClient{}))
	session, err := client.Connect(ctx, near)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	result, err := mcp20241105.NewServerCaller(session).CallTool(ctx, &mcp20241105.CallToolRequestParams{Name: "measure"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(session.Revision(), result.Content[0].(*mcp20241105.TextContent).Text)
	// Output:
	// tools/call/structuredContent: the older revision has no structured content: the text block remains
	// 2024-11-05 It is 21 °C.
}
