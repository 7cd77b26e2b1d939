package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// handshake lists the messages of the handshake. The runtime sends them, so that callers
// have no methods for them.
var handshake = []string{"initialize", "notifications/initialized"}

// caller renders the typed calls that the other side makes.
func (e *emitter) caller(f *jen.File, p peer, methods []*ir.Method) {
	typeName := p.name + "Caller"
	f.Line()
	f.Add(doc(fmt.Sprintf("%s calls a %s on behalf of its %s. It has a method for every request and notification that the %s may send, except those of the handshake. Params may be nil if the revision makes them optional.", typeName, lowerFirst(p.name), p.other, p.other)))
	f.Type().Id(typeName).Struct(jen.Id("caller").Qual(runtimePath, "Caller"))
	f.Line()
	f.Add(doc(fmt.Sprintf("New%s returns a %s that sends through c.", typeName, typeName)))
	f.Func().Id("New" + typeName).Params(jen.Id("c").Qual(runtimePath, "Caller")).Id(typeName).Block(
		jen.Return(jen.Id(typeName).Values(jen.Id("c"))),
	)
	for _, m := range methods {
		if slices.Contains(handshake, m.Wire) {
			continue
		}
		if m.Plain == nil {
			method(f, typeName, m.Go, m.Doc, m, m.Result).BlockFunc(func(g *jen.Group) { callBody(g, m) })
		} else {
			plainCall(f, typeName, m)
		}
		if m.Items != nil {
			itemsCall(f, typeName, m)
		}
	}
}

// method renders the doc comment and the head of a method of a caller.
func method(f *jen.File, typeName, name, text string, m *ir.Method, result *ir.Decl) *jen.Statement {
	f.Line()
	f.Add(doc(name + " " + text + deprecation(m.Deprecated)))
	return f.Func().Params(jen.Id("c").Id(typeName)).Id(name).Add(signature(m, result))
}

// plainCall renders the two calls of a request whose results are a union: one that returns
// the plain result, and one that returns the union and is named after it.
func plainCall(f *jen.File, typeName string, m *ir.Method) {
	text := fmt.Sprintf("%s If the other side answers with another result than %s, the error is a *runtime.OtherResultError. %s returns all results.", m.Doc, m.Plain.Name, m.Result.Name)
	method(f, typeName, m.Go, text, m, m.Plain).Block(
		jen.List(jen.Id("result"), jen.Err()).Op(":=").Id("c").Dot(m.Result.Name).Call(jen.Id("ctx"), jen.Id("params")),
		jen.Return(jen.Qual(runtimePath, "PlainResult").Types(messageType(m.Plain)).Call(jen.Lit(m.Wire), jen.Id("result"), jen.Err())),
	)
	text = fmt.Sprintf("makes the request of %s and returns the result, of whichever type it is.", m.Go)
	method(f, typeName, m.Result.Name, text, m, m.Result).BlockFunc(func(g *jen.Group) { callBody(g, m) })
}

// itemsCall renders the iterator over a paginated list.
func itemsCall(f *jen.File, typeName string, m *ir.Method) {
	item := goType(m.Items.Type.(*ir.Array).Elem)
	f.Line()
	f.Add(doc(fmt.Sprintf("%s yields the items of all pages of %s. It requests each page when the loop reaches it. After an error, the sequence ends.", m.ItemsGo, m.Wire)))
	f.Func().Params(jen.Id("c").Id(typeName)).Id(m.ItemsGo).
		Params(jen.Id("ctx").Qual("context", "Context")).
		Qual("iter", "Seq2").Types(jen.Op("*").Add(item), jen.Error()).
		Block(jen.Return(jen.Qual(runtimePath, "All").Call(
			jen.Func().Params(jen.Id("cursor").Op("*").String()).
				Params(jen.Index().Add(item), jen.Op("*").String(), jen.Error()).
				Block(
					jen.List(jen.Id("page"), jen.Err()).Op(":=").Id("c").Dot(m.Go).Call(
						jen.Id("ctx"), jen.Op("&").Add(declName(m.Params)).Values(jen.Dict{jen.Id("Cursor"): jen.Id("cursor")})),
					jen.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Nil(), jen.Err())),
					jen.Return(jen.Id("page").Dot(m.Items.Go), jen.Id("page").Dot("NextCursor"), jen.Nil()),
				),
		)))
}

// callBody renders a request or notification. A request returns m.Result.
func callBody(g *jen.Group, m *ir.Method) {
	params := jen.Id("params")
	if !isUnion(m.Params) {
		// A nil pointer in an interface is not nil.
		params = jen.Qual(runtimePath, "Params").Call(params)
	}
	if m.Notification {
		g.Return(jen.Id("c").Dot("caller").Dot("Notify").Call(jen.Id("ctx"), jen.Lit(m.Wire), params))
		return
	}
	g.Id("result").Op(":=").Add(jen.New(valueType(&ir.Ref{Decl: m.Result})))
	g.If(
		jen.Err().Op(":=").Id("c").Dot("caller").Dot("Call").Call(jen.Id("ctx"), jen.Lit(m.Wire), params, jen.Id("result")),
		jen.Err().Op("!=").Nil(),
	).Block(jen.Return(jen.Nil(), jen.Err()))
	if u, ok := ir.Resolve(m.Result.Type).(*ir.Union); ok {
		if !u.Context {
			// The sender of a result knows the revision, so an unknown variant is an error.
			g.If(
				jen.List(jen.Id("_"), jen.Id("unknown")).Op(":=").Id("result").Dot("V").Assert(jen.Op("*").Add(qualified(m.Result, "Unknown"+m.Result.Name))),
				jen.Id("unknown"),
			).Block(jen.Return(jen.Nil(), jen.Qual(runtimePath, "UnknownResult").Call(jen.Lit(m.Wire), jen.Id("result"))))
		}
		g.Return(jen.Id("result").Dot("V"), jen.Nil())
		return
	}
	g.Return(jen.Id("result"), jen.Nil())
}

func lowerFirst(s string) string { return string(s[0]|0x20) + s[1:] }
