package diff

import (
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// objects compares the constraints of objects.
func (c *comparer) objects(p *pairing, old, new *Alt) {
	o, n := old.Object, new.Object
	for _, m := range o.Members {
		if other := n.member(m.Name); other != nil {
			c.member(p, old, new, m, other)
		} else {
			c.removed(p.views(old, new)[narrows], m)
		}
	}
	for _, m := range n.Members {
		if o.member(m.Name) == nil {
			c.removed(p.views(old, new)[widens], m)
		}
	}
	c.patterns(p, old, new)
	c.rest(p, old, new)
	c.needs(p, old, new)
	c.names(p, old, new)
	if o.Size.low().compare(n.Size.low()) == 0 && o.Size.high().compare(n.Size.high()) == 0 {
		return
	}
	values := c.sizes(old, new)
	count := func(v any) float64 { return float64(len(v.(map[string]any))) }
	for _, b := range []limits2{{"minProperties", o.Size.low(), n.Size.low()}, {"maxProperties", o.Size.high(), n.Size.high()}} {
		c.bound(p, old, new, b, values, count, func(from *Alt, l limit) bool { return l.holds(from.Object.size()) })
	}
}

// sizes returns objects with various numbers of members.
func (c *comparer) sizes(old, new *Alt) []any {
	var values []any
	for _, a := range []*Alt{old, new} {
		values = append(values, c.make.samples(a)...)
		base, ok := c.make.of(a)
		if !ok {
			base = map[string]any{}
		}
		for _, size := range lengths(old.Object.Size, new.Object.Size) {
			object := with(base.(map[string]any), "", nil)
			delete(object, "")
			if c.make.fill(a, object, size-len(object), 4) {
				values = append(values, object)
			}
		}
	}
	return values
}

// child adds the shapes of a member to the pairs to compare.
func (p *pairing) child(old, new *Alt, was, is *Shape, name, path, guard string) {
	p.children = append(p.children, &child{old: was, new: is, oldAlt: old, newAlt: new, name: name, path: path, guard: guard})
}

// removed reports a member that only the sender's side declares.
func (c *comparer) removed(v view, m *member) {
	other := v.to.Object.at(m.Name, Place{Path: m.Where.Path, Pointer: v.to.Where.Pointer})
	gone := m.Shape.set.impossible()
	switch {
	case gone && other.set.impossible():
		return
	case !other.set.impossible() && (gone || !other.any()):
		there := &member{Name: m.Name, Shape: other, Where: Place{m.Where.Path, other.Where.Pointer}}
		if v.way == narrows {
			c.member(v.pairing, v.from, v.to, m, there)
		} else {
			c.member(v.pairing, v.to, v.from, there, m)
		}
		return
	case v.to.Object.Map && v.way == narrows:
		v.child(v.from, v.to, m.Shape, other, m.Name, "."+m.Name, "")
	case v.to.Object.Map:
		v.child(v.to, v.from, other, m.Shape, m.Name, "."+m.Name, "")
	}
	add := func(rule string) *change {
		ch := v.at(c.rule(rule, v.way), m.Name)
		ch.below, ch.subject = "."+m.Name, m.Where.Path
		ch.lackedByOld, ch.lackedByNew = v.way == widens, v.way == narrows
		ch.place(v.way, &Alt{Where: m.Where}, &Alt{Where: v.to.Where})
		ch.ways[1-v.way].refuted = true
		return ch
	}
	closed := other.set.impossible()
	rule := "member-removed"
	switch {
	case m.Required && closed:
		rule = "closed-member-removed"
	case m.Required, m.Implied:
		rule = "required-member-removed"
	}
	ch := add(rule)
	if m.Required {
		ch.ways[1-v.way].refuted = false
		c.lacking(v.other(), ch, m.Name)
	}
	switch {
	case closed:
		var values []any
		for _, value := range c.make.each(m.Shape) {
			values = append(values, c.inside(v, m.Name, value)...)
		}
		v.show(ch, values, nil, false)
	case m.Required:
		ch.ways[v.way].refuted = true
	case m.Implied:
		ch.ways[1-v.way].refuted = false
		ch.guard, ch.noted = guardImplied, true
	default:
		ch.guard, ch.noted = c.dropped, true
	}
}

// other returns the view in the opposite direction.
func (v view) other() view {
	return view{v.pairing, 1 - v.way, v.accepts, v.sends, v.to, v.from}
}

// lacking adds examples without a member that the receiver requires and the sender does not.
// The base is the best example, because the receiver refuses it for no other reason.
func (c *comparer) lacking(v view, ch *change, name string) {
	lacks := func(value any) bool {
		_, there := value.(map[string]any)[name]
		return !there
	}
	implied := v.from.Object.requires(name)
	if !implied && !c.affords(v) {
		ch.ways[v.way] = oneWay{open: true, why: tooLarge}
		return
	}
	if v.show(ch, []any{c.base(v, name)}, lacks, implied); len(ch.ways[v.way].values) > 0 {
		return
	}
	values := slices.Clone(c.make.samples(v.from))
	for base := range c.bases(v, name) {
		values = append(values, base)
	}
	v.show(ch, values, lacks, implied)
}

// member compares a member that both sides declare.
func (c *comparer) member(p *pairing, old, new *Alt, o, n *member) {
	p.child(old, new, o.Shape, n.Shape, n.Name, "."+n.Name, "")
	if o.Required == n.Required && o.Implied == n.Implied {
		return
	}
	rule, way := "member-became-required", narrows
	if o.Required || !n.Required && o.Implied {
		rule, way = "member-became-optional", widens
	}
	ch := p.at(rule, n.Name)
	ch.below, ch.old, ch.new = "."+n.Name, o.Where, n.Where
	ch.ways[1-way].refuted = true
	if o.Required == n.Required {
		ch.guard, ch.noted = guardImplied, true
		return
	}
	c.lacking(p.views(old, new)[way], ch, n.Name)
}

// base returns an object that one side may send, without the member leave. The other side
// should accept everything else about it.
func (c *comparer) base(v view, leave string) map[string]any {
	object := maps.Clone(c.whole(v))
	delete(object, leave)
	return object
}

// whole returns an object with all members that at least one side requires.
func (c *comparer) whole(v view) map[string]any {
	key := altPair{v.from, v.to}
	object, ok := c.wholes[key]
	if !ok {
		object = c.makeWhole(v)
		c.wholes[key] = object
	}
	return object
}

func (c *comparer) makeWhole(v view) map[string]any {
	object := map[string]any{}
	for _, m := range v.from.Object.Members {
		other := v.to.Object.member(m.Name)
		if !m.Required && (other == nil || !other.Required) {
			continue
		}
		var also *Shape
		if other != nil {
			also = other.Shape
		}
		if value, ok := c.make.common(m.Shape, also); ok {
			object[m.Name] = value
		}
	}
	if v.from.Object.open() {
		for _, m := range v.to.Object.Members {
			if !m.Required || v.from.Object.member(m.Name) != nil {
				continue
			}
			if value, ok := c.make.minimal(m.Shape); ok {
				object[m.Name] = value
			}
		}
	}
	return object
}

// bases yields objects that the sender may send, without the member leave. The first one is the
// base.
func (c *comparer) bases(v view, leave string) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		if !yield(c.base(v, leave)) {
			return
		}
		for _, sample := range c.make.samples(v.from) {
			less := maps.Clone(sample.(map[string]any))
			delete(less, leave)
			if !yield(less) {
				return
			}
		}
	}
}

// Validating a large object takes long. From largeObject members on, inside returns one object
// only. The examples of a comparison have at most mostMembers members in large objects, which is
// enough for 300 changes, both ways, of an object with 300 members.
const (
	largeObject = 100
	mostMembers = 200_000
)

// tooLarge says why there is no example for a change in a large object.
const tooLarge = "the object has too many members to make an example for each change"

// affords reports whether there may be another example.
func (c *comparer) affords(v view) bool {
	size := len(c.whole(v))
	if size <= largeObject {
		return true
	}
	if c.spent+size > mostMembers {
		return false
	}
	c.spent += size
	return true
}

// inside returns objects that the sender may send with the value as a member. Objects that the
// receiver refuses for no other reason come first.
func (c *comparer) inside(v view, name string, value any) []any {
	if !c.affords(v) {
		return nil
	}
	var out []any
	for base := range c.bases(v, name) {
		object := with(base, name, value)
		if v.from.accepts(object) && v.sends.accepts(object) {
			out = append(out, object)
			if len(out) >= 3 || len(object) > largeObject {
				break
			}
		}
	}
	return out
}

// patterns compares the members whose names match a pattern.
func (c *comparer) patterns(p *pairing, old, new *Alt) {
	o, n := old.Object, new.Object
	var all []*member
	for _, m := range slices.Concat(o.Patterns, n.Patterns) {
		if !slices.ContainsFunc(all, func(have *member) bool { return have.Name == m.Name }) {
			all = append(all, m)
		}
	}
	for _, m := range all {
		name := ""
		for i := range 20 {
			t := &text{Patterns: []string{m.Name}, Length: span{Min: new64(i)}}
			s, found, known := c.prove.search(t, nil, nil)
			if known && found && o.member(s) == nil && n.member(s) == nil {
				name = s
				break
			}
		}
		shape := func(a *Alt) *Shape {
			switch own := a.Object.pattern(m.Name); {
			case own != nil:
				return own.Shape
			case name != "":
				return a.Object.at(name, a.Where)
			}
			return a.Object.rest(a.Where)
		}
		p.child(old, new, shape(old), shape(new), name, "{"+m.Name+"}", "")
	}
}

func new64(i int) *float64 { return new(float64(i)) }

// rest compares the constraints on members that objects do not declare.
func (c *comparer) rest(p *pairing, old, new *Alt) {
	o, n := old.Object, new.Object
	name := "x"
	taken := func(a *object) bool {
		return a.member(name) != nil || slices.ContainsFunc(a.Patterns, func(m *member) bool { return matches(m.Name, name) })
	}
	for i := 0; i < 50 && (taken(o) || taken(n)); i++ {
		name = strings.Repeat("x", i+1) + strconv.Itoa(i)
	}
	place := func(a *Alt, s *Shape) Place {
		if a.Where.Path == "" {
			return Place{Pointer: s.Where.Pointer}
		}
		return Place{a.Where.Path + "{}", a.Where.Pointer + "/additionalProperties"}
	}
	if o.Closed != n.Closed {
		rule, way := "object-closed", narrows
		if o.Closed {
			rule, way = "object-opened", widens
		}
		ch := p.between(old, new, rule)
		v := p.views(old, new)[way]
		if v.from.Object.open() && !v.from.Object.Map {
			ch.guard = guardUndeclared
		}
		var values []any
		for _, value := range c.make.each(v.from.Object.rest(v.from.Where)) {
			values = append(values, c.inside(v, name, value)...)
		}
		v.show(ch, values, nil, false)
		return
	}
	if o.Closed || o.open() && n.open() {
		return
	}
	guard := ""
	if o.open() && !o.Map || n.open() && !n.Map {
		guard = guardUndeclared
	}
	was, is := o.rest(place(old, p.old)), n.rest(place(new, p.new))
	p.child(old, new, was, is, name, "{}", guard)
}

// needs compares the members that are required if another one is present.
func (c *comparer) needs(p *pairing, old, new *Alt) {
	for _, v := range p.views(old, new) {
		for _, n := range v.to.Object.Needs {
			if slices.Contains(v.from.Object.Needs, n) {
				continue
			}
			ch := p.between(old, new, c.rule("dependency-added", v.way), n.If, n.Then)
			var values []any
			if m := v.from.Object.at(n.If, v.from.Where); !m.set.impossible() {
				for _, value := range c.make.each(m) {
					values = append(values, c.inside(v, n.If, value)...)
				}
			}
			v.show(ch, append(values, c.make.samples(v.from)...), func(value any) bool {
				object := value.(map[string]any)
				_, there := object[n.If]
				_, then := object[n.Then]
				return there && !then
			}, v.from.Object.needs(n))
		}
	}
}

// names compares the constraints on the names of members.
func (c *comparer) names(p *pairing, old, new *Alt) {
	o, n := old.Object, new.Object
	if len(o.Names)+len(n.Names) == 0 {
		return
	}
	p.demands(old, new, demand{
		implied: func(v view) bool {
			return !slices.ContainsFunc(v.to.Object.Names, func(s *Shape) bool { return !c.prove.namesIn(v.from.Object, s) })
		},
		values: func(v view) []any {
			var values []any
			for _, names := range slices.Concat(o.Names, n.Names) {
				for _, name := range c.make.all(names) {
					values = append(values, c.named(v, name)...)
				}
			}
			for _, name := range []any{"", "x", "X", "xxxx", "x y", "1", strings.Repeat("x", 70), "é"} {
				values = append(values, c.named(v, name)...)
			}
			return append(values, c.make.samples(v.from)...)
		},
		violates: func(v view, value any) bool {
			for name := range value.(map[string]any) {
				if slices.ContainsFunc(v.to.Object.Names, func(s *Shape) bool { return !s.accepts(name) }) {
					return true
				}
			}
			return false
		},
	}, constraintRule(len(o.Names) > 0, len(n.Names) > 0), `"propertyNames"`)
}

// named returns objects with a member of that name.
func (c *comparer) named(v view, name any) []any {
	text, ok := name.(string)
	if !ok {
		return nil
	}
	value, ok := c.make.minimal(v.from.Object.at(text, v.from.Where))
	if !ok {
		return nil
	}
	return c.inside(v, text, value)
}
