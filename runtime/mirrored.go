package runtime

import (
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file compares a stateless request with the HTTP headers that repeat parts of it ("Server
// Validation" in basic/transports/streamable-http, 2026-07-28). The protocol does not say which headers a
// notification has, so those of notifications are ignored.

// checkHeader compares the revision alone. A client that gets UnsupportedVersion may rely on the header,
// so this is checked before.
func (m requestMeta) checkHeader(h headers.Header) error {
	revision, ok := m.revision.Str()
	if h == nil || !ok {
		return nil
	}
	return mismatch(headers.CheckRevision(h, revision))
}

// checkHeaders compares a message with the headers.
func (t *terms) checkHeaders(m *jsonrpc.Message, h headers.Header) error {
	if h == nil || m.Kind != jsonrpc.Request {
		return nil
	}
	params := wire.Object(m.Params)
	repeated := headers.Standard{Revision: t.revision, Method: m.Method}
	if name := t.bound.rows[m.Method].nameParam; name != "" {
		repeated.Named = true
		repeated.Name = params.GetString(name)
	}
	err := repeated.Check(h)
	if err == nil && m.Method == methodCallTool && t.bound.ToolHeaders != nil {
		if table := t.bound.ToolHeaders(repeated.Name); table != nil {
			arguments, _ := params.Get("arguments")
			err = table.Check(h, wire.Object(arguments))
		}
	}
	return mismatch(err)
}

// mismatch returns the JSON-RPC error for one of package headers.
func mismatch(err error) error {
	if err == nil {
		return nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeHeaderMismatch, Message: err.Error()}
}
