package convert

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/spec"
)

// union pairs the variants of a union with their counterparts.
func (p *pairing) union(from, to ir.Type, u *ir.Union, up bool) *Shape {
	named := declOf(to)
	if !up || named == nil {
		named = declOf(from)
	}
	return p.shape(shapeKey{from: declOf(from), to: declOf(to)}, direction(up)+named.Name, func(s *Shape) {
		variants := map[*ir.Variant]Case{}
		considered := u.Variants
		if u.Context {
			considered = considered[:1] // the one that accepts every value
		}
		for _, v := range considered {
			variants[v] = p.variant(from, to, v, s, up)
		}
		s.Cases = cases(u.Decision, Case{}, variants)
		if _, ok := ir.Resolve(to).(*ir.Union); !ok && !u.Context {
			s.Otherwise = "the revision does not define this variant"
		}
	})
}

// variant decides how a variant of a union, whose shape is s, is converted.
func (p *pairing) variant(from, to ir.Type, v *ir.Variant, s *Shape, up bool) Case {
	union, this := declOf(from), &ir.Ref{Decl: v.Decl}
	at := p.definition(p.newerDecl(from, to, up).Name)
	candidates := targets(to)
	if other := p.counterpart(v.Decl, up); other != nil {
		i := slices.IndexFunc(candidates, func(c ir.Type) bool { return declOf(c) == other })
		if i >= 0 {
			return Case{Shape: p.value(this, candidates[i], up, at)}
		}
	}
	row := func(variant, into string) *spec.VariantRow {
		return p.tables.variant(p.newer.ID, union.Name, variant, into)
	}
	into := "" // unless it is the same union
	if d := declOf(to); d != nil && p.counterpart(union, up) != d {
		into = d.Name
	}
	r := row(v.Decl.Name, into)
	candidates = p.unclaimed(candidates, union, up)
	if target := p.match(this, candidates, up, false); r == nil && target != nil {
		return Case{Shape: p.value(this, target, up, at)}
	}
	for _, name := range []string{v.Decl.Name, "*"} {
		for _, into := range []string{into, ""} {
			if r == nil {
				r = row(name, into)
			}
		}
	}
	if _, ok := ir.Resolve(to).(*ir.Union); r == nil && !ok {
		if target := p.match(this, candidates, up, true); target != nil {
			return Case{Shape: p.value(this, target, up, at)}
		}
	}
	switch {
	case r == nil:
		columns := []string{"union", union.Name, "variant", v.Decl.Name}
		if into != "" {
			columns = append(columns, "into", into)
		}
		p.gap(up, place{path: at.path, row: p.rowFor("variants", columns...)}, "the variant "+v.Decl.Name+" is refused")
		return Case{Refuse: "not bridged, because the other revision does not have the variant " + v.Decl.Name + " and no row of convert.yaml says how"}
	case r.As == "":
		return Case{Refuse: r.Reason}
	case r.Rewrite != "" && r.As == union.Name:
		return Case{Rewrite: r.Rewrite, Shape: s}
	}
	of := p.to(up)
	if r.Rewrite != "" {
		of = p.to(!up)
	}
	as := of.Lookup(r.As)
	if as == nil {
		p.tables.fail(&r.StepRow, "revision %s does not define %s", of.ID, r.As)
		return Case{}
	}
	c := Case{Rewrite: r.Rewrite}
	target := ir.Type(&ir.Ref{Decl: as})
	if r.Rewrite != "" {
		this = &ir.Ref{Decl: as}
		if target = p.match(this, targets(to), up, true); target == nil {
			p.tables.fail(&r.StepRow, "%s is no variant of %s in the other revision", r.As, typeName(to))
			return Case{}
		}
	}
	c.Shape = p.value(this, target, up, at)
	return c
}

// unclaimed returns the candidates that do not have the name of a variant of the union.
func (p *pairing) unclaimed(candidates []ir.Type, union *ir.Decl, up bool) []ir.Type {
	return slices.DeleteFunc(candidates, func(c ir.Type) bool {
		return slices.ContainsFunc(union.Type.(*ir.Union).Variants, func(v *ir.Variant) bool {
			other := p.counterpart(v.Decl, up)
			return other != nil && declOf(c) == other
		})
	})
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
