package tools_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20241105"
	"github.com/mcpgen/mcpgen/generated/mcp20250326"
	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// weather is a definition of usual length.
const weather = `{"name":"%s","description":"Tells the weather in a city as it is now.","inputSchema":{"type":"object","properties":{"city":{"type":"string","minLength":1,"maxLength":100},"units":{"enum":["metric","imperial"],"default":"metric"},"hours":{"type":"integer","minimum":0,"maximum":72}},"required":["city"]},"outputSchema":{"type":"object","properties":{"city":{"type":"string"},"sky":{"enum":["clear","clouds","rain","snow"]},"temperature":{"type":"number","minimum":-100,"maximum":100},"wind":{"type":"number","minimum":0}},"required":["city","sky","temperature","wind"]}}`

// many are tools as generated code has them.
func many(n int) []*tools.Tool {
	all := make([]*tools.Tool, n)
	for i := range all {
		name := fmt.Sprintf("get_weather_%d", i)
		all[i] = &tools.Tool{Name: name, Definition: wire.Object(strings.Replace(weather, "%s", name, 1)), Input: checkWords, Output: checkWords}
	}
	return all
}

// register makes a server of tools, as a generated NewServer does.
func register(all []*tools.Tool) (*runtime.Server, error) {
	handler := func(_ context.Context, in *words) (*words, error) { return in, nil }
	list := make([]catalog.Tool, len(all))
	for i, t := range all {
		list[i] = tools.Structured(t, tools.Options{}, newWords, (*words).defaults, handler)
	}
	return tools.NewServer(tools.ServerOptions{}, list,
		mcp20251125.BindBase(), mcp20250618.BindBase(), mcp20250326.BindBase(), mcp20241105.BindBase())
}

func BenchmarkRegister(b *testing.B) {
	all := many(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := register(all); err != nil {
			b.Fatal(err)
		}
	}
}
