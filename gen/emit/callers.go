package emit

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// handshake lists the messages of the handshake. The runtime sends them, so that callers
// have no methods for them.
var handshake = []string{"initialize", "notifications/initialized"}

// caller renders the typed calls that the other side makes.
func (e *emitter) caller(w *code.Writer, p peer, methods []*ir.Method) {
	typeName := p.name + "Caller"
	w.Doc("%s calls a %s on behalf of its %s. It has a method for every request and notification that the %s may send, except those of the handshake. Params may be nil if the revision makes them optional.", typeName, lowerFirst(p.name), p.other, p.other)
	w.P("type %s struct {\ncaller runtime.Caller\n}", typeName)
	w.Doc("New%[1]s returns a %[1]s that sends through c.", typeName)
	w.P("func New%[1]s(c runtime.Caller) %[1]s {\nreturn %[1]s{c}\n}", typeName)
	for _, m := range methods {
		if slices.Contains(handshake, m.Wire) {
			continue
		}
		if m.Plain == nil {
			method(w, typeName, m.Go, m.Doc, m, m.Result, callBody(m))
		} else {
			plainCall(w, typeName, m)
		}
		if m.Items != nil {
			itemsCall(w, typeName, m)
		}
	}
}

// method renders a method of a caller.
func method(w *code.Writer, typeName, name, text string, m *ir.Method, result *ir.Decl, body string) {
	w.Doc("%s %s%s", name, text, deprecation(m.Deprecated))
	w.P("func (c %s) %s%s {\n%s}", typeName, name, signature(m, result), body)
}

// plainCall renders the two calls of a request whose results are a union: one that returns
// the plain result, and one that returns the union and is named after it.
func plainCall(w *code.Writer, typeName string, m *ir.Method) {
	text := fmt.Sprintf("%s If the other side answers with another result than %s, the error is a *runtime.OtherResultError. %s returns all results.", m.Doc, m.Plain.Name, m.Result.Name)
	method(w, typeName, m.Go, text, m, m.Plain, fmt.Sprintf("result, err := c.%s(ctx, params)\nreturn runtime.PlainResult[%s](%q, result, err)\n",
		m.Result.Name, messageType(m.Plain), m.Wire))
	text = fmt.Sprintf("makes the request of %s and returns the result, of whichever type it is.", m.Go)
	method(w, typeName, m.Result.Name, text, m, m.Result, callBody(m))
}

// itemsCall renders the iterator over a paginated list.
func itemsCall(w *code.Writer, typeName string, m *ir.Method) {
	w.Doc("%s yields the items of all pages of %s. It requests each page when the loop reaches it. After an error, the sequence ends.", m.ItemsGo, m.Wire)
	w.P(`func (c %s) %s(ctx context.Context) iter.Seq2[*%[3]s, error] {
		return runtime.All(func(cursor *string) ([]%[3]s, *string, error) {
			page, err := c.%[4]s(ctx, &%[5]s{Cursor: cursor})
			if err != nil {
				return nil, nil, err
			}
			return page.%[6]s, page.NextCursor, nil
		})
	}`, typeName, m.ItemsGo, goType(m.Items.Type.(*ir.Array).Elem), m.Go, declName(m.Params), m.Items.Go)
}

// callBody renders a request or notification. A request returns m.Result.
func callBody(m *ir.Method) string {
	params := "params"
	if !isUnion(m.Params) {
		params = "runtime.Params(params)" // a nil pointer in an interface is not nil
	}
	if m.Notification {
		return fmt.Sprintf("return c.caller.Notify(ctx, %q, %s)\n", m.Wire, params)
	}
	var w code.Writer
	w.P("result := new(%s)", valueType(&ir.Ref{Decl: m.Result}))
	w.P("if err := c.caller.Call(ctx, %q, %s, result); err != nil {\nreturn nil, err\n}", m.Wire, params)
	u, ok := ir.Resolve(m.Result.Type).(*ir.Union)
	switch {
	case !ok:
		w.P("return result, nil")
		return w.String()
	case !u.Context: // the sender of a result knows the revision, so an unknown variant is an error
		w.P("if _, unknown := result.V.(*%s); unknown {\nreturn nil, runtime.UnknownResult(%q, result)\n}", qualified(m.Result, "Unknown"+m.Result.Name), m.Wire)
	}
	w.P("return result.V, nil")
	return w.String()
}

func lowerFirst(s string) string { return string(s[0]|0x20) + s[1:] }
