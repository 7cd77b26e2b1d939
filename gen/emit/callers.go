package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// handshake lists the messages of the handshake. The runtime sends them, so that callers
// have no methods for them.
var handshake = []string{"initialize", "notifications/initialized"}

// caller renders the typed calls that the other side makes.
func (e *emitter) caller(f *jen.File, p peer, methods []*ir.Method) {
	typeName := p.name + "Caller"
	code.Declare(f, fmt.Sprintf("%s calls a %s on behalf of its %s. It has a method for every request and notification that the %s may send, except those of the handshake. Params may be nil if the revision makes them optional.", typeName, lowerFirst(p.name), p.other, p.other),
		"type $1 struct {\ncaller runtime.Caller\n}", typeName)
	code.Declare(f, fmt.Sprintf("New%s returns a %s that sends through c.", typeName, typeName), "func New$1(c runtime.Caller) $1 {\nreturn $1{c}\n}", typeName)
	for _, m := range methods {
		if slices.Contains(handshake, m.Wire) {
			continue
		}
		if m.Plain == nil {
			method(f, typeName, m.Go, m.Doc, m, m.Result).Block(callBody(m))
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
	f.Add(code.Comment(name + " " + text + deprecation(m.Deprecated)))
	return f.Func().Params(jen.Id("c").Id(typeName)).Id(name).Add(code.Go(signature(m, result)))
}

// plainCall renders the two calls of a request whose results are a union: one that returns
// the plain result, and one that returns the union and is named after it.
func plainCall(f *jen.File, typeName string, m *ir.Method) {
	text := fmt.Sprintf("%s If the other side answers with another result than %s, the error is a *runtime.OtherResultError. %s returns all results.", m.Doc, m.Plain.Name, m.Result.Name)
	method(f, typeName, m.Go, text, m, m.Plain).Block(code.Go("result, err := c.$1(ctx, params)\nreturn runtime.PlainResult[$2]($3, result, err)", m.Result.Name, messageType(m.Plain), jen.Lit(m.Wire)))
	text = fmt.Sprintf("makes the request of %s and returns the result, of whichever type it is.", m.Go)
	method(f, typeName, m.Result.Name, text, m, m.Result).Block(callBody(m))
}

// itemsCall renders the iterator over a paginated list.
func itemsCall(f *jen.File, typeName string, m *ir.Method) {
	code.Declare(f, fmt.Sprintf("%s yields the items of all pages of %s. It requests each page when the loop reaches it. After an error, the sequence ends.", m.ItemsGo, m.Wire),
		`func (c $1) $2(ctx context.Context) iter.Seq2[*$3, error] {
			return runtime.All(func(cursor *string) ([]$3, *string, error) {
				page, err := c.$4(ctx, &$5{Cursor: cursor})
				if err != nil {
					return nil, nil, err
				}
				return page.$6, page.NextCursor, nil
			})
		}`, typeName, m.ItemsGo, GoType(m.Items.Type.(*ir.Array).Elem), m.Go, declName(m.Params), m.Items.Go)
}

// callBody renders a request or notification. A request returns m.Result.
func callBody(m *ir.Method) jen.Code {
	params := "params"
	if !isUnion(m.Params) {
		params = "runtime.Params(params)" // a nil pointer in an interface is not nil
	}
	if m.Notification {
		return code.Go("return c.caller.Notify(ctx, $1, "+params+")", jen.Lit(m.Wire))
	}
	answer := "return result, nil"
	if u, ok := ir.Resolve(m.Result.Type).(*ir.Union); ok {
		answer = "return result.V, nil"
		if !u.Context { // the sender of a result knows the revision, so an unknown variant is an error
			answer = "if _, unknown := result.V.(*$3); unknown {\nreturn nil, runtime.UnknownResult($1, result)\n}\n" + answer
		}
	}
	return code.Go("result := new($2)\nif err := c.caller.Call(ctx, $1, "+params+", result); err != nil {\nreturn nil, err\n}\n"+answer,
		jen.Lit(m.Wire), valueType(&ir.Ref{Decl: m.Result}), qualified(m.Result, "Unknown"+m.Result.Name))
}

func lowerFirst(s string) string { return string(s[0]|0x20) + s[1:] }
