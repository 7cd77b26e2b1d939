package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// change is a difference between two shapes, or between what the sides have at a place of a message.
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
	// path is that of the shapes in the message.
	path string
	// ways has what is known of the two directions, for the values of the shapes or for whole messages. ways[narrows]
	// is about values that the old side may send and the new side refuses, ways[widens] about the opposite.
	ways [2]answer
	// condition means that the conditions on whole values differ. own means that the sides write one of them in
	// different ways; otherwise only the definitions that the conditions refer to have changed.
	condition, own bool
}

// The directions of a change.
const (
	narrows = 0
	widens  = 1
)

// engine holds what the comparisons of two sides share.
type engine struct {
	// finders has a finder for each document of a sender, and under nil the one for objects with any
	// members.
	finders map[*jsonschema.Schema]*finder
	// ids numbers the schemas. valid has the validators of documents.
	ids       map[*jsonschema.Schema]int
	valid     map[*jsonschema.Schema]*samples.Validator
	languages map[string]*language
	// dynamic says which documents have a $dynamicRef.
	dynamic map[*jsonschema.Schema]bool
	// refusals, choices and texts cache the results of refusing, exclusive and text.
	refusals, choices map[*jsonschema.Schema][]*branch
	texts             map[wire.Raw]string
	// patterns has the schemas of matchOf.
	patterns map[string]*jsonschema.Schema
	budget
}

func newEngine() *engine {
	return &engine{ids: map[*jsonschema.Schema]int{}, dynamic: map[*jsonschema.Schema]bool{}, refusals: map[*jsonschema.Schema][]*branch{}, choices: map[*jsonschema.Schema][]*branch{}, texts: map[wire.Raw]string{}, patterns: map[string]*jsonschema.Schema{}, finders: map[*jsonschema.Schema]*finder{}, valid: map[*jsonschema.Schema]*samples.Validator{}, languages: map[string]*language{}}
}

// finder returns the finder for the values of a sender's document, or of any document for nil.
func (e *engine) finder(sender *jsonschema.Schema) *finder {
	e.begin()
	return cached(e.finders, sender, func() *finder {
		return &finder{engine: e, sender: sender, known: map[string]answer{}, busy: map[string]int{}, assumed: map[string]int{}}
	})
}

// cached returns the value of a map under a key, which it makes on first use.
func cached[K comparable, V any](all map[K]V, key K, make func() V) V {
	one, ok := all[key]
	if !ok {
		one = make()
		all[key] = one
	}
	return one
}

// refusing returns the ways in which a schema refuses a value.
func (e *engine) refusing(s *jsonschema.Schema) []*branch {
	return cached(e.refusals, s, func() (list []*branch) {
		for i := range keywords {
			list = append(list, keywords[i].refusing(s)...)
		}
		return list
	})
}

// comparer compares shapes of two sides.
type comparer struct {
	*engine
	// dropped is the guard for a member that one side does not declare.
	dropped string
	// documents are those of the sides.
	documents [2]*jsonschema.Schema
	pairs     map[pair[*set]]*pairing
	// answers caches the results of find, spent counts the members of the large objects that were
	// examples.
	answers map[pair[*set]]answer
	spent   int
}

// pairing holds the differences between two shapes at one place, and the pairs of shapes below
// them.
type pairing struct {
	old, new *Shape
	changes  []*change
	children []*child
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

func newComparer(dropped string) *comparer {
	return &comparer{
		engine: newEngine(), dropped: dropped,
		pairs: map[pair[*set]]*pairing{}, answers: map[pair[*set]]answer{},
	}
}

// pair compares two shapes at the same place. It compares each pair once.
func (c *comparer) pair(old, new *Shape) *pairing {
	key := pair[*set]{old.set, new.set}
	if have, ok := c.pairs[key]; ok {
		return have
	}
	p := &pairing{old: old, new: new}
	c.pairs[key] = p
	if old.set != new.set {
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

// inOrder returns what a sender and a receiver have as those of the old side and the new one.
func inOrder[T any](way int, from, to T) (old, new T) {
	if way == widens {
		return to, from
	}
	return from, to
}

// find returns a value that one shape has and another one does not have.
func (c *comparer) find(sends, accepts *Shape) answer {
	return cached(c.answers, pair[*set]{sends.set, accepts.set}, func() answer {
		result := answer{is: none}
		for _, s := range accepts.from {
			one := c.finder(c.documentOf(sends)).find(sends.from, []*jsonschema.Schema{s}, nil)
			if result.is = max(result.is, one.is); one.is == found {
				return one
			}
		}
		return result
	})
}

// documentOf returns the document of a shape, or nil for one without schemas.
func (c *comparer) documentOf(s *Shape) *jsonschema.Schema {
	if len(s.from) == 0 {
		return nil
	}
	return s.from[0].Root()
}

// largeObject is the number of members from which on examples are limited: those of a comparison have
// at most mostMembers members in large objects, because validating one takes long.
const (
	largeObject = 100
	mostMembers = 200_000
)

// tooLarge says why there is no example for a change in a large object.
const tooLarge = "the object has too many members to make an example for each change"

// affords reports whether there may be another example with the members that both alternatives require.
func (c *comparer) affords(v view) bool {
	size := 0
	for _, a := range []*Alt{v.from, v.to} {
		if a.Object != nil {
			size += len(a.Object.Members)
		}
	}
	if size <= 2*largeObject {
		return true
	}
	c.spent += size
	return c.spent <= mostMembers
}

// ask looks for values of the sender's alternative that the receiver refuses by one of some branches. The members of
// an open object may have other names than those that the sender declares if the keyword is about all names.
func (c *comparer) ask(v view, choice ...*branch) (o answer) {
	for _, b := range choice {
		if !v.writes(b, c.sameText) {
			o.join(c.show(v, keywordOf(b.keyword).names && v.from.Object.open(), b))
		}
	}
	return o
}

// show looks for a value of the sender's alternative that has the conditions of a branch and that the receiver refuses.
// If others is set, objects of the sender have members that it does not declare.
func (c *comparer) show(v view, others bool, b *branch) answer {
	sends := c.finder(c.documents[v.way])
	if others {
		sends = c.finder(nil)
	}
	w := v.from.way
	w.accept, w.refuse = slices.Concat(w.accept, b.accept), slices.Concat(w.refuse, b.refuse, without(b.of))
	search := func(f *finder, w way, b *branch) answer {
		c.begin()
		return f.search(w.with(b))
	}
	if v.to != nil {
		if !c.affords(v) {
			return answer{is: unknown, sure: true, why: tooLarge}
		}
		if b.holds != nil {
			if o := c.hold(v, b.holds, sends); o.is == found {
				return o
			}
		}
		prefers := sends
		if b.absent != "" || b.holds != nil {
			prefers = c.finder(nil) // the receiver may ask for members that the sender does not declare
		}
		// The conditions of the receiver that the branch does not break are preferred, so that an example shows nothing
		// else.
		preferred := w
		for _, s := range v.to.all {
			preferred.todo = append(preferred.todo, bareOf(s, b))
		}
		if a := search(prefers, preferred, b); a.is == found && c.refuses(a.value, v.accepts.from...) {
			return a
		}
	}
	a := search(sends, w, b)
	if a.is == none || a.is == found && c.refuses(a.value, v.accepts.from...) {
		return a
	}
	open := false
	for _, s := range v.accepts.from {
		if slices.ContainsFunc(v.from.all, func(own *jsonschema.Schema) bool { return c.sameText(own.Source, alias(s).Source) }) {
			continue // the sender's values satisfy the same schema
		}
		one, also := *b, w
		one.refuse, also.refuse = append(slices.Clone(b.refuse), s), append(slices.Clone(w.refuse), s)
		switch a := search(sends, also, &one); a.is {
		case found:
			return a
		case unknown:
			open = true
		}
	}
	switch {
	case open:
		return answer{is: unknown}
	case a.is == found:
		return c.asAnother(v, a.value)
	}
	return answer{}
}

// writes reports whether the sender has the keyword of a branch as well, in a text that is the same. A schema with
// references is written like another one only if both are the same schema.
func (v view) writes(b *branch, same func(x, y wire.Raw) bool) bool {
	if b.of == nil {
		return len(b.accept) == 1 && slices.ContainsFunc(v.from.refused, func(s *jsonschema.Schema) bool {
			return s == b.accept[0] || same(s.Source, b.accept[0].Source)
		})
	}
	names := keywordOf(b.keyword).alike
	return slices.ContainsFunc(v.from.all, func(s *jsonschema.Schema) bool {
		return s == b.of || same(s.Source, b.of.Source) || len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
			own, _ := s.Source.Child(name)
			other, _ := b.of.Source.Child(name)
			return !same(own, other)
		})
	})
}

// values compares the values of two shapes.
func (c *comparer) values(p *pairing) {
	old, new := p.old.alts(), p.new.alts()
	was, is := p.old.untyped(), p.new.untyped()
	switch {
	case was && !is && p.old.any() && everyKind(new):
		old = freeKinds()
	case is && !was && p.new.any() && everyKind(old):
		new = freeKinds()
	case was || is:
		c.typed(p, was, is)
		return
	}
	pairs, gone, come := match(old, new)
	if len(pairs) == 0 && len(gone) == 1 && len(come) == 1 && gone[0].kinds != come[0].kinds {
		c.entire(p, "type-changed", gone[0].label(), come[0].label())
		return
	}
	for _, one := range pairs {
		c.alts(p, one.old, one.new)
	}
	for _, a := range gone {
		c.gone(p.views(a, nil)[narrows])
	}
	for _, a := range come {
		c.gone(p.views(nil, a)[widens])
	}
	for _, below := range p.children { // what is in any value is any value, in the same set, so that recursion ends
		if was {
			below.old.set = p.old.set
		}
		if is {
			below.new.set = p.new.set
		}
	}
}

// entire reports a change of two shapes as a whole.
func (c *comparer) entire(p *pairing, rule string, args ...string) *change {
	ch := p.at(rule, args...)
	for _, v := range p.views(nil, nil) {
		ch.ways[v.way] = c.find(v.sends, v.accepts)
	}
	return ch
}

// typed reports a shape that has no type on one side only, or too many alternatives on a side.
func (c *comparer) typed(p *pairing, was, is bool) {
	switch {
	case was && is, !p.old.any() && !p.new.any():
		ch := c.entire(p, "constraint-changed", `"anyOf"`)
		ch.rule = constraintRule(ch.ways[widens].is != none, ch.ways[narrows].is != none)
	case was:
		c.entire(p, "type-closed", p.new.label())
	default:
		c.entire(p, "type-opened", p.old.label())
	}
}

func everyKind(list []*Alt) bool {
	return !slices.ContainsFunc(allKinds, func(k kind) bool {
		return !slices.ContainsFunc(list, func(a *Alt) bool { return a.kinds == k })
	})
}

// freeKinds returns an alternative with all values of each kind.
func freeKinds() []*Alt {
	var list []*Alt
	for _, k := range allKinds {
		list = append(list, &Alt{way: way{kinds: k}, Array: &array{}, Object: &object{}})
	}
	return list
}

// gone reports an alternative of the sender that has no counterpart on the side of the
// receiver.
func (c *comparer) gone(v view) {
	a := v.from
	if into := c.covers(v); into != nil {
		ch := v.at(toward("variant-merged", v.way), a.label(), into.label())
		ch.place(v.way, a, into)
		ch.subject = v.sends.Where.Path
		c.merged(v, into)
		return
	}
	rule := "type-removed"
	if a.Name != "" || slices.ContainsFunc(v.accepts.alts(), func(b *Alt) bool { return b.kinds == a.kinds }) {
		rule = "variant-removed"
	}
	ch := v.at(toward(rule, v.way), a.label())
	ch.subject = v.sends.Where.Path
	ch.place(v.way, a, nil)
	if a.Values != nil {
		ch.ways[v.way] = c.try(v, a.Values)
		return
	}
	if a.kinds == kindArray { // an empty array shows nothing about its elements
		ch.ways[v.way] = c.ask(v, &branch{keyword: "maxItems", kinds: kindArray, between: jsonschema.AtLeast(1)})
	}
	if ch.ways[v.way].is != found {
		ch.ways[v.way] = c.ask(v, &branch{})
	}
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
	inner := &pairing{old: v.old, new: v.new}
	old, new := inOrder(v.way, v.from, into)
	c.alts(inner, old, new)
	for _, ch := range inner.changes {
		if ch.effect(v.way) == EffectNarrows && ch.ways[v.way].is >= noted {
			v.changes = append(v.changes, ch)
		}
	}
	v.children = append(v.children, inner.children...)
}

// covers returns the receiver's alternative for objects that declares every required member of the
// sender's alternative and accepts a value of it, or nil.
func (c *comparer) covers(v view) *Alt {
	if v.from.kinds != kindObject {
		return nil
	}
	value := c.finder(c.documents[v.way]).search(v.from.way)
	object, ok := value.value.(map[string]any)
	if !ok {
		return nil
	}
	for _, b := range v.accepts.alts() {
		if b.kinds != kindObject || !c.has(b, object) {
			continue
		}
		known := 0
		for _, m := range v.from.Object.Members {
			if m.Required && b.Object.member(m.Name) != nil {
				known++
			}
		}
		if known > 0 && known == len(object) {
			return b
		}
	}
	return nil
}

// told compares descriptions, titles and defaults.
func (c *comparer) told(old, new *Shape) []*change {
	p := pairing{old: old, new: new}
	for _, text := range []struct{ rule, was, is string }{
		{"parameter-description-changed", inQuotes(old.About.Description), inQuotes(new.About.Description)},
		{"parameter-title-changed", inQuotes(old.About.Title), inQuotes(new.About.Title)},
	} {
		if text.was != text.is {
			p.at(text.rule, "", text.was, text.is)
		}
	}
	if was, is := old.About.Default, new.About.Default; !wire.Equal(wire.Raw(was), wire.Raw(is)) { // 1.0 is 1
		p.at("default-changed", "", quoted(was), quoted(is))
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
