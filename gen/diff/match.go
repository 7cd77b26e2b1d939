package diff

import (
	"cmp"
	"slices"
	"strings"
)

// pair is what two sides have of the same thing.
type pair[T any] struct{ old, new T }

// mostAlike pairs the items of two lists that are the most alike, and returns those that are left. Items with the
// score 0 are no pair. The key of two items, which is the same in both directions, decides between equal scores.
func mostAlike[T comparable](old, new []T, score func(o, n T) float64, key func(o, n T) string) (pairs []pair[T], gone, come []T) {
	type scored struct {
		pair[T]
		score float64
	}
	var candidates []scored
	for _, o := range old {
		for _, n := range new {
			if score := score(o, n); score > 0 {
				candidates = append(candidates, scored{pair[T]{o, n}, score})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(key(a.old, a.new), key(b.old, b.new)))
	})
	gone, come = slices.Clone(old), slices.Clone(new)
	for _, c := range candidates {
		if o, n := slices.Index(gone, c.old), slices.Index(come, c.new); o >= 0 && n >= 0 {
			pairs, gone, come = append(pairs, c.pair), slices.Delete(gone, o, o+1), slices.Delete(come, n, n+1)
		}
	}
	return pairs, gone, come
}

// match pairs alternatives that represent the same thing: by name, then by constant members,
// then by similarity.
func match(old, new []*Alt) (pairs []pair[*Alt], gone, come []*Alt) {
	if len(old) == 1 && len(new) == 1 && old[0].kinds == new[0].kinds {
		return []pair[*Alt]{{old[0], new[0]}}, nil, nil
	}
	pairs, gone, come = mostAlike(old, new, func(o, n *Alt) float64 {
		score := likeness(o, n, 0)
		if score > 0 && o.Name == "" && o.of != "" && o.of == n.of {
			score += sameName
		}
		return score
	}, pairName)
	// Alternatives of a kind that are left over form a pair if each side has one. Objects with
	// names must be similar.
	for _, k := range allKinds {
		o, n := ofKind(gone, k), ofKind(come, k)
		if len(o) == 1 && len(n) == 1 && len(ofKind(old, k)) == 1 && len(ofKind(new, k)) == 1 && (k != kindObject || o[0].Name+n[0].Name == "") {
			pairs = append(pairs, pair[*Alt]{o[0], n[0]})
			gone = slices.DeleteFunc(gone, func(a *Alt) bool { return a == o[0] })
			come = slices.DeleteFunc(come, func(a *Alt) bool { return a == n[0] })
		}
	}
	return pairs, gone, come
}

func ofKind(list []*Alt, k kind) []*Alt {
	return slices.DeleteFunc(slices.Clone(list), func(a *Alt) bool { return a.kinds != k })
}

// pairName returns a key that orders pairs the same way in both directions.
func pairName(o, n *Alt) string {
	return inEither(o.label()+o.Where.Path+o.Where.Pointer, n.label()+n.Where.Path+n.Where.Pointer)
}

// inEither returns two texts in the same order, whichever is that of the old side.
func inEither(a, b string) string { return min(a, b) + separator + max(a, b) }

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
