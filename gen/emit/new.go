package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// newFunc renders New, which creates values for callers that know definitions only by name.
func (e *emitter) newFunc(f *jen.File) {
	f.Add(doc("New returns a new value of a definition of the revision, by its upstream name, or of a type of this package that has no definition of its own. It reports whether the name is known."))
	f.Func().Id("New").Params(jen.Id("definition").String()).Params(jen.Qual(wirePath, "Value"), jen.Bool()).Block(
		jen.Switch(jen.Id("definition")).BlockFunc(func(g *jen.Group) {
			for _, d := range e.rev.Decls {
				g.Case(jen.Lit(newKey(d))).Block(jen.Return(fresh(d), jen.True()))
			}
		}),
		jen.Return(jen.Nil(), jen.False()),
	)
	for _, d := range e.rev.Decls {
		e.boxed(f, d)
	}
}

// newKey returns the name under which New knows a declaration.
func newKey(d *ir.Decl) string {
	if d.Definition {
		return d.Path
	}
	return d.Name
}

// fresh renders the expression for a new wire.Value of a declaration.
func fresh(d *ir.Decl) jen.Code {
	switch t := d.Type.(type) {
	case *ir.Union:
		return jen.Id(boxName(d)).Call()
	case *ir.Ref:
		if isAlias(d) {
			return fresh(t.Decl)
		}
	case *ir.Scalar:
		if isAlias(d) {
			return jen.Id(boxName(d)).Call()
		}
	}
	return jen.New(jen.Id(d.Name))
}

// boxed renders the box of an alias of a scalar. The alias alone would accept every kind of
// scalar.
func (e *emitter) boxed(f *jen.File, d *ir.Decl) {
	t, ok := d.Type.(*ir.Scalar)
	if !ok || !isAlias(d) {
		return
	}
	scalar := func() *jen.Statement { return jen.Qual(wirePath, "Scalar") }
	f.Line()
	f.Func().Id(boxName(d)).Params().Op("*").Qual(wirePath, "Box").Types(scalar()).Block(
		jen.Return(jen.Qual(wirePath, "NewBox").Call(
			jen.Func().Params(jen.Id("r").Op("*").Qual(wirePath, "Reader")).Add(scalar()).Block(
				jen.Return(jen.Id("r").Dot("ReadScalar").Call(scalarSet(t.Kinds))),
			),
			jen.Func().Params(jen.Id("dst").Index().Byte(), jen.Id("v").Add(scalar())).Params(jen.Index().Byte(), jen.Error()).Block(
				jen.Return(jen.Id("v").Dot("AppendJSON").Call(jen.Id("dst"))),
			),
			jen.Func().Params(checkerParam(), jen.Id("v").Add(scalar())).BlockFunc(func(g *jen.Group) {
				checkScalar(g, jen.Id("v"), t)
			}),
		)),
	)
}
