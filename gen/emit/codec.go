package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// codecs renders the decoders and encoders of declarations.
func (e *emitter) codecs(f *jen.File, decls []*ir.Decl) {
	for _, d := range decls {
		if isAlias(d) || e.checked() && isPlainEnum(d) {
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
			if encodes && !t.Context {
				appendFunc(f, "x *Unknown"+d.Name, "return x.Raw.AppendJSON(dst)\n")
			}
		default:
			if decodes {
				e.plainDecoder(f, d)
			}
			if encodes {
				e.plainEncoder(f, d)
			}
		}
		if _, isUnion := d.Type.(*ir.Union); !isUnion && !embeds(d) && (!e.checked() || d.Definition) {
			e.glue(f, d, decodes, encodes)
		}
	}
}

// isPlainEnum reports whether a declaration is an enum that is not a variant of a union.
func isPlainEnum(d *ir.Decl) bool {
	_, ok := d.Type.(*ir.Enum)
	return ok && len(d.Unions) == 0
}

func decodeFunc(f *jen.File, typeName, comment, body string) {
	code.Declare(f, comment, "func (x *$1) DecodeJSON(r *wire.Reader) error {\n$2return r.Err()\n}", typeName, body)
}

func appendFunc(f *jen.File, receiver, body string) {
	code.Declare(f, "AppendJSON appends the value as JSON to dst.", "func ($1) AppendJSON(dst []byte) ([]byte, error) {\n$2}", receiver, body)
}

// glue renders the methods for encoding/json, and for package fmt, which would print the
// addresses of optional members.
func (e *emitter) glue(f *jen.File, d *ir.Decl, decodes, encodes bool) {
	if encodes {
		code.Declare(f, "MarshalJSON is AppendJSON for encoding/json.", "func (x $1) MarshalJSON() ([]byte, error) {\nreturn wire.Marshal(&x)\n}", d.Name)
		if !e.checked() && !isText(d.Type) {
			code.Declare(f, "String returns the value as JSON.", "func (x $1) String() string { return wire.String(&x) }", d.Name)
		}
	}
	if decodes {
		code.Declare(f, "UnmarshalJSON is DecodeJSON for encoding/json.", "func (x *$1) UnmarshalJSON(data []byte) error {\nreturn wire.Unmarshal(data, x)\n}", d.Name)
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
	strict := !e.checked() || d.Strict
	required := func(field *ir.Field) bool { return field.Required && field.Default == "" }
	late := func(field *ir.Field) bool { return hasDefault(field) && !isEarly(field) }
	// A Reader has no member twice, so only those that must be there are noted.
	noted := func(field *ir.Field) bool { return strict && required(field) || late(field) }
	var early []string
	var b code.Writer
	for _, field := range o.Fields {
		switch {
		case !hasDefault(field) || !isEarly(field):
		case isOptional(field):
			b.WriteString(setDefault(field))
		default:
			early = append(early, field.Go+": "+defaultValue(field))
		}
	}
	if o.Loose {
		b.P("if r.Kind() != wire.KindObject {\nx.Other = r.ReadRaw()\nreturn r.Err()\n}")
	}
	if words := (len(o.Fields) + 63) / 64; slices.ContainsFunc(o.Fields, noted) {
		b.P("var seen [%d]uint64", words)
	}
	b.P("for r.BeginObject(); r.Member(); {\n%s}", e.memberSwitch(d, o, noted))
	if strict {
		b.WriteString(requiredCheck(o))
	}
	for i, field := range o.Fields {
		if late(field) {
			b.P("if seen[%d]&%#x == 0 {\n%s}", i/64, uint64(1)<<(i%64), setDefault(field))
		}
	}
	decodeFunc(f, d.Name, decodeDoc(o, strict), fmt.Sprintf("*x = %s{%s}\n%s", d.Name, strings.Join(early, ", "), b.String()))
}

// memberSwitch renders the decoding of a member, with a note of each that is to be noted.
func (e *emitter) memberSwitch(d *ir.Decl, o *ir.Object, noted func(*ir.Field) bool) string {
	others := "r.Skip()\n"
	switch {
	case o.Additional != nil:
		others = decodeEntry("x.Additional", o.Additional, 0)
	case e.hasExtra(o):
		others = decodeExtra
	}
	if len(o.Fields) == 0 {
		return others
	}
	var w code.Writer
	w.P("switch r.Name() {")
	for i, field := range o.Fields {
		w.P("case %q:", field.Wire)
		decoding := e.decodeField(d, field)
		if noted(field) {
			decoding = fmt.Sprintf("seen[%d] |= %#x\n", i/64, uint64(1)<<(i%64)) + decoding
		}
		if e.maySendNull(field) {
			decoding = "if r.Present() {\n" + decoding + "}\n"
		}
		w.WriteString(decoding)
	}
	w.P("default:\n%s}", others)
	return w.String()
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

func decodeDoc(o *ir.Object, strict bool) string {
	text := "DecodeJSON reads an object. A missing or mistyped member is an error."
	if !strict {
		text = "DecodeJSON reads an object that the schema allows."
	}
	if strict && hasSoft(o) {
		text += " Members of other types that the schema allows go to Extra."
	}
	if slices.ContainsFunc(o.Fields, func(f *ir.Field) bool { return f.Default != "" }) {
		text += " Absent members with a default are set to it."
	}
	return text
}

// requiredCheck renders the error for missing members.
func requiredCheck(o *ir.Object) string {
	var names []string // up to the last required member; "" for one that may be missing
	masks := make([]uint64, (len(o.Fields)+63)/64)
	for i, f := range o.Fields {
		if !f.Required || f.Default != "" {
			continue
		}
		names = append(append(names, make([]string, i-len(names))...), f.Wire)
		masks[i/64] |= 1 << (i % 64)
	}
	var missing []string
	for word, mask := range masks {
		if mask != 0 {
			missing = append(missing, fmt.Sprintf("seen[%d]&%#[2]x != %#[2]x", word, mask))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("if %s {\nr.Missing(seen[:], %s)\n}\n", strings.Join(missing, " || "), code.Quoted(names))
}

const decodeExtra = "*x.Extra.Entry(r) = r.ReadRaw()\n"

// maySendNull reports whether null counts as absent for a member.
func (e *emitter) maySendNull(f *ir.Field) bool {
	return !e.checked() && !f.Required && !acceptsNull(f.Type)
}

// acceptsNull reports whether a type includes null.
func acceptsNull(t ir.Type) bool {
	switch t := ir.Resolve(t).(type) {
	case *ir.Nullable, *ir.Any:
		return true
	case *ir.Scalar:
		return t.Kinds&wire.KindNull != 0
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

// kindSet renders a set of kinds of scalars.
func kindSet(kinds wire.Kind) string {
	var set []string
	for _, s := range ir.Scalars {
		if kinds&s.Kind != 0 {
			set = append(set, code.Kind(s.Type))
		}
	}
	return strings.Join(set, " | ")
}

// plainDecoder renders the decoder of a declaration that is neither an object nor a union.
func (e *emitter) plainDecoder(f *jen.File, d *ir.Decl) {
	var body string
	value, ok := readExpr(d.Type)
	switch d.Type.(type) {
	case *ir.Array, *ir.Map:
		body = fmt.Sprintf("var all %s\n%s*x = %s(all)\n", GoType(d.Type), decode("all", d.Type, 0), d.Name)
	case *ir.Enum:
		body = fmt.Sprintf("*x = %s(r.ReadString())\n", d.Name)
	default:
		switch {
		case embeds(d):
			body = fmt.Sprintf("x.%s = %s\n", embeddedName(d.Type), value)
		case ok:
			body = fmt.Sprintf("*x = %s(%s)\n", d.Name, value)
		default:
			body = fmt.Sprintf("var v %s\n%s*x = %s(v)\n", GoType(d.Type), decode("v", d.Type, 0), d.Name)
		}
	}
	decodeFunc(f, d.Name, "DecodeJSON reads "+describe(d.Type)+".", body)
}

func embeddedName(t ir.Type) string {
	_, name, _ := strings.Cut(GoType(t), ".")
	return name
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
