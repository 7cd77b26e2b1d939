package tools_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/tools/contract"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// weather is a definition of typical length.
const weather = `{"name":"%s","description":"Tells the weather in a city as it is now.","inputSchema":{"type":"object","properties":{"city":{"type":"string","minLength":1,"maxLength":100},"units":{"enum":["metric","imperial"],"default":"metric"},"hours":{"type":"integer","minimum":0,"maximum":72}},"required":["city"]},"outputSchema":{"type":"object","properties":{"city":{"type":"string"},"sky":{"enum":["clear","clouds","rain","snow"]},"temperature":{"type":"number","minimum":-100,"maximum":100},"wind":{"type":"number","minimum":0}},"required":["city","sky","temperature","wind"]}}`

// many returns tools in the form of generated code.
func many(n int) []*tools.Item {
	all := make([]*tools.Item, n)
	for i := range all {
		name := fmt.Sprintf("get_weather_%d", i)
		all[i] = &tools.Item{Kind: "tool", Key: name, Definition: wire.Object(strings.Replace(weather, "%s", name, 1)), Input: checkWords, Output: checkWords}
	}
	return all
}

// register creates a server of tools, as a generated NewServer does.
func register(all []*tools.Item) (*runtime.Server, error) {
	handler := func(_ context.Context, in *words) (*words, error) { return in, nil }
	list := make([]catalog.Item, len(all))
	for i, t := range all {
		list[i] = tools.Structured(t, tools.Options{}, newWords, handler)
	}
	return mcp.NewServer(mcp.ServerOptions{}, list...)
}

// BenchmarkRegister registers 1,000 tools. Registering parses nothing: each tool takes the function that runs it
// and two entries of the catalog, three and a half allocations of 420 bytes.
func BenchmarkRegister(b *testing.B) {
	all := many(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := register(all); err != nil {
			b.Fatal(err)
		}
	}
}

// TestListed checks that a tool registered without being parsed is listed unchanged.
func TestListed(t *testing.T) {
	all := many(10)
	server, err := register(all)
	if err != nil {
		t.Fatal(err)
	}
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcp20251125.BindClient(mcp20251125.UnimplementedClient{}))
	session, err := client.Connect(t.Context(), contract.Connect(t, server))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if err := tools.Check(t.Context(), session, all); err != nil {
		t.Error(err)
	}
}

// BenchmarkCall calls tools. Beyond those of the handler and the tool's codecs, a call takes allocations for the
// arguments, the text and the result, and one more for a list of blocks.
func BenchmarkCall(b *testing.B) {
	fresh := func() *words { return &words{} }
	block := []mcp20251125.ContentBlock{&mcp20251125.TextContent{Text: "It rains."}}
	result := &words{text: "a"}
	for _, tool := range []catalog.Tool{
		tools.Structured(shout, tools.Options{}, fresh, func(context.Context, *words) (*words, error) { return result, nil }),
		tools.Content(draw, tools.Options{}, fresh, func(context.Context, *words) ([]mcp20251125.ContentBlock, error) { return block, nil }),
	} {
		buf := make([]byte, 0, 1000)
		b.Run(tool.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out, err := tool.Call(context.Background(), `{"text":"a"}`)
				if err == nil {
					_, err = out.AppendJSON(buf)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
