package proxy

import (
	"math"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// read returns the messages in a text, as far as they can be read. A text that is no message
// has one of unknown kind.
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
		m.Kind = 0 // nobody can answer it
	}
	return []jsonrpc.Message{m}
}

// outgoing returns a text with what its transport needs to know of it. A batch counts as a
// request if it has one, and otherwise as its last message.
func outgoing(text string, messages []jsonrpc.Message, route runtime.Route) runtime.Outgoing {
	out := runtime.Outgoing{Text: []byte(text), Route: route}
	for _, m := range messages {
		out.Kind, out.ID, out.Method = m.Kind, m.ID, m.Method
		if m.Kind == jsonrpc.Request {
			break
		}
	}
	return out
}

// errorMessage returns an error response.
func errorMessage(id wire.Scalar, e *jsonrpc.Error, route runtime.Route) runtime.Outgoing {
	text, err := jsonrpc.AppendError(nil, id, e)
	if err != nil {
		text = []byte(`{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"}}`)
	}
	return runtime.Outgoing{Text: text, Kind: jsonrpc.Response, ID: id, Route: route}
}

// cancelled returns the id of the request that a notification cancels, or zero.
func cancelled(m jsonrpc.Message) wire.Scalar { return scalarAt(m.Params, "requestId") }

// scalarAt returns the string or number below the members of nested objects in its canonical
// form, or zero.
func scalarAt(text wire.Raw, names ...string) wire.Scalar {
	for _, name := range names {
		text, _ = wire.Object(text).Get(name)
	}
	if k := text.Kind(); k != wire.KindString && k != wire.KindNumber {
		return wire.Scalar{}
	}
	var s wire.Scalar
	if wire.UnmarshalString(string(text), &s) != nil {
		return wire.Scalar{}
	}
	return s.Canonical()
}
