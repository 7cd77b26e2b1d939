package convert

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// union pairs the variants of a union with their counterparts.
func (p *pairing) union(from, to ir.Type, u *ir.Union, up bool) (*Shape, bool) {
	named := declOf(to)
	if !up || named == nil {
		named = declOf(from)
	}
	return p.shape(shapeKey{from: declOf(from), to: declOf(to)}, up, named.Name, func(s *Shape) bool {
		variants := map[*ir.Variant]Case{}
		for _, v := range u.Variants {
			variants[v] = p.variant(from, to, v, s, up)
		}
		s.Cases = cases(u.Decision, Case{}, variants)
		if _, ok := ir.Resolve(to).(*ir.Union); !ok && !u.Context {
			s.Otherwise = "the revision does not define this variant"
		}
		return true
	})
}

// variant decides about a variant of a union whose shape is s.
func (p *pairing) variant(from, to ir.Type, v *ir.Variant, s *Shape, up bool) Case {
	union := declOf(from)
	convert := func(from, to *ir.Decl, up bool) *Shape {
		below, _ := p.value(&ir.Ref{Decl: from}, &ir.Ref{Decl: to}, up, union.Name)
		return below
	}
	other := p.counterpart(v.Decl, up)
	if other != nil && p.allows(to, other) {
		return Case{Shape: convert(v.Decl, other, up)}
	}
	if ir.TypeString(plainType(to)) == ir.TypeString(v.Decl.Type) {
		return Case{}
	}
	r, ok := p.tables.variant(p.newer.ID, union.Name, v.Decl.Name)
	switch {
	case !ok:
		p.fail(union.Name, "%s has neither a counterpart nor a row in the table", v.Decl.Name)
		return Case{}
	case r.as == "":
		return Case{Refuse: r.reason}
	case r.rewrite == "":
		return Case{Shape: convert(v.Decl, p.to(up).Lookup(r.as), up)}
	case r.as == union.Name:
		return Case{Rewrite: r.rewrite, Shape: s}
	}
	rewritten := p.newer.Lookup(r.as)
	return Case{Rewrite: r.rewrite, Shape: convert(rewritten, p.counterpart(rewritten, false), false)}
}

// allows reports whether a declaration is the target type or one of its variants.
func (p *pairing) allows(to ir.Type, d *ir.Decl) bool {
	if declOf(to) == d {
		return true
	}
	u, ok := ir.Resolve(to).(*ir.Union)
	return ok && slices.ContainsFunc(u.Variants, func(v *ir.Variant) bool { return v.Decl == d })
}

// cases turns a decision into a list of cases, of which the first one that matches decides.
// All of them have the conditions of under.
func cases(d ir.Decision, under Case, variants map[*ir.Variant]Case) []Case {
	when := func(more ...Condition) Case { return Case{Kind: under.Kind, When: slices.Concat(under.When, more)} }
	leaf := func(v *ir.Variant, c Case) Case {
		variant := variants[v]
		c.Rewrite, c.Shape, c.Refuse = variant.Rewrite, variant.Shape, variant.Refuse
		return c
	}
	var all []Case
	switch d := d.(type) {
	case *ir.Leaf:
		all = append(all, leaf(d.Variant, under))
	case *ir.ByKind:
		for _, k := range d.Cases {
			all = append(all, cases(k.Then, Case{Kind: k.Kind, When: under.When}, variants)...)
		}
	case *ir.ByConst:
		path := []string{d.Member}
		for _, k := range d.Cases {
			all = append(all, cases(k.Then, when(Condition{Path: path, Is: jsonOf(k.Value)}), variants)...)
		}
		if d.Absent != nil {
			all = append(all, cases(d.Absent, when(Condition{Path: path, Absent: true}), variants)...)
		}
	case *ir.ByPresence:
		for _, g := range d.Guards {
			var present []Condition
			for _, path := range g.Paths {
				present = append(present, Condition{Path: path})
			}
			all = append(all, leaf(g.Variant, when(present...)))
		}
	default:
		panic(fmt.Sprintf("convert: unknown decision %T", d))
	}
	return all
}
