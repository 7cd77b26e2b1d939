package emit

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
)

func (e *emitter) objectEncoder(f *jen.File, d *ir.Decl, o *ir.Object) {
	appendFunc(f, self(d)).BlockFunc(func(g *jen.Group) {
		g.Var().Err().Error()
		always := false // whether some earlier member is always written
		for i, field := range o.Fields {
			if i == 0 && !field.Required {
				appendText(g, "{")
			}
			var open jen.Code = jen.Id("dst").Op("=").Qual(wirePath, "AppendName").Call(jen.Id("dst"), jen.Lit(field.Wire))
			switch {
			case i == 0 && field.Required:
				open = appendCall("{" + quote(field.Wire) + ":")
			case always:
				open = appendCall("," + quote(field.Wire) + ":")
			}
			always = always || field.Required
			e.encodeField(g, field, open)
		}
		if len(o.Fields) == 0 {
			appendText(g, "{")
		}
		g.If(jen.Len(jen.Id("x").Dot("Extra")).Op(">").Lit(0)).Block(
			jen.If(
				jen.List(jen.Id("dst"), jen.Err()).Op("=").Qual(wirePath, "AppendMembers").CallFunc(func(g *jen.Group) {
					g.Id("dst")
					g.Id("x").Dot("Extra")
					for _, field := range o.Fields {
						g.Lit(field.Wire)
					}
				}),
				jen.Err().Op("!=").Nil(),
			).Block(jen.Return(jen.Id("dst"), jen.Err())),
		)
		g.Return(jen.Append(jen.Id("dst"), jen.LitRune('}')), jen.Err())
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

// encodeField renders the encoding of a member. The code in open writes its name.
func (e *emitter) encodeField(g *jen.Group, f *ir.Field, open jen.Code) {
	target := jen.Id("x").Dot(f.Go)
	pointer := byPointer(f)
	value := target
	if pointer {
		if _, isObject := ir.Resolve(f.Base()).(*ir.Object); !isObject {
			value = jen.Op("*").Add(target)
		}
	}
	write := func(g *jen.Group) {
		g.Add(open)
		if f.Const != nil {
			value = jen.Qual("cmp", "Or").Call(value, jen.Lit(f.Const))
		}
		encode(g, value, f.Base(), 0, inMember(f.Wire))
	}
	switch {
	case f.Nullable():
		g.If(absent(target, f.Base())).BlockFunc(func(g *jen.Group) {
			g.Add(open)
			appendText(g, "null")
		}).Else().BlockFunc(write)
	case f.Boxed:
		g.If(jen.Add(target).Op("==").Nil()).Block(jen.Return(jen.Id("dst"), jen.Qual(wirePath, "In").Call(jen.Qual(wirePath, "ErrMissing"), jen.Lit(f.Wire))))
		write(g)
	case f.Required:
		write(g)
	default:
		g.If(present(target, f)).BlockFunc(write)
	}
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
func notNull(target *jen.Statement, t ir.Type) jen.Code {
	switch ir.Resolve(t).(type) {
	case *ir.Any, *ir.Open:
		return jen.Add(target).Op("!=").Lit("")
	case *ir.Scalar:
		return jen.Op("!").Add(target).Dot("IsZero").Call()
	}
	return jen.Add(target).Op("!=").Nil()
}

// absent renders the opposite of notNull.
func absent(target *jen.Statement, t ir.Type) jen.Code {
	switch ir.Resolve(t).(type) {
	case *ir.Any, *ir.Open:
		return jen.Add(target).Op("==").Lit("")
	case *ir.Scalar:
		return jen.Add(target).Dot("IsZero").Call()
	}
	return jen.Add(target).Op("==").Nil()
}

// behind renders the value that a pointer points to. For an object, it is the pointer
// itself.
func behind(pointer *jen.Statement, t ir.Type) *jen.Statement {
	switch ir.Resolve(t).(type) {
	case *ir.Object:
		return pointer
	case *ir.Array, *ir.Map, *ir.Scalar, *ir.Open:
		return jen.Parens(jen.Op("*").Add(pointer))
	}
	return jen.Op("*").Add(pointer)
}

func appendText(g *jen.Group, text string) { g.Add(appendCall(text)) }

func appendCall(text string) jen.Code {
	if len(text) == 1 {
		return jen.Id("dst").Op("=").Append(jen.Id("dst"), jen.LitRune(rune(text[0])))
	}
	literal := jen.Op("`" + text + "`")
	if strings.Contains(text, "`") {
		literal = jen.Lit(text)
	}
	return jen.Id("dst").Op("=").Append(jen.Id("dst"), literal.Op("..."))
}

// quote returns a member name as JSON.
func quote(name string) string {
	text, err := json.Marshal(name)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(text)
}

// wrap adds the location to the error of a nested value.
type wrap func(err jen.Code) jen.Code

func inMember(name string) wrap {
	return func(err jen.Code) jen.Code { return jen.Qual(wirePath, "In").Call(err, jen.Lit(name)) }
}

func (w wrap) inElement(i jen.Code) wrap {
	return func(err jen.Code) jen.Code { return w(jen.Qual(wirePath, "At").Call(err, i)) }
}

func (w wrap) inValue(key jen.Code) wrap {
	return func(err jen.Code) jen.Code { return w(jen.Qual(wirePath, "In").Call(err, key)) }
}

func outermost(err jen.Code) jen.Code { return err }

// appendOrReturn renders "dst, err = call" with an early return.
func appendOrReturn(g *jen.Group, call jen.Code, w wrap) {
	g.If(jen.List(jen.Id("dst"), jen.Err()).Op("=").Add(call), jen.Err().Op("!=").Nil()).Block(
		jen.Return(jen.Id("dst"), w(jen.Err())),
	)
}

// encode renders the encoding of a value. An object may be a struct or a pointer to it.
func encode(g *jen.Group, value *jen.Statement, t ir.Type, depth int, w wrap) {
	dst := jen.Id("dst")
	fallible := func(function string, arg jen.Code) {
		appendOrReturn(g, jen.Qual(wirePath, function).Call(dst, arg), w)
	}
	switch t := t.(type) {
	case *ir.Ref:
		encodeRef(g, value, t.Decl, depth, w)
	case *ir.String:
		fallible("AppendString", value)
	case *ir.Integer:
		g.Id("dst").Op("=").Qual(wirePath, "AppendInt64").Call(dst, value)
	case *ir.Number:
		fallible("AppendFloat64", value)
	case *ir.Boolean:
		g.Id("dst").Op("=").Qual(wirePath, "AppendBool").Call(dst, value)
	case *ir.Any:
		fallible("AppendRaw", value)
	case *ir.Open:
		fallible("AppendObject", value)
	case *ir.Scalar:
		appendOrReturn(g, jen.Add(value).Dot("AppendJSON").Call(dst), w)
	case *ir.Array:
		i, element := jen.Id(name("i", depth)), jen.Id(name("e", depth))
		appendText(g, "[")
		rangeOver := jen.List(i, element).Op(":=").Range().Add(value)
		item := element
		if _, isObject := ir.Resolve(t.Elem).(*ir.Object); isObject {
			rangeOver = jen.Add(i).Op(":=").Range().Add(value)
			item = jen.Add(value).Index(i)
		}
		g.For(rangeOver).BlockFunc(func(g *jen.Group) {
			g.If(jen.Add(i).Op(">").Lit(0)).Block(appendCall(","))
			encode(g, item, t.Elem, depth+1, w.inElement(i))
		})
		appendText(g, "]")
	case *ir.Map:
		g.If(jen.Err().Op("=").Add(value).Dot("Check").Call(), jen.Err().Op("!=").Nil()).Block(
			jen.Return(dst, w(jen.Err())),
		)
		appendText(g, "{")
		eachEntry(g, value, depth, func(g *jen.Group, key, item *jen.Statement) {
			appendOrReturn(g, jen.Qual(wirePath, "AppendKey").Call(dst, key), w)
			encode(g, item, t.Elem, depth+1, w.inValue(key))
		})
		appendText(g, "}")
	default:
		panic(fmt.Sprintf("emit: cannot encode %T", t))
	}
}

func encodeRef(g *jen.Group, value *jen.Statement, d *ir.Decl, depth int, w wrap) {
	switch t := d.Type.(type) {
	case *ir.Union:
		appendOrReturn(g, jen.Id(appenderName(d)).Call(jen.Id("dst"), value), w)
	case *ir.Enum:
		appendOrReturn(g, jen.Qual(wirePath, "AppendString").Call(jen.Id("dst"), jen.String().Call(value)), w)
	case *ir.Object, *ir.Array, *ir.Map:
		appendOrReturn(g, jen.Add(value).Dot("AppendJSON").Call(jen.Id("dst")), w)
	default:
		if isAlias(d) {
			encode(g, value, t, depth, w)
			return
		}
		appendOrReturn(g, jen.Parens(value).Dot("AppendJSON").Call(jen.Id("dst")), w)
	}
}

// undeclared converts a value of a declared map to wire.Map, which has the methods.
func undeclared(value *jen.Statement, t ir.Type) *jen.Statement {
	if _, isMap := t.(*ir.Map); isMap {
		return jen.Add(goType(t)).Call(value)
	}
	return value
}

// plainEncoder renders the encoder of a declaration that is neither an object nor a union.
func (e *emitter) plainEncoder(f *jen.File, d *ir.Decl) {
	if embeds(d) {
		return // promoted from the embedded type
	}
	appendFunc(f, jen.Id("x").Id(d.Name)).BlockFunc(func(g *jen.Group) {
		value := jen.Id("x")
		t := d.Type
		switch under := t.(type) {
		case *ir.Array, *ir.Map:
			g.Var().Err().Error()
			encode(g, undeclared(value, t), t, 0, outermost)
			g.Return(jen.Id("dst"), jen.Err())
		case *ir.Enum:
			g.Return(jen.Qual(wirePath, "AppendString").Call(jen.Id("dst"), jen.String().Call(value)))
		default:
			g.Var().Err().Error()
			encode(g, jen.Parens(goType(under)).Call(value), t, 0, outermost)
			g.Return(jen.Id("dst"), jen.Err())
		}
	})
}
