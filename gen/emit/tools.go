package emit

import (
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// Tools renders the types of a tool list.
type Tools struct{ e *emitter }

// NewTools returns a renderer of the types of a tool list.
func NewTools() Tools { return Tools{&emitter{style: toolsStyle()}} }

// Types writes the types of declarations.
func (t Tools) Types(w *code.Writer, decls ...*ir.Decl) { t.e.types(w, decls) }

// Codecs writes the functions that decode and encode the types of declarations.
func (t Tools) Codecs(w *code.Writer, decls ...*ir.Decl) { t.e.codecs(w, decls) }

// GoType renders the Go type of values.
func GoType(t ir.Type) string { return goType(t) }

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
	return goType(t) + "{}"
}

// Box writes a struct whose field Value has a type, with its codec, for values whose Go type has none.
func (t Tools) Box(w *code.Writer, name, comment string, of ir.Type, direction ir.Direction) {
	w.Doc("%s", comment)
	w.P("type %s struct {\nValue %s\n}", name, goType(of))
	if direction.Decodes() {
		decodeFunc(w, name, "DecodeJSON reads "+describe(of)+".", "*x = "+name+"{}\n"+decode("x.Value", of, 0))
	}
	if direction.Encodes() {
		appendFunc(w, "x *"+name, newWriter+put(operand{expr: "x.Value"}, of, 0)+"return w.End()\n")
	}
}
