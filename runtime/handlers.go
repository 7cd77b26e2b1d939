package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handlers holds the handlers of a client by method. A nil Handler counts as absent, so that generated code can
// list all methods of a revision.
type Handlers map[string]Handler

// Bind returns the binding of the handlers for a revision with the given method table.
func (h Handlers) Bind(revision string, methods []Method) Binding {
	var notified []string
	for method, handle := range h {
		if handle != nil {
			notified = append(notified, method)
		}
	}
	slices.Sort(notified)
	return Binding{
		Revision:  revision,
		Direction: ToClient,
		Methods:   methods,
		Notified:  notified,
		Handle: func(ctx context.Context, m *Message) (wire.Appender, error) {
			if handle := h[m.Method]; handle != nil {
				return handle(ctx, m)
			}
			return nil, MethodNotFound(m.Method)
		},
	}
}

// Capabilities returns the ClientCapabilities object that follows from the handlers: the
// capabilities of the requests that have a handler, and those of the client's notifications that
// are part of one of these capabilities, as roots.listChanged is of roots.
func (h Handlers) Capabilities(methods []Method) wire.Object {
	declared := wire.Object("{}")
	for _, m := range methods {
		if m.Kind == jsonrpc.Request && m.Capability != "" && h[m.Name] != nil {
			declared = declare(declared, m.Capability, "{}")
		}
	}
	for _, m := range methods {
		parent, _, nested := cutLast(m.Capability)
		if m.Kind == jsonrpc.Notification && m.Direction&ToServer != 0 && nested && hasCapability(declared, parent) {
			declared = declare(declared, m.Capability, "true")
		}
	}
	return declared
}

// HandleRequest returns a Handler that calls h as [Answer] does, or nil if h is nil.
func HandleRequest[P any, R wire.Appender, PP interface {
	*P
	wire.Value
}](h func(context.Context, *P) (R, error)) Handler {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, m *Message) (wire.Appender, error) {
		return Answer(ctx, m, PP(new(P)), func(ctx context.Context, p PP) (R, error) { return h(ctx, p) })
	}
}

// HandleRequestValue is HandleRequest for params that are a union.
func HandleRequestValue[P wire.Appender, C wire.Codec[P], R wire.Appender](_ wire.Box[P, C], h func(context.Context, P) (R, error)) Handler {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, m *Message) (wire.Appender, error) {
		return Answer(ctx, m, new(wire.Box[P, C]), func(ctx context.Context, p *wire.Box[P, C]) (R, error) { return h(ctx, p.V) })
	}
}

// HandleNotification returns a Handler that calls h as [Receive] does, or nil if h is
// nil.
func HandleNotification[P any, PP interface {
	*P
	wire.Value
}](h func(context.Context, *P) error) Handler {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, m *Message) (wire.Appender, error) {
		return nil, Receive(ctx, m, PP(new(P)), func(ctx context.Context, p PP) error { return h(ctx, p) })
	}
}

// HandleNotificationValue is HandleNotification for params that are a union.
func HandleNotificationValue[P wire.Appender, C wire.Codec[P]](_ wire.Box[P, C], h func(context.Context, P) error) Handler {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, m *Message) (wire.Appender, error) {
		return nil, Receive(ctx, m, new(wire.Box[P, C]), func(ctx context.Context, p *wire.Box[P, C]) error { return h(ctx, p.V) })
	}
}

// Answer handles one request with a typed handler: it decodes params into p and validates them, calls h and
// validates the result. Absent params are treated as an empty object, and an optional member that is
// null as absent, because some peers write it. The error for invalid params is a *jsonrpc.Error with
// CodeInvalidParams that names each problem with its JSON Pointer. The error for an invalid result is
// an ordinary one: the peer gets "internal error", and the error is logged.
func Answer[P wire.Value, R wire.Appender](ctx context.Context, m *Message, p P, h func(context.Context, P) (R, error)) (wire.Appender, error) {
	if err := decodeParams(m, p, nil); err != nil {
		return nil, err
	}
	result, err := h(ctx, p)
	if err != nil || wire.IsNil(result) && strings.HasPrefix(fmt.Sprintf("%T", result), "*") {
		return nil, err // a nil pointer is no result either, but a nil map is one, and so is a struct of one nil pointer
	}
	checked := wire.Appender(result)
	if r, ok := checked.(hinter); ok {
		checked = hinted(ctx, r)
	}
	if err := wire.Validate(checked); err != nil {
		return nil, fmt.Errorf("runtime: invalid result: %w", err)
	}
	return checked, nil
}

// Receive handles one notification with a typed handler, as Answer does a request.
func Receive[P wire.Value](ctx context.Context, m *Message, p P, h func(context.Context, P) error) error {
	if err := decodeParams(m, p, nil); err != nil {
		return err
	}
	return h(ctx, p)
}

// Params returns p as the params of a call. It returns a nil interface for a nil pointer.
func Params[P any, PP interface {
	*P
	wire.Value
}](p *P) wire.Appender {
	if p == nil {
		return nil
	}
	return PP(p)
}

// CheckParams checks the params of a method that is handled elsewhere, and returns the errors of [Answer].
// Decode and check are methods of the type of the params; check is nil if it has none. CheckParams does
// not take a value of the type because the linker would then keep all methods of it and of the types within it.
func CheckParams(m *Message, decode func(*wire.Reader) error, check func(*wire.Collector)) error {
	return decodeParams(m, decoder(decode), check)
}

type decoder func(*wire.Reader) error

// DecodeJSON implements wire.Decoder.
func (d decoder) DecodeJSON(r *wire.Reader) error { return d(r) }

// decodeParams decodes params into v and validates them: with check or, if it is nil, as v does.
func decodeParams(m *Message, v wire.Decoder, check func(*wire.Collector)) error {
	params, err := TextOf(m.Params)
	if err != nil {
		return invalidParams(err)
	}
	if params == "" || params == "null" {
		params = "{}"
	}
	if p, ok := m.Params.(*wire.Raw); !ok || m.call == nil || p != &m.call.params { // else their syntax is checked
		params, err = wire.Parse(string(params))
	}
	if err == nil {
		_, _, err = wire.UnmarshalLenient(params, v, wire.AbsentNulls)
	}
	if err == nil {
		if check == nil {
			err = wire.Validate(v)
		} else {
			var c wire.Collector
			check(&c)
			err = c.Err()
		}
	}
	if err != nil {
		return invalidParams(err)
	}
	return nil
}

// LogRequests returns middleware that logs every request and notification, after it is handled as Receiving, and
// after it is sent as Sending. The records have the given level. Failures are logged at least as warnings, except
// for error answers and cancellations. A nil logger means slog.Default(). The attributes of a record are:
//
//	method    of the message
//	id        of the request; not for notifications
//	revision  the negotiated revision, once there is one
//	session   LogID of the session's id, when it has one
//	duration  until the handler returned or the answer came
//	code      of the JSON-RPC error that is the answer
//	error     the error
func LogRequests(l *slog.Logger, level slog.Level) Middleware {
	log := logs.Or(l, level)
	return func(next Handler) Handler {
		return func(ctx context.Context, m *Message) (result wire.Appender, err error) {
			start := time.Now()
			err = errPanicked // unless next returns
			defer func() { logRequest(ctx, log, level, m, time.Since(start), err) }()
			return next(ctx, m)
		}
	}
}

var errPanicked = errors.New("runtime: the handler panicked")

// logRequest writes the record of a message that was handled or sent.
func logRequest(ctx context.Context, log *slog.Logger, level slog.Level, m *Message, took time.Duration, err error) {
	text := m.Kind.String() + " sent"
	if !m.Sent() {
		text = m.Kind.String() + " handled"
		if _, cancelled := errors.AsType[*CancelledError](context.Cause(ctx)); cancelled && err != nil {
			err = context.Cause(ctx)
		}
	}
	answered, isAnswer := errors.AsType[*jsonrpc.Error](err)
	_, asked := errors.AsType[*QuestionsError](err)
	if err != nil && !isAnswer && !asked && !errors.Is(err, context.Canceled) {
		level = max(level, slog.LevelWarn)
	}
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 7)
	attrs = append(attrs, slog.String("method", m.Method))
	if id := m.ID(); !id.IsZero() {
		attrs = append(attrs, loggedID(id))
	}
	if revision := m.Revision(); revision != "" {
		attrs = append(attrs, slog.String("revision", revision))
	}
	if session := m.SessionID(); session != "" {
		attrs = append(attrs, slog.String("session", LogID(session)))
	}
	attrs = append(attrs, slog.Duration("duration", took))
	if isAnswer {
		attrs = append(attrs, slog.Int64("code", answered.Code))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	log.LogAttrs(ctx, level, text, attrs...)
}
