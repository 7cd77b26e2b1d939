package jsonrpc

import (
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// RequestOf is a whole request whose params have type P, a type whose pointer is a [wire.Value]. Generated
// packages have a name for the request of each method, such as CallToolRequest.
//
// The runtime reads and writes envelopes by itself: a handler gets the params alone. The type is for programs
// that keep or build whole messages.
type RequestOf[P any] struct {
	// ID is unique among the sender's requests. The response repeats it.
	ID wire.ID `json:"id"`
	// Method is the name of the method, which the type does not know.
	Method string `json:"method"`
	// Params is nil if the request has none.
	Params *P `json:"params,omitempty"`
	// Extra holds the members that JSON-RPC does not define, in their order.
	Extra wire.Members `json:"-"`
}

// NotificationOf is a whole notification whose params have type P, see [RequestOf].
type NotificationOf[P any] struct {
	// Method is the name of the method, which the type does not know.
	Method string `json:"method"`
	// Params is nil if the notification has none.
	Params *P `json:"params,omitempty"`
	// Extra holds the members that JSON-RPC does not define, in their order.
	Extra wire.Members `json:"-"`
}

// ResultOf is a whole response with a result of type R, see [RequestOf].
type ResultOf[R any] struct {
	// ID is that of the request.
	ID wire.ID `json:"id"`
	// Result is the result of the request.
	Result R `json:"result"`
	// Extra holds the members that JSON-RPC does not define, in their order.
	Extra wire.Members `json:"-"`
}

// ErrorOf is a whole response with an error of type E, see [RequestOf].
type ErrorOf[E any] struct {
	// ID is that of the request, or zero if the request could not be read.
	ID wire.ID `json:"id,omitzero"`
	// Error says what is wrong with the request.
	Error E `json:"error"`
	// Extra holds the members that JSON-RPC does not define, in their order.
	Extra wire.Members `json:"-"`
}

// DecodeJSON implements [wire.Value].
func (m *RequestOf[P]) DecodeJSON(r *wire.Reader) error {
	*m = RequestOf[P]{}
	return decodeWhole(r, "jsonrpc id method params?", &m.Extra, whole{id: &m.ID, method: &m.Method, payload: func() wire.Value {
		m.Params = new(P)
		return valueOf(m.Params)
	}})
}

// AppendJSON implements [wire.Appender].
func (m *RequestOf[P]) AppendJSON(dst []byte) ([]byte, error) {
	w := beginWhole(dst)
	w.Value("id", &m.ID)
	return endMethod(&w, m.Method, m.Params, m.Extra)
}

// Check implements [wire.Checker].
func (m *RequestOf[P]) Check(c *wire.Collector) {
	checkID(c, m.ID)
	checkParams(c, m.Params)
}

// MarshalJSON is AppendJSON for encoding/json.
func (m RequestOf[P]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *RequestOf[P]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

// DecodeJSON implements [wire.Value].
func (m *NotificationOf[P]) DecodeJSON(r *wire.Reader) error {
	*m = NotificationOf[P]{}
	return decodeWhole(r, "jsonrpc method params?", &m.Extra, whole{method: &m.Method, payload: func() wire.Value {
		m.Params = new(P)
		return valueOf(m.Params)
	}})
}

// AppendJSON implements [wire.Appender].
func (m *NotificationOf[P]) AppendJSON(dst []byte) ([]byte, error) {
	w := beginWhole(dst)
	return endMethod(&w, m.Method, m.Params, m.Extra)
}

// Check implements [wire.Checker].
func (m *NotificationOf[P]) Check(c *wire.Collector) { checkParams(c, m.Params) }

// MarshalJSON is AppendJSON for encoding/json.
func (m NotificationOf[P]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *NotificationOf[P]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

// DecodeJSON implements [wire.Value].
func (m *ResultOf[R]) DecodeJSON(r *wire.Reader) error {
	*m = ResultOf[R]{}
	return decodeWhole(r, "jsonrpc id result", &m.Extra, whole{id: &m.ID, payload: func() wire.Value { return valueOf(&m.Result) }})
}

// AppendJSON implements [wire.Appender].
func (m *ResultOf[R]) AppendJSON(dst []byte) ([]byte, error) {
	w := beginWhole(dst)
	w.Value("id", &m.ID)
	w.Value("result", valueOf(&m.Result))
	w.Members(m.Extra, "jsonrpc", "id", "result")
	w.EndObject()
	return w.End()
}

// Check implements [wire.Checker].
func (m *ResultOf[R]) Check(c *wire.Collector) {
	checkID(c, m.ID)
	checkMember(c, "result", &m.Result)
}

// MarshalJSON is AppendJSON for encoding/json.
func (m ResultOf[R]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *ResultOf[R]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

// DecodeJSON implements [wire.Value].
func (m *ErrorOf[E]) DecodeJSON(r *wire.Reader) error {
	*m = ErrorOf[E]{}
	return decodeWhole(r, "jsonrpc id? error", &m.Extra, whole{id: &m.ID, payload: func() wire.Value { return valueOf(&m.Error) }})
}

// AppendJSON implements [wire.Appender].
func (m *ErrorOf[E]) AppendJSON(dst []byte) ([]byte, error) {
	w := beginWhole(dst)
	if !m.ID.IsZero() {
		w.Value("id", &m.ID)
	}
	w.Value("error", valueOf(&m.Error))
	w.Members(m.Extra, "jsonrpc", "id", "error")
	w.EndObject()
	return w.End()
}

// Check implements [wire.Checker].
func (m *ErrorOf[E]) Check(c *wire.Collector) {
	if !m.ID.IsZero() {
		checkID(c, m.ID)
	}
	checkMember(c, "error", &m.Error)
}

// MarshalJSON is AppendJSON for encoding/json.
func (m ErrorOf[E]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *ErrorOf[E]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

// valueOf returns a pointer as the wire.Value that the type parameters above ask for.
func valueOf[T any](p *T) wire.Value {
	v, ok := any(p).(wire.Value)
	if !ok {
		panic(fmt.Sprintf("jsonrpc: %T is not a wire.Value", p))
	}
	return v
}

func beginWhole(dst []byte) wire.Writer {
	w := wire.NewWriter(dst)
	w.BeginObject()
	w.String("jsonrpc", version)
	return w
}

// endMethod writes the end of a request or notification.
func endMethod[P any](w *wire.Writer, method string, params *P, extra wire.Members) ([]byte, error) {
	if method == "" {
		w.Fail(wire.In(wire.ErrMissing, "method"))
	}
	w.String("method", method)
	if params != nil {
		w.Value("params", valueOf(params))
	}
	w.Members(extra, "jsonrpc", "id", "method", "params")
	w.EndObject()
	return w.End()
}

func checkID(c *wire.Collector, id wire.ID) {
	c.Push("id")
	id.Check(c)
	c.Pop()
}

func checkParams[P any](c *wire.Collector, params *P) {
	if params != nil {
		checkMember(c, "params", params)
	}
}

func checkMember(c *wire.Collector, name string, v any) {
	if v, ok := v.(wire.Checker); ok {
		c.Push(name)
		v.Check(c)
		c.Pop()
	}
}
