package proxy

import (
	"math"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// read returns the messages in a text, as far as they can be read. A text that is not a message has
// one of unknown kind.
func read(text string) []jsonrpc.Message {
	if jsonrpc.IsBatch(text) {
		items, _ := jsonrpc.ParseBatch(text, math.MaxInt)
		messages := make([]jsonrpc.Message, len(items))
		for i := range items {
			messages[i] = items[i].Message
		}
		return messages
	}
	m, _ := jsonrpc.Parse(text)
	if m.Kind == jsonrpc.Request && m.ID.IsZero() {
		m.Kind = 0 // neither side can answer it
	}
	return []jsonrpc.Message{m}
}

// nameParams are the members of params that HTTP requests without a session repeat in the header Mcp-Name, by
// method ("Standard Request Headers" in basic/transports/streamable-http, 2026-07-28).
var nameParams = map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

// revisionOf returns the revision that a message carries, or "" for a message of a session.
func revisionOf(m jsonrpc.Message) string {
	if !runtime.CarriesTerms(m.Params) {
		return ""
	}
	meta, _ := wire.Object(m.Params).Get("_meta")
	return wire.Object(meta).GetString("io.modelcontextprotocol/protocolVersion")
}

// outgoing returns a text with what its transport needs to know about it, which shares no memory with the text:
// transports keep it until a request is answered. A batch counts as a request if it has one, and otherwise as its
// last message. Revision is that of a message without a session.
func outgoing(text string, messages []jsonrpc.Message, revision string) runtime.Outgoing {
	out := runtime.Outgoing{Text: []byte(text), Revision: revision}
	if revision != "" && len(messages) == 1 {
		out.NameParam = nameParams[messages[0].Method]
		if failed := messages[0].Error; failed != nil {
			out.Code = failed.Code
		}
	}
	for _, m := range messages {
		out.Kind, out.ID, out.Method = m.Kind, m.ID.Clone(), strings.Clone(m.Method)
		if m.Kind == jsonrpc.Request {
			break
		}
	}
	return out
}

// errorMessage returns an error response.
func errorMessage(id wire.Scalar, e *jsonrpc.Error) runtime.Outgoing {
	text, err := jsonrpc.AppendError(nil, id, e)
	if err != nil {
		text = []byte(`{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"}}`)
	}
	return runtime.Outgoing{Text: text, Kind: jsonrpc.Response, ID: id, Code: e.Code}
}

// cancelled returns the id of the request that a notification cancels, or zero.
func cancelled(m jsonrpc.Message) wire.Scalar { return nameIn(wire.Object(m.Params), "requestId") }

// nameIn returns the id or token in a member of an object, in its canonical form, or zero.
func nameIn(o wire.Object, member string) wire.Scalar {
	s, _ := o.GetScalar(member)
	if !s.Is(wire.ScalarString | wire.ScalarNumber) {
		return wire.Scalar{}
	}
	return s.Canonical()
}
