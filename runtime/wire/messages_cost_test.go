package wire_test

import (
	"encoding/json"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	mcp "github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestSame makes sure that both sides of the benchmarks do the same work.
func TestSame(t *testing.T) {
	sizes := map[string]int{"params": 110, "result": 1500, "list": 40_000, "blob": 1 << 20}
	for _, m := range messages() {
		text := m.text(t)
		if want := sizes[m.name]; len(text) < want*9/10 || len(text) > want*11/10 {
			t.Errorf("the %s has %d bytes, not about %d", m.name, len(text), want)
		}
		decoded := m.fresh()
		if err := wire.Unmarshal(text, decoded); err != nil {
			t.Fatal(err)
		}
		again, err := wire.Marshal(decoded)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(text), string(again)); diff != "" {
			t.Errorf("the %s is decoded to another value:\n%s", m.name, diff)
		}
		if m.std == nil {
			continue
		}
		std := m.std()
		if err := json.Unmarshal(text, std); err != nil {
			t.Fatal(err)
		}
		other, err := json.Marshal(std)
		if err != nil {
			t.Fatal(err)
		}
		if !wire.Equal(wire.Raw(text), wire.Raw(other)) {
			t.Errorf("encoding/json writes another value:\n%s\n%s", text, other)
		}
	}
	var x mcp.CallToolResult
	if err := wire.Unmarshal(messages()[1].text(t), &x); err != nil {
		t.Fatal(err)
	}
	want := result()
	want.Content[0].(*mcp.TextContent).Type = "text"
	want.Content[1].(*mcp.ImageContent).Type = "image"
	want.Content[2].(*mcp.EmbeddedResource).Type = "resource"
	if diff := cmp.Diff(want, &x); diff != "" {
		t.Error(diff)
	}
}

// cost is what is allocated by doing something once.
type cost struct{ allocations, bytes uint64 }

// costOf counts, with what the pools hold already there, and staying there. What else
// goes on in the process allocates too: the least of a few counts is right.
func costOf(t *testing.T, do func() error) cost {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := cost{math.MaxUint64, math.MaxUint64}
	for range 5 {
		const rounds = 10
		var before, after runtime.MemStats
		for i := range rounds + 1 {
			if i == 1 {
				runtime.ReadMemStats(&before)
			}
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		least.allocations = min(least.allocations, (after.Mallocs-before.Mallocs)/rounds)
		least.bytes = min(least.bytes, (after.TotalAlloc-before.TotalAlloc)/rounds)
	}
	return least
}

// TestCost checks what the messages cost at most, which unlike times is the same
// everywhere. Decoded values are made of it; for the rest there is no need.
func TestCost(t *testing.T) {
	limits := map[string]map[string]cost{
		"params": {"decode": {2, 240}, "decode-string": {1, 120}},
		"result": {"validate": {1, 160}, "decode": {11, 2700}, "decode-string": {10, 1150}},
		"list":   {"decode": {250, 98_000}, "decode-string": {250, 57_000}},
		"blob":   {"validate": {1, 160}, "decode": {5, 1<<20 + 16_000}, "decode-string": {4, 300}},
	}
	for _, m := range messages() {
		for _, f := range forms(t, m) {
			if strings.HasSuffix(f.name, "encoding-json") {
				continue
			}
			got, limit := costOf(t, f.do), limits[m.name][f.name]
			t.Logf("%s %s: %+v", m.name, f.name, got)
			if got.allocations > limit.allocations || got.bytes > limit.bytes {
				t.Errorf("%s %s costs %+v, want at most %+v", m.name, f.name, got, limit)
			}
		}
	}
}

// TestGrowth checks that ten times the message costs about ten times the memory: what
// grows faster would cost a hundred times as much.
func TestGrowth(t *testing.T) {
	const slack = 5000 // of buffers that double
	for _, g := range growing() {
		var sizes []int
		costs := map[string][]cost{}
		for _, times := range []int{1, 10, 100} {
			m := g.message(times)
			sizes = append(sizes, len(m.text(t)))
			for _, f := range forms(t, m) {
				costs[f.name] = append(costs[f.name], costOf(t, f.do))
			}
		}
		for name, costs := range costs {
			t.Logf("%s %s: %v for %v bytes", g.name, name, costs, sizes)
			for i := 1; i < len(costs); i++ {
				times := float64(sizes[i]) / float64(sizes[i-1])
				if a, b := costs[i-1], costs[i]; float64(b.bytes) > 2*times*float64(a.bytes)+slack ||
					float64(b.allocations) > 1.1*times*float64(a.allocations)+10 {
					t.Errorf("%s %s: a message %.1f times as long costs %+v instead of %+v", g.name, name, times, b, a)
				}
			}
		}
	}
}
