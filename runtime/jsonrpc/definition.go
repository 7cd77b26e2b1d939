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
		return &anyMessage{all: all, definition: d}, true
	case d.Each != "":
		return &definedBatch{all: all, each: d.Each}, true
	case d.Members != "":
		return &DefinedMessage{Definition: d}, true
	default:
		return d.New(), true
	}
}

// definedBatch is an array of messages.
type definedBatch struct {
	messages []wire.Value
	all      Definitions
	each     string
}

// DecodeJSON implements [wire.Value].
func (b *definedBatch) DecodeJSON(r *wire.Reader) error {
	b.messages = nil
	for r.BeginArray(); r.Element(); {
		v, _ := b.all.New(b.each)
		b.messages = append(b.messages, v)
		_ = v.DecodeJSON(r) // r keeps the error
	}
	return r.Err()
}

// AppendJSON implements [wire.Appender].
func (b *definedBatch) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.NewWriter(dst)
	w.BeginArray()
	for _, m := range b.messages {
		w.Element()
		w.Put(m)
	}
	w.EndArray()
	return w.End()
}

// Check implements [wire.Checker].
func (b *definedBatch) Check(c *wire.Collector) {
	for i, m := range b.messages {
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

func (m *DefinedMessage) parts() parts {
	return parts{
		members: m.Definition.Members, id: &m.id, version: &m.version, method: &m.method, only: m.Definition.Method, extra: &m.Extra, payload: m.Payload,
		fresh: func() wire.Value {
			m.Payload = m.Definition.New()
			return m.Payload
		},
	}
}

// DecodeJSON implements [wire.Value].
func (m *DefinedMessage) DecodeJSON(r *wire.Reader) error {
	*m = DefinedMessage{Definition: m.Definition}
	return m.parts().decode(r)
}

// AppendJSON implements [wire.Appender].
func (m *DefinedMessage) AppendJSON(dst []byte) ([]byte, error) { return m.parts().append(dst) }

// Check implements [wire.Checker].
func (m *DefinedMessage) Check(c *wire.Collector) { m.parts().check(c) }

// anyMessage is one of the messages that a definition is a union of.
type anyMessage struct {
	message    wire.Appender // a *DefinedMessage or *definedBatch, or a wire.Raw if it is none of those of the definition
	all        Definitions
	definition *Definition
}

// DecodeJSON implements [wire.Value]. It considers the messages whose required members are present. It reads
// the first one that the text is valid for, or else the first one, for its error.
func (m *anyMessage) DecodeJSON(r *wire.Reader) error {
	var fit wire.Value
	for _, name := range m.definition.OneOf {
		v, _ := m.all.New(name)
		if message, ok := v.(*DefinedMessage); ok != (r.Kind() == wire.KindObject) || ok && !message.Definition.fits(r) {
			continue
		}
		before := r.Mark()
		if r.Try(v) {
			if wire.Validate(v) == nil {
				m.message = v
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
		m.message = raw
		return r.Err()
	}
	m.message = fit
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
func (m *anyMessage) AppendJSON(dst []byte) ([]byte, error) {
	if m.message == nil {
		return dst, wire.ErrMissing
	}
	return m.message.AppendJSON(dst)
}

// Check implements [wire.Checker].
func (m *anyMessage) Check(c *wire.Collector) {
	switch v := m.message.(type) {
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

// parts are the parts of a whole message, which decoding sets, and encoding and checks read.
type parts struct {
	members string   // see [Definition]
	id      *wire.ID // nil for a message without one
	version *string  // nil if another version than "2.0" is an error
	method  *string
	only    string            // the only method, or ""
	payload wire.Value        // params, result or error, or nil
	fresh   func() wire.Value // sets the payload to a new value
	extra   *wire.Members
}

// decode reads an object with the members, and those that they do not list.
func (p parts) decode(r *wire.Reader) error {
	var seen [1]uint64
	names := strings.Fields(p.members)
	for r.BeginObject(); r.Member(); {
		at, optional := -1, false
		for i, name := range names {
			if name, mark := strings.CutSuffix(name, "?"); name == r.Name() {
				at, optional = i, mark
			}
		}
		if at < 0 {
			*p.extra.Entry(r) = r.ReadRaw()
			continue
		}
		if optional && !r.Present() {
			continue
		}
		seen[0] |= 1 << at
		switch r.Name() {
		case "jsonrpc":
			found := r.ReadConstString(version)
			if p.version != nil {
				*p.version = found
			} else if found != version && r.Err() == nil {
				r.Fail("must be %q", version)
			}
		case "id":
			*p.id = r.ReadID()
		case "method":
			if p.only != "" {
				*p.method = r.ReadConstString(p.only)
			} else {
				*p.method = r.ReadString()
			}
		default:
			_ = p.fresh().DecodeJSON(r) // r keeps the error
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

// append writes the members in their order.
func (p parts) append(dst []byte) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	names := strings.Fields(p.members)
	for i, name := range names {
		name, optional := strings.CutSuffix(name, "?")
		names[i] = name
		switch {
		case name == "jsonrpc" && p.version != nil:
			w.String(name, *p.version)
		case name == "jsonrpc":
			w.String(name, version)
		case name == "id":
			if !optional || !p.id.IsZero() {
				w.Value(name, p.id)
			}
		case name == "method":
			if *p.method == "" && p.version == nil {
				w.Fail(wire.In(wire.ErrMissing, name))
			}
			w.String(name, *p.method)
		case p.payload != nil:
			w.Value(name, p.payload)
		}
	}
	if p.version == nil {
		names = append(names, "id") // which would make a notification a request
	}
	w.Members(*p.extra, names...)
	return w.Close()
}

// check reports each member that the definition does not allow.
func (p parts) check(c *wire.Collector) {
	for name := range strings.FieldsSeq(p.members) {
		name, optional := strings.CutSuffix(name, "?")
		c.Push(name)
		switch {
		case name == "jsonrpc":
			c.Const(p.version == nil || *p.version == "" || *p.version == version, strconv.Quote(version))
		case name == "method":
			c.Const(p.only == "" || *p.method == "" || *p.method == p.only, strconv.Quote(p.only))
		case name == "id":
			if !optional || !p.id.IsZero() {
				p.id.Check(c)
			}
		default:
			if v, ok := p.payload.(wire.Checker); ok {
				v.Check(c)
			}
		}
		c.Pop()
	}
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

func (m *RequestOf[P]) parts() parts {
	p := parts{members: "jsonrpc id method params?", id: &m.ID, method: &m.Method, extra: &m.Extra, fresh: func() wire.Value {
		m.Params = new(P)
		return valueOf(m.Params)
	}}
	if m.Params != nil {
		p.payload = valueOf(m.Params)
	}
	return p
}

// DecodeJSON implements [wire.Value].
func (m *RequestOf[P]) DecodeJSON(r *wire.Reader) error {
	*m = RequestOf[P]{}
	return m.parts().decode(r)
}

// AppendJSON implements [wire.Appender].
func (m *RequestOf[P]) AppendJSON(dst []byte) ([]byte, error) { return m.parts().append(dst) }

// Check implements [wire.Checker].
func (m *RequestOf[P]) Check(c *wire.Collector) { m.parts().check(c) }

// MarshalJSON is AppendJSON for encoding/json.
func (m RequestOf[P]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *RequestOf[P]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

func (m *NotificationOf[P]) parts() parts {
	p := parts{members: "jsonrpc method params?", method: &m.Method, extra: &m.Extra, fresh: func() wire.Value {
		m.Params = new(P)
		return valueOf(m.Params)
	}}
	if m.Params != nil {
		p.payload = valueOf(m.Params)
	}
	return p
}

// DecodeJSON implements [wire.Value].
func (m *NotificationOf[P]) DecodeJSON(r *wire.Reader) error {
	*m = NotificationOf[P]{}
	return m.parts().decode(r)
}

// AppendJSON implements [wire.Appender].
func (m *NotificationOf[P]) AppendJSON(dst []byte) ([]byte, error) { return m.parts().append(dst) }

// Check implements [wire.Checker].
func (m *NotificationOf[P]) Check(c *wire.Collector) { m.parts().check(c) }

// MarshalJSON is AppendJSON for encoding/json.
func (m NotificationOf[P]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *NotificationOf[P]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

func (m *ResultOf[R]) parts() parts {
	payload := valueOf(&m.Result)
	return parts{members: "jsonrpc id result", id: &m.ID, extra: &m.Extra, payload: payload, fresh: func() wire.Value { return payload }}
}

// DecodeJSON implements [wire.Value].
func (m *ResultOf[R]) DecodeJSON(r *wire.Reader) error {
	*m = ResultOf[R]{}
	return m.parts().decode(r)
}

// AppendJSON implements [wire.Appender].
func (m *ResultOf[R]) AppendJSON(dst []byte) ([]byte, error) { return m.parts().append(dst) }

// Check implements [wire.Checker].
func (m *ResultOf[R]) Check(c *wire.Collector) { m.parts().check(c) }

// MarshalJSON is AppendJSON for encoding/json.
func (m ResultOf[R]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *ResultOf[R]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

func (m *ErrorOf[E]) parts() parts {
	payload := valueOf(&m.Error)
	return parts{members: "jsonrpc id? error", id: &m.ID, extra: &m.Extra, payload: payload, fresh: func() wire.Value { return payload }}
}

// DecodeJSON implements [wire.Value].
func (m *ErrorOf[E]) DecodeJSON(r *wire.Reader) error {
	*m = ErrorOf[E]{}
	return m.parts().decode(r)
}

// AppendJSON implements [wire.Appender].
func (m *ErrorOf[E]) AppendJSON(dst []byte) ([]byte, error) { return m.parts().append(dst) }

// Check implements [wire.Checker].
func (m *ErrorOf[E]) Check(c *wire.Collector) { m.parts().check(c) }

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
