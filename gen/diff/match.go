package diff

import (
	"cmp"
	"slices"
	"strings"
)

// match pairs alternatives that represent the same thing: by name, then by constant members,
// then by similarity.
func match(old, new []*Alt) (pairs []altPair, gone, come []*Alt) {
	gone, come = slices.Clone(old), slices.Clone(new)
	take := func(o, n *Alt) {
		pairs = append(pairs, altPair{o, n})
		gone = slices.DeleteFunc(gone, func(a *Alt) bool { return a == o })
		come = slices.DeleteFunc(come, func(a *Alt) bool { return a == n })
	}
	if len(old) == 1 && len(new) == 1 && old[0].kinds == new[0].kinds {
		take(old[0], new[0])
		return pairs, gone, come
	}
	type scored struct {
		altPair
		score float64
	}
	var candidates []scored
	for _, o := range old {
		for _, n := range new {
			score := likeness(o, n, 0)
			if score == 0 {
				continue
			}
			if o.Name == "" && o.of != "" && o.of == n.of {
				score += sameName
			}
			candidates = append(candidates, scored{altPair{o, n}, score})
		}
	}
	slices.SortStableFunc(candidates, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(pairName(a.altPair), pairName(b.altPair)))
	})
	for _, s := range candidates {
		if slices.Contains(gone, s.old) && slices.Contains(come, s.new) {
			take(s.old, s.new)
		}
	}
	// Alternatives of a kind that are left over form a pair if each side has one. Objects with
	// names must be similar.
	for _, k := range allKinds {
		o, n := ofKind(gone, k), ofKind(come, k)
		if len(o) == 1 && len(n) == 1 && len(ofKind(old, k)) == 1 && len(ofKind(new, k)) == 1 && (k != kindObject || o[0].Name+n[0].Name == "") {
			take(o[0], n[0])
		}
	}
	return pairs, gone, come
}

func ofKind(list []*Alt, k kind) []*Alt {
	return slices.DeleteFunc(slices.Clone(list), func(a *Alt) bool { return a.kinds != k })
}

// pairName returns a key that orders pairs the same way in both directions.
func pairName(p altPair) string {
	a, b := p.old.label()+p.old.Where.Path+p.old.Where.Pointer, p.new.label()+p.new.Where.Path+p.new.Where.Pointer
	return min(a, b) + "\x00" + max(a, b)
}

// The likeness of alternatives that have the same name, and of objects that have a required member with the same
// single value.
const (
	sameName     = 1e9
	sameConstant = 1e6
)

// likeness returns the similarity of two alternatives; 0 means that they are unrelated.
func likeness(a, b *Alt, depth int) float64 {
	switch {
	case a.kinds != b.kinds || depth > 3:
		return 0
	case a.Name != "" && a.Name == b.Name:
		return sameName
	case a.kinds == kindObject:
		return objectLikeness(a, b)
	case a.kinds == kindArray && a.Array.Items != nil && b.Array.Items != nil:
		for _, x := range a.Array.Items.alts() {
			if slices.ContainsFunc(b.Array.Items.alts(), func(y *Alt) bool { return likeness(x, y, depth+1) > 0 }) {
				return 1
			}
		}
		return 0
	case slices.Equal(a.Values, b.Values):
		return 2
	}
	return 1
}

// objectLikeness is likeness for objects without a common name.
func objectLikeness(a, b *Alt) float64 {
	var score, shared, sharedRequired, required float64
	all := len(b.Object.Members)
	for _, m := range b.Object.Members {
		if other := a.Object.member(m.Name); m.Required && (other == nil || !other.Required) {
			required++
		}
	}
	for _, m := range a.Object.Members {
		if m.Required {
			required++
		}
		other := b.Object.member(m.Name)
		if other == nil {
			all++
			continue
		}
		shared++
		if m.Required && other.Required {
			sharedRequired++
		}
		x, y := m.values(), other.values()
		alike := slices.ContainsFunc(x, func(v string) bool { return slices.Contains(y, v) })
		switch {
		case x == nil || y == nil:
		case alike && m.Required && len(x) == 1 && len(y) == 1:
			score += sameConstant
		case alike:
			score += 2
		case score == 0:
			return 0
		}
	}
	switch {
	case shared == 0 && all > 0, a.Name != "" && b.Name != "" && required > 0 && sharedRequired == 0:
		return 0
	case required > 0:
		score += 6 * sharedRequired / required
	}
	return score + 2*shared/max(1, float64(all)) + 0.1
}

// values returns the values that a member is limited to, or nil.
func (m *member) values() []string {
	if m.Shape.busy || len(m.Shape.alts()) != 1 || m.Shape.alts()[0].kinds == kindBoolean || m.Shape.alts()[0].kinds == kindNull {
		return nil
	}
	return m.Shape.alts()[0].Values
}
