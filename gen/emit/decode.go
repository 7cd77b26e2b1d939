package emit

import (
	"fmt"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// decodeField renders the decoding of a member into the field of a struct.
func (e *emitter) decodeField(d *ir.Decl, f *ir.Field) string {
	target := "x." + f.Go
	if e.isList(d, f) {
		elem := f.Type.(*ir.Array).Elem
		if isUnionRef(elem) {
			return fmt.Sprintf("%s = %s.ReadList(r)\n", target, newBox(elem.(*ir.Ref).Decl, ""))
		}
		return fmt.Sprintf("%s = wire.ReadList(r, (*%s).DecodeJSON)\n", target, GoType(elem))
	}
	if !f.Soft {
		return decodeValue(target, f)
	}
	return fmt.Sprintf("if !r.Attempt(func() {\n%s}) {\n%s = %s\n%s}\n", decodeValue(target, f), target, zero(f), decodeExtra)
}

// zero renders the value of a field whose optional member is absent.
func zero(f *ir.Field) string {
	if isOptional(f) {
		return fieldType(f) + "{}"
	}
	switch ir.Resolve(f.Type).(type) {
	case *ir.Any, *ir.Open:
		return `""`
	case *ir.Scalar:
		return GoType(f.Type) + "{}"
	}
	return "nil"
}

func decodeValue(target string, f *ir.Field) string {
	base := f.Base()
	switch read := readFunc(base); {
	case isOptional(f) && read != "":
		return fmt.Sprintf("%s = wire.ReadOptional(r, %s)\n", target, read)
	case isOptional(f):
		return fmt.Sprintf("%s = wire.ReadOptional(r, func(r *wire.Reader) (v %s) {\n%sreturn v\n})\n", target, GoType(base), decode("v", base, 0))
	case f.Nullable() && hasDefault(f) && isEarly(f):
		return fmt.Sprintf("if r.ReadNull() {\n%s = %s\n} else {\n%s}\n", target, zero(f), decodePresent(target, f))
	case f.Nullable() && f.Const == nil && byPointer(f) && readsPointer(base):
		return fmt.Sprintf("%s = wire.ReadNullable(r, (*wire.Reader).%s)\n", target, pointerReader(base))
	case f.Nullable() && byPointer(f) && isObject(base):
		return fmt.Sprintf("%s = wire.ReadNullable(r, wire.ReadPointer[%s])\n", target, GoType(base))
	case f.Nullable():
		return fmt.Sprintf("if !r.ReadNull() {\n%s}\n", decodePresent(target, f))
	}
	return decodePresent(target, f)
}

// decodePresent renders the decoding of a member that is not null.
func decodePresent(target string, f *ir.Field) string {
	base := f.Base()
	value, ok := readExpr(base)
	switch {
	case f.Const != nil:
		value = fmt.Sprintf("r.%s(%s)", constReader(f.Const), code.Literal(f.Const))
		if byPointer(f) {
			value = "new(" + value + ")"
		}
	case !byPointer(f):
		return decode(target, base, 0)
	case pointerReader(base) != "":
		value = "r." + pointerReader(base) + "()"
		if ref, ok := base.(*ir.Ref); ok {
			value = fmt.Sprintf("(*%s)(%s)", declName(ref.Decl), value)
		}
	case ok:
		value = "new(" + value + ")"
	case isObject(base):
		value = fmt.Sprintf("wire.ReadPointer[%s](r)", GoType(base))
	default:
		return fmt.Sprintf("%s = new(%s)\n%s", target, GoType(base), decode(target, base, 0))
	}
	return target + " = " + value + "\n"
}

// pointerReader returns the method that reads an optional scalar, or "" for other types.
func pointerReader(t ir.Type) string {
	if ref, ok := t.(*ir.Ref); ok && embeds(ref.Decl) {
		return ""
	}
	switch under := ir.Resolve(t).(type) {
	case *ir.Enum:
		return "ReadStringPointer"
	case *ir.String, *ir.Number, *ir.Boolean:
		return reader(under) + "Pointer"
	case *ir.Integer:
		if !under.Exact {
			return reader(under) + "Pointer"
		}
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

// reader returns the method that reads values of a type that is not declared, or "" for types without one.
func reader(t ir.Type) string {
	switch t := t.(type) {
	case *ir.String:
		return "ReadString"
	case *ir.Integer:
		if t.Exact {
			return "ReadInteger"
		}
		return "ReadInt64"
	case *ir.Number:
		return "ReadFloat64"
	case *ir.Boolean:
		return "ReadBool"
	case *ir.Time:
		return "ReadTime"
	case *ir.Any:
		return "ReadRaw"
	case *ir.Open:
		return "ReadObject"
	}
	return ""
}

// readExpr renders an expression that reads a value, for the types that have one.
func readExpr(t ir.Type) (string, bool) {
	if method := reader(t); method != "" {
		return "r." + method + "()", true
	}
	switch t := t.(type) {
	case *ir.Ref:
		under := t.Decl.Type
		if _, isEnum := ir.Resolve(under).(*ir.Enum); isEnum {
			return declName(t.Decl) + "(r.ReadString())", true
		}
		switch under.(type) {
		case *ir.Union:
			return readUnion(t.Decl), true
		case *ir.Object, *ir.Array, *ir.Map:
			return "", false
		}
		if embeds(t.Decl) {
			return "", false
		}
		value, ok := readExpr(under)
		if ok && !isAlias(t.Decl) {
			value = declName(t.Decl) + "(" + value + ")"
		}
		return value, ok
	case *ir.Scalar:
		if t.ID {
			return "r.ReadID()", true
		}
		return "r.ReadScalar(" + kindSet(t.Kinds) + ")", true
	case *ir.Array:
		if _, ok := t.Elem.(*ir.String); ok {
			return "r.ReadStrings()", true
		}
		if read := readFunc(t.Elem); read != "" {
			return "wire.ReadAll(r, " + read + ")", true
		}
		if decodesItself(t.Elem) {
			return "wire.ReadDecoded[" + GoType(t.Elem) + "](r)", true
		}
	}
	return "", false
}

// readFunc renders a function that reads a value, or "" for the types that have no expression.
func readFunc(t ir.Type) string {
	if method := reader(t); method != "" {
		return "(*wire.Reader)." + method
	}
	if ref, ok := t.(*ir.Ref); ok {
		if u, ok := ref.Decl.Type.(*ir.Union); ok && !u.Box {
			return decoderName(ref.Decl)
		}
	}
	value, ok := readExpr(t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("func(r *wire.Reader) %s { return %s }", GoType(t), value)
}

// decode renders the decoding of a value into a target of its type.
func decode(target string, t ir.Type, depth int) string {
	if value, ok := readExpr(t); ok {
		return target + " = " + value + "\n"
	}
	var w code.Writer
	switch t := t.(type) {
	case *ir.Ref:
		if under, ok := t.Decl.Type.(*ir.Ref); ok {
			return decode(target, under, depth)
		}
		w.P("%s.DecodeJSON(r)", target)
	case *ir.Array:
		element := name("e", depth)
		w.P("%s = %s{}", target, GoType(t))
		w.P("for r.BeginArray(); r.Element(); {\nvar %[1]s %[2]s\n%[3]s%[4]s = append(%[4]s, %[1]s)\n}", element, GoType(t.Elem), decode(element, t.Elem, depth+1), target)
	case *ir.Map:
		w.P("%s = %s{}", target, GoType(t))
		w.P("for r.BeginObject(); r.Member(); {\n%s}", decodeEntry(target, t.Elem, depth))
	case *ir.Nullable:
		value, ok := readExpr(t.Elem)
		switch {
		case !needsPointer(t.Elem):
			value = decode(target, t.Elem, depth)
		case ok:
			value = target + " = new(" + value + ")\n"
		default:
			value = target + " = new(" + GoType(t.Elem) + ")\n" + decode(target, t.Elem, depth)
		}
		w.P("if !r.ReadNull() {\n%s}", value)
	default:
		panic(fmt.Sprintf("emit: cannot decode %T", t))
	}
	return w.String()
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
func decodeEntry(target string, elem ir.Type, depth int) string {
	entry := target + ".Entry(r)"
	if value, ok := readExpr(elem); ok {
		return "*" + entry + " = " + value + "\n"
	}
	if decodesItself(elem) {
		return entry + ".DecodeJSON(r)\n"
	}
	at, element := name("at", depth), name("e", depth)
	return fmt.Sprintf("%[1]s := %[2]s\nvar %[3]s %[4]s\n%[5]s*%[1]s = %[3]s\n", at, entry, element, GoType(elem), decode(element, elem, depth+1))
}
