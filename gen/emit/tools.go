package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// Tools renders the types of a tool list.
type Tools struct{ e *emitter }

// NewTools returns a renderer of the types of a tool list. Source names the origin of the
// types.
func NewTools(source string) Tools {
	return Tools{&emitter{style: toolsStyle(), header: source, suffix: ".gen.go"}}
}

// Guard adds a declaration that does not compile with other versions of the codec.
func (Tools) Guard(f *jen.File) {
	Declare(f, "This code does not compile with other versions of the codec.", "const _ = wire.CodecV1")
}

// Types adds the types of declarations to a file.
func (t Tools) Types(f *jen.File, decls ...*ir.Decl) { t.e.types(f, decls) }

// Codecs adds the functions that decode and encode the types of declarations to a file.
func (t Tools) Codecs(f *jen.File, decls ...*ir.Decl) { t.e.codecs(f, decls) }

// GoType renders the Go type of values.
func GoType(t ir.Type) jen.Code { return goType(t) }

// Zero renders the zero value of a Go type.
func Zero(t ir.Type) jen.Code {
	if _, ok := t.(*ir.Nullable); ok {
		return jen.Nil()
	}
	switch r := ir.Resolve(t).(type) {
	case *ir.String, *ir.Enum, *ir.Any, *ir.Open:
		return jen.Lit("")
	case *ir.Integer:
		if !r.Exact {
			return jen.Lit(0)
		}
	case *ir.Number:
		return jen.Lit(0)
	case *ir.Boolean:
		return jen.False()
	case *ir.Array, *ir.Map, *ir.Union:
		return jen.Nil()
	}
	return jen.Add(goType(t)).Values()
}

// Box adds a struct whose field Value has a type, with its codec, for values whose Go type has none.
func (t Tools) Box(f *jen.File, name, comment string, of ir.Type, direction ir.Direction) {
	f.Add(Comment(comment))
	f.Type().Id(name).Struct(jen.Id("Value").Add(goType(of)))
	d := &ir.Decl{Name: name}
	value := jen.Id("x").Dot("Value")
	if direction.Decodes() {
		decodeFunc(f, d, "DecodeJSON reads "+describe(of)+".").BlockFunc(func(g *jen.Group) {
			g.Op("*").Id("x").Op("=").Id(name).Values()
			decode(g, value, of, 0)
			g.Return(jen.Id("r").Dot("Err").Call())
		})
	}
	if direction.Encodes() {
		appendFunc(f, self(d)).BlockFunc(func(g *jen.Group) {
			newWriter(g)
			put(g, operand{expr: value}, of, 0)
			g.Return(jen.Id("w").Dot("End").Call())
		})
	}
}
