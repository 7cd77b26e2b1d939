package streamable

import (
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxTools limits the tools whose headers are kept. Beyond it, all are forgotten, and calls learn them
// again when the server refuses one.
const maxTools = 10_000

// methodCallTool is the method whose requests repeat arguments in headers.
const methodCallTool = "tools/call"

// toolHeaders knows the headers of a server's tools. The zero value knows none.
type toolHeaders struct {
	mu     sync.Mutex
	tables map[string]*headers.Table // by the name of a tool with headers
}

// ReadTool implements runtime.ToolReader.
func (t *Transport) ReadTool(tool wire.Object) error { return t.tools.read(tool) }

// read takes the headers from the definition of a tool.
func (h *toolHeaders) read(tool wire.Object) error {
	name := tool.GetString("name")
	schema, _ := tool.Get("inputSchema")
	table, err := headers.NewTable(schema)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err != nil || table.Len() == 0:
		delete(h.tables, name)
		return err
	case h.tables == nil || len(h.tables) >= maxTools:
		h.tables = make(map[string]*headers.Table)
	}
	h.tables[strings.Clone(name)] = table
	return nil
}

// table returns the headers of a tool, or nil.
func (h *toolHeaders) table(name string) *headers.Table {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tables[name]
}

// metadata has the headers of a request that belongs to no session ("Request Metadata" in
// basic/transports/streamable-http, 2026-07-28).
type metadata struct {
	standard  headers.Standard
	arguments http.Header // those that repeat arguments of a tool; nil for none
}

// set sets the headers.
func (m *metadata) set(h http.Header) {
	m.standard.Set(h)
	maps.Copy(h, m.arguments)
}

// metadata returns the headers of a request.
func (h *toolHeaders) metadata(m *runtime.Outgoing, text string) (*metadata, error) {
	own := &metadata{standard: headers.Standard{Revision: m.Revision, Method: m.Method, Named: m.NameParam != ""}}
	if !own.standard.Named {
		return own, nil
	}
	raw, _ := wire.Object(text).Get("params")
	params := wire.Object(raw)
	own.standard.Name = params.GetString(m.NameParam)
	if m.Method != methodCallTool {
		return own, nil
	}
	table := h.table(own.standard.Name)
	if table == nil {
		return own, nil
	}
	own.arguments = make(http.Header, table.Len())
	arguments, _ := params.Get("arguments")
	return own, table.Set(own.arguments, wire.Object(arguments))
}
