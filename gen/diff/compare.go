package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// change is a difference between two shapes. It is not yet known which messages carry their
// values.
type change struct {
	rule  string
	guard string
	args  []string
	// below is appended to the path of the shapes, for a change of one of their members.
	// lackedByOld and lackedByNew mean that a side does not have the member.
	below       string
	lackedByOld bool
	lackedByNew bool
	// subject is the path of the change; "" means that of the new place.
	subject  string
	old, new Place
	// ways has the results for the two directions. ways[narrows] is about values that the old
	// side may send and the new side refuses, ways[widens] about the opposite.
	ways [2]oneWay
	// noted means that the change is reported even if both sides accept the values.
	noted bool
}

// The directions of a change.
const (
	narrows = 0
	widens  = 1
)

// oneWay has the results for one direction of a change.
type oneWay struct {
	// values are examples: one side accepts them, the other side does not.
	values []any
	// lost and known mean that a union accepts such values as another variant: with members
	// that the variant does not declare, or without.
	lost, known bool
	// refuted means that no such values exist. open means that they may exist for at least one
	// alternative.
	refuted, open bool
	// why is the reason for the lack of values. sure means that there are such values anyway.
	why  string
	sure bool
}

// comparer compares shapes of two sides.
type comparer struct {
	rules ruleTable
	prove *prover
	make  *maker
	// dropped is the guard for a member that one side does not declare.
	dropped string
	pairs   map[setPair]*pairing
	alike   map[altPair]float64
	// wholes caches the results of whole.
	wholes map[altPair]map[string]any
	// spent is the number of members of the large objects that were examples.
	spent int
	// work is the number of alternatives that values were tried on.
	work int
}

type (
	shapePair struct{ old, new *Shape }
	setPair   struct{ old, new *set }
	altPair   struct{ old, new *Alt }
)

// pairing holds the differences between two shapes at one place, and the pairs of shapes below
// them.
type pairing struct {
	old, new *Shape
	changes  []*change
	children []*child
	// work is that of the comparer.
	work *int
}

// child is a pair of shapes of members or elements.
type child struct {
	old, new       *Shape
	oldAlt, newAlt *Alt
	// name is the name of a member. Elements have an index instead.
	name    string
	element bool
	index   int
	// path is appended to the path of the parent.
	path  string
	guard string
}

func newComparer(rules ruleTable, dropped string) *comparer {
	p := newProver()
	return &comparer{
		rules: rules, prove: p, make: newMaker(p), dropped: dropped,
		pairs: map[setPair]*pairing{}, alike: map[altPair]float64{}, wholes: map[altPair]map[string]any{},
	}
}

// pair compares two shapes at the same place. It compares each pair once.
func (c *comparer) pair(old, new *Shape) *pairing {
	key := setPair{old.set, new.set}
	if have, ok := c.pairs[key]; ok {
		return have
	}
	p := &pairing{old: old, new: new, work: &c.work}
	c.pairs[key] = p
	if old.set != new.set {
		c.prove.steps = 0
		c.values(p)
	}
	return p
}

// at adds a change between the two shapes.
func (p *pairing) at(rule string, args ...string) *change {
	ch := &change{rule: rule, args: args, old: p.old.Where, new: p.new.Where}
	p.changes = append(p.changes, ch)
	return ch
}

// within reports whether all values of one shape are in another one.
func (c *comparer) within(sends, accepts *Shape) bool {
	return c.prove.in(sends, accepts, false) || c.find(sends, accepts).is == none
}

// find returns a value that one shape has and another one does not have.
func (c *comparer) find(sends, accepts *Shape) answer {
	if len(sends.from) == 0 || len(accepts.from) == 0 {
		return answer{is: unknown}
	}
	if c.prove.asked > mostAsked || len(sends.from[0].All())+len(accepts.from[0].All()) > mostSchemas {
		return answer{is: unknown}
	}
	f := c.prove.finder(sends.from[0].Root())
	f.steps = 0
	defer func() { c.prove.asked += f.steps }()
	result := answer{is: none}
	for _, s := range accepts.from {
		switch a := f.find(sends.from, []*jsonschema.Schema{s}, nil); a.is {
		case found:
			return a
		case unknown:
			result = a
		}
	}
	return result
}

// between adds a change between two alternatives. It returns the existing change if other
// alternatives at the same place have the same one.
func (p *pairing) between(old, new *Alt, rule string, args ...string) *change {
	was, is := p.old.Where, p.new.Where
	if old.Where != (Place{}) {
		was = old.Where
	}
	if new.Where != (Place{}) {
		is = new.Where
	}
	for _, have := range p.changes {
		if have.rule == rule && slices.Equal(have.args, args) && have.below == "" && have.old.Path == was.Path && have.new.Path == is.Path {
			return have
		}
	}
	ch := p.at(rule, args...)
	ch.ways[narrows].refuted, ch.ways[widens].refuted = true, true // unless show finds otherwise
	ch.old, ch.new = was, is
	return ch
}

// view is a pairing seen in one direction, from the side that sends to the side that receives.
type view struct {
	*pairing
	way            int
	sends, accepts *Shape
	from, to       *Alt
}

func (p *pairing) views(old, new *Alt) [2]view {
	return [2]view{{p, narrows, p.old, p.new, old, new}, {p, widens, p.new, p.old, new, old}}
}

// mostWork limits the number of alternatives that the values of a comparison are tried on. Beyond it,
// fewTries values are tried for each change.
const (
	mostWork  = 100_000
	mostAsked = 20_000 // steps of finders
	// A step of a finder takes as long as the schemas are large.
	mostSchemas = 2000
	fewTries    = 4
)

// show adds the candidates that are examples of the change in the direction of the view.
// proves, unless it is nil, reports whether a value is affected by the change. implied means
// that no value is affected, because all values of the sender satisfy the constraint anyway.
func (v view) show(ch *change, candidates []any, proves func(v any) bool, implied bool) {
	w := &ch.ways[v.way]
	if implied {
		w.refuted = !w.open
		return
	}
	w.refuted, w.open = false, true
	tries := 0
	for _, value := range candidates {
		if proves != nil && !proves(value) {
			continue
		}
		*v.work += len(v.sends.alts()) + len(v.accepts.alts())
		if tries++; tries > fewTries && *v.work > mostWork {
			w.why = cmp.Or(w.why, "the schemas have too many alternatives to try all values")
			break
		}
		if !v.sends.accepts(value) || v.from != nil && !v.from.accepts(value) {
			continue
		}
		switch {
		case !v.accepts.accepts(value):
			w.values = append(w.values, value)
		case v.to != nil && v.to.accepts(value):
		case v.accepts.knows(value):
			w.known = true
		default:
			w.lost = true
		}
	}
	w.values = few(w.values)
}

// rule returns id for a change that narrows, and its mirror for one that widens.
func (c *comparer) rule(id string, way int) string {
	if way == narrows {
		return id
	}
	return c.rules.rule(id).Mirror
}

// values compares the values of two shapes.
func (c *comparer) values(p *pairing) {
	old, new := p.old.alts(), p.new.alts()
	was, is := p.old.untyped(), p.new.untyped()
	switch {
	case was && is:
		c.also(p, old[0], new[0])
		return
	case was && p.old.any() && everyKind(new):
		old = freeKinds()
	case is && p.new.any() && everyKind(old):
		new = freeKinds()
	case was || is:
		c.typed(p, was)
		return
	}
	pairs, gone, come := c.match(old, new)
	if len(pairs) == 0 && len(gone) == 1 && len(come) == 1 && gone[0].Kind != come[0].Kind {
		ch := p.at("type-changed", gone[0].label(), come[0].label())
		for _, v := range p.views(nil, nil) {
			v.show(ch, c.make.all(v.sends), nil, false)
		}
		return
	}
	for _, pair := range pairs {
		c.alts(p, pair.old, pair.new)
	}
	for _, a := range gone {
		c.gone(p.views(a, nil)[narrows])
	}
	for _, a := range come {
		c.gone(p.views(nil, a)[widens])
	}
}

// typed reports a shape that has no type on one side only.
func (c *comparer) typed(p *pairing, was bool) {
	rule, way, label := "type-closed", narrows, p.new.label()
	if !was {
		rule, way, label = "type-opened", widens, p.old.label()
	}
	if !p.old.any() && !p.new.any() {
		rule, label = "constraint-changed", `"anyOf"`
	}
	ch := p.at(rule, label)
	for _, v := range p.views(nil, nil) {
		v.show(ch, c.make.all(v.sends), nil, v.way != way && rule != "constraint-changed")
	}
}

func everyKind(list []*Alt) bool {
	return !slices.ContainsFunc(allKinds, func(k kind) bool {
		return !slices.ContainsFunc(list, func(a *Alt) bool { return a.Kind == k })
	})
}

func freeKinds() []*Alt {
	var list []*Alt
	for _, k := range allKinds {
		list = append(list, free(k))
	}
	return list
}

// gone reports an alternative of the sender that has no counterpart on the side of the
// receiver.
func (c *comparer) gone(v view) {
	a := v.from
	if into := c.covers(a, v.accepts); into != nil {
		ch := v.at(c.mergeRule(v.way), a.label(), into.label())
		ch.place(v.way, a, into)
		ch.subject = v.sends.Where.Path
		c.merged(v, into)
		return
	}
	rule := "type-removed"
	if a.Name != "" || slices.ContainsFunc(v.accepts.alts(), func(b *Alt) bool { return b.Kind == a.Kind }) {
		rule = "variant-removed"
	}
	ch := v.at(c.rule(rule, v.way), a.label())
	ch.ways[1-v.way].refuted, ch.subject = true, v.sends.Where.Path
	ch.place(v.way, a, nil)
	samples := c.make.samples(a)
	v.to = &Alt{Kind: "none"}
	v.show(ch, telling(samples), nil, false)
}

// mergeRule returns the rule for an alternative that became a part of another one.
func (c *comparer) mergeRule(way int) string {
	if way == narrows {
		return "variant-merged"
	}
	return "variant-split"
}

// place sets the places of a change to those of two alternatives, given from the sender's point
// of view.
func (ch *change) place(way int, from, to *Alt) {
	sides := [2]*Place{&ch.old, &ch.new}
	if from != nil && from.Where != (Place{}) {
		*sides[way] = from.Where
	}
	if to != nil && to.Where != (Place{}) {
		*sides[1-way] = to.Where
	}
}

// merged compares an alternative with the one that it became a part of. It does not report what
// the latter allows in addition, because it did so before.
func (c *comparer) merged(v view, into *Alt) {
	inner := &pairing{old: v.old, new: v.new, work: v.work}
	if v.way == narrows {
		c.alts(inner, v.from, into)
	} else {
		c.alts(inner, into, v.from)
	}
	for _, ch := range inner.changes {
		effect := c.rules.rule(ch.rule).Effect
		if v.way == widens {
			effect = effect.Mirror()
		}
		if effect == EffectNarrows && (ch.noted || len(ch.ways[v.way].values) > 0) {
			v.changes = append(v.changes, ch)
		}
	}
	v.children = append(v.children, inner.children...)
}

// telling removes empty arrays, which show nothing about their elements, if there are other
// samples.
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

// covers returns the alternative for objects that declares every required member of a and
// accepts its minimal value, or nil.
func (c *comparer) covers(a *Alt, in *Shape) *Alt {
	if a.Kind != kindObject {
		return nil
	}
	v, ok := c.make.of(a)
	if !ok {
		return nil
	}
	for _, b := range in.alts() {
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

// alts compares two alternatives of one kind.
func (c *comparer) alts(p *pairing, old, new *Alt) {
	if old == new {
		return
	}
	switch {
	case old.Values != nil || new.Values != nil:
		c.listed(p, old, new)
		return
	case old.Kind == kindObject:
		c.objects(p, old, new)
	case old.Kind == kindArray:
		c.arrays(p, old, new)
	default:
		c.scalars(p, old, new)
	}
	c.also(p, old, new)
}

// told compares descriptions, titles and defaults.
func (c *comparer) told(old, new *Shape) []*change {
	var p pairing
	p.old, p.new = old, new
	if old.About.Description != new.About.Description {
		p.at("parameter-description-changed", "", inQuotes(old.About.Description), inQuotes(new.About.Description))
	}
	if old.About.Title != new.About.Title {
		p.at("parameter-title-changed", "", inQuotes(old.About.Title), inQuotes(new.About.Title))
	}
	if old.About.Default != new.About.Default {
		p.at("default-changed", "", quoted(old.About.Default), quoted(new.About.Default))
	}
	return p.changes
}

func lastName(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// inQuotes returns a text in quotes, or "none". A message contains the whole text, so accepting
// one description does not accept the next one.
func inQuotes(s string) string {
	if s == "" {
		return "none"
	}
	return strconv.Quote(s)
}

func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
