package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// This file renders references to declarations of other packages: an extension uses the types of the
// revision that it extends.

// declName renders the name of a declared type.
func declName(d *ir.Decl) *jen.Statement { return qualified(d, d.Name) }

// qualified renders a name that belongs to a declaration, such as that of its box.
func qualified(d *ir.Decl, name string) *jen.Statement {
	if d.Import != "" {
		return jen.Qual(d.Import, name)
	}
	return jen.Id(name)
}
