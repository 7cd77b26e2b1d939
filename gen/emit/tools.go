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
	f.Comment("This code does not compile with other versions of the codec.")
	f.Const().Id("_").Op("=").Qual(wirePath, "CodecV1")
}

// Types adds the types of declarations to a file.
func (t Tools) Types(f *jen.File, decls ...*ir.Decl) { t.e.types(f, decls) }

// Codecs adds the functions that decode and encode the types of declarations to a file.
func (t Tools) Codecs(f *jen.File, decls ...*ir.Decl) { t.e.codecs(f, decls) }
