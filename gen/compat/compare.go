package compat

import (
	"slices"
	"strings"
)

// change is what differs at one place, before it is known where values of the
// place are sent.
type change struct {
	rule     string
	guard    string
	subject  string
	old, new Place
	args     []string
	// narrow are values the old side may send and the new one refuses, widen
	// those the new side may send and the old one refuses: first of the place
	// itself, then, on the way up, of all that is around it.
	narrow, widen []any
	// lostNarrow and lostWiden say that there were such values until a union was
	// met that takes them for something else.
	lostNarrow, lostWiden bool
	// unproven says that there need be no such values: they would be too large, or
	// nobody knows them.
	unproven bool
}

// flip is the change of the comparison the other way round.
func (c *comparer) flip(list []*change) []*change {
	out := make([]*change, len(list))
	for i, ch := range list {
		rule := c.rules.rule(ch.rule)
		out[i] = &change{
			rule: rule.Mirror, guard: ch.guard, subject: ch.subject, old: ch.new, new: ch.old,
			narrow: ch.widen, widen: ch.narrow, lostNarrow: ch.lostWiden, lostWiden: ch.lostNarrow,
			args: rule.flip(ch.args), unproven: ch.unproven,
		}
	}
	return out
}

// comparer compares shapes of two sides.
type comparer struct {
	rules ruleTable
	make  *maker
	// dropped is the guard of a member that one side does not know.
	dropped string
	// told has what is known of pairs of alternatives.
	told map[altPair][]*change
	// stack are the pairs that are being compared; low is the lowest of them that
	// was met again below.
	stack []altPair
	low   int
	// swapped is the comparer of the sides the other way round.
	swapped *comparer
}

type altPair struct{ old, new *Alt }

func newComparer(dropped string) *comparer {
	m := newMaker()
	rules := newRuleTable()
	c := &comparer{rules: rules, make: m, dropped: dropped, told: map[altPair][]*change{}}
	c.swapped = &comparer{rules: rules, make: m, dropped: dropped, told: map[altPair][]*change{}, swapped: c}
	return c
}

// shapes compares two shapes that stand at the same place.
func (c *comparer) shapes(old, new *Shape) []*change {
	if old == new {
		return nil
	}
	return append(c.about(old, new), c.values(old, new)...)
}

// values compares the values of two shapes.
func (c *comparer) values(old, new *Shape) []*change {
	switch o, n := old.untyped(), new.untyped(); {
	case o && n:
		return c.opaque(old, new, old.Alts, new.Alts)
	case o || n:
		return append(c.anyAndTyped(old, new), c.opaque(old, new, old.Alts, new.Alts)...)
	}
	pairs, gone, come := c.match(old.Alts, new.Alts)
	if len(pairs) == 0 && len(gone) == 1 && len(come) == 1 && gone[0].Kind != come[0].Kind {
		return append(c.opaque(old, new, old.Alts, new.Alts), &change{
			rule: "type-changed", subject: new.Where.Path, old: old.Where, new: new.Where, args: []string{gone[0].label(), come[0].label()},
			narrow: few(new.refused(c.make.all(old))), widen: few(old.refused(c.make.all(new))),
		})
	}
	var all []*change
	for _, p := range pairs {
		all = append(all, c.alts(p.old, p.new)...)
	}
	for _, a := range gone {
		all = append(all, c.gone(a, old, new)...)
	}
	for _, a := range come {
		all = append(all, c.flip(c.swapped.gone(a, new, old))...)
	}
	return through(all, old, new)
}

// through keeps the values that the whole of the other shape refuses too, and
// the changes that are still something then: a value that another alternative
// takes for just what it is has not changed.
func through(list []*change, old, new *Shape) []*change {
	var out []*change
	for _, ch := range list {
		kept := *ch
		var narrowKnown, widenKnown bool
		kept.narrow, narrowKnown = new.refusedOrKnown(ch.narrow)
		kept.widen, widenKnown = old.refusedOrKnown(ch.widen)
		kept.lostNarrow = ch.lostNarrow || len(ch.narrow) > 0 && len(kept.narrow) == 0 && !narrowKnown
		kept.lostWiden = ch.lostWiden || len(ch.widen) > 0 && len(kept.widen) == 0 && !widenKnown
		had := len(ch.narrow)+len(ch.widen) > 0
		if had && len(kept.narrow)+len(kept.widen) == 0 && !kept.lostNarrow && !kept.lostWiden {
			continue
		}
		out = append(out, &kept)
	}
	return out
}

// refusedOrKnown returns the values that the shape refuses; where there are
// none, whether it knows all there is in them.
func (s *Shape) refusedOrKnown(values []any) (refused []any, known bool) {
	refused = s.refused(values)
	if len(refused) > 0 {
		return refused, false
	}
	for _, v := range values {
		if !s.knows(v) {
			return nil, false
		}
	}
	return nil, true
}

func (c *comparer) anyAndTyped(old, new *Shape) []*change {
	if old.untyped() {
		return []*change{{
			rule: "type-closed", subject: new.Where.Path, old: old.Where, new: new.Where, args: []string{new.label()},
			narrow: few(new.refused(c.make.all(old))),
		}}
	}
	return []*change{{
		rule: "type-opened", subject: new.Where.Path, old: old.Where, new: new.Where, args: []string{old.label()},
		widen: few(old.refused(c.make.all(new))),
	}}
}

// label says in a word or two what a shape is.
func (s *Shape) label() string {
	var labels []string
	for _, a := range s.Alts {
		if label := a.label(); !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	if len(labels) == 0 {
		return "nothing"
	}
	return strings.Join(labels, " or ")
}

func (a *Alt) label() string {
	switch {
	case a.Name != "":
		return a.Name
	case a.Kind == kindNumber && a.Number != nil && a.Number.Whole:
		return "integer"
	}
	return string(a.Kind)
}

// gone tells of an alternative that the new side has no counterpart of.
func (c *comparer) gone(a *Alt, old, new *Shape) []*change {
	if into := c.covers(a, new); into != nil {
		merged := &change{rule: "variant-merged", subject: old.Where.Path, old: a.Where, new: into.Where, args: []string{a.label(), into.label()}}
		list := []*change{merged}
		for _, ch := range c.alts(a, into) { // what into has beside it was there before
			if effect := c.rules.rule(ch.rule).Effect; effect == EffectNarrows && ch.rule != "enum-value-removed" || len(ch.narrow) > 0 {
				one := *ch
				one.widen, one.lostWiden = nil, false
				if effect == EffectNarrows {
					list = append(list, &one)
				}
			}
		}
		return list
	}
	ch := &change{subject: old.Where.Path, old: a.Where, new: new.Where, args: []string{a.label()}}
	ch.rule = "type-removed"
	if a.Name != "" || slices.ContainsFunc(new.Alts, func(b *Alt) bool { return b.Kind == a.Kind }) {
		ch.rule = "variant-removed"
	}
	samples := telling(c.make.samples(a))
	ch.narrow = few(new.refused(samples))
	if len(ch.narrow) == 0 {
		_, known := new.refusedOrKnown(samples)
		if known && len(samples) > 0 {
			return nil
		}
		ch.lostNarrow = len(samples) > 0
	}
	return []*change{ch}
}

// telling leaves out empty arrays, which say nothing of their elements, where
// there are others.
func telling(samples []any) []any {
	filled := slices.DeleteFunc(slices.Clone(samples), func(v any) bool {
		list, ok := v.([]any)
		return ok && len(list) == 0
	})
	if len(filled) == 0 {
		return samples
	}
	return filled
}

// covers finds the alternative of an object's kind that knows every member the
// object must have, and takes it.
func (c *comparer) covers(a *Alt, in *Shape) *Alt {
	v, ok := c.make.alt(a)
	if a.Kind != kindObject || !ok {
		return nil
	}
	for _, b := range in.Alts {
		if b.Kind != kindObject || !b.accepts(v) {
			continue
		}
		known := 0
		for _, m := range a.Object.Members {
			if m.Required && b.Object.member(m.Name) != nil {
				known++
			}
		}
		if known > 0 && known == len(v.(map[string]any)) {
			return b
		}
	}
	return nil
}

// match pairs alternatives that are meant to be the same thing.
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
			if score := likeness(o, n); score > 0 {
				candidates = append(candidates, scored{altPair{o, n}, score})
			}
		}
	}
	slices.SortStableFunc(candidates, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return strings.Compare(pairName(a.altPair), pairName(b.altPair))
	})
	for _, s := range candidates {
		if slices.Contains(gone, s.old) && slices.Contains(come, s.new) {
			take(s.old, s.new)
		}
	}
	// What is left over of a kind is the same thing if there is one of it on each
	// side. Objects must look alike.
	for _, k := range []kind{kindString, kindNumber, kindBoolean, kindNull, kindArray} {
		o, n := ofKind(gone, k), ofKind(come, k)
		if len(o) == 1 && len(n) == 1 && len(ofKind(old, k)) == 1 && len(ofKind(new, k)) == 1 {
			take(o[0], n[0])
		}
	}
	return pairs, gone, come
}

func ofKind(list []*Alt, k kind) []*Alt {
	return slices.DeleteFunc(slices.Clone(list), func(a *Alt) bool { return a.Kind != k })
}

// pairName orders pairs the same way in both directions.
func pairName(p altPair) string {
	a, b := p.old.label()+p.old.Where.Path, p.new.label()+p.new.Where.Path
	return min(a, b) + "\x00" + max(a, b)
}

// likeness says how much two alternatives look like the same thing; 0 is not
// at all.
func likeness(a, b *Alt) float64 {
	if a.Kind != b.Kind {
		return 0
	}
	score := 0.0
	if a.Name != "" && a.Name == b.Name {
		score = 4
	}
	switch a.Kind {
	case kindObject:
		return objectLikeness(a.Object, b.Object, score)
	case kindArray:
		if a.Array.Items == nil || b.Array.Items == nil {
			return score + 1
		}
		for _, x := range a.Array.Items.Alts {
			for _, y := range b.Array.Items.Alts {
				if likeness(x, y) > 0 {
					return score + 1
				}
			}
		}
		return score
	}
	score++
	if slices.Equal(a.Values, b.Values) {
		score++
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
			return 0
		}
		score += 2
	}
	for _, m := range b.Members {
		if other := a.member(m.Name); m.Required && (other == nil || !other.Required) {
			required++
		}
	}
	if shared == 0 && len(a.Members)+len(b.Members) > 0 {
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

// values are those a member is limited to, nil for others.
func (m *member) values() []string {
	if len(m.Shape.Alts) != 1 {
		return nil
	}
	return m.Shape.Alts[0].Values
}

// alts compares alternatives of one kind, once for each pair.
func (c *comparer) alts(old, new *Alt) []*change {
	if old == new {
		return nil
	}
	p := altPair{old, new}
	if told, ok := c.told[p]; ok {
		return told
	}
	if i := slices.Index(c.stack, p); i >= 0 {
		c.low = min(c.low, i) // a pair in itself: what differs is told further up
		return nil
	}
	depth := len(c.stack)
	if depth == 0 {
		c.low = 0
	}
	outer := c.low
	c.low = depth
	c.stack = append(c.stack, p)
	list := c.within(old, new)
	c.stack = c.stack[:depth]
	if c.low >= depth {
		c.told[p] = list
	}
	c.low = min(outer, c.low)
	return list
}

func (c *comparer) within(old, new *Alt) []*change {
	var list []*change
	switch old.Kind {
	case kindObject:
		list = c.objects(old, new)
	case kindArray:
		list = c.arrays(old, new)
	default:
		list = c.scalars(old, new)
	}
	return append(list, c.opaque(&Shape{Where: old.Where}, &Shape{Where: new.Where}, []*Alt{old}, []*Alt{new})...)
}
