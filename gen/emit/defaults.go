package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// defaultsMethod is the name of the methods that set absent members to their default.
const defaultsMethod = "applyDefaults"

// defaults renders the methods of the declarations whose values have defaults.
func (e *emitter) defaults(f *jen.File, decls []*ir.Decl) {
	for _, d := range decls {
		f.Line()
		switch t := d.Type.(type) {
		case *ir.Object:
			f.Add(doc(defaultsMethod + " sets absent members to their default."))
			f.Func().Params(self(d)).Id(defaultsMethod).Params().BlockFunc(func(g *jen.Group) {
				for _, field := range t.Fields {
					defaultField(g, field)
				}
				if t.Additional != nil {
					eachDefault(g, jen.Id("x").Dot("Additional"), &ir.Map{Elem: t.Additional}, 0)
				}
			})
		case *ir.Union:
			f.Add(doc(defaultsName(d) + " sets absent members of a variant to their default."))
			f.Func().Id(defaultsName(d)).Params(jen.Id("v").Id(d.Name)).Block(
				jen.Switch(jen.Id("v").Op(":=").Id("v").Assert(jen.Type())).BlockFunc(func(g *jen.Group) {
					for _, v := range t.Variants {
						if !v.Decl.Defaults {
							continue
						}
						variant := jen.Id(v.Decl.Name)
						if v.Boxed {
							variant = jen.Op("*").Add(variant)
						}
						g.Case(variant).Block(jen.Id("v").Dot(defaultsMethod).Call())
					}
				}),
			)
		default:
			f.Add(doc(defaultsMethod + " sets absent members to their default."))
			f.Func().Params(jen.Id("x").Id(d.Name)).Id(defaultsMethod).Params().BlockFunc(func(g *jen.Group) {
				eachDefault(g, jen.Id("x"), t, 0)
			})
		}
	}
}

func defaultsName(d *ir.Decl) string { return "applyDefaults" + d.Name }

// hasDefaults reports whether values of a type contain members with a default.
func hasDefaults(t ir.Type) bool {
	switch t := t.(type) {
	case *ir.Array:
		return hasDefaults(t.Elem)
	case *ir.Map:
		return hasDefaults(t.Elem)
	case *ir.Nullable:
		return hasDefaults(t.Elem)
	case *ir.Ref:
		return t.Decl.Defaults
	}
	return false
}

func defaultField(g *jen.Group, f *ir.Field) {
	target := jen.Id("x").Dot(f.Go)
	if f.Default != "" {
		g.If(missing(target, f)).BlockFunc(func(g *jen.Group) { setDefault(g, target, f) })
	}
	if !hasDefaults(f.Type) {
		return
	}
	if isOptional(f) {
		g.If(jen.Id("v").Op(":=").Add(target).Dot("Pointer").Call(), jen.Id("v").Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
			eachDefault(g, behind(jen.Id("v"), f.Base()), f.Base(), 0)
		})
		return
	}
	if byPointer(f) {
		g.If(jen.Add(target).Op("!=").Nil()).BlockFunc(func(g *jen.Group) { eachDefault(g, target, f.Base(), 0) })
		return
	}
	eachDefault(g, target, f.Base(), 0)
}

// missing renders the condition that an optional member is absent.
func missing(target *jen.Statement, f *ir.Field) jen.Code {
	if isOptional(f) {
		return jen.Add(target).Dot("IsZero").Call()
	}
	return absent(target, f.Base())
}

// setDefault renders code that sets a member to its default, which is known to be valid.
func setDefault(g *jen.Group, target *jen.Statement, f *ir.Field) {
	if f.Default == "null" && isOptional(f) {
		g.Add(target).Dot("SetNull").Call()
		return
	}
	if _, isAny := ir.Resolve(f.Base()).(*ir.Any); isAny {
		g.Add(target).Op("=").Add(rawLiteral(f.Default))
		return
	}
	if value, ok := literal(f.Base(), f.Default); ok {
		if isOptional(f) {
			g.Add(target).Dot("Set").Call(value)
		} else {
			g.Add(target).Op("=").New(value)
		}
		return
	}
	g.Id("r").Op(":=").Qual(wirePath, "NewStringReader").Call(rawLiteral(f.Default))
	plain := *f
	plain.Soft = false
	decodeValue(g, target, &plain)
}

// literal renders the Go expression for a scalar of a type.
func literal(t ir.Type, text string) (jen.Code, bool) {
	r := wire.NewStringReader(text)
	switch under := ir.Resolve(t).(type) {
	case *ir.String:
		return jen.Lit(r.ReadString()), true
	case *ir.Enum:
		value := r.ReadString()
		for _, v := range under.Values {
			if v.Wire == value {
				return jen.Id(v.Go), true
			}
		}
	case *ir.Integer:
		return jen.Int64().Parens(jen.Op(strconv.FormatInt(r.ReadInt64(), 10))), true
	case *ir.Number:
		return jen.Float64().Parens(jen.Op(text)), true
	case *ir.Boolean:
		return jen.Lit(r.ReadBool()), true
	}
	return nil, false
}

// rawLiteral renders a raw string literal if the text allows it, so that JSON stays
// readable.
func rawLiteral(text string) jen.Code {
	if strings.ContainsAny(text, "`\r") || !strings.ContainsAny(text, "\"\\") {
		return jen.Lit(text)
	}
	return jen.Op("`" + text + "`")
}

// eachDefault renders code that sets the defaults inside a value that is present. An object may
// be a struct or a pointer to it.
func eachDefault(g *jen.Group, value *jen.Statement, t ir.Type, depth int) {
	if !hasDefaults(t) {
		return
	}
	switch t := t.(type) {
	case *ir.Ref:
		if _, isUnion := t.Decl.Type.(*ir.Union); isUnion {
			g.Id(defaultsName(t.Decl)).Call(value)
			return
		}
		g.Add(value).Dot(defaultsMethod).Call()
	case *ir.Nullable:
		g.If(notNull(value, t.Elem)).BlockFunc(func(g *jen.Group) { eachDefault(g, value, t.Elem, depth) })
	case *ir.Array:
		i := jen.Id(name("i", depth))
		g.For(jen.Add(i).Op(":=").Range().Add(value)).BlockFunc(func(g *jen.Group) {
			eachDefault(g, jen.Add(value).Index(i), t.Elem, depth+1)
		})
	case *ir.Map:
		eachEntry(g, value, depth, func(g *jen.Group, _, item *jen.Statement) { eachDefault(g, item, t.Elem, depth+1) })
	}
}

// behind renders the value that a pointer points to. For an object, it is the pointer
// itself.
func behind(pointer *jen.Statement, t ir.Type) *jen.Statement {
	if _, isObject := ir.Resolve(t).(*ir.Object); isObject {
		return pointer
	}
	return jen.Parens(jen.Op("*").Add(pointer))
}
