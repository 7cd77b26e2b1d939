package runtime

import (
	"context"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// HandlerFunc handles the requests or notifications of one method. Params is "" or an
// object. The result of a notification is nil.
type HandlerFunc func(ctx context.Context, params wire.Raw) (wire.Appender, error)

// Handlers holds the handlers of a client by method. A nil HandlerFunc counts as absent, so
// that generated code can list all methods of a revision.
type Handlers map[string]HandlerFunc

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
		Handle: func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
			if handle := h[method]; handle != nil {
				return handle(ctx, params)
			}
			return nil, MethodNotFound(method)
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
		if m.Kind == jsonrpc.Notification && m.Direction&ToServer != 0 && nested && granted(declared, parent) {
			declared = declare(declared, m.Capability, "true")
		}
	}
	return declared
}

// declare adds the capability at a dotted path, unless the object has it already.
func declare(o wire.Object, path string, value wire.Raw) wire.Object {
	name, rest, nested := strings.Cut(path, ".")
	has, ok := o.Get(name)
	switch {
	case nested:
		if has.Kind() != wire.KindObject {
			has = "{}"
		}
		value = wire.Raw(declare(wire.Object(has), rest, value))
	case ok:
		return o
	}
	with, err := o.With(name, value)
	if err != nil {
		return o // both are well-formed, so that With does not fail
	}
	return with
}

// cutLast splits a dotted path before its last name.
func cutLast(path string) (parent, name string, nested bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// HandleRequest returns a HandlerFunc that calls h as [Answer] does, or nil if h is nil.
func HandleRequest[P any, R wire.Appender, PP interface {
	*P
	wire.Value
}](h func(context.Context, *P) (R, error)) HandlerFunc {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
		return Answer[P, R, PP](ctx, params, h)
	}
}

// HandleRequestValue is HandleRequest for params that are a union.
func HandleRequestValue[C wire.Codec[P], P, R wire.Appender](h func(context.Context, P) (R, error)) HandlerFunc {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
		return AnswerValue(ctx, params, new(wire.Box[P, C]), func(ctx context.Context, p *wire.Box[P, C]) (R, error) { return h(ctx, p.V) })
	}
}

// HandleNotification returns a HandlerFunc that calls h as [Receive] does, or nil if h is
// nil.
func HandleNotification[P any, PP interface {
	*P
	wire.Value
}](h func(context.Context, *P) error) HandlerFunc {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
		return nil, Receive[P, PP](ctx, params, h)
	}
}

// HandleNotificationValue is HandleNotification for params that are a union.
func HandleNotificationValue[C wire.Codec[P], P wire.Appender](h func(context.Context, P) error) HandlerFunc {
	if h == nil {
		return nil
	}
	return func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
		return nil, ReceiveValue(ctx, params, new(wire.Box[P, C]), func(ctx context.Context, p *wire.Box[P, C]) error { return h(ctx, p.V) })
	}
}
