package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

func (e *emitter) methodTable(f *jen.File) {
	of := "revision"
	if e.rev.Extension != nil {
		of = "extension"
	}
	f.Add(doc("Methods lists the requests and notifications of the " + of + ", sorted by name."))
	f.Var().Id("Methods").Op("=").Index().Qual(runtimePath, "Method").ValuesFunc(func(g *jen.Group) {
		for _, m := range Methods(e.rev) {
			g.Line().Add(row(m))
		}
		g.Line()
	})
	if codes := slices.Sorted(maps.Keys(e.rev.ErrorCodes())); len(codes) > 0 {
		f.Line()
		f.Add(doc("errorCodes are the codes of the errors that the revision defines."))
		f.Var().Id("errorCodes").Op("=").Index().Int64().ValuesFunc(func(g *jen.Group) {
			for _, code := range codes {
				g.Lit(int(code))
			}
		})
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
	f.Add(doc(fmt.Sprintf("Bind%s binds an implementation to the runtime.", p.name)))
	e.bind(f, p, "Bind"+p.name, []jen.Code{jen.Id("s").Id(p.name)}, dispatch, methods)
	if p.name == server.name && e.rev.Extension == nil {
		e.bindBase(f, methods)
		cacheHints(f, methods)
	}
	e.caller(f, p, methods)
}

func (e *emitter) sideInterface(f *jen.File, p peer, methods []*ir.Method) {
	f.Add(doc(fmt.Sprintf("%s has a method for every request and notification that a %s may send in %s. Embed Unimplemented%s to implement only some of them. Params are never nil.", p.name, p.other, e.source(), p.name)))
	f.Type().Id(p.name).InterfaceFunc(func(g *jen.Group) {
		for _, m := range methods {
			g.Add(doc(m.Go + " " + m.Doc + deprecation(m.Deprecated)))
			g.Id(m.Go).Add(signature(m, m.Result))
		}
	})
}

// signature renders the params and results of a method, whose result is nil for
// notifications.
func signature(m *ir.Method, result *ir.Decl) jen.Code {
	params := jen.Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("params").Add(messageType(m.Params)))
	if m.Notification {
		return params.Error()
	}
	return params.Params(messageType(result), jen.Error())
}

// messageType renders the type by which params and results are passed: structs by pointer,
// unions by value.
func messageType(d *ir.Decl) jen.Code {
	if isUnion(d) {
		return declName(d)
	}
	return jen.Op("*").Add(declName(d))
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
	f.Add(doc(fmt.Sprintf("%s %s with \"method not found\" (-32601). It ignores notifications.", typeName, answers)))
	f.Type().Id(typeName).Struct()
	for _, m := range methods {
		f.Line()
		switch {
		case m.Notification:
			f.Add(doc(m.Go + " does nothing."))
		case isPing(m):
			f.Add(doc(m.Go + " returns an empty result."))
		default:
			f.Add(doc(fmt.Sprintf("%s returns the error that %s is not supported.", m.Go, m.Wire)))
		}
		f.Func().Params(jen.Id(typeName)).Id(m.Go).Add(unnamedSignature(m)).Block(unimplementedBody(m))
	}
}

func isPing(m *ir.Method) bool { return m.Wire == "ping" && !isUnion(m.Result) }

func unnamedSignature(m *ir.Method) jen.Code {
	params := jen.Params(jen.Qual("context", "Context"), messageType(m.Params))
	if m.Notification {
		return params.Error()
	}
	return params.Params(messageType(m.Result), jen.Error())
}

func unimplementedBody(m *ir.Method) jen.Code {
	switch {
	case m.Notification:
		return jen.Return(jen.Nil())
	case isPing(m):
		return jen.Return(jen.Op("&").Add(declName(m.Result)).Values(), jen.Nil())
	}
	return jen.Return(jen.Nil(), jen.Qual(runtimePath, "MethodNotFound").Call(jen.Lit(m.Wire)))
}

// base lists the requests that the runtime answers if a server does not.
var base = []string{"initialize", "logging/setLevel", "ping"}

// bindBase renders the binding of a server that has no methods of its own. It is separate
// because a call of BindServer links the params and results of all methods.
func (e *emitter) bindBase(f *jen.File, methods []*ir.Method) {
	methods = slices.DeleteFunc(slices.Clone(methods), func(m *ir.Method) bool {
		return !m.Notification && !slices.Contains(base, m.Wire)
	})
	f.Line()
	f.Add(doc("BindBase binds the methods that every server has to the runtime: " + strings.Join(base, ", ") + " and the notifications, whose params it checks. Use it for a server whose other methods are handled elsewhere, for example by a catalog. It does not link the types of those methods into the program."))
	e.bind(f, server, "BindBase", nil, checkParams, methods)
}

// checkParams renders the check of the params of a method that is handled elsewhere. It names only the
// methods that it needs, so that a program links no others.
func checkParams(m *ir.Method) []jen.Code {
	check := jen.Nil()
	if d := underlying(m.Params); d.Checked || hasBox(d) {
		check = jen.Id("p").Dot("Check")
	}
	made := jen.Id("p").Op(":=").Add(jen.New(valueType(&ir.Ref{Decl: m.Params})))
	checked := jen.Qual(runtimePath, "CheckParams").Call(jen.Id("m"), jen.Id("p").Dot("DecodeJSON"), check)
	if m.Notification {
		return []jen.Code{made, jen.Return(jen.Nil(), checked)}
	}
	failed := jen.If(jen.Err().Op(":=").Add(checked), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
	return []jen.Code{made, failed}
}

func (e *emitter) bind(f *jen.File, p peer, name string, params []jen.Code, handle func(*ir.Method) []jen.Code, methods []*ir.Method) {
	f.Func().Id(name).Params(params...).Qual(runtimePath, "Binding").Block(
		jen.Return(jen.Qual(runtimePath, "Binding").Values(jen.Dict{
			jen.Id("Revision"):  jen.Id("Revision"),
			jen.Id("Direction"): jen.Qual(runtimePath, p.direction),
			jen.Id("Methods"):   jen.Id("Methods"),
			jen.Id("Handle"): jen.Func().
				Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("m").Op("*").Qual(runtimePath, "Message")).
				Params(jen.Qual(wirePath, "Appender"), jen.Error()).
				Block(
					jen.Switch(jen.Id("m").Dot("Method")).BlockFunc(func(g *jen.Group) {
						for _, m := range methods {
							g.Case(jen.Lit(m.Wire)).Block(handle(m)...)
						}
					}),
					jen.Return(jen.Nil(), jen.Qual(runtimePath, "MethodNotFound").Call(jen.Id("m").Dot("Method"))),
				),
		})),
	)
}

// dispatch renders the delegation of one method to the implementation s. It is a single call,
// so that bugs are fixed in the runtime without regenerating.
func dispatch(m *ir.Method) []jen.Code {
	args := []jen.Code{jen.Id("ctx"), jen.Id("m")}
	function, handler := "Answer", jen.Id("s").Dot(m.Go)
	if m.Notification {
		function = "Receive"
	}
	if isUnion(m.Params) {
		function += "Value"
		args = append(args, jen.New(valueType(&ir.Ref{Decl: m.Params})))
		box := jen.Op("*").Add(qualified(m.Params, boxName(m.Params)))
		returns := jen.Error()
		if !m.Notification {
			returns = jen.Params(messageType(m.Result), jen.Error())
		}
		handler = jen.Func().Params(jen.Id("ctx").Qual("context", "Context"), jen.Id("p").Add(box)).Add(returns).Block(
			jen.Return(jen.Id("s").Dot(m.Go).Call(jen.Id("ctx"), jen.Id("p").Dot("V"))),
		)
	}
	call := jen.Qual(runtimePath, function).Call(append(args, handler)...)
	if m.Notification {
		return []jen.Code{jen.Return(jen.Nil(), call)}
	}
	return []jen.Code{jen.Return(call)}
}
