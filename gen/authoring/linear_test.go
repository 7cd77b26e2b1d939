package authoring_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/authoring"
)

// TestReadIsLinear reads a list of a hundred tools and one of four thousand, and compares the memory for a tool.
func TestReadIsLinear(t *testing.T) {
	perTool := func(count int) uint64 {
		var all []string
		for i := range count {
			all = append(all, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, i))
		}
		text := []byte(`{"tools":[` + strings.Join(all, ",") + `]}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := authoring.Read("tools.json", text, nil); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / uint64(count)
	}
	few, many := perTool(100), perTool(4000)
	t.Logf("bytes per tool: %d and %d", few, many)
	if many > few*3/2 {
		t.Errorf("a tool of a long list takes %d bytes, that of a short one %d", many, few)
	}
}
