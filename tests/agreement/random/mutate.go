package random

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The classes of strays. The names are those of the deviations in spec/errata.yaml.
const (
	Int64Range       = "int64-range"
	Float64Range     = "float64-range"
	Float64Precision = "float64-precision"
	NestingDepth     = "nesting-depth"
	URITemplate      = "uri-template"
)

// change is a named way to change a value in place.
type change struct {
	name  string
	apply func(v *Value)
}

// places returns the whole value and those in it whose type is known, outermost first.
func places(root *Value) []*Value {
	var all []*Value
	root.Walk(func(v *Value) {
		if v.Type != nil || v == root {
			all = append(all, v)
		}
	})
	return all
}

// mutate changes one place of the value. The root is more likely than other places.
func (s *Source) mutate(c *Case) {
	all := places(c.Tree)
	if len(all) == 0 {
		return
	}
	at := all[0]
	if s.chance(0.75) {
		at = pick(s, all)
	}
	ch := pick(s, s.changes(at))
	ch.apply(at)
	c.Mutations = append(c.Mutations, ch.name)
	if isTemplate(at.Type) {
		c.Strays = append(c.Strays, URITemplate)
	}
}

// stray gives one place a value that the project treats differently from the schema.
func (s *Source) stray(c *Case) {
	type candidate struct {
		name  string
		apply func()
	}
	var candidates []candidate
	deep := s.chance(0.02) // Large values need only a few mutations.
	for _, v := range places(c.Tree) {
		set := func(name, token string) {
			candidates = append(candidates, candidate{name, func() { become(v, scalar(ir.KindNumber, token)) }})
		}
		switch t := v.Type.(type) {
		case *ir.Integer:
			if v.Field == nil || v.Field.Const == nil {
				set(Int64Range, s.beyondInt64())
			}
		case *ir.Number:
			if t.Bounds == (ir.Bounds{}) {
				set(Float64Range, pick(s, []string{"1e400", "-1e309", "1.8e308"}))
				set(Float64Precision, pick(s, []string{"3.14159265358979323846", "1e-400", "9007199254740993"}))
			}
			set(Float64Precision, s.justOutside(t.Bounds))
		case *ir.String:
			if isTemplate(t) {
				candidates = append(candidates, candidate{URITemplate, func() { v.Text = s.template() }})
			}
		case *ir.Object:
			if deep && field(t, "deep") == nil {
				candidates = append(candidates, candidate{NestingDepth, func() { v.set("deep", nested(1001)) }})
			}
		}
	}
	if len(candidates) == 0 {
		s.mutate(c)
		return
	}
	ch := pick(s, candidates)
	ch.apply()
	c.Mutations = append(c.Mutations, ch.name)
	c.Strays = append(c.Strays, ch.name)
}

func isTemplate(t ir.Type) bool {
	text, ok := t.(*ir.String)
	return ok && text.Format == "uri-template"
}

// nested returns an array with the given nesting depth.
func nested(levels int) *Value {
	v := &Value{Kind: ir.KindArray}
	for range levels - 1 {
		v = &Value{Kind: ir.KindArray, Elements: []*Value{v}}
	}
	return v
}

// changes returns the possible changes of a value.
func (s *Source) changes(v *Value) []change {
	list := []change{
		{"retype", s.retype},
		{"null", func(v *Value) { become(v, scalar(ir.KindNull, "null")) }},
	}
	add := func(ok bool, weight int, name string, apply func(*Value)) {
		for ; ok && weight > 0; weight-- {
			list = append(list, change{name, apply})
		}
	}
	if v.Field != nil && v.Field.Const != nil {
		add(true, 4, "const", s.wrongConst)
		return list
	}
	if v.Kind == ir.KindNull {
		return list
	}
	switch t := v.Type.(type) {
	case *ir.Object:
		has := len(v.Members) > 0
		add(has, 2, "drop", s.drop)
		add(has, 1, "rename", s.rename)
		add(true, 1, "unknown member", func(v *Value) { s.addUnknown(v, t) })
		add(t.Additional != nil || t.Closed, 4, "any unknown member", func(v *Value) { v.set(s.unknownName(), s.any(2)) })
		add(len(t.Fields) > 0, 2, "any for member", func(v *Value) { v.set(pick(s, t.Fields).Wire, s.any(2)) })
		add(len(v.Choices) > 0, 4, "discriminator", s.swapDiscriminator)
		add(len(v.Choices) > 0, 4, "sibling", s.addSibling)
	case *ir.Enum:
		add(true, 4, "enum", s.wrongEnum)
	case *ir.String:
		add(t.Format != "" && t.Format != "byte", 8, "format", func(v *Value) { v.Text = s.deformed(t.Format) })
		add(t.Length != ir.Count{} || t.Pattern != "", 4, "text", func(v *Value) { v.Text = s.broken(v.Text) })
		add(t.Length.Max > 0, 4, "too long", func(v *Value) { v.Text += strings.Repeat("ä", 1+t.Length.Max) })
		add(t.Length.Min > 0, 4, "too short", func(v *Value) { v.Text = string([]rune(v.Text)[:s.rng.IntN(t.Length.Min)]) })
	case *ir.Integer:
		add(v.Kind == ir.KindNumber, 3, "not an integer", func(v *Value) { v.Text = s.notInteger() })
		add(t.Bounds != ir.Bounds{}, 4, "bounds", func(v *Value) { become(v, scalar(ir.KindNumber, s.outside(t.Bounds))) })
	case *ir.Number:
		add(t.Bounds != ir.Bounds{}, 6, "bounds", func(v *Value) { become(v, scalar(ir.KindNumber, s.outside(t.Bounds))) })
	case *ir.Scalar:
		add(t.Kinds&(wire.KindInteger|wire.KindNumber) == wire.KindInteger, 2, "not an integer", func(v *Value) { become(v, scalar(ir.KindNumber, s.notInteger())) })
	case *ir.Array:
		add(true, 3, "any for element", func(v *Value) { v.Elements = append(v.Elements, s.any(2)) })
		add(t.Length.Min > 0, 4, "too few", func(v *Value) { v.Elements = v.Elements[:min(len(v.Elements), s.rng.IntN(t.Length.Min))] })
		add(t.Length.Max > 0, 4, "too many", func(v *Value) {
			for len(v.Elements) <= t.Length.Max {
				v.Elements = append(v.Elements, s.value(t.Elem, nil))
			}
		})
	case *ir.Map:
		add(true, 3, "any for value", func(v *Value) { v.set(s.unknownName(), s.any(2)) })
	}
	return list
}

// become replaces a value with one that has no schema.
func become(v, other *Value) {
	other.Field = v.Field
	*v = *other
}

// retype replaces a value with one of another type.
func (s *Source) retype(v *Value) {
	kinds := []ir.Kind{ir.KindNull, ir.KindBoolean, ir.KindNumber, ir.KindString, ir.KindArray, ir.KindObject}
	kinds = slices.DeleteFunc(kinds, func(k ir.Kind) bool { return k == v.Kind })
	become(v, s.ofKind(pick(s, kinds), 2))
}

func (s *Source) drop(v *Value) {
	i := s.rng.IntN(len(v.Members))
	v.Members = slices.Delete(v.Members, i, i+1)
}

// rename gives a member a name similar to its own.
func (s *Source) rename(v *Value) {
	m := &v.Members[s.rng.IntN(len(v.Members))]
	name := pick(s, []string{strings.ToUpper(m.Name), capital(m.Name), m.Name + " ", strings.Replace(m.Name, "s", "\u017f", 1)})
	if v.index(name) < 0 {
		m.Name = name
	}
}

func capital(name string) string {
	if name == "" {
		return "_"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// wrongConst replaces a const with one of another variant or with an unknown one.
func (s *Source) wrongConst(v *Value) {
	if v.Kind == ir.KindNumber {
		v.Text = pick(s, []string{"0", "1", "-32041", "-32042.5", "3.2042e4"})
		return
	}
	v.Text = pick(s, []string{"", strings.ToUpper(v.Text), v.Text + " ", "unknown", s.otherConst(v.Field.Wire)})
}

// otherConst returns a const that another declaration has for a member of the same name, or "" if
// there is none: a package of an extension has members of types that it does not declare.
func (s *Source) otherConst(member string) string {
	var all []string
	for _, d := range s.rev.Decls {
		for _, f := range fields(d.Type) {
			if c, ok := f.Const.(string); ok && f.Wire == member {
				all = append(all, c)
			}
		}
	}
	if all == nil {
		return ""
	}
	return pick(s, all)
}

func (s *Source) wrongEnum(v *Value) {
	v.Text = pick(s, []string{"", strings.ToUpper(v.Text), v.Text + "s", "unknown"})
}

// sibling returns another variant of the unions that the value was generated for.
func (s *Source) sibling(v *Value) *ir.Decl {
	return pick(s, pick(s, v.Choices).Union.Type.(*ir.Union).Variants).Decl
}

// swapDiscriminator replaces the members with few possible values by those of a sibling.
func (s *Source) swapDiscriminator(v *Value) {
	for _, f := range fields(s.sibling(v).Type) {
		_, enum := ir.Resolve(f.Base()).(*ir.Enum)
		if f.Const != nil || enum {
			v.set(f.Wire, s.member(f))
		}
	}
}

// addSibling adds members of a sibling and replaces some of the value's own.
func (s *Source) addSibling(v *Value) {
	sibling := &ir.Ref{Decl: s.sibling(v)}
	if !s.Possible(sibling) {
		return
	}
	s.room = 10
	other := s.value(sibling, nil)
	keep := s.chance(0.7)
	for _, m := range other.Members {
		if v.index(m.Name) < 0 || !keep && s.chance(0.5) {
			v.set(m.Name, m.Value)
		}
	}
	if s.chance(0.2) && len(v.Members) > 0 {
		v.set(pick(s, v.Members).Name, s.any(1))
	}
}
