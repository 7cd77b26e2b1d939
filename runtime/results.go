package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/form"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Decode decodes the result of a request that this side sends into what Into returns. The sender of the request
// does that, so that a Handler on the way calls Decode only if it needs the value.
func (m *Message) Decode(ctx context.Context, text wire.Raw) error {
	s := m.sent
	var err error
	if text != s.answer { // whose syntax was checked with the message that it came in
		text, err = wire.Parse(string(text))
	}
	var accepted []wire.Deviation
	var more int
	if err == nil {
		accepted, more, err = wire.UnmarshalLenient(text, s.into, s.lenience())
	}
	if err == nil && s.key != "" {
		err = wire.Validate(s.into)
	}
	if err != nil {
		return prefix.Errorf("runtime: result of %s: %w", m.Method, s.badInput(err))
	}
	s.decoded = true
	if len(accepted) > 0 && s.conn != nil {
		s.conn.report(ctx, &Deviations{Method: m.Method, All: accepted, More: more})
	}
	return nil
}

// lenience returns what is accepted in the result.
func (s *sent) lenience() wire.Lenience {
	if s.conn == nil {
		return 0
	}
	return s.conn.lenient.of(s.row.lists())
}

// report logs deviations and passes them to the program.
func (cn *conn) report(ctx context.Context, d *Deviations) {
	cn.logger().Warn("result deviates from the schema", "method", d.Method, "left out", d.LeftOut(), "deviations", len(d.All)+d.More, "first", fmt.Sprintf("%.300s", d.All[0]))
	if cn.deviated != nil {
		cn.deviated(ctx, d)
	}
}

// UnknownResult returns the error for a result that has none of the types that the method allows: an
// *[OtherResultError] if it has a resultType, which then belongs to an extension, because a client has
// refused all others before. Generated code calls it with a box of the method's result.
func UnknownResult(method string, result wire.Value) error {
	text, err := wire.Marshal(result)
	if kind := wire.Object(text).GetString("resultType"); kind != "" && kind != resultComplete && kind != resultInputRequired {
		return &OtherResultError{Method: method, Result: result}
	}
	if err == nil {
		err = wire.Validate(result)
	}
	return prefix.Errorf("runtime: result of %s: %w; received %.200q", method, err, text)
}

// PlainResult returns the result of a request as an R, which is one of the types that the result can
// have. If the result has another type, the error is an *[OtherResultError]. Result and err are the
// results of the method that returns all types.
func PlainResult[R, U wire.Appender](method string, result U, err error) (R, error) {
	plain, ok := any(result).(R)
	if err == nil && !ok {
		err = &OtherResultError{Method: method, Result: result}
	}
	return plain, err
}

// FillDefaults wraps a client's binding. In the answer to a form that the user has accepted, it sets the fields that
// the wrapped handler omitted to the defaults of the form ("Requested Schema" in client/elicitation of revisions since
// 2025-06-18). A default that its field does not allow is ignored.
func FillDefaults(below Binding) Binding {
	b := below
	b.Handle = func(ctx context.Context, m *Message) (wire.Appender, error) {
		if below.Handle == nil {
			return nil, MethodNotFound(m.Method)
		}
		result, err := below.Handle(ctx, m)
		if m.Method != methodElicit || err != nil || result == nil {
			return result, err
		}
		text, err := wire.MarshalString(result)
		if err != nil {
			return nil, err
		}
		return form.FillDefaults(m.Object(), wire.Object(text))
	}
	return b
}

// Both sides check that the content of a form which the user has accepted matches the requested schema
// ("Form Mode Security" in client/elicitation, 2026-07-28; "Security Considerations" in the revisions before it):
// the client before it sends the content, the server before its handler gets it.

// checkForm encodes the result of the client's handler for a form, or returns an error if it does not match
// the form.
func checkForm(params wire.Object, result wire.Appender) (wire.Appender, error) {
	if result == nil {
		return nil, nil
	}
	text, err := wire.MarshalString(result)
	if err == nil {
		err = form.CheckResult(params, wire.Object(text))
	}
	if err != nil {
		return nil, fmt.Errorf("runtime: result of %s: %w", methodElicit, err)
	}
	return wire.Raw(text), nil
}

// checkAnswered returns an error if the text answers a form and does not match it.
func (m *Message) checkAnswered(text wire.Raw) error {
	if m.Method != methodElicit || m.Params == nil {
		return nil
	}
	if err := form.CheckResult(m.Object(), wire.Object(text)); err != nil {
		return prefix.Errorf("runtime: result of %s: %w", m.Method, m.sent.badInput(err))
	}
	return nil
}

// badInput returns the error for an answer that is not valid. If it answers a question of a stateless call, that
// is also the error that the client gets ("Error Handling" in basic/patterns/mrtr, 2026-07-28).
func (s *sent) badInput(err error) error {
	if s.key == "" {
		return err
	}
	bad := invalidParams(wire.In(wire.In(err, s.key), memberInputResponses))
	r := statelessCall{s.call}.rounds()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = bad
	return bad
}

// checkRoots encodes the result of roots/list. It returns an error if the URI of a root does not begin
// with file:// ("Root" in client/roots of every revision), which no schema requires.
func checkRoots(result wire.Appender) (wire.Appender, error) {
	if result == nil {
		return nil, errors.New("runtime: the handler of roots/list returned no result")
	}
	text, err := wire.MarshalString(result)
	if err != nil {
		return nil, prefix.Errorf("runtime: result of roots/list: %w", err)
	}
	roots, _ := wire.Object(text).Get("roots")
	if roots.Kind() != wire.KindArray {
		return wire.Raw(text), nil // other errors are not checked here
	}
	r := roots.Reader()
	i := 0
	for r.BeginArray(); r.Element(); i++ {
		root := wire.Object(r.ReadRaw())
		if uri := root.GetString("uri"); !isFileURI(uri) {
			return nil, fmt.Errorf("runtime: result of roots/list: /roots/%d/uri: expected a URI that begins with file://, found %.200q", i, uri)
		}
	}
	return wire.Raw(text), nil
}

// isFileURI reports whether a URI has the scheme file, in whatever case (RFC 3986, section 3.1).
func isFileURI(uri string) bool {
	const prefix = "file://"
	return len(uri) >= len(prefix) && strings.EqualFold(uri[:len(prefix)], prefix)
}

// The code below adds the members that all results of stateless requests have: the type, the server's
// Implementation, and how long the result may be kept ("Result Responses" and "Per-response protocol
// fields" in basic, "Cacheable Results" in server/utilities/caching, 2026-07-28). What a handler has set
// is kept. Members that the result lacks come first, because a client has to read the type before it can read the rest.

// commonMembers is what the text of a result has of these members; "" for those that it lacks.
type commonMembers struct {
	kind, meta, ttl, scope wire.Raw
	empty                  bool // it has no member at all
}

func commonOf(result wire.Object) commonMembers {
	has := commonMembers{empty: true}
	for name, value := range result.All() {
		has.empty = false
		switch name {
		case "resultType":
			has.kind = value
		case "_meta":
			has.meta = value
		case "ttlMs":
			has.ttl = value
		case "cacheScope":
			has.scope = value
		}
	}
	return has
}

// appendResult appends a result, completed.
func (c statelessCall) appendResult(dst []byte, result wire.Appender) ([]byte, error) {
	start := len(dst)
	dst, err := result.AppendJSON(dst)
	if err != nil {
		return dst, wire.In(err, "result")
	}
	text := wire.Object(wire.View(dst[start:]))
	if text.Kind() != wire.KindObject {
		return dst, nil
	}
	has := commonOf(text)
	if has.kind == `"`+resultInputRequired+`"` {
		asking, err := c.requireInput(text)
		if err != nil {
			return dst, err
		}
		text = asking
		has = commonOf(text)
		dst = append(dst[:start], text...)
	}
	var own [256]byte                        // on the stack
	lacking := c.appendLacking(own[:0], has) // before dst is written, because has may share its memory
	named := c.peer.server.named
	if _, is := wire.Object(has.meta).Get(metaServerInfo); has.meta.Kind() == wire.KindObject && !is && named != "" {
		meta, err := wire.Object(has.meta).With(metaServerInfo, named)
		if err != nil {
			return dst, err
		}
		if text, err = text.With("_meta", wire.Raw(meta)); err != nil {
			return dst, err
		}
		dst = append(dst[:start], text...)
	}
	bracket := start + bytes.IndexByte(dst[start:], '{') // white space may come before it
	return slices.Replace(dst, start, bracket+1, lacking...), nil
}

// appendLacking appends the beginning of a result: a bracket and the members that the result lacks.
func (c statelessCall) appendLacking(dst []byte, has commonMembers) []byte {
	dst = append(dst, '{')
	if has.kind == "" {
		dst = append(dst, `"resultType":"`+resultComplete+`"`...)
	}
	if named := c.peer.server.named; has.meta == "" && named != "" {
		dst = append(wire.AppendName(dst, "_meta"), '{')
		dst = append(append(wire.AppendName(dst, metaServerInfo), named...), '}')
	}
	if complete := has.kind == "" || has.kind == `"`+resultComplete+`"`; complete && c.row.Cacheable {
		hint := c.hint()
		if has.ttl == "" {
			dst = strconv.AppendInt(wire.AppendName(dst, "ttlMs"), hint.TTL.Milliseconds(), 10)
		}
		if has.scope == "" {
			dst = append(wire.AppendName(dst, "cacheScope"), hint.scope()...)
		}
	}
	if len(dst) > 1 && !has.empty {
		dst = append(dst, ',')
	}
	return dst
}

// restated returns the error that a stateless request gets for the error of its handler, which may be
// written for a revision with sessions. Codes of such revisions must not be sent ("Error Codes" in basic,
// 2026-07-28).
func (c statelessCall) restated(err error) error {
	if missing, ok := errors.AsType[*CapabilityError](err); ok && !missing.Own {
		return jsonrpc.MissingCapability(declare("{}", missing.Capability, "{}"))
	}
	e, ok := asError(err)
	if !ok {
		return err
	}
	switch e.Code {
	case jsonrpc.CodeResourceNotFound:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: e.Message, Data: c.uriData(e.Data)}
	case jsonrpc.CodeServerBusy:
		return &jsonrpc.Error{Code: jsonrpc.CodeUnavailable, Message: e.Message, Data: e.Data}
	case jsonrpc.CodeURLElicitationRequired:
		// If possible, Call.askURLs asks for what the error demands; otherwise the error remains.
		return jsonrpc.MissingCapability(`{"elicitation":{"url":{}}}`)
	}
	if !c.peer.defines(e.Code) {
		c.conn.logFailure("the handler's error code is reserved and not defined; the client gets an internal error", "method", c.m.Method, "id", c.id, "error", err)
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Message, Data: e.Data}
	}
	return err
}

// uriData returns the data of the error for a resource that does not exist: an object with the URI of the
// request ("Error Handling" in server/resources, 2026-07-28).
func (c statelessCall) uriData(data wire.Raw) wire.Raw {
	o := wire.Object(data)
	if data != "" && o.Kind() != wire.KindObject {
		return data
	}
	if _, ok := o.Get("uri"); ok {
		return data
	}
	uri, ok := wire.Object(c.params).Get("uri")
	if !ok {
		return data
	}
	with, err := o.With("uri", uri)
	if err != nil {
		return data
	}
	return wire.Raw(with)
}
