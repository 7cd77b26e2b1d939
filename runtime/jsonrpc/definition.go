package jsonrpc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Definition describes a definition of a revision: a row of the table of a generated package.
//
// A definition of params, results and what they hold has a generated type, and New alone. One of a whole
// message has no generated code. Its row names the members, so that a program that checks messages sees
// exactly what the schema says.
type Definition struct {
	// Name is the upstream name, or that of the type if the revision has no definition of it.
	Name string
	// New returns a new value: of the definition, or of the params, the result or the error of a message.
	New func() wire.Value
	// Members lists the members of a whole message, separated by spaces, such as "jsonrpc id method params?". A
	// question mark means that the member may be absent.
	Members string
	// Method is the only method that the message may have, or "" if it may have any.
	Method string
	// OneOf lists the definitions of messages that this one is a union of.
	OneOf []string
	// Each is the definition of the messages of a batch, which this definition is.
	Each string
}

// Definitions are the definitions of a revision, sorted by name.
type Definitions []Definition

// New returns a new value of a definition and reports whether there is such a definition.
func (all Definitions) New(name string) (wire.Value, bool) {
	i, ok := slices.BinarySearchFunc(all, name, func(d Definition, name string) int { return strings.Compare(d.Name, name) })
	if !ok {
		return nil, false
	}
	switch d := &all[i]; {
	case d.OneOf != nil:
		return &AnyMessage{all: all, definition: d}, true
	case d.Each != "":
		return &DefinedBatch{all: all, each: d.Each}, true
	case d.Members != "":
		return &DefinedMessage{Definition: d}, true
	default:
		return d.New(), true
	}
}

// DefinedBatch is an array of messages.
type DefinedBatch struct {
	// Messages are the elements.
	Messages []wire.Value

	all  Definitions
	each string
}

// DecodeJSON implements [wire.Value].
func (b *DefinedBatch) DecodeJSON(r *wire.Reader) error {
	b.Messages = nil
	for r.BeginArray(); r.Element(); {
		v, _ := b.all.New(b.each)
		b.Messages = append(b.Messages, v)
		_ = v.DecodeJSON(r) // r keeps the error
	}
	return r.Err()
}

// AppendJSON implements [wire.Appender].
func (b *DefinedBatch) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.NewWriter(dst)
	w.BeginArray()
	for _, m := range b.Messages {
		w.Element()
		w.Put(m)
	}
	w.EndArray()
	return w.End()
}

// Check implements [wire.Checker].
func (b *DefinedBatch) Check(c *wire.Collector) {
	for i, m := range b.Messages {
		c.PushIndex(i)
		m.(wire.Checker).Check(c)
		c.Pop()
	}
}

// DefinedMessage is a whole message as its definition describes it.
type DefinedMessage struct {
	Definition *Definition
	// Payload is the value of params, result or error, or nil if it is absent.
	Payload wire.Value
	// Extra holds the members that the definition does not have, in their order.
	Extra wire.Members

	id              wire.ID
	version, method string
}

// PayloadName returns "params", "result" or "error".
func (d *Definition) PayloadName() string {
	for _, name := range []string{"params", "result", "error"} {
		if strings.Contains(d.Members, name) {
			return name
		}
	}
	return ""
}

// DecodeJSON implements [wire.Value].
func (m *DefinedMessage) DecodeJSON(r *wire.Reader) error {
	*m = DefinedMessage{Definition: m.Definition}
	return decodeWhole(r, m.Definition.Members, &m.Extra, whole{
		id: &m.id, method: &m.method, fixed: m.Definition.Method, version: &m.version,
		payload: func() wire.Value {
			m.Payload = m.Definition.New()
			return m.Payload
		},
	})
}

// AppendJSON implements [wire.Appender].
func (m *DefinedMessage) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.NewWriter(dst)
	w.BeginObject()
	names := strings.Fields(strings.ReplaceAll(m.Definition.Members, "?", ""))
	for _, name := range names {
		switch {
		case name == "jsonrpc":
			w.String(name, m.version)
		case name == "id":
			if !m.id.IsZero() {
				w.Value(name, &m.id)
			}
		case name == "method":
			w.String(name, m.method)
		case m.Payload != nil:
			w.Value(name, m.Payload)
		}
	}
	w.Members(m.Extra, names...)
	w.EndObject()
	return w.End()
}

// Check implements [wire.Checker].
func (m *DefinedMessage) Check(c *wire.Collector) {
	for _, member := range []struct{ name, value, only string }{{"jsonrpc", m.version, version}, {"method", m.method, m.Definition.Method}} {
		if member.value != "" && member.only != "" {
			c.Push(member.name)
			c.Const(member.value == member.only, strconv.Quote(member.only))
			c.Pop()
		}
	}
	checkMember(c, m.Definition.PayloadName(), m.Payload)
}

// AnyMessage is one of the messages that a definition is a union of.
type AnyMessage struct {
	// V is the message: a *DefinedMessage or *DefinedBatch, or a wire.Raw if it is none of those of the
	// definition.
	V wire.Appender

	all        Definitions
	definition *Definition
}

// DecodeJSON implements [wire.Value]. Of the messages whose required members are present, it reads the first
// that the text is valid for, or else the first, for its error.
func (m *AnyMessage) DecodeJSON(r *wire.Reader) error {
	var fit wire.Value
	for _, name := range m.definition.OneOf {
		v, _ := m.all.New(name)
		if message, ok := v.(*DefinedMessage); ok != (r.Kind() == wire.KindObject) || ok && !message.Definition.fits(r) {
			continue
		}
		before := r.Mark()
		if r.Try(v) {
			if wire.Validate(v) == nil {
				m.V = v
				return r.Err()
			}
			r.Reset(before)
		}
		if fit == nil {
			fit = v
		}
	}
	if fit == nil {
		raw := r.ReadRaw()
		m.V = raw
		return r.Err()
	}
	m.V = fit
	return fit.DecodeJSON(r)
}

// fits reports whether the object that r is at has the required members and the method of a definition.
func (d *Definition) fits(r *wire.Reader) bool {
	var required []string
	for _, name := range strings.Fields(d.Members) {
		if !strings.HasSuffix(name, "?") && name != "jsonrpc" && name != "params" {
			required = append(required, name)
		}
	}
	if r.PeekHas(required...) != 1<<len(required)-1 {
		return false
	}
	method, _ := r.PeekString("method")
	return d.Method == "" || d.Method == method
}

// AppendJSON implements [wire.Appender].
func (m *AnyMessage) AppendJSON(dst []byte) ([]byte, error) {
	if m.V == nil {
		return dst, wire.ErrMissing
	}
	return m.V.AppendJSON(dst)
}

// Check implements [wire.Checker].
func (m *AnyMessage) Check(c *wire.Collector) {
	switch v := m.V.(type) {
	case nil:
		c.Report("is missing")
	case wire.Checker:
		v.Check(c)
	case wire.Raw:
		var methods []string
		for _, name := range m.definition.OneOf {
			v, _ := m.all.New(name)
			if message, ok := v.(*DefinedMessage); ok && message.Definition.Method != "" {
				methods = append(methods, message.Definition.Method)
			}
		}
		member := ""
		if methods != nil {
			member = "method"
		}
		c.UnknownVariant(m.definition.Name, v, member, methods...)
	}
}

// whole has the places for the members of a message.
type whole struct {
	id      *wire.ID
	version *string // nil if another version than "2.0" is an error
	method  *string
	fixed   string            // the only method, or ""
	payload func() wire.Value // a place for params, result or error
}

// decodeWhole reads an object with the given members, see [Definition], and those that it does not list.
func decodeWhole(r *wire.Reader, members string, extra *wire.Members, into whole) error {
	var seen [1]uint64
	names := strings.Fields(members)
	for r.BeginObject(); r.Member(); {
		at, optional := -1, false
		for i, name := range names {
			if name, mark := strings.CutSuffix(name, "?"); name == r.Name() {
				at, optional = i, mark
			}
		}
		if at < 0 {
			*extra.Entry(r) = r.ReadRaw()
			continue
		}
		if !optional {
			r.Once(&seen[0], uint(at))
		} else if !r.Present(&seen[0], uint(at)) {
			continue
		}
		switch r.Name() {
		case "jsonrpc":
			found := r.ReadConstString(version)
			if into.version != nil {
				*into.version = found
			} else if found != version && r.Err() == nil {
				r.Fail("must be %q", version)
			}
		case "id":
			*into.id = r.ReadID()
		case "method":
			if into.fixed != "" {
				*into.method = r.ReadConstString(into.fixed)
			} else {
				*into.method = r.ReadString()
			}
		default:
			_ = into.payload().DecodeJSON(r) // r keeps the error
		}
	}
	var want uint64
	for i, name := range names {
		if strings.HasSuffix(name, "?") {
			names[i] = ""
		} else {
			want |= 1 << i
		}
	}
	if seen[0]&want != want {
		r.Missing(seen[:], names...)
	}
	return r.Err()
}

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
