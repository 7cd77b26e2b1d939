package emit

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/ir"
)

// decoderName names the function that decodes a union without a box.
func decoderName(d *ir.Decl) string { return "decode" + d.Name }

// readUnion renders an expression that reads a union.
func readUnion(d *ir.Decl) string {
	if d.Type.(*ir.Union).Box {
		return newBox(d, "") + ".Read(r)"
	}
	return decoderName(d) + "(r)"
}

// newBox renders the box of a value.
func newBox(d *ir.Decl, value string) string { return qualified(d, boxName(d)) + "{" + value + "}" }

func (e *emitter) unionDecoder(f *jen.File, d *ir.Decl, t *ir.Union) {
	head := decoderName(d)
	if t.Box {
		head = "(" + codecName(d) + ") Decode"
	}
	body := decider{lenient: t.Lenient}.decision(t.Decision)
	if !t.Context {
		body += "return &Unknown" + d.Name + "{Raw: r.ReadRaw()}\n"
	}
	f.Line().Add(code.Go("func $1(r *wire.Reader) $2 {\n$3}", head, d.Name, body))
}

// decider renders the code that selects the variant of a union.
type decider struct {
	// lenient means that a value that is not valid for its variant decodes to the unknown
	// variant.
	lenient bool
}

// decision renders the code that selects a variant. If it falls through, the variant is
// unknown.
func (e decider) decision(d ir.Decision) string {
	switch d := d.(type) {
	case *ir.Leaf:
		return e.read(d.Variant)
	case *ir.ByKind:
		var w code.Writer
		w.P("switch r.Kind() {")
		for _, c := range d.Cases {
			w.Case(code.Kind(string(c.Kind)), e.decision(c.Then))
		}
		w.P("}")
		return w.String()
	case *ir.ByConst:
		return e.byConst(d)
	case *ir.ByPresence:
		return e.byPresence(d)
	}
	return ""
}

// read renders code that returns the value as a variant. Objects are allocated, because the union
// holds them by pointer; other types are held by value.
func (e decider) read(v *ir.Variant) string {
	if e.lenient {
		return tryVariant(v)
	}
	declare := "var v " + v.Decl.Name
	if v.Boxed {
		declare = "v := new(" + v.Decl.Name + ")"
	}
	return declare + "\nv.DecodeJSON(r)\nreturn v\n"
}

func (e decider) byConst(d *ir.ByConst) string {
	peek, found := "PeekString", "_"
	if _, ok := d.Cases[0].Value.(int64); ok {
		peek = "PeekInt64"
	}
	if d.Absent != nil {
		found = "ok"
	}
	var w code.Writer
	w.P("tag, %s := r.%s(%q)\nswitch tag {", found, peek, d.Member)
	for _, cases := range sameAnswer(d.Cases) {
		var values []string
		for _, c := range cases {
			values = append(values, code.Literal(c.Value))
		}
		w.Case(strings.Join(values, ", "), e.decision(cases[0].Then))
	}
	w.P("}")
	if d.Absent != nil {
		w.P("if !ok && r.PeekAbsent(%q) {\n%s}", d.Member, e.decision(d.Absent))
	}
	return w.String()
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
func (e decider) byPresence(d *ir.ByPresence) string {
	var names []string
	bit := func(name string) int {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return slices.Index(names, name)
	}
	conditions := make([]string, len(d.Guards))
	for i, guard := range d.Guards {
		masks := map[int]uint64{}
		var deep []string
		for _, path := range guard.Paths {
			if len(path) == 1 {
				b := bit(path[0])
				masks[b/64] |= 1 << (b % 64)
				continue
			}
			deep = append(deep, "r.PeekPath("+code.Quoted(path)+")")
		}
		var all []string
		for _, word := range slices.Sorted(maps.Keys(masks)) {
			all = append(all, hasAll(word, masks[word]))
		}
		conditions[i] = strings.Join(append(all, deep...), " && ")
	}
	var w code.Writer
	word := 0
	for chunk := range slices.Chunk(names, 64) { // the most names that PeekHas takes
		w.P("%s := r.PeekHas(%s)", name("has", word), code.Quoted(chunk))
		word++
	}
	last := len(d.Guards) - 1
	for i, guard := range d.Guards[:last] {
		if conditions[i] == "" {
			w.P("{\n%s}", tryVariant(guard.Variant))
		} else {
			w.P("if %s {\n%s}", conditions[i], tryVariant(guard.Variant))
		}
	}
	// The last variant is read if its guard holds. Otherwise the first one whose guard holds is read, for its error.
	for n := range d.Guards {
		i := (n + last) % len(d.Guards)
		if conditions[i] == "" {
			w.WriteString(e.read(d.Guards[i].Variant))
			break
		}
		w.P("if %s {\n%s}", conditions[i], e.read(d.Guards[i].Variant))
	}
	return w.String()
}

func hasAll(word int, mask uint64) string {
	masked := fmt.Sprintf("%s&%#b", name("has", word), mask)
	if bits.OnesCount64(mask) == 1 {
		return masked + " != 0"
	}
	return fmt.Sprintf("%s == %#b", masked, mask)
}

// tryVariant renders code that returns v if the value decodes as the variant.
func tryVariant(v *ir.Variant) string {
	declare, target := "var v "+v.Decl.Name, "&v"
	if v.Boxed {
		declare, target = "v := new("+v.Decl.Name+")", "v"
	}
	return declare + "\nif r.Try(" + target + ") {\nreturn v\n}\n"
}
