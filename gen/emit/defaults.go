package emit

import (
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// setDefault renders code that sets an absent member to its default. The default is known to
// fit the member's type.
func setDefault(g *jen.Group, f *ir.Field) {
	target := jen.Id("x").Dot(f.Go)
	if f.Default == "null" && isOptional(f) {
		g.Add(target).Dot("SetNull").Call()
		return
	}
	if _, isAny := ir.Resolve(f.Base()).(*ir.Any); isAny {
		g.Add(target).Op("=").Add(defaultValue(f))
		return
	}
	if value, ok := literal(f.Base(), f.Default); ok && f.Default != "null" {
		switch {
		case isOptional(f):
			g.Add(target).Dot("Set").Call(value)
		case byPointer(f):
			g.Add(target).Op("=").New(value)
		default:
			g.Add(target).Op("=").Add(value)
		}
		return
	}
	g.Id("r").Op(":=").Qual(wirePath, "NewStringReader").Call(rawLiteral(f.Default))
	plain := *f
	plain.Soft = false
	decodeValue(g, target, &plain)
}

// defaultValue renders the default of a field that a literal expresses.
func defaultValue(f *ir.Field) jen.Code {
	if _, isAny := ir.Resolve(f.Base()).(*ir.Any); isAny {
		return rawLiteral(f.Default)
	}
	switch under := ir.Resolve(f.Base()).(type) {
	case *ir.Integer:
		if !under.Exact && !byPointer(f) {
			return jen.Op(strconv.FormatInt(wire.NewStringReader(f.Default).ReadInt64(), 10))
		}
	case *ir.Number:
		if !byPointer(f) {
			return jen.Op(f.Default)
		}
	}
	value, _ := literal(f.Base(), f.Default)
	return value
}

// literal renders the Go expression for a scalar of a type.
func literal(t ir.Type, text string) (jen.Code, bool) {
	r := wire.NewStringReader(text)
	switch under := ir.Resolve(t).(type) {
	case *ir.String:
		return jen.Lit(r.ReadString()), true
	case *ir.Enum:
		value, values := r.ReadString(), under.Values
		if ref, ok := t.(*ir.Ref); ok && len(ref.Decl.Constants) > 0 {
			values = ref.Decl.Constants
		}
		for _, v := range values {
			if v.Wire == value {
				return jen.Id(v.Go), true
			}
		}
	case *ir.Integer:
		if under.Exact {
			return exactLiteral(r)
		}
		return jen.Int64().Parens(jen.Op(strconv.FormatInt(r.ReadInt64(), 10))), true
	case *ir.Number:
		return jen.Float64().Parens(jen.Op(text)), true
	case *ir.Boolean:
		return jen.Lit(r.ReadBool()), true
	}
	return nil, false
}

// exactLiteral renders an integer of any size, if an int64 holds it.
func exactLiteral(r *wire.Reader) (jen.Code, bool) {
	v, ok := r.ReadInteger().Int64()
	return jen.Qual(wirePath, "IntegerOf").Call(jen.Op(strconv.FormatInt(v, 10))), ok
}

// rawLiteral renders a raw string literal if the text allows it, so that JSON stays
// readable.
func rawLiteral(text string) jen.Code {
	if strings.ContainsAny(text, "`\r") || !strings.ContainsAny(text, "\"\\") {
		return jen.Lit(text)
	}
	return jen.Op("`" + text + "`")
}
