package emit

import (
	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// There are two styles of encoders. The types of a revision append to a slice piece by
// piece, which is fastest. A tool list may have a thousand types, so theirs call a
// wire.Writer, which takes one line instead of six.

// objectWriter renders AppendJSON of a struct as calls of a wire.Writer.
func (e *emitter) objectWriter(f *jen.File, d *ir.Decl, o *ir.Object) {
	appendFunc(f, self(d)).BlockFunc(func(g *jen.Group) {
		if o.Loose {
			g.If(jen.Id("x").Dot("Other").Op("!=").Lit("")).Block(
				jen.Return(jen.Qual(wirePath, "AppendRaw").Call(jen.Id("dst"), jen.Id("x").Dot("Other"))),
			)
		}
		newWriter(g)
		write(g, "BeginObject")
		for _, field := range o.Fields {
			writeField(g, field)
		}
		if o.Additional != nil {
			writeAdditional(g, o)
		} else {
			writeExtra(g, o)
		}
		write(g, "EndObject")
		g.Return(jen.Id("w").Dot("End").Call())
	})
}

// plainWriter renders AppendJSON of a declared array or map.
func (e *emitter) plainWriter(f *jen.File, d *ir.Decl) {
	appendFunc(f, jen.Id("x").Id(d.Name)).BlockFunc(func(g *jen.Group) {
		newWriter(g)
		put(g, undeclared(jen.Id("x"), d.Type), d.Type, 0)
		g.Return(jen.Id("w").Dot("End").Call())
	})
}

func newWriter(g *jen.Group) {
	g.Id("w").Op(":=").Qual(wirePath, "NewWriter").Call(jen.Id("dst"))
}

func write(g *jen.Group, method string, args ...jen.Code) {
	g.Id("w").Dot(method).Call(args...)
}

// writeField renders the writing of a member. For an optional and nullable member it
// renders two calls, of which at most one writes something.
func writeField(g *jen.Group, f *ir.Field) {
	target, wireName := jen.Id("x").Dot(f.Go), jen.Lit(f.Wire)
	base := f.Base()
	method := memberMethod(base)
	switch {
	case f.Const != nil && f.Required:
		write(g, method, wireName, jen.Qual("cmp", "Or").Call(target, jen.Lit(f.Const)))
	case f.Const != nil:
		g.If(jen.Add(target).Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
			write(g, method, wireName, jen.Qual("cmp", "Or").Call(jen.Op("*").Add(target), jen.Lit(f.Const)))
		})
	case isOptional(f) && method != "":
		write(g, method+"Pointer", wireName, plainPointer(jen.Add(target).Dot("Pointer").Call(), base))
		write(g, "NullIf", wireName, jen.Add(target).Dot("IsNull").Call())
	case isOptional(f):
		g.If(jen.Id("v").Op(":=").Add(target).Dot("Pointer").Call(), jen.Id("v").Op("!=").Nil()).BlockFunc(func(g *jen.Group) {
			writeMember(g, wireName, behind(jen.Id("v"), base), base)
		})
		write(g, "NullIf", wireName, jen.Add(target).Dot("IsNull").Call())
	case byPointer(f) && method != "":
		write(g, method+"Pointer", wireName, plainPointer(target, base))
		if f.Nullable() {
			write(g, "NullIf", wireName, jen.Add(target).Op("==").Nil())
		}
	case f.Boxed:
		g.If(jen.Add(target).Op("==").Nil()).BlockFunc(func(g *jen.Group) {
			write(g, "Value", wireName, jen.Nil())
		}).Else().BlockFunc(func(g *jen.Group) { writeMember(g, wireName, target, base) })
	case f.Required && !f.Nullable():
		writeMember(g, wireName, addressed(target, base), base)
	default:
		g.If(notNull(target, base)).BlockFunc(func(g *jen.Group) { writeMember(g, wireName, target, base) })
		if f.Nullable() {
			write(g, "NullIf", wireName, absent(target, base))
		}
	}
}

// memberMethod returns the method that writes a member of a type. It returns "" if that
// takes more than one call or if the type has the method itself.
func memberMethod(t ir.Type) string {
	switch ir.Resolve(t).(type) {
	case *ir.String, *ir.Enum:
		return "String"
	case *ir.Integer:
		return "Int64"
	case *ir.Number:
		return "Float64"
	case *ir.Boolean:
		return "Bool"
	}
	return ""
}

// plainPointer converts a pointer to an enum to a pointer to a string.
func plainPointer(pointer *jen.Statement, t ir.Type) jen.Code {
	if _, isEnum := ir.Resolve(t).(*ir.Enum); isEnum {
		return jen.Parens(jen.Op("*").String()).Call(pointer)
	}
	return pointer
}

// addressed renders the pointer to a struct, which its methods need.
func addressed(value *jen.Statement, t ir.Type) *jen.Statement {
	if _, isObject := ir.Resolve(t).(*ir.Object); isObject {
		return jen.Op("&").Add(value)
	}
	return value
}

// writeMember renders the writing of a name and a value. An object must be a pointer.
func writeMember(g *jen.Group, wireName jen.Code, value *jen.Statement, t ir.Type) {
	if method := memberMethod(t); method != "" {
		if _, isEnum := ir.Resolve(t).(*ir.Enum); isEnum {
			value = jen.String().Call(value)
		}
		write(g, method, wireName, value)
		return
	}
	switch t.(type) {
	case *ir.Array, *ir.Map:
		write(g, "Name", wireName)
		put(g, value, t, 0)
	default:
		write(g, "Value", wireName, value)
	}
}

// put renders the writing of a value. An object must be a pointer.
func put(g *jen.Group, value *jen.Statement, t ir.Type, depth int) {
	switch t := t.(type) {
	case *ir.Array:
		write(g, "BeginArray")
		i, element := jen.Id(name("i", depth)), jen.Id(name("e", depth))
		rangeOver, item := jen.List(jen.Id("_"), element).Op(":=").Range().Add(value), element
		if _, isObject := ir.Resolve(t.Elem).(*ir.Object); isObject {
			rangeOver, item = jen.Add(i).Op(":=").Range().Add(value), jen.Op("&").Add(value).Index(i)
		}
		g.For(rangeOver).BlockFunc(func(g *jen.Group) {
			write(g, "Element")
			put(g, item, t.Elem, depth+1)
		})
		write(g, "EndArray")
	case *ir.Map:
		write(g, "BeginObject")
		putEntries(g, value, t.Elem, depth, nil)
		write(g, "EndObject")
	case *ir.Nullable:
		g.If(absent(value, t.Elem)).BlockFunc(func(g *jen.Group) { write(g, "PutNull") }).Else().BlockFunc(func(g *jen.Group) {
			if _, isObject := ir.Resolve(t.Elem).(*ir.Object); !isObject && needsPointer(t.Elem) {
				value = jen.Op("*").Add(value)
			}
			put(g, value, t.Elem, depth)
		})
	default:
		if method := memberMethod(t); method != "" {
			if _, isEnum := ir.Resolve(t).(*ir.Enum); isEnum {
				value = jen.String().Call(value)
			}
			write(g, "Put"+method, value)
			return
		}
		write(g, "Put", value)
	}
}

// putEntries renders the writing of a map's members. None of them may have a name in taken.
func putEntries(g *jen.Group, all *jen.Statement, elem ir.Type, depth int, taken []jen.Code) {
	write(g, "Fail", jen.Add(all).Dot("Check").Call(taken...))
	eachEntry(g, all, depth, func(g *jen.Group, key, item *jen.Statement) {
		write(g, "Key", key)
		put(g, addressed(item, elem), elem, depth+1)
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
}
