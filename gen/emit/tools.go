package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// ofTools renders the types of tool lists.
var ofTools = &emitter{origin: "the schema"}

// Types adds the types of declarations of a tool list to a file.
func Types(f *jen.File, decls ...*ir.Decl) { ofTools.types(f, decls) }

// Codecs adds the functions that decode and encode the types of declarations of a tool list to a file.
func Codecs(f *jen.File, decls ...*ir.Decl) { ofTools.codecs(f, decls) }

// Zero renders the zero value of a Go type.
func Zero(t ir.Type) string {
	if _, ok := t.(*ir.Nullable); ok {
		return "nil"
	}
	switch r := ir.Resolve(t).(type) {
	case *ir.String, *ir.Enum, *ir.Any, *ir.Open:
		return `""`
	case *ir.Integer:
		if !r.Exact {
			return "0"
		}
	case *ir.Number:
		return "0"
	case *ir.Boolean:
		return "false"
	case *ir.Array, *ir.Map, *ir.Union:
		return "nil"
	}
	return GoType(t) + "{}"
}

// Box adds a struct whose field Value has a type, with its codec, for values whose Go type has none.
func Box(f *jen.File, name, comment string, of ir.Type, direction ir.Direction) {
	code.Declare(f, comment, "type $1 struct {\nValue $2\n}", name, GoType(of))
	if direction.Decodes() {
		decodeFunc(f, name, "DecodeJSON reads "+describe(of)+".", "*x = "+name+"{}\n"+decode("x.Value", of, 0))
	}
	if direction.Encodes() {
		appendFunc(f, "x *"+name, newWriter+put(operand{expr: "x.Value"}, of, 0)+"return w.End()\n")
	}
}
