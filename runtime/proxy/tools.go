package proxy

import (
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxTools limits the tools that a proxy keeps.
const maxTools = 10_000

// annotation marks the parameters of a tool that HTTP requests repeat in headers ("Schema Extension" in
// basic/transports/streamable-http, 2026-07-28).
const annotation = "x-mcp-header"

// tools are the definitions of the server's tools with parameters that are repeated in headers. The list of
// tools and a call of one may pass on different connections, so the proxy keeps them.
type tools struct {
	mu     sync.Mutex
	byName map[string]wire.Object
}

// learn reads a result of tools/list, if the transport to the server needs it.
func (t *tools) learn(server runtime.Transport, list wire.Raw) {
	if _, ok := server.(runtime.ToolReader); !ok {
		return
	}
	all, _ := wire.Object(list).Get("tools")
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tool := range all.Elements() {
		name := wire.Object(tool).GetString("name")
		switch {
		case !strings.Contains(string(tool), annotation):
			delete(t.byName, name)
		case len(t.byName) < maxTools:
			if t.byName == nil {
				t.byName = make(map[string]wire.Object)
			}
			t.byName[strings.Clone(name)] = wire.Object(tool).Clone()
		}
	}
}

// tell tells the transport to the server which parameters of a tool it has to repeat.
func (t *tools) tell(server runtime.Transport, name string) {
	reader, ok := server.(runtime.ToolReader)
	if !ok {
		return
	}
	t.mu.Lock()
	tool, ok := t.byName[name]
	t.mu.Unlock()
	if ok {
		_ = reader.ReadTool(tool) // the server refuses a call without its headers
	}
}
