package compat

import (
	"context"
	"fmt"
	"testing"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// BenchmarkServe measures calls in memory in each revision: a tool with a short result, and a
// list of a hundred tools, which is converted once for the catalog or for each call.
func BenchmarkServe(b *testing.B) {
	for _, kind := range []struct {
		name, method string
		params       wire.Object
		options      catalog.Options
	}{
		{"call", "tools/call", `{"name":"t0","arguments":{"a":1}}`, catalog.Options{}},
		{"list", "tools/list", `{}`, catalog.Options{Convert: ladder.Converter(mcp.Revision, ladder.Options{})}},
		{"list unkept", "tools/list", `{}`, catalog.Options{}},
	} {
		for _, r := range ladder.Table().Revisions {
			b.Run(kind.name+"/"+r.ID, func(b *testing.B) { benchmarkServe(b, r, kind.method, kind.params, kind.options) })
		}
	}
}

func benchmarkServe(b *testing.B, r convert.Revision, method string, params wire.Object, o catalog.Options) {
	c := catalog.New(o)
	for i := range 100 {
		err := c.Add(catalog.Tool{
			Definition: wire.Object(fmt.Sprintf(`{"name":"t%d","title":"A title","description":"What it does.","inputSchema":{"type":"object","properties":{"a":{"type":"number"}}},"icons":[{"src":"https://example.com/icon.png"}]}`, i)),
			Call: func(context.Context, wire.Object) (wire.Appender, error) {
				return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "a short result"}}}, nil
			},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ServerCapabilitiesTools{}}},
		ladder.Serve(c.Over(mcp.BindBase()), ladder.Options{})...)
	near, far := inproc.Pair()
	go server.Serve(b.Context(), far)
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"},
		runtime.Binding{Revision: r.ID, Direction: runtime.ToClient, Methods: r.Methods}).Connect(b.Context(), near)
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	b.ReportAllocs()
	for b.Loop() {
		if err := session.Call(b.Context(), method, params, nil); err != nil {
			b.Fatal(err)
		}
	}
}
