package emit

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// codecs renders the decoders and encoders of declarations.
func (e *emitter) codecs(f *jen.File, decls []*ir.Decl) {
	for _, d := range decls {
		if isAlias(d) || !e.codecOfEnums && isPlainEnum(d) {
			continue
		}
		decodes, encodes := d.Direction.Decodes(), d.Direction.Encodes()
		switch t := d.Type.(type) {
		case *ir.Object:
			if decodes {
				e.objectDecoder(f, d, t)
			}
			if encodes {
				e.objectEncoder(f, d, t)
			}
		case *ir.Union:
			if decodes {
				e.unionDecoder(f, d, t)
			}
			if encodes {
				e.unionEncoder(f, d, t)
			}
		default:
			if decodes {
				e.plainDecoder(f, d)
			}
			if encodes {
				e.plainEncoder(f, d)
			}
		}
		if _, isUnion := d.Type.(*ir.Union); !isUnion && !embeds(d) && e.marshals(d) {
			e.glue(f, d, decodes, encodes)
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
	f.Add(Comment(comment))
	return f.Func().Params(self(d)).Id("DecodeJSON").Params(jen.Id("r").Op("*").Qual(wirePath, "Reader")).Error()
}

func appendFunc(f *jen.File, receiver jen.Code) *jen.Statement {
	f.Line()
	f.Add(Comment("AppendJSON appends the value as JSON to dst."))
	return f.Func().Params(receiver).Id("AppendJSON").
		Params(jen.Id("dst").Index().Byte()).
		Params(jen.Index().Byte(), jen.Error())
}

// glue renders the methods for encoding/json, and for package fmt, which would print the
// addresses of optional members.
func (e *emitter) glue(f *jen.File, d *ir.Decl, decodes, encodes bool) {
	if encodes {
		Declare(f, "MarshalJSON is AppendJSON for encoding/json.", "func (x $1) MarshalJSON() ([]byte, error) {\nreturn wire.Marshal(&x)\n}", d.Name)
		if !e.checked && !isText(d.Type) {
			Declare(f, "String returns the value as JSON.", "func (x $1) String() string { return wire.String(&x) }", d.Name)
		}
	}
	if decodes {
		unmarshal := "wire.Unmarshal"
		if e.checked {
			unmarshal = "wire.UnmarshalStrict"
		}
		Declare(f, "UnmarshalJSON is DecodeJSON for encoding/json.", "func (x *$1) UnmarshalJSON(data []byte) error {\nreturn $2(data, x)\n}", d.Name, Go(unmarshal))
	}
}

// isText reports whether package fmt prints values of a type as text without help.
func isText(t ir.Type) bool {
	switch ir.Resolve(t).(type) {
	case *ir.String, *ir.Enum:
		return true
	}
	return false
}

func (e *emitter) objectDecoder(f *jen.File, d *ir.Decl, o *ir.Object) {
	strict := !e.checked || d.Strict
	required := func(field *ir.Field) bool { return field.Required && field.Default == "" }
	late := func(field *ir.Field) bool { return hasDefault(field) && !isEarly(field) }
	// A text that was checked has no member twice, so only those that must be there are noted.
	noted := func(field *ir.Field) bool { return !e.checked || strict && required(field) || late(field) }
	decodeFunc(f, d, e.decodeDoc(o, strict)).BlockFunc(func(g *jen.Group) {
		g.Op("*").Id("x").Op("=").Id(d.Name).Values(earlyDefaults(o)...)
		for _, field := range o.Fields {
			if hasDefault(field) && isEarly(field) && isOptional(field) {
				setDefault(g, field)
			}
		}
		if o.Loose {
			g.Add(Go("if r.Kind() != wire.KindObject {\nx.Other = r.ReadRaw()\nreturn r.Err()\n}"))
		}
		if words := (len(o.Fields) + 63) / 64; slices.ContainsFunc(o.Fields, noted) {
			g.Var().Id("seen").Index(jen.Lit(words)).Uint64()
		}
		g.For(jen.Id("r").Dot("BeginObject").Call(), jen.Id("r").Dot("Member").Call(), jen.Empty()).Block(
			e.memberSwitch(d, o, noted),
		)
		if strict {
			requiredCheck(g, o)
		}
		for i, field := range o.Fields {
			if late(field) {
				bit := jen.Op(fmt.Sprintf("%#x", uint64(1)<<(i%64)))
				g.If(jen.Id("seen").Index(jen.Lit(i / 64)).Op("&").Add(bit).Op("==").Lit(0)).BlockFunc(func(g *jen.Group) { setDefault(g, field) })
			}
		}
		g.Return(jen.Id("r").Dot("Err").Call())
	})
}

// memberSwitch renders the decoding of a member, with a note of each that is to be noted.
func (e *emitter) memberSwitch(d *ir.Decl, o *ir.Object, noted func(*ir.Field) bool) jen.Code {
	others := func(g *jen.Group) {
		switch {
		case o.Additional != nil:
			decodeEntry(g, jen.Id("x").Dot("Additional"), o.Additional, 0)
		case e.hasExtra(o):
			g.Add(decodeExtra())
		default:
			g.Id("r").Dot("Skip").Call()
		}
	}
	if len(o.Fields) == 0 {
		return jen.BlockFunc(others)
	}
	return jen.Switch(jen.Id("r").Dot("Name").Call()).BlockFunc(func(g *jen.Group) {
		for i, field := range o.Fields {
			g.Case(jen.Lit(field.Wire)).BlockFunc(func(g *jen.Group) {
				seen := []jen.Code{jen.Op("&").Id("seen").Index(jen.Lit(i / 64)), jen.Lit(i % 64)}
				if e.maySendNull(field) {
					g.If(jen.Id("r").Dot("Present").Call(seen...)).BlockFunc(func(g *jen.Group) { e.decodeField(g, d, field) })
					return
				}
				if noted(field) {
					g.Id("r").Dot("Once").Call(seen...)
				}
				e.decodeField(g, d, field)
			})
		}
		g.Default().BlockFunc(others)
	})
}

// hasDefault reports whether decoding sets a member that is absent. A default that is the zero value of the field needs
// no code.
func hasDefault(f *ir.Field) bool {
	switch f.Default {
	case "":
		return false
	case "null":
		return isOptional(f) || !f.Nullable()
	case "false", "0", `""`:
		_, isLiteral := literal(f.Base(), f.Default)
		return !isLiteral || isOptional(f) || byPointer(f)
	}
	return true
}

// isEarly reports whether a default is set before the members are read, because that costs nothing if the member is
// present.
func isEarly(f *ir.Field) bool {
	if f.Default == "null" {
		return isOptional(f)
	}
	if _, isAny := ir.Resolve(f.Base()).(*ir.Any); isAny {
		return true
	}
	_, isLiteral := literal(f.Base(), f.Default)
	return isLiteral && (isOptional(f) || !byPointer(f))
}

// earlyDefaults renders the defaults with which a struct begins.
func earlyDefaults(o *ir.Object) []jen.Code {
	var all []jen.Code
	for _, f := range o.Fields {
		if hasDefault(f) && isEarly(f) && !isOptional(f) {
			all = append(all, jen.Id(f.Go).Op(":").Add(defaultValue(f)))
		}
	}
	return all
}

func (e *emitter) decodeDoc(o *ir.Object, strict bool) string {
	text := "DecodeJSON reads an object. A missing, repeated or mistyped member is an error."
	switch {
	case !strict:
		text = "DecodeJSON reads an object that the schema allows."
	case e.checked:
		text = "DecodeJSON reads an object. A missing or mistyped member is an error."
	}
	if slices.ContainsFunc(o.Fields, func(f *ir.Field) bool { return f.Default != "" }) {
		text += " Absent members with a default are set to it."
	}
	return text
}

// requiredCheck renders the error for missing members.
func requiredCheck(g *jen.Group, o *ir.Object) {
	var names []string // up to the last required member; "" for one that may be missing
	masks := make([]uint64, (len(o.Fields)+63)/64)
	for i, f := range o.Fields {
		if !f.Required || f.Default != "" {
			continue
		}
		names = append(append(names, make([]string, i-len(names))...), f.Wire)
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
	args := append([]jen.Code{jen.Id("seen").Index(jen.Op(":"))}, check.Literals(names)...)
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
		return t.Kinds&wire.ScalarNull != 0
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

// name returns a variable name that is unique among nested loops.
func name(base string, depth int) string {
	if depth == 0 {
		return base
	}
	return fmt.Sprintf("%s%d", base, depth+1)
}

func scalarSet(sorts wire.ScalarSet) jen.Code {
	set := jen.Null()
	for _, s := range ir.Scalars {
		if sorts&s.Sort == 0 {
			continue
		}
		if len(*set) > 1 {
			set.Op("|")
		}
		set.Qual(wirePath, s.Go)
	}
	return set
}

// plainDecoder renders the decoder of a declaration that is neither an object nor a union.
func (e *emitter) plainDecoder(f *jen.File, d *ir.Decl) {
	decodeFunc(f, d, "DecodeJSON reads "+describe(d.Type)+".").BlockFunc(func(g *jen.Group) {
		switch t := d.Type.(type) {
		case *ir.Array, *ir.Map:
			decodeVia(g, d, "all")
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
			decodeVia(g, d, "v")
		}
		g.Return(jen.Id("r").Dot("Err").Call())
	})
}

// decodeVia renders the decoding into a variable of the type without its name.
func decodeVia(g *jen.Group, d *ir.Decl, variable string) {
	local := jen.Id(variable)
	g.Var().Add(local).Add(goType(d.Type))
	decode(g, local, d.Type, 0)
	g.Op("*").Id("x").Op("=").Id(d.Name).Call(local)
}

func embeddedName(t ir.Type) string {
	switch t := t.(type) {
	case *ir.Scalar:
		return scalarName(t)
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
