package emit

import (
	"fmt"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// types renders the declarations.
func (e *emitter) types(f *jen.File, decls []*ir.Decl) {
	for _, d := range decls {
		f.Line()
		f.Add(doc(d.Doc))
		switch t := d.Type.(type) {
		case *ir.Object:
			f.Type().Id(d.Name).StructFunc(func(g *jen.Group) { structFields(g, t) })
			e.marks(f, d)
		case *ir.Enum:
			e.enum(f, d, t)
		case *ir.Union:
			e.union(f, d, t)
		default:
			if isAlias(d) {
				f.Type().Id(d.Name).Op("=").Add(goType(t))
				continue
			}
			f.Type().Id(d.Name).Add(declaredType(d))
			e.marks(f, d)
		}
	}
}

func structFields(g *jen.Group, o *ir.Object) {
	for _, f := range o.Fields {
		g.Add(doc(f.Doc))
		g.Id(f.Go).Add(fieldType(f)).Tag(map[string]string{"json": tag(f)})
	}
	g.Add(doc("Extra holds the members this revision does not define, in their order."))
	g.Id("Extra").Qual(wirePath, "Members").Tag(map[string]string{"json": "-"})
}

// tag names the member for code that looks at structs, such as schema
// reflectors; the codec does not. Names that a tag cannot hold are left out.
func tag(f *ir.Field) string {
	for _, r := range f.Wire {
		if r == '"' || r == '\\' || r == ',' || r == '`' || unicode.IsControl(r) {
			return "-"
		}
	}
	switch {
	case f.Wire == "" || f.Wire == "-":
		return "-"
	case f.Required:
		return f.Wire
	}
	return f.Wire + ",omitempty"
}

// fieldType is the type of a struct field: optional scalars and objects are
// pointers, everything else has a zero value that says "absent".
func fieldType(f *ir.Field) jen.Code {
	if byPointer(f) {
		return jen.Op("*").Add(goType(f.Type))
	}
	return goType(f.Type)
}

func byPointer(f *ir.Field) bool {
	if f.Required && !f.Nullable && !f.Boxed {
		return false
	}
	switch ir.Resolve(f.Type).(type) {
	case *ir.Union, *ir.Array, *ir.Map, *ir.Any, *ir.Open, *ir.Scalar:
		return false
	}
	return true
}

// goType renders the type of a value that must be there.
func goType(t ir.Type) jen.Code {
	switch t := t.(type) {
	case *ir.String:
		return jen.String()
	case *ir.Integer:
		return jen.Int64()
	case *ir.Number:
		return jen.Float64()
	case *ir.Boolean:
		return jen.Bool()
	case *ir.Scalar:
		return jen.Qual(wirePath, "Scalar")
	case *ir.Any:
		return jen.Qual(wirePath, "Raw")
	case *ir.Open:
		return jen.Qual(wirePath, "Object")
	case *ir.Array:
		return jen.Index().Add(goType(t.Elem))
	case *ir.Map:
		return jen.Map(jen.String()).Add(goType(t.Elem))
	case *ir.Ref:
		return jen.Id(t.Decl.Name)
	}
	panic(fmt.Sprintf("emit: %T has no inline Go type", t))
}

// isAlias reports whether a declaration is another name for a type that has
// the codec already. A variant of a union cannot be one: it needs a method.
func isAlias(d *ir.Decl) bool {
	switch d.Type.(type) {
	case *ir.Scalar, *ir.Any, *ir.Open, *ir.Ref:
		return len(d.Unions) == 0
	}
	return false
}

// embeds reports whether a declaration wraps a wire type to be a variant.
func embeds(d *ir.Decl) bool {
	switch d.Type.(type) {
	case *ir.Scalar, *ir.Any, *ir.Open:
		return len(d.Unions) > 0
	}
	return false
}

func declaredType(d *ir.Decl) jen.Code {
	if embeds(d) {
		return jen.Struct(goType(d.Type))
	}
	return goType(d.Type)
}

// marks makes a declaration a variant of its unions.
func (e *emitter) marks(f *jen.File, d *ir.Decl) {
	for _, u := range d.Unions {
		receiver := jen.Id(d.Name)
		if _, ok := d.Type.(*ir.Object); ok {
			receiver = jen.Op("*").Id(d.Name)
		}
		f.Line()
		f.Func().Params(receiver).Id(markName(u)).Params().Block()
	}
}

func markName(u *ir.Decl) string { return "is" + u.Name }

func (e *emitter) enum(f *jen.File, d *ir.Decl, t *ir.Enum) {
	f.Type().Id(d.Name).String()
	f.Line()
	f.Add(doc(fmt.Sprintf("The values of %s.", d.Name)))
	f.Const().DefsFunc(func(g *jen.Group) {
		for _, v := range t.Values {
			g.Add(doc(v.Doc))
			g.Id(v.Go).Id(d.Name).Op("=").Lit(v.Wire)
		}
	})
	f.Line()
	f.Add(doc("Known reports whether this revision defines the value."))
	f.Func().Params(jen.Id("x").Id(d.Name)).Id("Known").Params().Bool().Block(
		jen.Switch(jen.Id("x")).Block(
			jen.CaseFunc(func(g *jen.Group) {
				for _, v := range t.Values {
					g.Id(v.Go)
				}
			}).Block(jen.Return(jen.True())),
		),
		jen.Return(jen.False()),
	)
	e.marks(f, d)
}

func (e *emitter) union(f *jen.File, d *ir.Decl, t *ir.Union) {
	var variants string
	for i, v := range t.Variants {
		if i > 0 {
			variants += ", "
		}
		if v.Boxed {
			variants += "*"
		}
		variants += v.Decl.Name
	}
	if t.Context {
		f.Add(jen.Comment("//"))
		f.Add(doc(fmt.Sprintf("Its variants are %s. A value does not tell which it is; on its own it decodes to *%s.", variants, t.Variants[0].Decl.Name)))
	} else {
		f.Add(jen.Comment("//"))
		f.Add(doc(fmt.Sprintf("Its variants are %s, and *Unknown%s for what this revision does not define.", variants, d.Name)))
	}
	f.Type().Id(d.Name).Interface(
		jen.Qual(wirePath, "Appender"),
		jen.Id(markName(d)).Params(),
	)
	if t.Context {
		return
	}
	f.Line()
	f.Add(doc(fmt.Sprintf("Unknown%s keeps a value that is none of the variants of %s, so that it can be passed on. Validate reports it.", d.Name, d.Name)))
	f.Type().Id("Unknown"+d.Name).Struct(
		doc("Raw is the value as it came."),
		jen.Id("Raw").Qual(wirePath, "Raw"),
	)
	f.Line()
	f.Func().Params(jen.Op("*").Id("Unknown" + d.Name)).Id(markName(d)).Params().Block()
}
