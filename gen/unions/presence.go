package unions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// byPresence sorts the variants from the most to the least demanding. Each one is guarded
// by the members that distinguish it from those after it.
func (d *Decider) byPresence(from []*ir.Variant) ir.Decision {
	rest := slices.Clone(from)
	slices.SortStableFunc(rest, func(a, b *ir.Variant) int {
		return cmp.Or(d.demands(b)-d.demands(a), strings.Compare(a.Decl.Name, b.Decl.Name))
	})
	decision := &ir.ByPresence{}
	for len(rest) > 0 {
		v := rest[0]
		rest = rest[1:]
		guard := ir.Guard{Variant: v}
		rivals := slices.DeleteFunc(slices.Clone(from), func(r *ir.Variant) bool { return r == v })
		when, known := d.when(v)
		for _, rival := range rest {
			other, member := odd(from, v, rival)
			if !tells(v, rival) && (!known || other != nil) { // a constant is never overruled
				if other == nil {
					other, member = open(v, rival)
				}
				d.Fail(v, rival, other, member)
				return decision
			}
		}
		if known && d.needed(v, rest) {
			d.Used(v)
			guard.Paths = telling(v, rest)
			if len(when) > 0 {
				guard.Paths = append(guard.Paths, when)
			}
			decision.Guards = append(decision.Guards, guard)
			continue
		}
		guard.Paths = telling(v, rivals)
		decision.Guards = append(decision.Guards, guard)
	}
	return decision
}

func (d *Decider) when(v *ir.Variant) ([]string, bool) {
	if d.When == nil {
		return nil, false
	}
	return d.When(v)
}

// demands returns the sort key of a variant. Variants with a path from When come first,
// then those with more required members.
func (d *Decider) demands(v *ir.Variant) int {
	n := len(required(v))
	if path, ok := d.when(v); ok {
		n += 1000 + len(path)
	}
	return n
}

// needed reports whether the path from When is necessary to distinguish the variant from a rival.
func (d *Decider) needed(v *ir.Variant, rivals []*ir.Variant) bool {
	return slices.ContainsFunc(rivals, func(r *ir.Variant) bool { return !tells(v, r) })
}

func required(v *ir.Variant) []string {
	o, ok := object(v)
	if !ok {
		return nil
	}
	var names []string
	for _, f := range o.Fields {
		if f.Required {
			names = append(names, f.Wire)
		}
	}
	return names
}

// tells reports whether v requires a member that the rival does not have.
func tells(v, rival *ir.Variant) bool {
	return slices.ContainsFunc(required(v), func(name string) bool { return rival.Decl.Field(name) == nil })
}

// telling returns a small set of members that v requires and that no rival has all of. It
// is a single member if one is unknown to all rivals.
func telling(v *ir.Variant, rivals []*ir.Variant) [][]string {
	unknownTo := func(name string) int {
		n := 0
		for _, r := range rivals {
			if r.Decl.Field(name) == nil {
				n++
			}
		}
		return n
	}
	names := required(v)
	slices.SortStableFunc(names, func(a, b string) int { return unknownTo(b) - unknownTo(a) })
	var paths [][]string
	left := slices.Clone(rivals)
	for _, name := range names {
		before := len(left)
		left = slices.DeleteFunc(left, func(r *ir.Variant) bool { return r.Decl.Field(name) == nil })
		if len(left) < before {
			paths = append(paths, []string{name})
		}
	}
	return paths
}
