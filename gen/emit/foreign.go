package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// This file renders references to declarations of other packages: an extension uses the types of the
// revision that it extends. It uses exported identifiers where the other package does not export the
// usual ones.

// declName renders the name of a declared type.
func declName(d *ir.Decl) *jen.Statement { return qualified(d, d.Name) }

// qualified renders a name that belongs to a declaration, such as that of its box.
func qualified(d *ir.Decl, name string) *jen.Statement {
	if d.Import != "" {
		return jen.Qual(d.Import, name)
	}
	return jen.Id(name)
}

// readUnion renders an expression that reads a union.
func readUnion(d *ir.Decl) jen.Code {
	if d.Import != "" {
		return jen.Qual(wirePath, "ReadBox").Call(jen.Id("r"), jen.New(qualified(d, boxName(d))))
	}
	return jen.Id(decoderName(d)).Call(jen.Id("r"))
}

// unionReader renders a function that reads a union.
func unionReader(d *ir.Decl) jen.Code {
	if d.Import != "" {
		return jen.Func().Params(jen.Id("r").Op("*").Qual(wirePath, "Reader")).Add(declName(d)).Block(jen.Return(readUnion(d)))
	}
	return jen.Id(decoderName(d))
}

// checkForeign renders the validation of a value whose type another package declares.
func checkForeign(g *jen.Group, value *jen.Statement, d *ir.Decl) {
	var valid jen.Code
	switch d.Type.(type) {
	case *ir.Union:
		valid = qualified(d, boxName(d)).Values(jen.Dict{jen.Id("V"): value}).Dot("Validate").Call()
	case *ir.Object:
		valid = jen.Add(value).Dot("Validate").Call()
	default:
		valid = jen.Parens(value).Dot("Validate").Call()
	}
	g.Id("c").Dot("Include").Call(valid)
}
