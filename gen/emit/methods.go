package emit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

func (e *emitter) methodTable(f *jen.File) {
	of := "revision"
	if e.rev.Extension != nil {
		of = "extension"
	}
	f.Add(code.Comment("Methods lists the requests and notifications of the " + of + ", sorted by name."))
	f.Var().Id("Methods").Op("=").Index().Qual(runtimePath, "Method").ValuesFunc(func(g *jen.Group) {
		for _, m := range Methods(e.rev) {
			g.Line().Add(row(m))
		}
		g.Line()
	})
	if codes := slices.Sorted(maps.Keys(e.rev.ErrorCodes())); len(codes) > 0 {
		code.Declare(f, "errorCodes are the codes of the errors that the revision defines.", "var errorCodes = $1", fmt.Sprintf("%#v", codes))
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
func (e *emitter) side(f *jen.File, p peer) {
	methods := e.received(p)
	e.sideInterface(f, p, methods)
	e.unimplemented(f, p, methods)
	f.Line()
	f.Add(code.Comment(fmt.Sprintf("Bind%s binds an implementation to the runtime.", p.name)))
	e.bind(f, p, "Bind"+p.name, "s "+p.name, dispatch, methods)
	if p.name == server.name && e.rev.Extension == nil {
		e.bindBase(f, methods)
		cacheHints(f, methods)
	}
	e.caller(f, p, methods)
}

func (e *emitter) sideInterface(f *jen.File, p peer, methods []*ir.Method) {
	all := ""
	for _, m := range methods {
		all += code.Doc(m.Go+" "+m.Doc+deprecation(m.Deprecated), m.Go+signature(m, m.Result)+"\n")
	}
	code.Declare(f, fmt.Sprintf("%s has a method for every request and notification that a %s may send in %s. Embed Unimplemented%s to implement only some of them. Params are never nil.", p.name, p.other, e.source(), p.name),
		"type $1 interface {\n$2}", p.name, all)
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

func (e *emitter) unimplemented(f *jen.File, p peer, methods []*ir.Method) {
	typeName := "Unimplemented" + p.name
	f.Line()
	answers := "responds to requests"
	if slices.ContainsFunc(methods, func(m *ir.Method) bool { return m.Wire == "ping" }) {
		answers = "responds to ping with an empty result and to other requests"
	}
	f.Add(code.Comment(fmt.Sprintf("%s %s with \"method not found\" (-32601). It ignores notifications.", typeName, answers)))
	f.Type().Id(typeName).Struct()
	for _, m := range methods {
		text, answer := fmt.Sprintf("%s returns the error that %s is not supported.", m.Go, m.Wire), fmt.Sprintf("return nil, runtime.MethodNotFound(%q)", m.Wire)
		switch {
		case m.Notification:
			text, answer = m.Go+" does nothing.", "return nil"
		case isPing(m):
			text, answer = m.Go+" returns an empty result.", "return &"+declName(m.Result)+"{}, nil"
		}
		code.Declare(f, text, "func ($1) $2(context.Context, $3) $4 {\n$5\n}", typeName, m.Go, messageType(m.Params), results(m, m.Result), answer)
	}
}

func isPing(m *ir.Method) bool { return m.Wire == "ping" && !isUnion(m.Result) }

// base lists the requests that the runtime answers if a server does not.
var base = []string{"initialize", "logging/setLevel", "ping"}

// bindBase renders the binding of a server that has no methods of its own. It is separate
// because a call of BindServer links the params and results of all methods.
func (e *emitter) bindBase(f *jen.File, methods []*ir.Method) {
	methods = slices.DeleteFunc(slices.Clone(methods), func(m *ir.Method) bool {
		return !m.Notification && !slices.Contains(base, m.Wire)
	})
	f.Line()
	f.Add(code.Comment("BindBase binds the methods that every server has to the runtime: " + strings.Join(base, ", ") + " and the notifications, whose params it checks. Use it for a server whose other methods are handled elsewhere, for example by a catalog. It does not link the types of those methods into the program."))
	e.bind(f, server, "BindBase", "", checkParams, methods)
}

// checkParams renders the check of the params of a method that is handled elsewhere. It names only the
// methods that it needs, so that a program links no others.
func checkParams(m *ir.Method) string {
	check := "nil"
	if d := underlying(m.Params); d.Checked || hasBox(d) {
		check = "p.Check"
	}
	checked := "runtime.CheckParams(m, p.DecodeJSON, " + check + ")"
	answer := "if err := " + checked + "; err != nil {\nreturn nil, err\n}"
	if m.Notification {
		answer = "return nil, " + checked
	}
	return "p := new(" + valueType(&ir.Ref{Decl: m.Params}) + ")\n" + answer
}

func (e *emitter) bind(f *jen.File, p peer, name, params string, handle func(*ir.Method) string, methods []*ir.Method) {
	var cases code.Writer
	for _, m := range methods {
		cases.Case(strconv.Quote(m.Wire), handle(m)+"\n")
	}
	f.Add(code.Go(`func $1($2) runtime.Binding {
		return runtime.Binding{
			Direction: runtime.$3,
			Handle: func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
				switch m.Method {
				$4}
				return nil, runtime.MethodNotFound(m.Method)
			},
			Methods: Methods,
			Revision: Revision,
		}
	}`, name, params, p.direction, cases.String()))
}

// dispatch renders the delegation of one method to the implementation s. It is a single call,
// so that bugs are fixed in the runtime without regenerating.
func dispatch(m *ir.Method) string {
	function, handler, none := "Answer", "s."+m.Go, ""
	if m.Notification {
		function, none = "Receive", "nil, "
	}
	if isUnion(m.Params) {
		handler = fmt.Sprintf("func(ctx context.Context, p *%s) %s {\nreturn s.%s(ctx, p.V)\n}",
			qualified(m.Params, boxName(m.Params)), results(m, m.Result), m.Go)
	}
	return fmt.Sprintf("return %sruntime.%s(ctx, m, new(%s), %s)", none, function, valueType(&ir.Ref{Decl: m.Params}), handler)
}
