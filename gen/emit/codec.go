package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// codecs renders the decoders and encoders of declarations.
func (e *emitter) codecs(f *jen.File, decls []*ir.Decl) {
	for _, d := range decls {
		if isAlias(d) || !e.codecOfEnums && isPlainEnum(d) {
			continue
		}
		switch t := d.Type.(type) {
		case *ir.Object:
			e.objectDecoder(f, d, t)
			e.objectEncoder(f, d, t)
			e.glue(f, d)
		case *ir.Union:
			e.unionDecoder(f, d, t)
			e.unionEncoder(f, d, t)
		default:
			e.plainDecoder(f, d)
			e.plainEncoder(f, d)
			if !embeds(d) {
				e.glue(f, d)
			}
		}
	}
}

// isPlainEnum reports whether a declaration is an enum that is not a variant of a union.
func isPlainEnum(d *ir.Decl) bool {
	_, ok := d.Type.(*ir.Enum)
	return ok && len(d.Unions) == 0
}

// self renders the receiver of a declaration's methods.
func self(d *ir.Decl) jen.Code { return jen.Id("x").Op("*").Id(d.Name) }

func decodeFunc(f *jen.File, d *ir.Decl, comment string) *jen.Statement {
	f.Line()
	f.Add(doc(comment))
	return f.Func().Params(self(d)).Id("DecodeJSON").Params(jen.Id("r").Op("*").Qual(wirePath, "Reader")).Error()
}

func appendFunc(f *jen.File, receiver jen.Code) *jen.Statement {
	f.Line()
	f.Add(doc("AppendJSON appends the value as JSON to dst."))
	return f.Func().Params(receiver).Id("AppendJSON").
		Params(jen.Id("dst").Index().Byte()).
		Params(jen.Index().Byte(), jen.Error())
}

// glue renders the methods for encoding/json.
func (e *emitter) glue(f *jen.File, d *ir.Decl) {
	if !e.marshals(d) {
		return
	}
	f.Line()
	f.Add(doc("MarshalJSON is AppendJSON for encoding/json."))
	f.Func().Params(jen.Id("x").Id(d.Name)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).Block(
		jen.Return(jen.Qual(wirePath, "Marshal").Call(jen.Op("&").Id("x"))),
	)
	f.Line()
	f.Add(doc("UnmarshalJSON is DecodeJSON for encoding/json."))
	f.Func().Params(self(d)).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Error().Block(
		jen.Return(jen.Qual(wirePath, "Unmarshal").Call(jen.Id("data"), jen.Id("x"))),
	)
}

func (e *emitter) objectDecoder(f *jen.File, d *ir.Decl, o *ir.Object) {
	decodeFunc(f, d, decodeDoc(o)).BlockFunc(func(g *jen.Group) {
		g.Op("*").Id("x").Op("=").Id(d.Name).Values()
		if o.Loose {
			g.If(jen.Id("r").Dot("Kind").Call().Op("!=").Qual(wirePath, "KindObject")).Block(
				jen.Id("x").Dot("Other").Op("=").Id("r").Dot("ReadRaw").Call(),
				jen.Return(jen.Id("r").Dot("Err").Call()),
			)
		}
		words := (len(o.Fields) + 63) / 64
		if words > 0 {
			g.Var().Id("seen").Index(jen.Lit(words)).Uint64()
		}
		g.For(jen.Id("r").Dot("BeginObject").Call(), jen.Id("r").Dot("Member").Call(), jen.Empty()).Block(
			jen.Switch(jen.Id("r").Dot("Name").Call()).BlockFunc(func(g *jen.Group) {
				for i, field := range o.Fields {
					g.Case(jen.Lit(field.Wire)).BlockFunc(func(g *jen.Group) {
						seen := []jen.Code{jen.Op("&").Id("seen").Index(jen.Lit(i / 64)), jen.Lit(i % 64)}
						if e.maySendNull(field) {
							g.If(jen.Id("r").Dot("Present").Call(seen...)).BlockFunc(func(g *jen.Group) { e.decodeField(g, d, field) })
							return
						}
						g.Id("r").Dot("Once").Call(seen...)
						e.decodeField(g, d, field)
					})
				}
				g.Default().BlockFunc(func(g *jen.Group) {
					if o.Additional == nil {
						g.Add(decodeExtra())
						return
					}
					decodeEntry(g, jen.Id("x").Dot("Additional"), o.Additional, 0)
				})
			}),
		)
		requiredCheck(g, o)
		for i, field := range o.Fields {
			if hasDefault(field) {
				bit := jen.Op(fmt.Sprintf("%#x", uint64(1)<<(i%64)))
				g.If(jen.Id("seen").Index(jen.Lit(i / 64)).Op("&").Add(bit).Op("==").Lit(0)).BlockFunc(func(g *jen.Group) { setDefault(g, field) })
			}
		}
		g.Return(jen.Id("r").Dot("Err").Call())
	})
}

// hasDefault reports whether decoding sets a member that is absent. A default of null needs no
// code if the zero value of the field is null.
func hasDefault(f *ir.Field) bool {
	return f.Default != "" && (f.Default != "null" || isOptional(f) || !f.Nullable())
}

func decodeDoc(o *ir.Object) string {
	text := "DecodeJSON reads an object. A missing, repeated or mistyped member is an error."
	if slices.ContainsFunc(o.Fields, func(f *ir.Field) bool { return f.Default != "" }) {
		text += " Absent members with a default are set to it."
	}
	return text
}

// requiredCheck renders the error for missing members.
func requiredCheck(g *jen.Group, o *ir.Object) {
	var names []jen.Code // up to the last required member; "" for one that may be missing
	masks := make([]uint64, (len(o.Fields)+63)/64)
	for i, f := range o.Fields {
		if !f.Required || f.Default != "" {
			continue
		}
		for len(names) < i {
			names = append(names, jen.Lit(""))
		}
		names = append(names, jen.Lit(f.Wire))
		masks[i/64] |= 1 << (i % 64)
	}
	missing := jen.Null()
	for word, mask := range masks {
		if mask == 0 {
			continue
		}
		if len(*missing) > 1 {
			missing.Op("||")
		}
		bits := jen.Op(fmt.Sprintf("%#x", mask))
		missing.Id("seen").Index(jen.Lit(word)).Op("&").Add(bits).Op("!=").Add(bits)
	}
	if len(names) == 0 {
		return
	}
	args := append([]jen.Code{jen.Id("seen").Index(jen.Op(":"))}, names...)
	g.If(missing).Block(jen.Id("r").Dot("Missing").Call(args...))
}

func decodeExtra() jen.Code {
	return jen.Op("*").Id("x").Dot("Extra").Dot("Entry").Call(jen.Id("r")).Op("=").Id("r").Dot("ReadRaw").Call()
}

// maySendNull reports whether null counts as absent for a member.
func (e *emitter) maySendNull(f *ir.Field) bool {
	return e.nullIsAbsent && !f.Required && !acceptsNull(f.Type)
}

// acceptsNull reports whether a type includes null.
func acceptsNull(t ir.Type) bool {
	switch t := ir.Resolve(t).(type) {
	case *ir.Nullable, *ir.Any:
		return true
	case *ir.Scalar:
		return t.Kinds.Null
	case *ir.Union:
		return slices.ContainsFunc(t.Variants, func(v *ir.Variant) bool { return acceptsNull(v.Decl.Type) })
	}
	return false
}

// isList reports whether a member is a required list of a result, whose invalid elements can
// be left out one by one.
func (e *emitter) isList(d *ir.Decl, f *ir.Field) bool {
	if !f.Required || !e.results[d] {
		return false
	}
	t, ok := f.Type.(*ir.Array)
	return ok && (decodesItself(t.Elem) || isUnionRef(t.Elem))
}

func isUnionRef(t ir.Type) bool {
	ref, ok := t.(*ir.Ref)
	if !ok {
		return false
	}
	_, ok = ref.Decl.Type.(*ir.Union)
	return ok
}

// resultsOf returns the declarations of a revision's results, including the variants of unions.
func resultsOf(rev *ir.Revision) map[*ir.Decl]bool {
	all := make(map[*ir.Decl]bool)
	for _, m := range rev.Methods {
		if m.Result == nil {
			continue
		}
		all[m.Result] = true
		if u, ok := ir.Resolve(m.Result.Type).(*ir.Union); ok {
			for _, v := range u.Variants {
				all[v.Decl] = true
			}
		}
	}
	return all
}

// name returns a variable name that is unique among nested loops.
func name(base string, depth int) string {
	if depth == 0 {
		return base
	}
	return fmt.Sprintf("%s%d", base, depth+1)
}

func scalarSet(k ir.ScalarKinds) jen.Code {
	set := jen.Null()
	first := true
	for _, kind := range []struct {
		in   bool
		name string
	}{{k.Text, "ScalarString"}, {k.Integer, "ScalarInteger"}, {k.Number, "ScalarNumber"}, {k.Boolean, "ScalarBool"}, {k.Null, "ScalarNull"}} {
		if !kind.in {
			continue
		}
		if !first {
			set.Op("|")
		}
		first = false
		set.Qual(wirePath, kind.name)
	}
	return set
}

// plainDecoder renders the decoder of a declaration that is neither an object nor a union.
func (e *emitter) plainDecoder(f *jen.File, d *ir.Decl) {
	decodeFunc(f, d, "DecodeJSON reads "+describe(d.Type)+".").BlockFunc(func(g *jen.Group) {
		switch t := d.Type.(type) {
		case *ir.Array, *ir.Map:
			local := jen.Id("all")
			g.Var().Add(local).Add(goType(t))
			decode(g, local, t, 0)
			g.Op("*").Id("x").Op("=").Id(d.Name).Call(local)
		case *ir.Enum:
			g.Op("*").Id("x").Op("=").Id(d.Name).Call(jen.Id("r").Dot("ReadString").Call())
		default:
			if embeds(d) {
				value, _ := readExpr(t)
				g.Id("x").Dot(embeddedName(t)).Op("=").Add(value)
				break
			}
			if value, ok := readExpr(t); ok {
				g.Op("*").Id("x").Op("=").Id(d.Name).Call(value)
				break
			}
			local := jen.Id("v")
			g.Var().Add(local).Add(goType(t))
			decode(g, local, t, 0)
			g.Op("*").Id("x").Op("=").Id(d.Name).Call(local)
		}
		g.Return(jen.Id("r").Dot("Err").Call())
	})
}

func embeddedName(t ir.Type) string {
	switch t.(type) {
	case *ir.Scalar:
		return "Scalar"
	case *ir.Any:
		return "Raw"
	case *ir.Integer:
		return "Integer"
	}
	return "Object"
}

// describe returns the kind of value that a plain declaration holds, in words.
func describe(t ir.Type) string {
	switch t := t.(type) {
	case *ir.Enum, *ir.String:
		return "a string"
	case *ir.Integer:
		return "an integer"
	case *ir.Number:
		return "a number"
	case *ir.Boolean:
		return "a boolean"
	case *ir.Array:
		return "an array"
	case *ir.Map, *ir.Open:
		return "an object"
	case *ir.Scalar:
		return "a scalar"
	case *ir.Ref:
		return "a " + t.Decl.Name
	}
	return "any value"
}
