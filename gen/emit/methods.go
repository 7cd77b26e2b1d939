package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

func (e *emitter) methodTable(w *code.Writer) {
	of := "revision"
	if e.rev.Extension != nil {
		of = "extension"
	}
	var rows []string
	for _, m := range Methods(e.rev) {
		rows = append(rows, row(m))
	}
	w.Doc("Methods lists the requests and notifications of the %s, sorted by name.", of)
	w.P("var Methods = []runtime.Method%s", code.Lines(rows))
	if codes := slices.Sorted(maps.Keys(e.rev.ErrorCodes())); len(codes) > 0 {
		w.Doc("errorCodes are the codes of the errors that the revision defines.")
		w.P("var errorCodes = %#v", codes)
	}
}

// peer holds the words for one side of a session.
type peer struct {
	name, other string
	direction   string
	receives    func(*ir.Method) bool
}

var (
	server = peer{"Server", "client", "ToServer", func(m *ir.Method) bool { return m.ToServer }}
	client = peer{"Client", "server", "ToClient", func(m *ir.Method) bool { return m.ToClient }}
)

// received returns the methods that one side receives.
func (e *emitter) received(p peer) []*ir.Method {
	return slices.DeleteFunc(slices.Clone(e.rev.Methods), func(m *ir.Method) bool { return !p.receives(m) })
}

// side renders the binding of one side and the typed calls of the other.
func (e *emitter) side(w *code.Writer, p peer) {
	methods := e.received(p)
	w.Doc("%s has a method for every request and notification that a %s may send in %s. Embed Unimplemented%s to implement only some of them. Params are never nil.", p.name, p.other, e.source(), p.name)
	w.P("type %s interface {", p.name)
	for _, m := range methods {
		w.P("%s%s%s", code.Comment(m.Go+" "+m.Doc+deprecation(m.Deprecated)), m.Go, signature(m, m.Result))
	}
	w.P("}")
	unimplemented(w, p, methods)
	w.Doc("Bind%s binds an implementation to the runtime.", p.name)
	bind(w, p, "Bind"+p.name, "s "+p.name, dispatch, methods)
	if p.name == server.name && e.rev.Extension == nil {
		bindBase(w, methods)
		cacheHints(w, methods)
	}
	e.caller(w, p, methods)
}

// signature renders the params and results of a method, whose result is nil for
// notifications.
func signature(m *ir.Method, result *ir.Decl) string {
	return "(ctx context.Context, params " + messageType(m.Params) + ") " + results(m, result)
}

func results(m *ir.Method, result *ir.Decl) string {
	if m.Notification {
		return "error"
	}
	return "(" + messageType(result) + ", error)"
}

// messageType renders the type by which params and results are passed: structs by pointer,
// unions by value.
func messageType(d *ir.Decl) string {
	if isUnion(d) {
		return declName(d)
	}
	return "*" + declName(d)
}

func isUnion(d *ir.Decl) bool {
	_, ok := ir.Resolve(d.Type).(*ir.Union)
	return ok
}

func unimplemented(w *code.Writer, p peer, methods []*ir.Method) {
	typeName := "Unimplemented" + p.name
	answers := "responds to requests"
	if slices.ContainsFunc(methods, func(m *ir.Method) bool { return m.Wire == "ping" }) {
		answers = "responds to ping with an empty result and to other requests"
	}
	w.Doc("%s %s with \"method not found\" (-32601). It ignores notifications.", typeName, answers)
	w.P("type %s struct{}", typeName)
	for _, m := range methods {
		about, body := fmt.Sprintf("returns the error that %s is not supported.", m.Wire), fmt.Sprintf("nil, runtime.MethodNotFound(%q)", m.Wire)
		switch {
		case m.Notification:
			about, body = "does nothing.", "nil"
		case m.Wire == "ping" && !isUnion(m.Result):
			about, body = "returns an empty result.", "&"+declName(m.Result)+"{}, nil"
		}
		w.Doc("%s %s", m.Go, about)
		w.P("func (%s) %s(context.Context, %s) %s {\nreturn %s\n}", typeName, m.Go, messageType(m.Params), results(m, m.Result), body)
	}
}

// base lists the requests that the runtime answers if a server does not.
var base = []string{"initialize", "logging/setLevel", "ping"}

// bindBase renders the binding of a server that has no methods of its own. It is separate
// because a call of BindServer links the params and results of all methods.
func bindBase(w *code.Writer, methods []*ir.Method) {
	methods = slices.DeleteFunc(slices.Clone(methods), func(m *ir.Method) bool {
		return !m.Notification && !slices.Contains(base, m.Wire)
	})
	w.Doc("BindBase binds the methods that every server has to the runtime: %s and the notifications, whose params it checks. Use it for a server whose other methods are handled elsewhere, for example by a catalog. It does not link the types of those methods into the program.", strings.Join(base, ", "))
	bind(w, server, "BindBase", "", checkParams, methods)
}

// checkParams renders the check of the params of a method that is handled elsewhere. It names only the
// methods that it needs, so that a program links no others.
func checkParams(m *ir.Method) string {
	check := "nil"
	if d := underlying(m.Params); d.Checked || hasBox(d) {
		check = "p.Check"
	}
	checked := fmt.Sprintf("runtime.CheckParams(m, p.DecodeJSON, %s)", check)
	if m.Notification {
		checked = "return nil, " + checked
	} else {
		checked = "if err := " + checked + "; err != nil {\nreturn nil, err\n}"
	}
	return fmt.Sprintf("p := new(%s)\n%s", valueType(&ir.Ref{Decl: m.Params}), checked)
}

func bind(w *code.Writer, p peer, name, params string, handle func(*ir.Method) string, methods []*ir.Method) {
	w.P(`func %s(%s) runtime.Binding {
		return runtime.Binding{
			Direction: runtime.%s,
			Handle: func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
				switch m.Method {`, name, params, p.direction)
	for _, m := range methods {
		w.P("case %q:\n%s", m.Wire, handle(m))
	}
	w.P(`}
				return nil, runtime.MethodNotFound(m.Method)
			},
			Methods: Methods,
			Revision: Revision,
		}
	}`)
}

// dispatch renders the delegation of one method to the implementation s. It is a single call,
// so that bugs are fixed in the runtime without regenerating.
func dispatch(m *ir.Method) string {
	function, handler, none := "Answer", "s."+m.Go, ""
	if m.Notification {
		function, none = "Receive", "nil, "
	}
	if isUnion(m.Params) {
		handler = fmt.Sprintf("new(%s), func(ctx context.Context, p *%s) %s {\nreturn s.%s(ctx, p.V)\n}",
			valueType(&ir.Ref{Decl: m.Params}), qualified(m.Params, boxName(m.Params)), results(m, m.Result), m.Go)
		function += "Value"
	}
	return fmt.Sprintf("return %sruntime.%s(ctx, m, %s)", none, function, handler)
}
