package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Encoders are calls of a wire.Writer, which places commas and adds the location to an
// error.

// operand is an expression of generated code: a value, or a pointer to one.
type operand struct {
	expr    *jen.Statement
	pointer bool
}

// value renders the value itself.
func (o operand) value() *jen.Statement {
	if o.pointer {
		return jen.Op("*").Add(o.expr)
	}
	return jen.Add(o.expr)
}

// address renders the pointer to the value.
func (o operand) address() *jen.Statement {
	if o.pointer {
		return jen.Add(o.expr)
	}
	return jen.Op("&").Add(o.expr)
}

// container renders a slice or map so that an index or a method can follow.
func (o operand) container() *jen.Statement {
	if o.pointer {
		return jen.Parens(jen.Op("*").Add(o.expr))
	}
	return jen.Add(o.expr)
}

func write(g *jen.Group, method string, args ...jen.Code) {
	g.Id("w").Dot(method).Call(args...)
}

func newWriter(g *jen.Group) {
	g.Id("w").Op(":=").Qual(wirePath, "NewWriter").Call(jen.Id("dst"))
}

// objectEncoder renders AppendJSON of a struct.
func (e *emitter) objectEncoder(f *jen.File, d *ir.Decl, o *ir.Object) {
	appendFunc(f, self(d)).BlockFunc(func(g *jen.Group) {
		if o.Loose {
			g.Add(Go("if x.Other != \"\" {\nreturn wire.AppendRaw(dst, x.Other)\n}"))
		}
		g.Id("w").Op(":=").Qual(wirePath, "ObjectWriter").Call(jen.Id("dst"))
		for _, field := range o.Fields {
			writeField(g, field)
		}
		switch {
		case o.Additional != nil:
			writeAdditional(g, o)
		case e.hasExtra(o):
			writeExtra(g, o)
		}
		g.Return(jen.Id("w").Dot("Close").Call())
	})
}

// plainEncoder renders AppendJSON of a declaration that is neither an object nor a union.
func (e *emitter) plainEncoder(f *jen.File, d *ir.Decl) {
	if embeds(d) {
		return // promoted from the embedded type
	}
	appendFunc(f, jen.Id("x").Id(d.Name)).BlockFunc(func(g *jen.Group) {
		if _, isEnum := d.Type.(*ir.Enum); isEnum {
			g.Return(jen.Qual(wirePath, "AppendString").Call(jen.Id("dst"), jen.String().Call(jen.Id("x"))))
			return
		}
		newWriter(g)
		value := jen.Id("x")
		if _, isArray := d.Type.(*ir.Array); !isArray { // the declared type lacks the methods
			value = jen.Id("v")
			g.Add(value).Op(":=").Add(goType(d.Type)).Call(jen.Id("x"))
		}
		put(g, operand{expr: value}, d.Type, 0)
		g.Return(jen.Id("w").Dot("End").Call())
	})
}

// writeField renders the writing of a member. For a nullable member it renders two calls,
// of which at most one writes something.
func writeField(g *jen.Group, f *ir.Field) {
	target, wireName := jen.Id("x").Dot(f.Go), memberName(f.Wire)
	base := f.Base()
	method := memberMethod(base)
	switch {
	case f.Const != nil && f.Required:
		write(g, "Const"+method, wireName, target, jen.Lit(f.Const))
	case f.Const != nil:
		g.If(jen.Add(target).Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
			write(g, "Const"+method, wireName, jen.Op("*").Add(target), jen.Lit(f.Const))
		})
	case isOptional(f) && method != "":
		write(g, method+"Pointer", wireName, plainPointer(jen.Add(target).Dot("Pointer").Call(), base))
		write(g, "NullIf", wireName, jen.Add(target).Dot("IsNull").Call())
	case isOptional(f) && isObject(base):
		g.Qual(wirePath, "ValuePointer").Call(jen.Op("&").Id("w"), wireName, jen.Add(target).Dot("Pointer").Call())
		write(g, "NullIf", wireName, jen.Add(target).Dot("IsNull").Call())
	case isOptional(f):
		g.If(jen.Id("v").Op(":=").Add(target).Dot("Pointer").Call(), jen.Id("v").Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
			writeMember(g, wireName, operand{jen.Id("v"), true}, base)
		})
		write(g, "NullIf", wireName, jen.Add(target).Dot("IsNull").Call())
	case byPointer(f) && method != "":
		write(g, method+"Pointer", wireName, plainPointer(target, base))
		if f.Nullable() {
			write(g, "NullIf", wireName, jen.Add(target).Op("==").Nil())
		}
	case byPointer(f) && isObject(base) && !f.Boxed:
		g.Qual(wirePath, "ValuePointer").Call(jen.Op("&").Id("w"), wireName, target)
		if f.Nullable() {
			write(g, "NullIf", wireName, jen.Add(target).Op("==").Nil())
		}
	case f.Boxed:
		g.If(jen.Add(target).Op("==").Nil()).BlockFunc(func(g *jen.Group) {
			write(g, "Value", wireName, jen.Nil())
		}).Else().BlockFunc(func(g *jen.Group) { writeMember(g, wireName, operand{target, true}, base) })
	case f.Required && !f.Nullable():
		writeMember(g, wireName, operand{expr: target}, base)
	default:
		g.If(notNull(target, base)).BlockFunc(func(g *jen.Group) {
			writeMember(g, wireName, operand{target, byPointer(f)}, base)
		})
		if f.Nullable() {
			write(g, "NullIf", wireName, absent(target, base))
		}
	}
}

// memberName renders a member's name as a wire.Writer takes it: escaped as in JSON.
func memberName(name string) jen.Code {
	text, err := wire.AppendString(nil, name)
	if err != nil {
		panic(err) // names come from JSON texts, which are UTF-8
	}
	return jen.Lit(string(text[1 : len(text)-1]))
}

// memberMethod returns the method of a wire.Writer that writes a member of a scalar type.
// It returns "" for other types.
func memberMethod(t ir.Type) string {
	switch t := ir.Resolve(t).(type) {
	case *ir.String, *ir.Enum:
		return "String"
	case *ir.Integer:
		if t.Exact {
			return ""
		}
		return "Int64"
	case *ir.Number:
		return "Float64"
	case *ir.Boolean:
		return "Bool"
	case *ir.Time:
		return "Time"
	}
	return ""
}

// plainPointer converts a pointer to a declared scalar type to one to its underlying type.
func plainPointer(pointer *jen.Statement, t ir.Type) jen.Code {
	if basic := basicType(t); basic != nil {
		return jen.Parens(jen.Op("*").Add(basic)).Call(pointer)
	}
	return pointer
}

// plainValue converts a value of a declared scalar type to its underlying type.
func plainValue(value *jen.Statement, t ir.Type) jen.Code {
	if basic := basicType(t); basic != nil {
		return basic.Call(value)
	}
	return value
}

// basicType renders the underlying type of a declared scalar type, and nil for a type that
// has no declaration.
func basicType(t ir.Type) *jen.Statement {
	if _, declared := t.(*ir.Ref); !declared {
		return nil
	}
	switch ir.Resolve(t).(type) {
	case *ir.Integer:
		return jen.Int64()
	case *ir.Number:
		return jen.Float64()
	case *ir.Boolean:
		return jen.Bool()
	}
	return jen.String()
}

// appender renders a value as a wire.Appender. That is a pointer, because anything else
// would be copied to the heap; a union is an interface already.
func appender(o operand, t ir.Type) jen.Code {
	if _, isUnion := ir.Resolve(t).(*ir.Union); isUnion {
		return o.value()
	}
	return o.address()
}

// writeMember renders the writing of a name and a value.
func writeMember(g *jen.Group, wireName jen.Code, o operand, t ir.Type) {
	if method := memberMethod(t); method != "" {
		write(g, method, wireName, plainValue(o.value(), t))
		return
	}
	switch t.(type) {
	case *ir.Array, *ir.Map:
		write(g, "Name", wireName)
		put(g, o, t, 0)
	default:
		write(g, "Value", wireName, appender(o, t))
	}
}

// put renders the writing of a value.
func put(g *jen.Group, o operand, t ir.Type, depth int) {
	switch t := t.(type) {
	case *ir.Array:
		if put := putArray(t.Elem); put != "" {
			g.Qual(wirePath, put).Call(jen.Op("&").Id("w"), o.value())
			return
		}
		write(g, "BeginArray")
		i := jen.Id(name("i", depth))
		g.For(jen.Add(i).Op(":=").Range().Add(o.value())).BlockFunc(func(g *jen.Group) {
			write(g, "Element")
			put(g, operand{expr: o.container().Index(i)}, t.Elem, depth+1)
		})
		write(g, "EndArray")
	case *ir.Map:
		write(g, "BeginObject")
		putEntries(g, o.container(), t.Elem, depth, nil)
		write(g, "EndObject")
	case *ir.Nullable:
		g.If(absent(o.container(), t.Elem)).BlockFunc(func(g *jen.Group) { write(g, "PutNull") }).Else().BlockFunc(func(g *jen.Group) {
			put(g, operand{o.value(), needsPointer(t.Elem)}, t.Elem, depth)
		})
	default:
		if method := memberMethod(t); method != "" {
			write(g, "Put"+method, plainValue(o.value(), t))
			return
		}
		write(g, "Put", appender(o, t))
	}
}

// putArray returns the function that writes an array of a type, or "" if there is none.
func putArray(elem ir.Type) string {
	switch elem.(type) {
	case *ir.Array, *ir.Map, *ir.Nullable:
		return ""
	}
	switch method := memberMethod(elem); {
	case method == "Time":
		return ""
	case method != "":
		return "Put" + method + "s"
	}
	if _, isUnion := ir.Resolve(elem).(*ir.Union); isUnion {
		return "PutAll"
	}
	return "PutEach"
}

// putEntries renders the writing of a map's members. None of them may have a name in taken.
func putEntries(g *jen.Group, all *jen.Statement, elem ir.Type, depth int, taken []jen.Code) {
	write(g, "Fail", jen.Add(all).Dot("Check").Call(taken...))
	eachEntry(g, all, depth, func(g *jen.Group, key, item *jen.Statement) {
		write(g, "Key", key)
		put(g, operand{expr: item}, elem, depth+1)
	})
}

// eachEntry renders a loop over the entries of a map. It passes body expressions for the
// entry's name and for its value, which is addressable.
func eachEntry(g *jen.Group, m *jen.Statement, depth int, body func(g *jen.Group, name, value *jen.Statement)) {
	i, entry := jen.Id(name("i", depth)), jen.Id(name("e", depth))
	g.For(jen.Add(i).Op(":=").Range().Add(m)).BlockFunc(func(g *jen.Group) {
		g.Add(entry).Op(":=").Op("&").Add(m).Index(i)
		body(g, jen.Add(entry).Dot("Name"), jen.Add(entry).Dot("Value"))
	})
}

func writeAdditional(g *jen.Group, o *ir.Object) {
	var taken []jen.Code
	for _, field := range o.Fields {
		taken = append(taken, jen.Lit(field.Wire))
	}
	putEntries(g, jen.Id("x").Dot("Additional"), o.Additional, 0, taken)
}

// writeExtra renders the writing of the members without a field. It allows the name of a
// soft field if that field is empty.
func writeExtra(g *jen.Group, o *ir.Object) {
	args := []jen.Code{jen.Id("x").Dot("Extra")}
	var soft []*ir.Field
	var names []jen.Code
	for _, field := range o.Fields {
		if field.Soft {
			soft = append(soft, field)
			continue
		}
		names = append(names, jen.Lit(field.Wire))
	}
	// The condition keeps the names from being put on the stack when there are no other members.
	g.If(jen.Len(jen.Id("x").Dot("Extra")).Op(">").Lit(0)).BlockFunc(func(g *jen.Group) {
		if len(soft) == 0 {
			write(g, "Members", append(args, names...)...)
			return
		}
		taken := jen.Id("taken")
		g.Add(taken).Op(":=").Index().String().Values(names...)
		for _, field := range soft {
			g.If(present(jen.Id("x").Dot(field.Go), field)).Block(jen.Add(taken).Op("=").Append(taken, jen.Lit(field.Wire)))
		}
		write(g, "Members", append(args, jen.Add(taken).Op("..."))...)
	})
}

// present renders the condition that an optional member is present.
func present(target *jen.Statement, f *ir.Field) jen.Code {
	if isOptional(f) {
		return jen.Op("!").Add(target).Dot("IsZero").Call()
	}
	return notNull(target, f.Base())
}

// notNull renders the condition that a value is not the zero value, which stands for absent
// or null.
func notNull(target *jen.Statement, t ir.Type) jen.Code { return comparison(target, t, "!=", "!") }

// absent renders the opposite of notNull.
func absent(target *jen.Statement, t ir.Type) jen.Code { return comparison(target, t, "==", "") }

// comparison renders the comparison of a value with the zero value.
func comparison(target *jen.Statement, t ir.Type, operator, not string) jen.Code {
	switch ir.Resolve(t).(type) {
	case *ir.Any, *ir.Open:
		return rawOf(target, t).Op(operator).Lit("")
	case *ir.Scalar:
		return jen.Op(not).Add(target).Dot("IsZero").Call()
	}
	return jen.Add(target).Op(operator).Nil()
}

// rawOf renders the text of any value or object, which a declaration with methods embeds.
func rawOf(target *jen.Statement, t ir.Type) *jen.Statement {
	for {
		ref, ok := t.(*ir.Ref)
		switch {
		case !ok:
			return jen.Add(target)
		case embeds(ref.Decl):
			return jen.Add(target).Dot(embeddedName(ref.Decl.Type))
		}
		t = ref.Decl.Type
	}
}
