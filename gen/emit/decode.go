package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// decodeField renders the decoding of a member into the field of a struct.
func (e *emitter) decodeField(g *jen.Group, d *ir.Decl, f *ir.Field) {
	target := jen.Id("x").Dot(f.Go)
	if e.isList(d, f) {
		elem := f.Type.(*ir.Array).Elem
		var element jen.Code = jen.Parens(jen.Op("*").Add(goType(elem))).Dot("DecodeJSON")
		read := "ReadList"
		if isUnionRef(elem) {
			read, element = "ReadBoxes", newBox(elem.(*ir.Ref).Decl, jen.Null())
		}
		g.Add(target).Op("=").Qual(wirePath, read).Call(jen.Id("r"), element)
		return
	}
	if !f.Soft {
		decodeValue(g, target, f)
		return
	}
	read := jen.Func().Params().BlockFunc(func(g *jen.Group) { decodeValue(g, target, f) })
	g.If(jen.Op("!").Id("r").Dot("Attempt").Call(read)).Block(
		jen.Add(target).Op("=").Add(zero(f)),
		decodeExtra(),
	)
}

// zero renders the value of a field whose optional member is absent.
func zero(f *ir.Field) jen.Code {
	if isOptional(f) {
		return jen.Add(fieldType(f)).Values()
	}
	switch ir.Resolve(f.Type).(type) {
	case *ir.Any, *ir.Open:
		return jen.Lit("")
	case *ir.Scalar:
		return jen.Add(goType(f.Type)).Values()
	}
	return jen.Nil()
}

func decodeValue(g *jen.Group, target *jen.Statement, f *ir.Field) {
	switch {
	case isOptional(f) && readFunc(f.Base()) != nil:
		g.Add(target).Op("=").Qual(wirePath, "ReadOptional").Call(jen.Id("r"), readFunc(f.Base()))
	case isOptional(f) && isObject(f.Base()):
		g.Add(target).Op("=").Qual(wirePath, "ReadOptionalPointer").Types(goType(f.Base())).Call(jen.Id("r"))
	case isOptional(f):
		g.If(jen.Id("r").Dot("ReadNull").Call()).Block(
			jen.Add(target).Dot("SetNull").Call(),
		).Else().BlockFunc(func(g *jen.Group) {
			local := jen.Id("v")
			g.Var().Add(local).Add(goType(f.Base()))
			decode(g, local, f.Base(), 0)
			g.Add(target).Dot("Set").Call(local)
		})
	case f.Nullable() && hasDefault(f) && isEarly(f):
		g.If(jen.Id("r").Dot("ReadNull").Call()).Block(
			jen.Add(target).Op("=").Add(zero(f)),
		).Else().BlockFunc(func(g *jen.Group) { decodePresent(g, target, f) })
	case f.Nullable() && f.Const == nil && byPointer(f) && readsPointer(f.Base()):
		g.Add(target).Op("=").Qual(wirePath, "ReadNullable").Call(jen.Id("r"), readerMethod(pointerReader(f.Base())))
	case f.Nullable() && byPointer(f) && isObject(f.Base()):
		g.Add(target).Op("=").Qual(wirePath, "ReadNullable").Call(jen.Id("r"), jen.Qual(wirePath, "ReadPointer").Types(goType(f.Base())))
	case f.Nullable():
		g.If(jen.Op("!").Id("r").Dot("ReadNull").Call()).BlockFunc(func(g *jen.Group) { decodePresent(g, target, f) })
	default:
		decodePresent(g, target, f)
	}
}

// decodePresent renders the decoding of a member that is not null.
func decodePresent(g *jen.Group, target *jen.Statement, f *ir.Field) {
	base := f.Base()
	if f.Const != nil {
		value := jen.Id("r").Dot(constReader(f.Const)).Call(jen.Lit(f.Const))
		if byPointer(f) {
			value = jen.New(value)
		}
		g.Add(target).Op("=").Add(value)
		return
	}
	if !byPointer(f) {
		decode(g, target, base, 0)
		return
	}
	if reader := pointerReader(base); reader != "" {
		value := jen.Id("r").Dot(reader).Call()
		if ref, ok := base.(*ir.Ref); ok {
			value = jen.Parens(jen.Op("*").Add(declName(ref.Decl))).Call(value)
		}
		g.Add(target).Op("=").Add(value)
		return
	}
	if value, ok := readExpr(base); ok {
		g.Add(target).Op("=").New(value)
		return
	}
	if isObject(base) {
		g.Add(target).Op("=").Qual(wirePath, "ReadPointer").Types(goType(base)).Call(jen.Id("r"))
		return
	}
	g.Add(target).Op("=").New(goType(base))
	decode(g, target, base, 0)
}

// pointerReader returns the method that reads an optional scalar, or "" for other types.
func pointerReader(t ir.Type) string {
	if ref, ok := t.(*ir.Ref); ok && embeds(ref.Decl) {
		return ""
	}
	switch t := ir.Resolve(t).(type) {
	case *ir.String, *ir.Enum:
		return "ReadStringPointer"
	case *ir.Integer:
		if t.Exact {
			return ""
		}
		return "ReadInt64Pointer"
	case *ir.Number:
		return "ReadFloat64Pointer"
	case *ir.Boolean:
		return "ReadBoolPointer"
	}
	return ""
}

// readsPointer reports whether a method reads an optional value without a conversion.
func readsPointer(t ir.Type) bool {
	_, declared := t.(*ir.Ref)
	return !declared && pointerReader(t) != ""
}

func constReader(value any) string {
	if _, ok := value.(int64); ok {
		return "ReadConstInt64"
	}
	return "ReadConstString"
}

// readExpr renders an expression that reads a value, for the types that have one.
func readExpr(t ir.Type) (jen.Code, bool) {
	r := jen.Id("r")
	if ref, ok := t.(*ir.Ref); ok {
		switch under := ref.Decl.Type.(type) {
		case *ir.Union:
			return readUnion(ref.Decl), true
		case *ir.Enum:
			return declName(ref.Decl).Call(jen.Id("r").Dot("ReadString").Call()), true
		case *ir.Object, *ir.Array, *ir.Map:
			return nil, false
		default:
			if _, isEnum := ir.Resolve(under).(*ir.Enum); isEnum { // of another name
				return declName(ref.Decl).Call(jen.Id("r").Dot("ReadString").Call()), true
			}
			if embeds(ref.Decl) {
				return nil, false
			}
			value, ok := readExpr(under)
			if ok && !isAlias(ref.Decl) {
				value = declName(ref.Decl).Call(value)
			}
			return value, ok
		}
	}
	switch t := t.(type) {
	case *ir.String:
		return r.Dot("ReadString").Call(), true
	case *ir.Integer:
		if t.Exact {
			return r.Dot("ReadInteger").Call(), true
		}
		return r.Dot("ReadInt64").Call(), true
	case *ir.Number:
		return r.Dot("ReadFloat64").Call(), true
	case *ir.Boolean:
		return r.Dot("ReadBool").Call(), true
	case *ir.Time:
		return r.Dot("ReadTime").Call(), true
	case *ir.Any:
		return r.Dot("ReadRaw").Call(), true
	case *ir.Open:
		return r.Dot("ReadObject").Call(), true
	case *ir.Scalar:
		if t.ID {
			return r.Dot("ReadID").Call(), true
		}
		return r.Dot("ReadScalar").Call(scalarSet(t.Kinds)), true
	case *ir.Array:
		if _, ok := t.Elem.(*ir.String); ok {
			return r.Dot("ReadStrings").Call(), true
		}
		if read := readFunc(t.Elem); read != nil {
			return jen.Qual(wirePath, "ReadAll").Call(r, read), true
		}
		if decodesItself(t.Elem) {
			return jen.Qual(wirePath, "ReadDecoded").Types(goType(t.Elem)).Call(r), true
		}
	}
	return nil, false
}

func readerMethod(name string) jen.Code {
	return jen.Parens(jen.Op("*").Qual(wirePath, "Reader")).Dot(name)
}

// readFunc renders a function that reads a value, or nil for the types that have no expression.
func readFunc(t ir.Type) jen.Code {
	switch t := t.(type) {
	case *ir.String:
		return readerMethod("ReadString")
	case *ir.Integer:
		if t.Exact {
			return readerMethod("ReadInteger")
		}
		return readerMethod("ReadInt64")
	case *ir.Number:
		return readerMethod("ReadFloat64")
	case *ir.Boolean:
		return readerMethod("ReadBool")
	case *ir.Time:
		return readerMethod("ReadTime")
	case *ir.Any:
		return readerMethod("ReadRaw")
	case *ir.Open:
		return readerMethod("ReadObject")
	}
	if ref, ok := t.(*ir.Ref); ok {
		if u, ok := ref.Decl.Type.(*ir.Union); ok && !u.Box {
			return jen.Id(decoderName(ref.Decl))
		}
	}
	value, ok := readExpr(t)
	if !ok {
		return nil
	}
	return jen.Func().Params(jen.Id("r").Op("*").Qual(wirePath, "Reader")).Add(goType(t)).Values(jen.Return(value))
}

// decode renders the decoding of a value into a target of its type.
func decode(g *jen.Group, target *jen.Statement, t ir.Type, depth int) {
	if value, ok := readExpr(t); ok {
		g.Add(target).Op("=").Add(value)
		return
	}
	switch t := t.(type) {
	case *ir.Ref:
		if under, ok := t.Decl.Type.(*ir.Ref); ok {
			decode(g, target, under, depth)
			return
		}
		g.Add(target).Dot("DecodeJSON").Call(jen.Id("r"))
	case *ir.Array:
		g.Add(target).Op("=").Add(goType(t)).Values()
		g.For(jen.Id("r").Dot("BeginArray").Call(), jen.Id("r").Dot("Element").Call(), jen.Empty()).BlockFunc(func(g *jen.Group) {
			element := jen.Id(name("e", depth))
			g.Var().Add(element).Add(goType(t.Elem))
			decode(g, element, t.Elem, depth+1)
			g.Add(target).Op("=").Qual(wirePath, "Push").Call(target, element)
		})
	case *ir.Map:
		g.Add(target).Op("=").Add(goType(t)).Values()
		g.For(jen.Id("r").Dot("BeginObject").Call(), jen.Id("r").Dot("Member").Call(), jen.Empty()).BlockFunc(func(g *jen.Group) {
			decodeEntry(g, target, t.Elem, depth)
		})
	case *ir.Nullable:
		g.If(jen.Op("!").Id("r").Dot("ReadNull").Call()).BlockFunc(func(g *jen.Group) {
			value, ok := readExpr(t.Elem)
			switch {
			case !needsPointer(t.Elem):
				decode(g, target, t.Elem, depth)
			case ok:
				g.Add(target).Op("=").New(value)
			default:
				g.Add(target).Op("=").New(goType(t.Elem))
				decode(g, target, t.Elem, depth)
			}
		})
	default:
		panic(fmt.Sprintf("emit: cannot decode %T", t))
	}
}

// isObject reports whether a type is a struct, whose pointer decodes and encodes itself.
func isObject(t ir.Type) bool {
	_, declared := t.(*ir.Ref)
	_, object := ir.Resolve(t).(*ir.Object)
	return declared && object
}

// decodesItself reports whether values of a type have a DecodeJSON method.
func decodesItself(t ir.Type) bool {
	ref, ok := t.(*ir.Ref)
	if !ok {
		return false
	}
	switch ir.Resolve(ref).(type) {
	case *ir.Object, *ir.Array, *ir.Map:
		return true // an alias has the methods of its type
	}
	_, alias := ref.Decl.Type.(*ir.Ref)
	return !alias
}

// decodeEntry renders the decoding of the current member into a map.
func decodeEntry(g *jen.Group, target *jen.Statement, elem ir.Type, depth int) {
	entry := jen.Add(target).Dot("Entry").Call(jen.Id("r"))
	if value, ok := readExpr(elem); ok {
		g.Op("*").Add(entry).Op("=").Add(value)
		return
	}
	if decodesItself(elem) {
		g.Add(entry).Dot("DecodeJSON").Call(jen.Id("r"))
		return
	}
	at, element := jen.Id(name("at", depth)), jen.Id(name("e", depth))
	g.Add(at).Op(":=").Add(entry)
	g.Var().Add(element).Add(goType(elem))
	decode(g, element, elem, depth+1)
	g.Op("*").Add(at).Op("=").Add(element)
}
