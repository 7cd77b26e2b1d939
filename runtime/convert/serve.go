package convert

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options say what becomes of losses. The zero value will do.
type Options struct {
	// Lost, if there is one, is told of each loss: what peers of other revisions do not
	// get, or what of theirs the code does not. It is called concurrently, before the
	// message goes on. For a list that is rendered once it is called once.
	Lost func(ctx context.Context, r Report)
}

// Report is a loss and where it was met.
type Report struct {
	From, To string // revisions
	Method   string // "" for capabilities
	// Item is the name or URI of the item in a list that the loss is about, "" when it is
	// about params or a result as a whole.
	Item string
	Loss
}

// String returns the place and the reason in one line.
func (r Report) String() string {
	if r.Item == "" {
		return r.Method + r.Loss.String()
	}
	return r.Method + " " + r.Item + r.Loss.String()
}

func (o *Options) report(ctx context.Context, r Report, losses []Loss) {
	if o.Lost == nil {
		return
	}
	for _, l := range losses {
		r.Loss = l
		o.Lost(ctx, r)
	}
}

// keyOf is what the definition of an item in a list is known by, "" for other values.
func keyOf(definition string, v wire.Appender) string {
	o, _ := v.(wire.Object)
	switch definition {
	case "Tool", "Prompt":
		return o.GetString("name")
	case "Resource":
		return o.GetString("uri")
	case "ResourceTemplate":
		return o.GetString("uriTemplate")
	}
	return ""
}

// Serve makes of the binding of a server, for the revision that it is written for,
// bindings for all revisions. That of the native revision stays as it is, and one of a
// revision that is not in the ladder stays alone.
//
// A request for a method that the native revision does not have gets the native binding's
// answer. Messages that neither revision has pass as they are.
func (l *Ladder) Serve(native runtime.Binding, o Options) []runtime.Binding {
	at, err := l.index(native.Revision)
	if err != nil {
		return []runtime.Binding{native}
	}
	all := make([]runtime.Binding, 0, len(l.Revisions))
	for i, r := range l.Revisions {
		if i == at {
			all = append(all, native)
			continue
		}
		t := &translation{ladder: l, native: native, own: at, other: i, opts: o, rows: map[string]row{}}
		for k := range l.Revisions[at].Methods {
			m := &l.Revisions[at].Methods[k]
			t.rows[m.Name] = row{native: m}
		}
		for k := range r.Methods {
			m := &r.Methods[k]
			both := t.rows[m.Name]
			both.session = m
			t.rows[m.Name] = both
		}
		all = append(all, runtime.Binding{
			Revision:     r.ID,
			Direction:    native.Direction,
			Methods:      r.Methods,
			Handle:       t.handle,
			Opened:       native.Opened,
			Capabilities: t.capabilities,
			Around:       func(to runtime.Caller) runtime.Caller { return &caller{t, to} },
		})
	}
	return all
}

// Client does for the binding of a client what Serve does for that of a server.
func (l *Ladder) Client(native runtime.Binding, o Options) []runtime.Binding {
	return l.Serve(native, o)
}

// translation is between code of a native revision and sessions of another one. Nothing
// in it changes.
type translation struct {
	ladder     *Ladder
	native     runtime.Binding
	own, other int // where the native revision and the session's stand in the ladder
	opts       Options
	rows       map[string]row // by method
}

// row is a method in the native revision and in the session's; nil where it is missing.
type row struct{ native, session *runtime.Method }

// handle is the Binding.Handle of the session's revision.
func (t *translation) handle(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
	r := t.rows[method]
	if t.native.Handle == nil || r.native != nil && r.session == nil {
		return nil, runtime.MethodNotFound(method)
	}
	if r.native == nil {
		return t.native.Handle(ctx, method, params)
	}
	params, err := t.incoming(ctx, r, params)
	if err != nil {
		return nil, err
	}
	result, err := t.native.Handle(ctx, method, params)
	if err != nil || result == nil {
		return nil, err
	}
	return t.answer(ctx, r, result)
}

// incoming makes native params of a session's.
func (t *translation) incoming(ctx context.Context, r row, params wire.Raw) (wire.Raw, error) {
	if params == "" && !r.session.ParamsRequired {
		return "", nil
	}
	var native wire.Raw
	_, err := runtime.AnswerValue(ctx, params, t.fresh(t.other, r.session.Params), func(ctx context.Context, p wire.Value) (wire.Appender, error) {
		v, err := t.convert(ctx, t.other, t.own, r.session.Name, paramsOf, p, nil)
		if err != nil {
			return nil, refusal(jsonrpc.CodeInvalidParams, "invalid params", err)
		}
		text, err := wire.Marshal(v)
		native = wire.Raw(text)
		return nil, err
	})
	return native, err
}

// answer makes a session's result of a native one.
func (t *translation) answer(ctx context.Context, r row, result wire.Appender) (wire.Appender, error) {
	if ready, ok := result.(inRevision); ok && ready.InRevision() == t.id(t.other) {
		return result, nil
	}
	v, err := t.convert(ctx, t.own, t.other, r.native.Name, resultOf, result, t.fresh(t.own, r.native.Result))
	if err != nil {
		return nil, refusal(jsonrpc.CodeInternalError, "internal error", err)
	}
	if err := wire.Validate(v); err != nil {
		return nil, fmt.Errorf("compat: result of %s in %s: %w", r.native.Name, t.id(t.other), err)
	}
	return v, nil
}

// inRevision is what a result is that somebody else has converted already, such as a
// catalog with [Ladder.Converter].
type inRevision interface{ InRevision() string }

// capabilities is the Binding.Capabilities of the session's revision.
func (t *translation) capabilities(declared wire.Appender) (wire.Appender, error) {
	if declared == nil {
		return nil, nil
	}
	definition := "ServerCapabilities"
	if t.native.Direction == runtime.ToClient {
		definition = "ClientCapabilities"
	}
	var c Conversion
	v, err := t.ladder.Convert(&c, t.id(t.own), t.id(t.other), definition, declared)
	if err == nil {
		t.opts.report(context.Background(), Report{From: t.id(t.own), To: t.id(t.other)}, c.Losses())
	}
	return v, err
}

// caller is what native code sends through.
type caller struct {
	*translation
	to runtime.Caller
}

// Call implements runtime.Caller. A result is taken as far as it can be read: what the
// revision of the session does not define, such as content of an unknown type, is kept as it
// is and reported as a loss.
func (c *caller) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	r := c.rows[method]
	if r.native == nil {
		return c.to.Call(ctx, method, params, result)
	}
	params, err := c.outgoing(ctx, r, params)
	if err != nil {
		return err
	}
	answer := c.fresh(c.other, r.session.Result)
	if err := c.to.Call(ctx, method, params, answer); err != nil {
		return err
	}
	if result == nil {
		return nil
	}
	invalid := wire.Validate(answer)
	v, err := c.convert(ctx, c.other, c.own, method, resultOf, answer, nil)
	if err != nil {
		return err
	}
	c.opts.report(ctx, Report{From: c.id(c.other), To: c.id(c.own), Method: method}, c.kept(invalid))
	text, err := wire.Marshal(v)
	if err != nil {
		return err
	}
	return wire.UnmarshalString(string(text), result)
}

// kept are the losses that stand for the problems of a value that is kept as it is.
func (c *caller) kept(invalid error) []Loss {
	var losses []Loss
	if e, ok := errors.AsType[*wire.ValidationError](invalid); ok {
		for _, p := range e.Problems {
			losses = append(losses, Loss{p.Pointer, fmt.Sprintf("kept as it is, which is not as revision %s has it: %s", c.id(c.other), p.Message)})
		}
	}
	return losses
}

// Notify implements runtime.Caller. A notification that cannot be said in the revision of
// the session is left out, which is a loss: nobody waits for an answer, so whoever sends it
// needs not know.
func (c *caller) Notify(ctx context.Context, method string, params wire.Appender) error {
	r := c.rows[method]
	if r.native == nil {
		return c.to.Notify(ctx, method, params)
	}
	params, err := c.outgoing(ctx, r, params)
	if e, ok := errors.AsType[*RevisionError](err); ok {
		left := Loss{e.Err.Pointer, "not sent: " + e.Err.Reason}
		c.opts.report(ctx, Report{From: c.id(c.own), To: c.id(c.other), Method: method}, []Loss{left})
		return nil
	}
	if err != nil {
		return err
	}
	return c.to.Notify(ctx, method, params)
}

// outgoing makes a session's params of native ones.
func (c *caller) outgoing(ctx context.Context, r row, params wire.Appender) (wire.Appender, error) {
	if r.session == nil {
		return nil, &RevisionError{c.id(c.other), r.native.Name, &Error{Reason: "the revision does not have it"}}
	}
	if params == nil {
		return nil, nil
	}
	v, err := c.convert(ctx, c.own, c.other, r.native.Name, paramsOf, params, c.fresh(c.own, r.native.Params))
	if err == nil {
		err = wire.Validate(v)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return nil, &RevisionError{c.id(c.other), r.native.Name, e}
	}
	if err != nil {
		return nil, fmt.Errorf("compat: %s in %s: %w", r.native.Name, c.id(c.other), err)
	}
	return v, nil
}

// RevisionError says that a request was not sent, because the revision of the session
// has no way of saying it.
type RevisionError struct {
	Revision, Method string
	Err              *Error
}

// Error returns the reason in one line.
func (e *RevisionError) Error() string {
	text := fmt.Sprintf("compat: %s cannot be sent in revision %s: ", e.Method, e.Revision)
	if e.Err.Pointer != "" {
		text += "at " + e.Err.Pointer + ": "
	}
	return text + e.Err.Reason
}

// Unwrap returns the reason.
func (e *RevisionError) Unwrap() error { return e.Err }

// refusal is the error that a peer gets for what cannot be converted.
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

func (t *translation) id(at int) string { return t.ladder.Revisions[at].ID }

// fresh is a new value for the params or the result of a method of a revision.
func (t *translation) fresh(at int, definition string) wire.Value {
	v, _ := t.ladder.Revisions[at].New(definition)
	return v
}

// convert converts a part of a message, of a method that both revisions have. What is
// not of the type that the part has in the revision it comes from is read into fresh.
func (t *translation) convert(ctx context.Context, from, to int, method string, which part, v wire.Appender, fresh wire.Value) (wire.Appender, error) {
	chain, ok := t.ladder.chain(from, to, func(s *Step, up bool) Func {
		m, _ := s.Method(method)
		return which(m, up)
	})
	if !ok {
		return nil, &Error{Reason: fmt.Sprintf("a revision between %s and %s does not have %s", t.id(from), t.id(to), method)}
	}
	var c Conversion
	converted, err := apply(&c, chain, v, fresh)
	if err == nil {
		t.opts.report(ctx, Report{From: t.id(from), To: t.id(to), Method: method}, c.Losses())
	}
	return converted, err
}

// part picks the Func for a part of a message.
type part func(m Method, up bool) Func

func paramsOf(m Method, up bool) Func {
	if up {
		return m.ParamsUp
	}
	return m.ParamsDown
}

func resultOf(m Method, up bool) Func {
	if up {
		return m.ResultUp
	}
	return m.ResultDown
}

// Converter makes a value of a definition, written for one revision, fit another. An
// error says that it cannot be said there.
type Converter = func(ctx context.Context, revision, definition string, v wire.Appender) (wire.Appender, error)

// Converter returns what a catalog whose definitions and results are those of the native
// revision converts them with (catalog.Options.Convert).
func (l *Ladder) Converter(native string, o Options) Converter {
	return func(ctx context.Context, revision, definition string, v wire.Appender) (wire.Appender, error) {
		if revision == native {
			return v, nil
		}
		r := Report{From: native, To: revision, Item: keyOf(definition, v)}
		if call := runtime.CallOf(ctx); call != nil {
			r.Method = call.Method()
		}
		var c Conversion
		converted, err := l.Convert(&c, native, revision, definition, v)
		if e, ok := errors.AsType[*Error](err); ok {
			o.report(ctx, r, []Loss{{"", "all of it: " + e.Reason}})
			return nil, refusal(jsonrpc.CodeInternalError, "internal error", err)
		}
		if err == nil {
			err = wire.Validate(converted)
		}
		if err != nil {
			return nil, fmt.Errorf("compat: %s in %s: %w", definition, revision, err)
		}
		o.report(ctx, r, c.Losses())
		return converted, nil
	}
}
