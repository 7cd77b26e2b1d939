package emit

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// types renders the types of declarations.
func (e *emitter) types(w *code.Writer, decls []*ir.Decl) {
	for _, d := range decls {
		w.P("")
		if d.Message {
			message(w, d)
			continue
		}
		if d.Same != "" {
			e.same(w, d)
			continue
		}
		if u, ok := d.Type.(*ir.Union); ok {
			e.union(w, d, u)
			continue
		}
		w.WriteString(code.Comment(d.Doc + deprecation(d.Deprecated)))
		switch t := d.Type.(type) {
		case *ir.Object:
			fields := e.structFields(t)
			if fields != "" {
				fields = "\n" + fields
			}
			w.P("type %s struct {%s}", d.Name, fields)
			e.marks(w, d)
		case *ir.Enum:
			e.enum(w, d, t)
		default:
			if isAlias(d) {
				w.P("type %s = %s", d.Name, goType(t))
				if len(d.Constants) > 0 {
					constants(w, d, d.Constants)
				}
				continue
			}
			if embeds(d) {
				w.P("type %s struct {\n%s\n}", d.Name, goType(t))
			} else {
				w.P("type %s %s", d.Name, goType(t))
			}
			if m, ok := d.Type.(*ir.Map); ok {
				mapMethods(w, d.Name, m)
			}
			e.marks(w, d)
		}
	}
}

func (e *emitter) structFields(o *ir.Object) string {
	var w code.Writer
	for _, f := range o.Fields {
		w.P("%s%s %s `json:%q`", code.Comment(fieldText(f)+deprecation(f.Deprecated)), f.Go, fieldType(f), tag(f))
	}
	none := func(text, name, of string) { w.P("%s%s %s `json:\"-\"`", code.Comment(text), name, of) }
	if o.Additional != nil {
		none("Additional holds the other members in their order.", "Additional", goType(&ir.Map{Elem: o.Additional}))
	} else if e.hasExtra(o) {
		none(fmt.Sprintf("Extra holds the members that %s does not define, in their order.", e.origin), "Extra", "wire.Members")
	}
	if o.Loose {
		none(fmt.Sprintf("Other holds a value that is not an object, which %s allows.", e.origin), "Other", "wire.Raw")
	}
	return w.String()
}

// hasExtra reports whether the members that no field has are kept. Those of a closed object are refused before it is
// decoded.
func (e *emitter) hasExtra(o *ir.Object) bool { return o.Additional == nil && !(e.checked && o.Closed) }

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
	base := goType(f.Base())
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

// goType renders the type of a value that is always present.
func goType(t ir.Type) string {
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
		return "[]" + goType(t.Elem)
	case *ir.Map:
		return "wire.Map[" + goType(t.Elem) + "]"
	case *ir.Nullable:
		if needsPointer(t.Elem) {
			return "*" + goType(t.Elem)
		}
		return goType(t.Elem)
	case *ir.Ref:
		return declName(t.Decl)
	}
	panic(fmt.Sprintf("emit: %T has no inline Go type", t))
}

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
func mapMethods(w *code.Writer, name string, m *ir.Map) {
	whole, elem := goType(m), goType(m.Elem)
	w.Doc("Get returns the value of the named member and reports whether there is one.")
	w.P("func (x %s) Get(name string) (%s, bool) {\nreturn %s(x).Get(name)\n}", name, elem, whole)
	w.Doc("Set sets the value of the named member. It appends the member if there is none.")
	w.P("func (x *%s) Set(name string, value %s) {\n(*%s)(x).Set(name, value)\n}", name, elem, whole)
	w.Doc("Delete removes the named member, if there is one.")
	w.P("func (x *%s) Delete(name string) {\n(*%s)(x).Delete(name)\n}", name, whole)
	w.Doc("Len returns the number of members.")
	w.P("func (x %s) Len() int {\nreturn len(x)\n}", name)
	w.Doc("All returns an iterator over the names and values of the members, in their order.")
	w.P("func (x %s) All() iter.Seq2[string, %s] {\nreturn %s(x).All()\n}", name, elem, whole)
}

// marks renders the methods that make a declaration a variant of its unions.
func (e *emitter) marks(w *code.Writer, d *ir.Decl) {
	if e.marksAtUnion {
		return
	}
	for _, u := range d.Unions {
		mark(w, d, u)
	}
}

// mark renders the method that makes a declaration a variant of a union.
func mark(w *code.Writer, d, union *ir.Decl) {
	receiver := d.Name
	if _, ok := d.Type.(*ir.Object); ok {
		receiver = "*" + receiver
	}
	w.P("")
	if union.Type.(*ir.Union).Box {
		w.WriteString(code.Comment(fmt.Sprintf("%s marks a variant of %s.", markName(union), union.Name)))
	}
	w.P("func (%s) %s() {}", receiver, markName(union))
}

// markName names the method that marks the variants of a union. It is exported if the union has a box, because
// the type of a variant may then be that of another revision.
func markName(u *ir.Decl) string {
	if u.Type.(*ir.Union).Box {
		return "Is" + u.Name
	}
	return "is" + u.Name
}

func (e *emitter) enum(w *code.Writer, d *ir.Decl, t *ir.Enum) {
	w.P("type %s string", d.Name)
	constants(w, d, t.Values)
	if e.known {
		names := make([]string, len(t.Values))
		for i, v := range t.Values {
			names[i] = v.Go
		}
		w.Doc("Known reports whether %s defines the value.", e.origin)
		w.P("func (x %s) Known() bool {\nswitch x {\ncase %s:\nreturn true\n}\nreturn false\n}", d.Name, code.List(names...))
	}
	e.marks(w, d)
}

// constants renders the constants of an enum.
func constants(w *code.Writer, d *ir.Decl, values []ir.EnumValue) {
	w.Doc("The values of %s.", d.Name)
	w.P("const (")
	for _, v := range values {
		w.P("%s%s %s = %q", code.Comment(v.Doc+deprecation(v.Deprecated)), v.Go, d.Name, v.Wire)
	}
	w.P(")")
}

// unknown describes the values that a union's unknown variant holds.
func (e *emitter) unknown(t *ir.Union) string {
	if t.Lenient {
		return "other values that " + e.origin + " allows"
	}
	return "values that " + e.origin + " does not define"
}

// same renders the names of a type that a newer revision declares.
func (e *emitter) same(w *code.Writer, d *ir.Decl) {
	alias := func(text, name string) { w.P("%stype %s = %s", code.Comment(text), name, in(d.Same, name)) }
	switch t := d.Type.(type) {
	case *ir.Union:
		alias(e.unionText(d, t), d.Name)
		if !t.Context {
			w.P("")
			alias(e.unknownText(d), "Unknown"+d.Name)
		}
	case *ir.Enum:
		alias(d.Doc+deprecation(d.Deprecated), d.Name)
		w.Doc("The values of %s.", d.Name)
		w.P("const (")
		for _, v := range t.Values {
			w.P("%s%s = %s", code.Comment(v.Doc+deprecation(v.Deprecated)), v.Go, in(d.Same, v.Go))
		}
		w.P(")")
	default:
		alias(d.Doc+deprecation(d.Deprecated), d.Name)
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
	return fmt.Sprintf("Unknown%s holds a value that matches none of the variants of %s, so that it can be passed on.%s", d.Name, d.Name, e.unknownNote)
}

func (e *emitter) union(w *code.Writer, d *ir.Decl, t *ir.Union) {
	w.P("%stype %s interface {", code.Comment(e.unionText(d, t)), d.Name)
	if d.Direction.Encodes() {
		w.P("wire.Appender")
	}
	if t.Box {
		w.P("// %s marks the variants.", markName(d))
	}
	w.P("%s()\n}", markName(d))
	if t.Context {
		return
	}
	w.Doc("%s", e.unknownText(d))
	w.P("type Unknown%s struct {\n// Raw is the value as received.\nRaw wire.Raw\n}\n", d.Name)
	if t.Box {
		w.WriteString(code.Comment(fmt.Sprintf("%s marks a variant of %s.", markName(d), d.Name)))
	}
	w.P("func (*Unknown%s) %s() {}", d.Name, markName(d))
	if e.marksAtUnion {
		for _, v := range t.Variants {
			mark(w, v.Decl, d)
		}
	}
}
