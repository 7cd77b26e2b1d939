package emit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Encoders are calls of a wire.Writer, which places commas and adds the location to an
// error.

// operand is an expression of generated code: a value, or a pointer to one.
type operand struct {
	expr    string
	pointer bool
}

// value renders the value itself.
func (o operand) value() string {
	if o.pointer {
		return "*" + o.expr
	}
	return o.expr
}

// address renders the pointer to the value.
func (o operand) address() string {
	if o.pointer {
		return o.expr
	}
	return "&" + o.expr
}

// container renders a slice or map so that an index or a method can follow.
func (o operand) container() string {
	if o.pointer {
		return "(*" + o.expr + ")"
	}
	return o.expr
}

const newWriter = "w := wire.NewWriter(dst)\n"

// objectEncoder renders AppendJSON of a struct.
func (e *emitter) objectEncoder(f *jen.File, d *ir.Decl, o *ir.Object) {
	var b code.Writer
	if o.Loose {
		b.P("if x.Other != \"\" {\nreturn x.Other.AppendJSON(dst)\n}")
	}
	b.P("w := wire.ObjectWriter(dst)")
	for _, field := range o.Fields {
		b.WriteString(writeField(field))
	}
	switch {
	case o.Additional != nil:
		var taken []string
		for _, field := range o.Fields {
			taken = append(taken, field.Wire)
		}
		b.WriteString(putEntries("x.Additional", o.Additional, 0, taken))
	case e.hasExtra(o):
		writeExtra(&b, o)
	}
	b.P("return w.Close()")
	appendFunc(f, "x *"+d.Name, b.String())
}

// plainEncoder renders AppendJSON of a declaration that is neither an object nor a union.
func (e *emitter) plainEncoder(f *jen.File, d *ir.Decl) {
	if embeds(d) {
		return // promoted from the embedded type
	}
	body := "return wire.AppendString(dst, string(x))\n"
	if _, isEnum := d.Type.(*ir.Enum); !isEnum {
		value, declared := "x", ""
		if _, isArray := d.Type.(*ir.Array); !isArray { // the declared type lacks the methods
			value, declared = "v", fmt.Sprintf("v := %s(x)\n", GoType(d.Type))
		}
		body = newWriter + declared + put(operand{expr: value}, d.Type, 0) + "return w.End()\n"
	}
	appendFunc(f, "x "+d.Name, body)
}

// writeField renders the writing of a member. For a nullable member it renders two calls,
// of which at most one writes something.
func writeField(f *ir.Field) string {
	var w code.Writer
	target, wireName := "x."+f.Go, memberName(f.Wire)
	base := f.Base()
	method := memberMethod(base)
	nullIf := func(condition string) { w.P("w.NullIf(%s, %s)", wireName, condition) }
	switch {
	case f.Const != nil && f.Required:
		w.P("w.Const%s(%s, %s, %s)", method, wireName, target, code.Literal(f.Const))
	case f.Const != nil:
		w.P("if %[1]s != nil {\nw.Const%[2]s(%[3]s, *%[1]s, %[4]s)\n}", target, method, wireName, code.Literal(f.Const))
	case isOptional(f) && method != "":
		w.P("w.%sPointer(%s, %s)", method, wireName, plainPointer(target+".Pointer()", base))
		nullIf(target + ".IsNull()")
	case isOptional(f) && isObject(base):
		w.P("wire.ValuePointer(&w, %s, %s.Pointer())", wireName, target)
		nullIf(target + ".IsNull()")
	case isOptional(f):
		w.P("if v := %s.Pointer(); v != nil {\n%s}", target, writeMember(wireName, operand{"v", true}, base))
		nullIf(target + ".IsNull()")
	case byPointer(f) && method != "":
		w.P("w.%sPointer(%s, %s)", method, wireName, plainPointer(target, base))
		if f.Nullable() {
			nullIf(target + " == nil")
		}
	case byPointer(f) && isObject(base) && !f.Boxed:
		w.P("wire.ValuePointer(&w, %s, %s)", wireName, target)
		if f.Nullable() {
			nullIf(target + " == nil")
		}
	case f.Boxed:
		w.P("if %s == nil {\nw.Value(%s, nil)\n} else {\n%s}", target, wireName, writeMember(wireName, operand{target, true}, base))
	case f.Required && !f.Nullable():
		w.WriteString(writeMember(wireName, operand{expr: target}, base))
	default:
		w.P("if %s {\n%s}", notNull(target, base), writeMember(wireName, operand{target, byPointer(f)}, base))
		if f.Nullable() {
			nullIf(absent(target, base))
		}
	}
	return w.String()
}

// memberName renders a member's name as a wire.Writer takes it: escaped as in JSON.
func memberName(name string) string {
	text, err := wire.AppendString(nil, name)
	if err != nil {
		panic(err) // names come from JSON texts, which are UTF-8
	}
	return strconv.Quote(string(text[1 : len(text)-1]))
}

// memberMethod returns the method of a wire.Writer that writes a member of a scalar type.
// It returns "" for other types.
func memberMethod(t ir.Type) string {
	switch t := ir.Resolve(t).(type) {
	case *ir.Enum:
		return "String"
	case *ir.Integer:
		if t.Exact {
			return ""
		}
		return "Int64"
	case *ir.Any, *ir.Open:
		return ""
	default:
		return strings.TrimPrefix(reader(t), "Read")
	}
}

// plainPointer converts a pointer to a declared scalar type to one to its underlying type.
func plainPointer(pointer string, t ir.Type) string {
	if basic := basicType(t); basic != "" {
		return "(*" + basic + ")(" + pointer + ")"
	}
	return pointer
}

// plainValue converts a value of a declared scalar type to its underlying type.
func plainValue(value string, t ir.Type) string {
	if basic := basicType(t); basic != "" {
		return basic + "(" + value + ")"
	}
	return value
}

// basicType renders the underlying type of a declared scalar type, and "" for a type that
// has no declaration.
func basicType(t ir.Type) string {
	if _, declared := t.(*ir.Ref); !declared {
		return ""
	}
	switch under := ir.Resolve(t).(type) {
	case *ir.Integer, *ir.Number, *ir.Boolean:
		return GoType(under)
	}
	return "string"
}

// appender renders a value as a wire.Appender. That is a pointer, because anything else
// would be copied to the heap; a union is an interface already.
func appender(o operand, t ir.Type) string {
	if _, isUnion := ir.Resolve(t).(*ir.Union); isUnion {
		return o.value()
	}
	return o.address()
}

// writeMember renders the writing of a name and a value.
func writeMember(wireName string, o operand, t ir.Type) string {
	if method := memberMethod(t); method != "" {
		return fmt.Sprintf("w.%s(%s, %s)\n", method, wireName, plainValue(o.value(), t))
	}
	switch t.(type) {
	case *ir.Array, *ir.Map:
		return fmt.Sprintf("w.Name(%s)\n%s", wireName, put(o, t, 0))
	}
	return fmt.Sprintf("w.Value(%s, %s)\n", wireName, appender(o, t))
}

// put renders the writing of a value.
func put(o operand, t ir.Type, depth int) string {
	switch t := t.(type) {
	case *ir.Array:
		if function := putArray(t.Elem); function != "" {
			return fmt.Sprintf("wire.%s(&w, %s)\n", function, o.value())
		}
		i := name("i", depth)
		element := put(operand{expr: o.container() + "[" + i + "]"}, t.Elem, depth+1)
		return fmt.Sprintf("w.BeginArray()\nfor %s := range %s {\nw.Element()\n%s}\nw.EndArray()\n", i, o.value(), element)
	case *ir.Map:
		return "w.BeginObject()\n" + putEntries(o.container(), t.Elem, depth, nil) + "w.EndObject()\n"
	case *ir.Nullable:
		return fmt.Sprintf("if %s {\nw.PutNull()\n} else {\n%s}\n", absent(o.container(), t.Elem), put(operand{o.value(), needsPointer(t.Elem)}, t.Elem, depth))
	}
	if method := memberMethod(t); method != "" {
		return fmt.Sprintf("w.Put%s(%s)\n", method, plainValue(o.value(), t))
	}
	return fmt.Sprintf("w.Put(%s)\n", appender(o, t))
}

// putArray returns the function that writes an array of a type, or "" if there is none.
func putArray(elem ir.Type) string {
	switch elem.(type) {
	case *ir.Array, *ir.Map, *ir.Nullable:
		return ""
	}
	switch _, isUnion := ir.Resolve(elem).(*ir.Union); {
	case memberMethod(elem) == "String":
		return "PutStrings"
	case memberMethod(elem) != "":
		return ""
	case isUnion:
		return "PutAll"
	}
	return "PutEach"
}

// putEntries renders the writing of a map's members. None of them may have a name in taken.
func putEntries(all string, elem ir.Type, depth int, taken []string) string {
	return fmt.Sprintf("w.Fail(%s.Check(%s))\n", all, code.Quoted(taken)) + eachEntry(all, depth, func(key, item string) string {
		return "w.Key(" + key + ")\n" + put(operand{expr: item}, elem, depth+1)
	})
}

// eachEntry renders a loop over the entries of a map. It passes body expressions for the
// entry's name and for its value, which is addressable.
func eachEntry(m string, depth int, body func(name, value string) string) string {
	i, entry := name("i", depth), name("e", depth)
	return fmt.Sprintf("for %[1]s := range %[2]s {\n%[3]s := &%[2]s[%[1]s]\n%[4]s}\n", i, m, entry, body(entry+".Name", entry+".Value"))
}

// writeExtra renders the writing of the members without a field. It allows the name of a
// soft field if that field is empty.
func writeExtra(w *code.Writer, o *ir.Object) {
	var soft []*ir.Field
	var names []string
	for _, field := range o.Fields {
		if field.Soft {
			soft = append(soft, field)
			continue
		}
		names = append(names, field.Wire)
	}
	// The condition keeps the names from being put on the stack when there are no other members.
	w.P("if len(x.Extra) > 0 {")
	if len(soft) == 0 {
		w.P("w.Members(%s)\n}", strings.TrimSuffix("x.Extra, "+code.Quoted(names), ", "))
		return
	}
	w.P("taken := %s", code.Strings(names))
	for _, field := range soft {
		w.P("if %s {\ntaken = append(taken, %q)\n}", present("x."+field.Go, field), field.Wire)
	}
	w.P("w.Members(x.Extra, taken...)\n}")
}

// present renders the condition that an optional member is present.
func present(target string, f *ir.Field) string {
	if isOptional(f) {
		return "!" + target + ".IsZero()"
	}
	return notNull(target, f.Base())
}

// notNull renders the condition that a value is not the zero value, which stands for absent
// or null.
func notNull(target string, t ir.Type) string { return comparison(target, t, "!=", "!") }

// absent renders the opposite of notNull.
func absent(target string, t ir.Type) string { return comparison(target, t, "==", "") }

// comparison renders the comparison of a value with the zero value.
func comparison(target string, t ir.Type, operator, not string) string {
	switch ir.Resolve(t).(type) {
	case *ir.Any, *ir.Open:
		return rawOf(target, t) + " " + operator + ` ""`
	case *ir.Scalar:
		return not + target + ".IsZero()"
	}
	return target + " " + operator + " nil"
}

// rawOf renders the text of any value or object, which a declaration with methods embeds.
func rawOf(target string, t ir.Type) string {
	for {
		ref, ok := t.(*ir.Ref)
		switch {
		case !ok:
			return target
		case embeds(ref.Decl):
			return target + "." + embeddedName(ref.Decl.Type)
		}
		t = ref.Decl.Type
	}
}
