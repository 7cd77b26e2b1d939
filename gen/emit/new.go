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
		e.newElse(),
	)
}

// newElse renders the end of New. An extension also knows the definitions of its revision.
func (e *emitter) newElse() jen.Code {
	if e.core != "" {
		return jen.Return(jen.Qual(e.core, "New").Call(jen.Id("definition")))
	}
	return jen.Return(jen.Nil(), jen.False())
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
	d = underlying(d)
	if hasBox(d) {
		return jen.New(qualified(d, boxName(d)))
	}
	return jen.New(declName(d))
}

// underlying returns the declaration that an alias stands for.
func underlying(d *ir.Decl) *ir.Decl {
	if under, ok := d.Type.(*ir.Ref); ok && isAlias(d) {
		return underlying(under.Decl)
	}
	return d
}

// hasBox reports whether a declaration is not a wire.Value without a box.
func hasBox(d *ir.Decl) bool {
	switch d.Type.(type) {
	case *ir.Union:
		return true
	case *ir.Scalar:
		return isAlias(d)
	}
	return false
}
