package emit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// types renders the types of declarations.
func (e *emitter) types(f *jen.File, decls []*ir.Decl) {
	for _, d := range decls {
		f.Line()
		if d.Message {
			message(f, d)
			continue
		}
		if d.Same != "" {
			e.same(f, d)
			continue
		}
		if u, ok := d.Type.(*ir.Union); ok {
			e.union(f, d, u)
			continue
		}
		f.Add(code.Comment(d.Doc + deprecation(d.Deprecated)))
		switch t := d.Type.(type) {
		case *ir.Object:
			f.Type().Id(d.Name).StructFunc(func(g *jen.Group) { e.structFields(g, t) })
			e.marks(f, d)
		case *ir.Enum:
			e.enum(f, d, t)
		default:
			if isAlias(d) {
				f.Type().Id(d.Name).Op("=").Add(code.Go(GoType(t)))
				if ref, ok := t.(*ir.Ref); ok && e.checked() {
					if _, ok := ref.Decl.Type.(*ir.Union); ok { // code for the union keeps compiling when it becomes an alias
						code.Declare(f, e.unknownText(d), "type Unknown$1 = Unknown$2", d.Name, ref.Decl.Name)
					}
				}
				if len(d.Constants) > 0 {
					constants(f, d, d.Constants)
				}
				continue
			}
			declared := code.Go(GoType(t))
			if embeds(d) {
				declared = jen.Struct(declared)
			}
			f.Type().Id(d.Name).Add(declared)
			if m, ok := d.Type.(*ir.Map); ok {
				mapMethods(f, d.Name, m)
			}
			e.marks(f, d)
		}
	}
}

func (e *emitter) structFields(g *jen.Group, o *ir.Object) {
	for _, f := range o.Fields {
		g.Add(code.Comment(fieldText(f) + deprecation(f.Deprecated)))
		g.Id(f.Go).Add(code.Go(fieldType(f))).Tag(map[string]string{"json": tag(f)})
	}
	none := map[string]string{"json": "-"}
	if o.Additional != nil {
		g.Add(code.Comment("Additional holds the other members in their order."))
		g.Id("Additional").Add(code.Go(GoType(&ir.Map{Elem: o.Additional}))).Tag(none)
	} else if e.hasExtra(o) {
		others := ","
		if hasSoft(o) {
			others = ", and those of other types than their fields,"
		}
		g.Add(code.Comment(fmt.Sprintf("Extra holds the members that %s does not define%s in their order.", e.origin, others)))
		g.Id("Extra").Qual(wirePath, "Members").Tag(none)
	}
	if o.Loose {
		g.Add(code.Comment(fmt.Sprintf("Other holds a value that is not an object, which %s allows.", e.origin)))
		g.Id("Other").Qual(wirePath, "Raw").Tag(none)
	}
}

// hasSoft reports whether an object has a member whose value may have another type than the field.
func hasSoft(o *ir.Object) bool {
	return slices.ContainsFunc(o.Fields, func(f *ir.Field) bool { return f.Soft })
}

// hasExtra reports whether the members that no field has are kept. Those of a closed object are refused before it is
// decoded.
func (e *emitter) hasExtra(o *ir.Object) bool {
	return o.Additional == nil && !(e.checked() && o.Closed)
}

// fieldText returns the doc comment of a field, with the Go value of an absent member. A required
// member of a type without such a value is never absent, so the clause on it is left out.
func fieldText(f *ir.Field) string {
	text := f.Doc
	if f.Required && !f.Nullable() && needsPointer(f.Base()) {
		text = absentClause.ReplaceAllString(text, "")
	}
	return strings.ReplaceAll(text, "{absent}", absentWord(f))
}

// absentClause is the part of a sentence about an absent member.
var absentClause = regexp.MustCompile(`; (if )?\{absent\}[^.;]*`)

// absentWord returns the word for the value of a field whose member is absent, for doc
// comments.
func absentWord(f *ir.Field) string {
	switch {
	case isOptional(f):
		return "the zero value"
	case byPointer(f):
		return "nil"
	}
	switch ir.Resolve(f.Base()).(type) {
	case *ir.Scalar:
		return "the zero value"
	case *ir.Any, *ir.Open, *ir.String, *ir.Enum:
		return `""`
	}
	return "nil"
}

// tag returns the member's name for the json struct tag, which schema reflectors and
// similar code read. The codec does not read it. A name that a tag cannot hold becomes "-".
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
	return f.Wire + ",omitzero"
}

// fieldType renders the type of a struct field. Optional scalars and objects are pointers;
// in all other types, the zero value means absent. For a nullable member, the zero value
// means null. A member that is both optional and nullable is a wire.Optional, which has a
// state for each.
func fieldType(f *ir.Field) string {
	base := GoType(f.Base())
	switch {
	case isOptional(f):
		return "wire.Optional[" + base + "]"
	case byPointer(f):
		return "*" + base
	}
	return base
}

// isOptional reports whether a member is a wire.Optional.
func isOptional(f *ir.Field) bool { return !f.Required && f.Nullable() }

func byPointer(f *ir.Field) bool {
	if isOptional(f) || f.Required && !f.Nullable() && !f.Boxed {
		return false
	}
	return needsPointer(f.Base())
}

// needsPointer reports whether a type has no zero value that could mean absent.
func needsPointer(t ir.Type) bool {
	switch ir.Resolve(t).(type) {
	case *ir.Union, *ir.Array, *ir.Map, *ir.Any, *ir.Open, *ir.Scalar:
		return false
	}
	return true
}

// GoType renders the type of a value that is always present.
func GoType(t ir.Type) string {
	switch t := t.(type) {
	case *ir.String:
		return "string"
	case *ir.Integer:
		if t.Exact {
			return "wire.Integer"
		}
		return "int64"
	case *ir.Number:
		return "float64"
	case *ir.Boolean:
		return "bool"
	case *ir.Time:
		return "time.Time"
	case *ir.Scalar:
		if t.ID {
			return "wire.ID"
		}
		return "wire.Scalar"
	case *ir.Any:
		return "wire.Raw"
	case *ir.Open:
		return "wire.Object"
	case *ir.Array:
		return "[]" + GoType(t.Elem)
	case *ir.Map:
		return "wire.Map[" + GoType(t.Elem) + "]"
	case *ir.Nullable:
		if needsPointer(t.Elem) {
			return "*" + GoType(t.Elem)
		}
		return GoType(t.Elem)
	case *ir.Ref:
		return declName(t.Decl)
	}
	panic(fmt.Sprintf("emit: %T has no inline Go type", t))
}

// declName renders the name of a declared type.
func declName(d *ir.Decl) string { return qualified(d, d.Name) }

// qualified renders a name that belongs to a declaration, such as that of its box. An extension uses the types of the
// revision that it extends.
func qualified(d *ir.Decl, name string) string { return code.Name(d.Import, name) }

// isAlias reports whether a declaration is another name for a type that has the codec
// already. A variant of a union and a declaration with rules cannot be aliases, because they need
// methods.
func isAlias(d *ir.Decl) bool {
	switch d.Type.(type) {
	case *ir.Scalar, *ir.Any, *ir.Open, *ir.Ref:
		return len(d.Unions) == 0 && d.Rules == nil
	}
	return false
}

// embeds reports whether a declaration embeds a wire type so that it can have methods.
func embeds(d *ir.Decl) bool {
	switch t := d.Type.(type) {
	case *ir.Scalar, *ir.Any, *ir.Open:
		return !isAlias(d)
	case *ir.Integer:
		return t.Exact
	}
	return false
}

// mapMethods renders the methods of wire.Map for a declared map.
func mapMethods(f *jen.File, name string, m *ir.Map) {
	f.Add(code.Go(`
		// Get returns the value of the named member and reports whether there is
		// one.
		func (x $1) Get(name string) ($2, bool) {
			return $3(x).Get(name)
		}

		// Set sets the value of the named member. It appends the member if there is
		// none.
		func (x *$1) Set(name string, value $2) {
			(*$3)(x).Set(name, value)
		}

		// Delete removes the named member, if there is one.
		func (x *$1) Delete(name string) {
			(*$3)(x).Delete(name)
		}

		// Len returns the number of members.
		func (x $1) Len() int {
			return len(x)
		}

		// All returns an iterator over the names and values of the members, in their
		// order.
		func (x $1) All() iter.Seq2[string, $2] {
			return $3(x).All()
		}`, name, GoType(m.Elem), GoType(m)))
}

// marks renders the methods that make a declaration a variant of its unions.
func (e *emitter) marks(f *jen.File, d *ir.Decl) {
	if e.checked() {
		return // they are beside the union, because its variants may be in a file that does not depend on it
	}
	for _, u := range d.Unions {
		markVariant(f, d, u)
	}
}

// markVariant renders the method that makes a declaration a variant of a union.
func markVariant(f *jen.File, d, union *ir.Decl) {
	receiver, text := d.Name, ""
	if _, ok := d.Type.(*ir.Object); ok {
		receiver = "*" + receiver
	}
	if union.Type.(*ir.Union).Box {
		text = fmt.Sprintf("%s marks a variant of %s.", markName(union), union.Name)
	}
	code.Declare(f, text, "func ($1) $2() {}", receiver, markName(union))
}

// markName names the method that marks the variants of a union. It is exported if the union has a box, because
// the type of a variant may then be that of another revision.
func markName(u *ir.Decl) string {
	if u.Type.(*ir.Union).Box {
		return "Is" + u.Name
	}
	return "is" + u.Name
}

func (e *emitter) enum(f *jen.File, d *ir.Decl, t *ir.Enum) {
	f.Type().Id(d.Name).String()
	constants(f, d, t.Values)
	if !e.checked() {
		names := make([]string, len(t.Values))
		for i, v := range t.Values {
			names[i] = v.Go
		}
		code.Declare(f, fmt.Sprintf("Known reports whether %s defines the value.", e.origin), "func (x $1) Known() bool {\nswitch x {\ncase $2:\nreturn true\n}\nreturn false\n}", d.Name, strings.Join(names, ", "))
	}
	e.marks(f, d)
}

// constants renders the constants of an enum, which may be those of the package that declares it.
func constants(f *jen.File, d *ir.Decl, values []ir.EnumValue) {
	all := ""
	for _, v := range values {
		value := fmt.Sprintf("%s %s = %q\n", v.Go, d.Name, v.Wire)
		if d.Same != "" {
			value = v.Go + " = " + code.Name(d.Same, v.Go) + "\n"
		}
		all += code.Doc(v.Doc+deprecation(v.Deprecated), value)
	}
	code.Declare(f, fmt.Sprintf("The values of %s.", d.Name), "const (\n$1)", all)
}

// unknown describes the values that a union's unknown variant holds.
func (e *emitter) unknown(t *ir.Union) string {
	if t.Lenient {
		return "other values that " + e.origin + " allows"
	}
	return "values that " + e.origin + " does not define"
}

// same renders the names of a type that a newer revision declares.
func (e *emitter) same(f *jen.File, d *ir.Decl) {
	alias := func(text, name string) {
		code.Declare(f, text, "type $1 = $2", name, code.Name(d.Same, name))
	}
	union, isUnion := d.Type.(*ir.Union)
	if isUnion {
		alias(e.unionText(d, union), d.Name)
	} else {
		alias(d.Doc+deprecation(d.Deprecated), d.Name)
	}
	if isUnion && !union.Context {
		alias(e.unknownText(d), "Unknown"+d.Name)
	}
	if t, ok := d.Type.(*ir.Enum); ok {
		constants(f, d, t.Values)
	}
}

// unionText returns the doc comment of a union.
func (e *emitter) unionText(d *ir.Decl, t *ir.Union) string {
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
	text := fmt.Sprintf("Its variants are %s, and *Unknown%s for %s.", variants, d.Name, e.unknown(t))
	if t.Context {
		text = fmt.Sprintf("Its variants are %s. The variant depends on the request, so a value without its request decodes to *%s.", variants, t.Variants[0].Decl.Name)
	}
	return d.Doc + "\n\n" + text + deprecation(d.Deprecated)
}

// unknownText returns the doc comment of the unknown variant of a union.
func (e *emitter) unknownText(d *ir.Decl) string {
	text := fmt.Sprintf("Unknown%s holds a value that matches none of the variants of %s, so that it can be passed on.", d.Name, d.Name)
	if !e.checked() {
		text += " wire.Validate reports it."
	}
	return text
}

func (e *emitter) union(f *jen.File, d *ir.Decl, t *ir.Union) {
	appender, mark, text := "", markName(d)+"()\n", ""
	if d.Direction.Encodes() {
		appender = "wire.Appender\n"
	}
	if t.Box {
		text = fmt.Sprintf("%s marks a variant of %s.", markName(d), d.Name)
		mark = code.Doc(markName(d)+" marks the variants.", mark)
	}
	code.Declare(f, e.unionText(d, t), "type $1 interface {\n$2$3}", d.Name, appender, mark)
	if t.Context {
		return
	}
	code.Declare(f, e.unknownText(d), "type Unknown$1 struct {\n// Raw is the value as received.\nRaw wire.Raw\n}", d.Name)
	code.Declare(f, text, "func (*Unknown$1) $2() {}", d.Name, markName(d))
	if e.checked() {
		for _, v := range t.Variants {
			markVariant(f, v.Decl, d)
		}
	}
}
