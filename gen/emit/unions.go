package emit

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/dave/jennifer/jen"

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
		if e.lenient {
			addAll(g, tryVariant(d.Variant))
			return
		}
		g.Add(readVariant(d.Variant))
		g.Return(jen.Id("v"))
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

// readVariant declares v and decodes into it. Objects are allocated, because the union
// holds them by pointer; other types are held by value.
func readVariant(v *ir.Variant) jen.Code {
	declare := jen.Var().Id("v").Id(v.Decl.Name)
	if v.Boxed {
		declare = jen.Id("v").Op(":=").New(jen.Id(v.Decl.Name))
	}
	return declare.Line().Id("v").Dot("DecodeJSON").Call(jen.Id("r"))
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
			g.CaseFunc(func(g *jen.Group) {
				for _, c := range cases {
					g.Lit(c.Value)
				}
			}).BlockFunc(func(g *jen.Group) { e.decision(g, cases[0].Then) })
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
		for i, n := range names {
			if n == name {
				return i
			}
		}
		names = append(names, name)
		return len(names) - 1
	}
	conditions := make([]jen.Code, len(d.Guards))
	for i, guard := range d.Guards {
		masks := map[int]uint64{}
		var deep []jen.Code
		for _, path := range guard.Paths {
			if len(path) == 1 {
				b := bit(path[0])
				masks[b/64] |= 1 << (b % 64)
				continue
			}
			args := make([]jen.Code, len(path))
			for i, segment := range path {
				args[i] = jen.Lit(segment)
			}
			deep = append(deep, jen.Id("r").Dot("PeekPath").Call(args...))
		}
		var all []jen.Code
		for _, word := range slices.Sorted(maps.Keys(masks)) {
			all = append(all, hasAll(word, masks[word]))
		}
		if all = append(all, deep...); len(all) > 0 {
			conditions[i] = allOf(all)
		}
	}
	word := 0
	for chunk := range slices.Chunk(names, 64) { // the most names that PeekHas takes
		args := make([]jen.Code, len(chunk))
		for i, n := range chunk {
			args[i] = jen.Lit(n)
		}
		g.Id(name("has", word)).Op(":=").Id("r").Dot("PeekHas").Call(args...)
		word++
	}
	last := len(d.Guards) - 1
	for i, guard := range d.Guards {
		if i == last {
			break
		}
		if conditions[i] == nil {
			g.Block(tryVariant(guard.Variant)...)
			continue
		}
		g.If(conditions[i]).Block(tryVariant(guard.Variant)...)
	}
	e.presenceFallback(g, d, conditions)
}

// presenceFallback reads the last variant if its guard holds. Otherwise it reads the first
// variant whose guard holds, for its error.
func (e decider) presenceFallback(g *jen.Group, d *ir.ByPresence, conditions []jen.Code) {
	last := len(d.Guards) - 1
	read := func(i int) func(g *jen.Group) {
		return func(g *jen.Group) {
			if e.lenient {
				addAll(g, tryVariant(d.Guards[i].Variant))
				return
			}
			g.Add(readVariant(d.Guards[i].Variant))
			g.Return(jen.Id("v"))
		}
	}
	order := append([]int{last}, seq(last)...)
	for _, i := range order {
		if conditions[i] == nil {
			read(i)(g)
			return
		}
		g.If(conditions[i]).BlockFunc(read(i))
	}
}

func allOf(conditions []jen.Code) jen.Code {
	all := jen.Add(conditions[0])
	for _, c := range conditions[1:] {
		all.Op("&&").Add(c)
	}
	return all
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func hasAll(word int, mask uint64) jen.Code {
	text := fmt.Sprintf("%#b", mask)
	masked := jen.Id(name("has", word)).Op("&").Op(text)
	if bits.OnesCount64(mask) == 1 {
		return masked.Op("!=").Lit(0)
	}
	return masked.Op("==").Op(text)
}

// tryVariant renders code that returns v if the value decodes as the variant.
func tryVariant(v *ir.Variant) []jen.Code {
	declare, target := jen.Var().Id("v").Id(v.Decl.Name), jen.Op("&").Id("v")
	if v.Boxed {
		declare, target = jen.Id("v").Op(":=").New(jen.Id(v.Decl.Name)), jen.Id("v")
	}
	return []jen.Code{declare, jen.If(jen.Id("r").Dot("Try").Call(target)).Block(jen.Return(jen.Id("v")))}
}

func addAll(g *jen.Group, all []jen.Code) {
	for _, c := range all {
		g.Add(c)
	}
}

func (e *emitter) unionEncoder(f *jen.File, d *ir.Decl, t *ir.Union) {
	if !t.Context {
		unknown := "Unknown" + d.Name
		appendFunc(f, jen.Id("x").Op("*").Id(unknown)).Block(
			jen.Return(jen.Qual(wirePath, "AppendRaw").Call(jen.Id("dst"), jen.Id("x").Dot("Raw"))),
		)
	}
}
