package convert

import (
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// match returns the one of the candidates that the values of a type become, or nil: the one
// with the same name, with the same structure, with the same constants, or with the same
// kinds of values. If weak is set, the only candidate need not have equal constants.
func (p *pairing) match(from ir.Type, candidates []ir.Type, up, weak bool) ir.Type {
	if d := declOf(from); d != nil {
		if other := p.counterpart(d, up); other != nil {
			for _, c := range candidates {
				if declOf(c) == other {
					return c
				}
			}
		}
	}
	for _, c := range candidates {
		if same(from, c, map[[2]*ir.Decl]bool{}) {
			return c
		}
	}
	found := slices.DeleteFunc(slices.Clone(candidates), func(c ir.Type) bool { return !alike(from, c, weak && len(candidates) == 1) })
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// targets returns the types that a value of the type may have: the variants of a union, or the
// type itself.
func targets(t ir.Type) []ir.Type {
	u, ok := ir.Resolve(t).(*ir.Union)
	if !ok {
		return []ir.Type{t}
	}
	var all []ir.Type
	for _, v := range u.Variants {
		all = append(all, &ir.Ref{Decl: v.Decl})
	}
	return all
}

// alike reports whether values of a may become values of b. Objects must have equal
// constants, or if weak is set, none that differ.
func alike(a, b ir.Type, weak bool) bool {
	x, xok := ir.Resolve(a).(*ir.Object)
	y, yok := ir.Resolve(b).(*ir.Object)
	if xok && yok {
		equal := false
		for _, f := range x.Fields {
			g := y.Field(f.Wire)
			if g == nil || f.Const == nil || g.Const == nil {
				continue
			}
			if f.Const != g.Const {
				return false
			}
			equal = true
		}
		return equal || weak
	}
	return !xok && !yok && slices.ContainsFunc(ir.Kinds(a), func(k ir.Kind) bool { return slices.Contains(ir.Kinds(b), k) })
}

// same reports whether two types have the same values. Names do not matter. The seen pairs of
// declarations are taken to be the same.
func same(a, b ir.Type, seen map[[2]*ir.Decl]bool) bool {
	if x, y := declOf(a), declOf(b); x != nil && y != nil {
		if seen[[2]*ir.Decl{x, y}] {
			return true
		}
		seen[[2]*ir.Decl{x, y}] = true
	}
	switch x := ir.Resolve(a).(type) {
	case *ir.Object:
		y, ok := ir.Resolve(b).(*ir.Object)
		return ok && x.Loose == y.Loose && x.Closed == y.Closed && sameOthers(x.Additional, y.Additional, seen) &&
			slices.EqualFunc(x.Fields, y.Fields, func(f, g *ir.Field) bool {
				return f.Wire == g.Wire && f.Required == g.Required && f.Const == g.Const && f.Default == g.Default && same(f.Type, g.Type, seen)
			})
	case *ir.Union:
		y, ok := ir.Resolve(b).(*ir.Union)
		return ok && x.Context == y.Context && slices.EqualFunc(x.Variants, y.Variants, func(v, w *ir.Variant) bool {
			return same(&ir.Ref{Decl: v.Decl}, &ir.Ref{Decl: w.Decl}, seen)
		})
	case *ir.Array:
		y, ok := ir.Resolve(b).(*ir.Array)
		return ok && x.Length == y.Length && same(x.Elem, y.Elem, seen)
	case *ir.Map:
		y, ok := ir.Resolve(b).(*ir.Map)
		return ok && same(x.Elem, y.Elem, seen)
	case *ir.Nullable:
		y, ok := ir.Resolve(b).(*ir.Nullable)
		return ok && same(x.Elem, y.Elem, seen)
	case *ir.Enum:
		y, ok := ir.Resolve(b).(*ir.Enum)
		return ok && slices.Equal(leafOf(x).Values, leafOf(y).Values)
	default:
		return ir.TypeString(x) == ir.TypeString(ir.Resolve(b))
	}
}

func sameOthers(a, b ir.Type, seen map[[2]*ir.Decl]bool) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return same(a, b, seen)
}

// declOf returns the declaration that a type refers to, through all of its other names, or nil.
func declOf(t ir.Type) *ir.Decl {
	var d *ir.Decl
	for {
		ref, ok := t.(*ir.Ref)
		if !ok {
			return d
		}
		d, t = ref.Decl, ref.Decl.Type
	}
}
