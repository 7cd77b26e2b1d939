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

	// typed is true for a RequestOf and the like: another version than "2.0" is an error, and so is an absent method.
	typed bool
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

// DecodeJSON implements [wire.Value]. It reads an object with the members of the definition, and others.
func (m *DefinedMessage) DecodeJSON(r *wire.Reader) error {
	*m = DefinedMessage{Definition: m.Definition, typed: m.typed}
	var seen [1]uint64
	names := strings.Fields(m.Definition.Members)
	for r.BeginObject(); r.Member(); {
		at, optional := -1, false
		for i, name := range names {
			if name, mark := strings.CutSuffix(name, "?"); name == r.Name() {
				at, optional = i, mark
			}
		}
		if at < 0 {
			*m.Extra.Entry(r) = r.ReadRaw()
			continue
		}
		if optional && !r.Present() {
			continue
		}
		seen[0] |= 1 << at
		switch r.Name() {
		case "jsonrpc":
			if m.version = r.ReadConstString(version); m.typed && m.version != version && r.Err() == nil {
				r.Fail("must be %q", version)
			}
		case "id":
			m.id = r.ReadID()
		case "method":
			if only := m.Definition.Method; only != "" {
				m.method = r.ReadConstString(only)
			} else {
				m.method = r.ReadString()
			}
		default:
			m.Payload = m.Definition.New()
			_ = m.Payload.DecodeJSON(r) // r keeps the error
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

// AppendJSON implements [wire.Appender]. It writes the members in their order.
func (m *DefinedMessage) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	names := strings.Fields(m.Definition.Members)
	for i, name := range names {
		name, optional := strings.CutSuffix(name, "?")
		names[i] = name
		switch {
		case name == "jsonrpc":
			w.String(name, m.version)
		case name == "id":
			if !optional || !m.id.IsZero() {
				w.Value(name, &m.id)
			}
		case name == "method":
			if m.method == "" && m.typed {
				w.Fail(wire.In(wire.ErrMissing, name))
			}
			w.String(name, m.method)
		case m.Payload != nil:
			w.Value(name, m.Payload)
		}
	}
	if m.typed {
		names = append(names, "id") // which would make a notification a request
	}
	w.Members(m.Extra, names...)
	return w.Close()
}

// Check implements [wire.Checker].
func (m *DefinedMessage) Check(c *wire.Collector) {
	for name := range strings.FieldsSeq(m.Definition.Members) {
		name, optional := strings.CutSuffix(name, "?")
		c.Push(name)
		switch only := m.Definition.Method; {
		case name == "jsonrpc":
			c.Const(m.version == "" || m.version == version, strconv.Quote(version))
		case name == "method":
			c.Const(only == "" || m.method == "" || m.method == only, strconv.Quote(only))
		case name == "id":
			if !optional || !m.id.IsZero() {
				m.id.Check(c)
			}
		default:
			if v, ok := m.Payload.(wire.Checker); ok {
				v.Check(c)
			}
		}
		c.Pop()
	}
}

// anyMessage is one of the messages that a definition is a union of.
type anyMessage struct {
	// message is a *DefinedMessage or *definedBatch, or a wire.Raw if the text is no message of the definition.
	message wire.Appender

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

func (m *RequestOf[P]) whole() *DefinedMessage {
	return wholeOf("jsonrpc id method params?", m.ID, m.Method, m.Params, m.Extra)
}

// DecodeJSON implements [wire.Value].
func (m *RequestOf[P]) DecodeJSON(r *wire.Reader) error {
	w := m.whole()
	err := w.DecodeJSON(r)
	*m = RequestOf[P]{ID: w.id, Method: w.method, Params: payloadOf[P](w), Extra: w.Extra}
	return err
}

// AppendJSON implements [wire.Appender].
func (m *RequestOf[P]) AppendJSON(dst []byte) ([]byte, error) { return m.whole().AppendJSON(dst) }

// Check implements [wire.Checker].
func (m *RequestOf[P]) Check(c *wire.Collector) { m.whole().Check(c) }

// MarshalJSON is AppendJSON for encoding/json.
func (m RequestOf[P]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *RequestOf[P]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

func (m *NotificationOf[P]) whole() *DefinedMessage {
	return wholeOf("jsonrpc method params?", wire.ID{}, m.Method, m.Params, m.Extra)
}

// DecodeJSON implements [wire.Value].
func (m *NotificationOf[P]) DecodeJSON(r *wire.Reader) error {
	w := m.whole()
	err := w.DecodeJSON(r)
	*m = NotificationOf[P]{Method: w.method, Params: payloadOf[P](w), Extra: w.Extra}
	return err
}

// AppendJSON implements [wire.Appender].
func (m *NotificationOf[P]) AppendJSON(dst []byte) ([]byte, error) { return m.whole().AppendJSON(dst) }

// Check implements [wire.Checker].
func (m *NotificationOf[P]) Check(c *wire.Collector) { m.whole().Check(c) }

// MarshalJSON is AppendJSON for encoding/json.
func (m NotificationOf[P]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *NotificationOf[P]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

func (m *ResultOf[R]) whole() *DefinedMessage {
	return wholeOf("jsonrpc id result", m.ID, "", &m.Result, m.Extra)
}

// DecodeJSON implements [wire.Value].
func (m *ResultOf[R]) DecodeJSON(r *wire.Reader) error {
	w := m.whole()
	err := w.DecodeJSON(r)
	*m = ResultOf[R]{ID: w.id, Extra: w.Extra}
	if result := payloadOf[R](w); result != nil {
		m.Result = *result
	}
	return err
}

// AppendJSON implements [wire.Appender].
func (m *ResultOf[R]) AppendJSON(dst []byte) ([]byte, error) { return m.whole().AppendJSON(dst) }

// Check implements [wire.Checker].
func (m *ResultOf[R]) Check(c *wire.Collector) { m.whole().Check(c) }

// MarshalJSON is AppendJSON for encoding/json.
func (m ResultOf[R]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *ResultOf[R]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

func (m *ErrorOf[E]) whole() *DefinedMessage {
	return wholeOf("jsonrpc id? error", m.ID, "", &m.Error, m.Extra)
}

// DecodeJSON implements [wire.Value].
func (m *ErrorOf[E]) DecodeJSON(r *wire.Reader) error {
	w := m.whole()
	err := w.DecodeJSON(r)
	*m = ErrorOf[E]{ID: w.id, Extra: w.Extra}
	if e := payloadOf[E](w); e != nil {
		m.Error = *e
	}
	return err
}

// AppendJSON implements [wire.Appender].
func (m *ErrorOf[E]) AppendJSON(dst []byte) ([]byte, error) { return m.whole().AppendJSON(dst) }

// Check implements [wire.Checker].
func (m *ErrorOf[E]) Check(c *wire.Collector) { m.whole().Check(c) }

// MarshalJSON is AppendJSON for encoding/json.
func (m ErrorOf[E]) MarshalJSON() ([]byte, error) { return wire.Marshal(&m) }

// UnmarshalJSON is DecodeJSON for encoding/json.
func (m *ErrorOf[E]) UnmarshalJSON(data []byte) error { return wire.Unmarshal(data, m) }

// wholeOf returns the message that a value of one of the types above is. Payload is nil for none.
func wholeOf[P any](members string, id wire.ID, method string, payload *P, extra wire.Members) *DefinedMessage {
	m := &DefinedMessage{Definition: &Definition{Members: members, New: func() wire.Value { return valueOf(new(P)) }},
		Extra: extra, id: id, version: version, method: method, typed: true}
	if payload != nil {
		m.Payload = valueOf(payload)
	}
	return m
}

// payloadOf returns the payload of a message, or nil if it has none.
func payloadOf[P any](m *DefinedMessage) *P {
	p, _ := any(m.Payload).(*P)
	return p
}

// valueOf returns a pointer as the wire.Value that the type parameters above ask for.
func valueOf[T any](p *T) wire.Value {
	v, ok := any(p).(wire.Value)
	if !ok {
		panic(fmt.Sprintf("jsonrpc: %T is not a wire.Value", p))
	}
	return v
}
