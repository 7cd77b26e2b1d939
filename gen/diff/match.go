package diff

import (
	"cmp"
	"slices"
	"strings"
)

// match pairs alternatives that represent the same thing: by name, then by constant members,
// then by similarity.
func (c *comparer) match(old, new []*Alt) (pairs []altPair, gone, come []*Alt) {
	gone, come = slices.Clone(old), slices.Clone(new)
	take := func(o, n *Alt) {
		pairs = append(pairs, altPair{o, n})
		gone = slices.DeleteFunc(gone, func(a *Alt) bool { return a == o })
		come = slices.DeleteFunc(come, func(a *Alt) bool { return a == n })
	}
	if len(old) == 1 && len(new) == 1 && old[0].Kind == new[0].Kind {
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
			score := c.likeness(o, n, 0)
			if score == 0 {
				continue
			}
			if sameConstants(o, n) {
				score += 1e6
			}
			if o.Name != "" && o.Name == n.Name || o.Name == "" && o.of != "" && o.of == n.of {
				score += 1e9
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
	return slices.DeleteFunc(slices.Clone(list), func(a *Alt) bool { return a.Kind != k })
}

// sameConstants reports whether objects have required members with the same single value.
func sameConstants(a, b *Alt) bool {
	if a.Kind != kindObject {
		return false
	}
	return slices.ContainsFunc(a.Object.Members, func(m *member) bool {
		other := b.Object.member(m.Name)
		if !m.Required || other == nil {
			return false
		}
		x, y := m.values(), other.values()
		return len(x) == 1 && slices.Equal(x, y)
	})
}

// pairName returns a key that orders pairs the same way in both directions.
func pairName(p altPair) string {
	a, b := p.old.label()+p.old.Where.Path+p.old.Where.Pointer, p.new.label()+p.new.Where.Path+p.new.Where.Pointer
	return min(a, b) + "\x00" + max(a, b)
}

// likeness returns the similarity of two alternatives; 0 means that they are unrelated.
func (c *comparer) likeness(a, b *Alt, depth int) float64 {
	if a.Kind != b.Kind || depth > 3 {
		return 0
	}
	if have, ok := c.alike[altPair{a, b}]; ok {
		return have
	}
	score := 0.0
	if a.Name != "" && a.Name == b.Name {
		score = 4
	}
	switch a.Kind {
	case kindObject:
		score = objectLikeness(a.Object, b.Object, score)
		if a.Name != "" && b.Name != "" && a.Name != b.Name && !shareRequired(a.Object, b.Object) {
			score = 0 // they are unrelated
		}
	case kindArray:
		score = c.arrayLikeness(a, b, depth, score)
	default:
		score++
		if slices.Equal(a.Values, b.Values) {
			score++
		}
	}
	if depth == 0 {
		c.alike[altPair{a, b}] = score
	}
	return score
}

func (c *comparer) arrayLikeness(a, b *Alt, depth int, score float64) float64 {
	if a.Array.Items == nil || b.Array.Items == nil {
		return score + 1
	}
	for _, x := range a.Array.Items.alts() {
		for _, y := range b.Array.Items.alts() {
			if c.likeness(x, y, depth+1) > 0 {
				return score + 1
			}
		}
	}
	return score
}

func objectLikeness(a, b *object, score float64) float64 {
	var shared, sharedRequired, required float64
	for _, m := range a.Members {
		if m.Required {
			required++
		}
		other := b.member(m.Name)
		if other == nil {
			continue
		}
		shared++
		if m.Required && other.Required {
			sharedRequired++
		}
		x, y := m.values(), other.values()
		if x == nil || y == nil {
			continue
		}
		if !slices.ContainsFunc(x, func(v string) bool { return slices.Contains(y, v) }) {
			if score == 0 {
				return 0
			}
			continue // an unrelated alternative with the same name
		}
		score += 2
	}
	for _, m := range b.Members {
		if other := a.member(m.Name); m.Required && (other == nil || !other.Required) {
			required++
		}
	}
	if shared == 0 && len(a.Members)+len(b.Members) > 0 && score == 0 {
		return 0
	}
	if required > 0 {
		score += 6 * sharedRequired / required
	}
	if all := float64(len(a.Members)+len(b.Members)) - shared; all > 0 {
		score += 2 * shared / all
	}
	return score + 0.1
}

// shareRequired reports whether both objects require some common member, or neither requires
// any.
func shareRequired(a, b *object) bool {
	demands := func(m *member) bool { return m.Required }
	if !slices.ContainsFunc(a.Members, demands) && !slices.ContainsFunc(b.Members, demands) {
		return true
	}
	return slices.ContainsFunc(a.Members, func(m *member) bool {
		other := b.member(m.Name)
		return m.Required && other != nil && other.Required
	})
}

// values returns the values that a member is limited to, or nil.
func (m *member) values() []string {
	if m.Shape.busy || len(m.Shape.alts()) != 1 || m.Shape.alts()[0].Kind == kindBoolean || m.Shape.alts()[0].Kind == kindNull {
		return nil
	}
	return m.Shape.alts()[0].Values
}
