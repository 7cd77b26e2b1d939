package convert

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Bind returns bindings for all revisions, given the native binding: that of a server or client for
// the revision it is written for. The native binding is among them, unchanged. If the table does
// not have its revision, it is the only one.
//
// A request for a method that the native revision does not have is passed to the native
// binding unchanged.
func (t *Table) Bind(native runtime.Binding, o Options) []runtime.Binding {
	at, err := t.index(native.Revision)
	if err != nil {
		return []runtime.Binding{native}
	}
	all := make([]runtime.Binding, len(t.Revisions))
	for i, r := range t.Revisions {
		if i == at {
			all[i] = native
			continue
		}
		b := &adapter{table: t, binding: native, native: &t.Revisions[at], session: &t.Revisions[i], opts: o}
		all[i] = runtime.Binding{
			Revision:     r.ID,
			Direction:    native.Direction,
			Methods:      r.Methods,
			Handle:       b.handle,
			Notified:     native.Notified,
			Served:       native.Served,
			Permit:       native.Permit,
			Scopes:       native.Scopes,
			Listen:       b.listen(),
			Capabilities: b.capabilities,
			ToolHeaders:  native.ToolHeaders,
			Around:       b.around,
		}
	}
	return all
}

// adapter connects a native binding to sessions of another revision.
type adapter struct {
	table           *Table
	binding         runtime.Binding
	native, session *Revision
	opts            Options

	mu       sync.Mutex
	declared string // capabilities whose losses were reported; "" before the first
}

// method returns a method in the native revision and in the session's, or nil.
func (b *adapter) method(name string) (native, session *runtime.Method) {
	return b.native.method(name), b.session.method(name)
}

// report reports losses on the way from one revision to the other.
func (b *adapter) report(ctx context.Context, from *Revision, method string, losses ...Loss) {
	to := b.session
	if from == to {
		to = b.native
	}
	b.opts.report(ctx, Report{From: from.ID, To: to.ID, Method: method}, losses...)
}

// convert converts the params or the result of a method that both revisions have. It returns the text itself if it is
// the same.
func (b *adapter) convert(ctx context.Context, from, to *Revision, method string, of part, text wire.Raw) (wire.Raw, error) {
	sent := to == b.session && (of == ofResult || b.binding.Direction == runtime.ToClient)
	route := b.table.route(values{from.ID, to.ID, of, method, sent})
	if route.keeps(text) {
		return text, nil
	}
	c := Conversion{Facts: func(fact, revision string) wire.Raw { return b.fact(ctx, fact, revision) }}
	converted, err := route.convert(&c, text)
	if c.err != nil {
		c.losses = []Loss{{c.err.Pointer, "refused: " + c.err.Reason}}
	}
	b.report(ctx, from, method, c.losses...)
	return converted, err
}

// fact returns a fact about the session of a call in terms of a revision. Outside of calls, the runtime
// knows the facts and writes them itself.
func (b *adapter) fact(ctx context.Context, fact, revision string) wire.Raw {
	call := runtime.CallOf(ctx)
	switch {
	case fact == protocolVersion:
		text, _ := wire.AppendString(nil, b.session.ID) // a revision is ASCII
		return wire.Raw(text)
	case fact == clientCapabilities && (call == nil || b.binding.Direction == runtime.ToClient):
		return "{}"
	case call == nil:
		return ""
	}
	var info wire.Object
	switch {
	case fact == clientCapabilities:
		info = call.PeerCapabilities()
	case (fact == clientInfo) == (b.binding.Direction == runtime.ToServer):
		info = call.PeerInfo()
	}
	if info == "" {
		return ""
	}
	var c Conversion // what it loses is reported when the session begins
	converted, err := b.table.Convert(&c, b.session.ID, revision, KnownFacts()[fact], info)
	if err != nil {
		return ""
	}
	return converted
}

// handle is the Handle of the session's binding.
func (b *adapter) handle(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
	method := m.Method
	native, session := b.method(method)
	if b.binding.Handle == nil || native != nil && session == nil {
		return nil, runtime.MethodNotFound(method)
	}
	if native == nil {
		return b.binding.Handle(ctx, m)
	}
	params, err := m.Text()
	if err != nil {
		return nil, err
	}
	if params == "" && native.ParamsRequired && !session.ParamsRequired {
		params = "{}"
	}
	if params != "" {
		converted, err := b.convert(ctx, b.session, b.native, method, ofParams, params)
		if err != nil {
			return nil, refusal(jsonrpc.CodeInvalidParams, "invalid params", err)
		}
		if m.Params == nil || converted != params { // text that is the same need not be checked again
			m = m.With(converted)
		}
	}
	result, err := b.binding.Handle(ctx, m)
	if err != nil {
		return nil, b.table.Error(b.native.ID, b.session.ID, method, err)
	}
	if result == nil {
		return nil, nil
	}
	if r, ok := result.(inRevision); ok && r.InRevision() == b.session.ID {
		return result, nil
	}
	return &answer{ctx, b, method, result}, nil
}

// answer is a native result, which is converted to the revision of the session when it is encoded.
type answer struct {
	ctx context.Context
	*adapter
	method string
	native wire.Appender
}

// AppendJSON implements wire.Appender.
func (o *answer) AppendJSON(dst []byte) ([]byte, error) {
	start := len(dst)
	dst, err := o.native.AppendJSON(dst)
	if err != nil {
		return dst, err
	}
	text, err := o.convert(o.ctx, o.adapter.native, o.session, o.method, ofResult, wire.View(dst[start:]))
	if err != nil {
		return dst, refusal(jsonrpc.CodeInternalError, "internal error", err)
	}
	return append(dst[:start], text...), nil
}

// The request for updates of a resource in revisions with sessions, and its notification.
const (
	methodSubscribe = "resources/subscribe"
	methodUpdated   = "notifications/resources/updated"
)

// listen returns the Listen of the session's binding: that of the native binding, or its handler of
// resources/subscribe. A native binding with neither accepts every resource.
func (b *adapter) listen() func(ctx context.Context, notification, value string) error {
	native, _ := b.method(methodSubscribe)
	switch {
	case b.binding.Listen != nil:
		return b.binding.Listen
	case native == nil || b.binding.Handle == nil:
		return func(context.Context, string, string) error { return nil }
	}
	return func(ctx context.Context, notification, uri string) error {
		if notification != methodUpdated {
			return fmt.Errorf("convert: there is no %.100q for %s", uri, notification)
		}
		params, err := wire.AppendString([]byte(`{"uri":`), uri)
		if err == nil {
			_, err = b.binding.Handle(ctx, &runtime.Message{Kind: jsonrpc.Request, Method: methodSubscribe, Params: wire.Raw(append(params, '}'))})
		}
		return err
	}
}

// inRevision is implemented by results that are already in the revision of their session,
// such as the lists of a catalog that uses a [Converter].
type inRevision interface{ InRevision() string }

// checked is a well-formed text.
type checked wire.Raw

// AppendJSON implements wire.Appender.
func (t checked) AppendJSON(dst []byte) ([]byte, error) { return append(dst, t...), nil }

// refusal returns the error that a peer receives for a message that cannot be converted.
func refusal(code int64, what string, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	if e.Pointer != "" {
		what += ": " + e.Pointer
	}
	return jsonrpc.Errorf(code, "%s: %s", what, e.Reason)
}

// capabilities is the Capabilities of the session's binding.
func (b *adapter) capabilities(declared wire.Appender) (wire.Appender, error) {
	if b.binding.Capabilities != nil {
		var err error
		if declared, err = b.binding.Capabilities(declared); err != nil {
			return nil, err
		}
	}
	if declared == nil {
		return nil, nil
	}
	definition := "ServerCapabilities"
	if b.binding.Direction == runtime.ToClient {
		definition = "ClientCapabilities"
	}
	var c Conversion
	v, err := b.table.Convert(&c, b.native.ID, b.session.ID, definition, declared)
	if err != nil {
		return nil, err
	}
	if b.unreported(declared) {
		b.report(context.Background(), b.native, "", c.losses...)
	}
	return v, nil
}

// unreported reports whether the losses of these capabilities differ from those of the last ones. Most
// programs declare the same capabilities for each session, and a client also for each probe.
func (b *adapter) unreported(declared wire.Appender) bool {
	text, err := wire.MarshalString(declared)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil || text == b.declared {
		return false
	}
	b.declared = text
	return true
}

// around is the Around of the session's binding: it converts the native messages of this side, and their results.
func (b *adapter) around(next runtime.Handler) runtime.Handler {
	return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
		if native, _ := b.method(m.Method); native == nil {
			return next(ctx, m)
		}
		var result wire.Appender
		params, err := b.outgoing(ctx, m)
		if err == nil {
			result, err = next(ctx, m.With(params))
		}
		switch {
		case m.Kind == jsonrpc.Notification:
			return nil, b.unsent(ctx, m, err)
		case err != nil:
			return nil, b.table.Error(b.session.ID, b.native.ID, m.Method, err)
		}
		return b.result(ctx, m, result)
	}
}

// result converts the result of a native request. A part of it that the native revision does not define, such as
// content of an unknown type, is kept and reported as a loss.
func (b *adapter) result(ctx context.Context, m *runtime.Message, result wire.Appender) (wire.Appender, error) {
	if m.Into() == nil {
		return result, nil
	}
	text, err := runtime.TextOf(result)
	if err != nil {
		return nil, err
	}
	converted, err := b.convert(ctx, b.session, b.native, m.Method, ofResult, text)
	if err != nil {
		return nil, prefix.Errorf("runtime: result of %s: %w", m.Method, err)
	}
	if err := m.Decode(ctx, converted); err != nil {
		return nil, err
	}
	if b.opts.Lost != nil {
		b.report(ctx, b.session, m.Method, b.unknown(wire.Validate(m.Into()))...)
	}
	return converted, nil
}

// unknown returns a loss for each problem of a value that is kept as it is.
func (b *adapter) unknown(invalid error) []Loss {
	e, ok := errors.AsType[*wire.ValidationError](invalid)
	if !ok {
		return nil
	}
	var losses []Loss
	for _, p := range e.Problems {
		losses = append(losses, Loss{p.Pointer, fmt.Sprintf("kept as it is, but revision %s does not define it: %s", b.native.ID, p.Message)})
	}
	return losses
}

// unsent returns the error of a native notification. One that the revision of the session cannot express, or that a
// stateless request cannot get, is not sent and is reported as a loss, because the sender does not expect an answer.
func (b *adapter) unsent(ctx context.Context, m *runtime.Message, err error) error {
	if _, ok := errors.AsType[*RevisionError](err); ok {
		return nil // outgoing has reported it
	}
	if errors.Is(err, runtime.ErrNotRequested) {
		b.report(ctx, b.native, m.Method, Loss{"", "not sent: a request gets only notifications that belong to it, before its answer"})
		return nil
	}
	return err
}

// outgoing converts the params of a native message.
func (b *adapter) outgoing(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
	native, session := b.method(m.Method)
	if session == nil {
		missing := &Error{Reason: "the revision does not have it"}
		b.report(ctx, b.native, m.Method, Loss{"", "not sent: " + missing.Reason})
		return nil, &RevisionError{b.session.ID, m.Method, missing}
	}
	text, err := m.Text()
	if err != nil {
		return nil, err
	}
	if m.Params == nil {
		if native.ParamsRequired || !session.ParamsRequired {
			return nil, nil
		}
		text = "{}"
	}
	converted, err := b.convert(ctx, b.native, b.session, m.Method, ofParams, text)
	if e, ok := errors.AsType[*Error](err); ok {
		return nil, &RevisionError{b.session.ID, m.Method, e}
	}
	return checked(converted), err
}

// Converter converts the definitions and results of a catalog.
type Converter struct {
	// Native is the revision that the definitions and results of the catalog are written for. They are
	// not converted for it.
	Native string
	// Append appends a value of a definition to dst, converted to another revision. It returns an error
	// if the value cannot be expressed there.
	Append func(ctx context.Context, dst []byte, revision, definition string, v wire.Appender) ([]byte, error)
	// Error, if not nil, converts the error of a request to another revision.
	Error func(revision, method string, err error) error
}

// Converter returns the Converter of a catalog whose definitions and results are written for the native
// revision (catalog.Options.Convert).
func (t *Table) Converter(native string, o Options) *Converter {
	restate := func(revision, method string, err error) error { return t.Error(native, revision, method, err) }
	return &Converter{Native: native, Error: restate, Append: func(ctx context.Context, dst []byte, revision, definition string, v wire.Appender) ([]byte, error) {
		start := len(dst)
		dst, err := v.AppendJSON(dst)
		if err != nil {
			return dst, err
		}
		route := t.route(values{from: native, to: revision, name: definition, sent: true})
		if route.keeps(wire.View(dst[start:])) {
			return dst, nil
		}
		var c Conversion
		text, err := route.convert(&c, wire.Raw(dst[start:]))
		if c.err != nil {
			c.losses = []Loss{{"", "left out: " + c.err.Reason}}
			err = refusal(jsonrpc.CodeInternalError, "internal error", err)
		}
		r := Report{From: native, To: revision, Item: itemKey(definition, v)}
		if call := runtime.CallOf(ctx); call != nil {
			r.Method = call.Method()
		}
		o.report(ctx, r, c.losses...)
		return append(dst[:start], text...), err
	}}
}

// ClientOptions are the generated ClientOptions of a revision. S is the type of the
// revision's sessions.
type ClientOptions[S any] interface {
	// NewClient returns a client that speaks all revisions of the table.
	NewClient(*Table) *runtime.Client
	// NewSession returns the typed session on top of a session of that client.
	NewSession(*runtime.Session) S
}

// Connect opens a session with a server in the newest revision that both sides speak. It owns the
// transport, even if it fails. Ctx applies to the opening only.
func Connect[S any](ctx context.Context, table *Table, t runtime.Transport, o ClientOptions[S]) (S, error) {
	session, err := o.NewClient(table).Connect(ctx, t)
	if err != nil {
		var none S
		return none, err
	}
	return o.NewSession(session), nil
}
