package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	if err := decodeParams(m, p); err != nil {
		return nil, err
	}
	result, err := h(ctx, p)
	if err != nil {
		return nil, err
	}
	checked := hinted(ctx, result)
	if err := wire.Validate(checked); err != nil {
		return nil, fmt.Errorf("runtime: invalid result: %w", err)
	}
	return checked, nil
}

// Receive handles one notification with a typed handler, as Answer does a request.
func Receive[P wire.Value](ctx context.Context, m *Message, p P, h func(context.Context, P) error) error {
	if err := decodeParams(m, p); err != nil {
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

func decodeParams(m *Message, v wire.Value) error {
	err := readParams(m, v)
	if err == nil {
		err = wire.Validate(v)
	}
	if err != nil {
		return invalidParams(err)
	}
	return nil
}

// CheckParams checks the params of a method that is handled elsewhere, and returns the errors of [Answer].
// Decode and check are methods of the type of the params; check is nil if it has none. CheckParams does
// not take a value of the type because the linker would then keep all methods of it and of the types within it.
func CheckParams(m *Message, decode func(*wire.Reader) error, check func(*wire.Collector)) error {
	err := readParams(m, decoder(decode))
	if err == nil && check != nil {
		var c wire.Collector
		check(&c)
		err = c.Err()
	}
	if err != nil {
		return invalidParams(err)
	}
	return nil
}

type decoder func(*wire.Reader) error

// DecodeJSON implements wire.Decoder.
func (d decoder) DecodeJSON(r *wire.Reader) error { return d(r) }

func readParams(m *Message, v wire.Decoder) error {
	lenience := wire.AbsentNulls
	if m.received() {
		lenience |= wire.WellFormed
	}
	params, err := m.Text()
	if err != nil {
		return err
	}
	if params == "" || params == "null" {
		params = "{}"
	}
	_, _, err = wire.UnmarshalLenient(params, v, lenience)
	return err
}

// maxProblems limits the length of an error message, as the widths in the formats do. A request with a
// million invalid items must not be answered with a million problems.
const maxProblems = 50

func invalidParams(err error) error {
	var text strings.Builder
	text.WriteString("invalid params: ")
	problems := wire.ProblemsOf(err)
	for i, p := range problems {
		if i == maxProblems {
			fmt.Fprintf(&text, "; and %d more", len(problems)-i)
			break
		}
		if i > 0 {
			text.WriteString("; ")
		}
		if p.Pointer != "" {
			fmt.Fprintf(&text, "%.200s: ", p.Pointer)
		}
		fmt.Fprintf(&text, "%.500s", p.Message)
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: text.String()}
}
