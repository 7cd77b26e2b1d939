package emit

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// decoderName names the function that decodes a union without a box.
func decoderName(d *ir.Decl) string { return "decode" + d.Name }

// readUnion renders an expression that reads a union.
func readUnion(d *ir.Decl) jen.Code {
	if d.Type.(*ir.Union).Box {
		return jen.Qual(wirePath, "ReadBox").Call(jen.Id("r"), newBox(d, jen.Null()))
	}
	return jen.Id(decoderName(d)).Call(jen.Id("r"))
}

// newBox renders the box of a value.
func newBox(d *ir.Decl, value jen.Code) *jen.Statement {
	return qualified(d, boxName(d)).Values(value)
}

func (e *emitter) unionDecoder(f *jen.File, d *ir.Decl, t *ir.Union) {
	f.Line()
	function := jen.Func().Id(decoderName(d))
	if t.Box {
		function = jen.Func().Params(jen.Id(codecName(d))).Id("Decode")
	}
	f.Add(function).Params(jen.Id("r").Op("*").Qual(wirePath, "Reader")).Id(d.Name).BlockFunc(func(g *jen.Group) {
		decider{lenient: t.Lenient}.decision(g, t.Decision)
		if !t.Context {
			g.Return(jen.Op("&").Id("Unknown" + d.Name).Values(jen.Dict{jen.Id("Raw"): jen.Id("r").Dot("ReadRaw").Call()}))
		}
	})
}

// decider renders the code that selects the variant of a union.
type decider struct {
	// lenient means that a value that is not valid for its variant decodes to the unknown
	// variant.
	lenient bool
}

// decision renders the code that selects a variant. If it falls through, the variant is
// unknown.
func (e decider) decision(g *jen.Group, d ir.Decision) {
	switch d := d.(type) {
	case *ir.Leaf:
		g.Add(e.read(d.Variant))
	case *ir.ByKind:
		g.Switch(jen.Id("r").Dot("Kind").Call()).BlockFunc(func(g *jen.Group) {
			for _, c := range d.Cases {
				g.Case(kindName(c.Kind)).BlockFunc(func(g *jen.Group) { e.decision(g, c.Then) })
			}
		})
	case *ir.ByConst:
		e.byConst(g, d)
	case *ir.ByPresence:
		e.byPresence(g, d)
	}
}

func kindName(k ir.Kind) jen.Code {
	return jen.Qual(wirePath, map[ir.Kind]string{
		ir.KindObject: "KindObject", ir.KindArray: "KindArray", ir.KindString: "KindString",
		ir.KindNumber: "KindNumber", ir.KindBoolean: "KindBool", ir.KindNull: "KindNull",
	}[k])
}

// read renders code that returns the value as a variant.
func (e decider) read(v *ir.Variant) jen.Code {
	if e.lenient {
		return tryVariant(v)
	}
	return newVariant(v).Line().Add(Go("v.DecodeJSON(r)\nreturn v"))
}

// newVariant declares v. Objects are allocated, because the union holds them by pointer; other types are held by value.
func newVariant(v *ir.Variant) *jen.Statement {
	if v.Boxed {
		return Go("v := new($1)", v.Decl.Name)
	}
	return Go("var v $1", v.Decl.Name)
}

func (e decider) byConst(g *jen.Group, d *ir.ByConst) {
	peek := "PeekString"
	if _, ok := d.Cases[0].Value.(int64); ok {
		peek = "PeekInt64"
	}
	tag := jen.Id("tag")
	declared := jen.List(tag, jen.Id("_"))
	if d.Absent != nil {
		declared = jen.List(tag, jen.Id("ok"))
	}
	g.Add(declared).Op(":=").Id("r").Dot(peek).Call(jen.Lit(d.Member))
	g.Switch(tag).BlockFunc(func(g *jen.Group) {
		for _, cases := range sameAnswer(d.Cases) {
			var values []jen.Code
			for _, c := range cases {
				values = append(values, jen.Lit(c.Value))
			}
			g.Case(values...).BlockFunc(func(g *jen.Group) { e.decision(g, cases[0].Then) })
		}
	})
	if d.Absent != nil {
		g.If(jen.Op("!").Id("ok").Op("&&").Id("r").Dot("PeekAbsent").Call(jen.Lit(d.Member))).BlockFunc(func(g *jen.Group) {
			e.decision(g, d.Absent)
		})
	}
}

// sameAnswer groups the cases that lead to the same variant without further checks.
func sameAnswer(cases []ir.ConstCase) [][]ir.ConstCase {
	var groups [][]ir.ConstCase
	at := map[*ir.Variant]int{}
	for _, c := range cases {
		leaf, ok := c.Then.(*ir.Leaf)
		if !ok {
			groups = append(groups, []ir.ConstCase{c})
			continue
		}
		if i, ok := at[leaf.Variant]; ok {
			groups[i] = append(groups[i], c)
			continue
		}
		at[leaf.Variant] = len(groups)
		groups = append(groups, []ir.ConstCase{c})
	}
	return groups
}

// byPresence tries each variant whose guard holds until one decodes, so that the verdict is
// that of anyOf. If none decodes, the error is that of the first whose guard holds.
func (e decider) byPresence(g *jen.Group, d *ir.ByPresence) {
	var names []string
	bit := func(name string) int {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return slices.Index(names, name)
	}
	conditions := make([]*jen.Statement, len(d.Guards))
	for i, guard := range d.Guards {
		masks := map[int]uint64{}
		var deep []*jen.Statement
		for _, path := range guard.Paths {
			if len(path) == 1 {
				b := bit(path[0])
				masks[b/64] |= 1 << (b % 64)
				continue
			}
			deep = append(deep, jen.Id("r").Dot("PeekPath").Call(check.Literals(path)...))
		}
		var all []*jen.Statement
		for _, word := range slices.Sorted(maps.Keys(masks)) {
			all = append(all, hasAll(word, masks[word]))
		}
		for _, c := range append(all, deep...) {
			if conditions[i] == nil {
				conditions[i] = c
			} else {
				conditions[i].Op("&&").Add(c)
			}
		}
	}
	word := 0
	for chunk := range slices.Chunk(names, 64) { // the most names that PeekHas takes
		g.Id(name("has", word)).Op(":=").Id("r").Dot("PeekHas").Call(check.Literals(chunk)...)
		word++
	}
	last := len(d.Guards) - 1
	for i, guard := range d.Guards[:last] {
		if conditions[i] == nil {
			g.Block(tryVariant(guard.Variant))
		} else {
			g.If(conditions[i]).Block(tryVariant(guard.Variant))
		}
	}
	// The last variant is read if its guard holds. Otherwise the first one whose guard holds is read, for its error.
	for n := range d.Guards {
		i := (n + last) % len(d.Guards)
		if conditions[i] == nil {
			g.Add(e.read(d.Guards[i].Variant))
			break
		}
		g.If(conditions[i]).Block(e.read(d.Guards[i].Variant))
	}
}

func hasAll(word int, mask uint64) *jen.Statement {
	text := fmt.Sprintf("%#b", mask)
	masked := jen.Id(name("has", word)).Op("&").Op(text)
	if bits.OnesCount64(mask) == 1 {
		return masked.Op("!=").Lit(0)
	}
	return masked.Op("==").Op(text)
}

// tryVariant renders code that returns v if the value decodes as the variant.
func tryVariant(v *ir.Variant) jen.Code {
	target := "&v"
	if v.Boxed {
		target = "v"
	}
	return newVariant(v).Line().Add(Go("if r.Try($1) {\nreturn v\n}", target))
}

func (e *emitter) unionEncoder(f *jen.File, d *ir.Decl, t *ir.Union) {
	if !t.Context {
		appendFunc(f, jen.Id("x").Op("*").Id("Unknown"+d.Name)).Block(Go("return wire.AppendRaw(dst, x.Raw)"))
	}
}
