package diff

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// objects compares properties, required, patternProperties, additionalProperties and dependentRequired.
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
	for _, v := range p.views(old, new) {
		for _, b := range breaking(v.to, "dependentRequired") {
			c.report(v, "dependency-added", c.ask(v, b), b.present, b.absent)
		}
	}
}

// child adds the shapes of a member to the pairs to compare.
func (p *pairing) child(old, new *Alt, was, is *Shape, name, path, guard string) {
	p.children = append(p.children, &child{old: was, new: is, oldAlt: old, newAlt: new, name: name, path: path, guard: guard})
}

// removed reports a member that only the sender's side declares.
func (c *comparer) removed(v view, m *member) {
	other := v.to.Object.at(m.Name, Place{Path: m.Where.Path, Pointer: v.to.Where.Pointer})
	if m.Where.Path != "" {
		at := *other
		at.Where.Path = m.Where.Path
		other = &at
	}
	gone := m.Shape.set.impossible()
	old, new := inOrder(v.way, v.from, v.to)
	switch {
	case gone && other.set.impossible():
		return
	case !other.set.impossible() && (gone || !other.any()):
		there := &member{Name: m.Name, Shape: other, Where: Place{m.Where.Path, other.Where.Pointer}}
		was, is := inOrder(v.way, m, there)
		c.member(v.pairing, old, new, was, is)
		return
	case v.to.Object.Map:
		was, is := inOrder(v.way, m.Shape, other)
		v.child(old, new, was, is, m.Name, "."+m.Name, "")
	}
	closed := other.set.impossible()
	rule := "member-removed"
	switch {
	case m.Required && closed:
		rule = "closed-member-removed"
	case m.Required, m.Implied:
		rule = "required-member-removed"
	}
	guard := ""
	var ways [2]answer
	if closed {
		ways[v.way] = c.ask(v, &branch{kinds: kindObject, present: m.Name})
	}
	switch {
	case m.Required:
		ways[1-v.way] = c.show(v.views(old, new)[1-v.way], false, lacking(m.Name, v.from))
	case closed:
	case m.Implied:
		ways[1-v.way].is, guard = noted, guardImplied
	default:
		ways[v.way].is, guard = noted, c.dropped
	}
	if ways[narrows].is == none && ways[widens].is == none {
		return
	}
	ch := v.at(toward(rule, v.way), m.Name)
	ch.below, ch.subject, ch.ways, ch.guard = "."+m.Name, m.Where.Path, ways, guard
	ch.lackedByOld, ch.lackedByNew = v.way == widens, v.way == narrows
	ch.place(v.way, &Alt{Where: m.Where}, &Alt{Where: v.to.Where})
}

// lacking returns the branch in which an alternative refuses objects without a member.
func lacking(name string, a *Alt) *branch {
	b := &branch{keyword: "required", kinds: kindObject, absent: name}
	for _, s := range a.all {
		if slices.Contains(s.Required, name) {
			b.of = s
		}
	}
	return b
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
	guard, w := guardImplied, answer{is: noted}
	if o.Required != n.Required {
		v := p.views(old, new)[way]
		guard, w = "", c.show(v, false, lacking(n.Name, v.to))
	}
	if w.is == none {
		return
	}
	ch := p.at(rule, n.Name)
	ch.below, ch.old, ch.new, ch.guard, ch.ways[way] = "."+n.Name, o.Where, n.Where, guard, w
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
			s, found, known := c.matching([]string{m.Name}, nil, jsonschema.AtLeast(int64(i)))
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

// rest compares the constraints on members that objects do not declare.
func (c *comparer) rest(p *pairing, old, new *Alt) {
	o, n := old.Object, new.Object
	name := "x"
	taken := func(a *object) bool {
		return a.member(name) != nil || slices.ContainsFunc(a.Patterns, func(m *member) bool { return jsonschema.Matches(m.Name, name) })
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
		way := narrows
		if o.Closed {
			way = widens
		}
		v := p.views(old, new)[way]
		w := c.ask(v, &branch{kinds: kindObject, keyword: "additionalProperties", present: name})
		if w.is == none {
			w = c.ask(v, breaking(v.to, "additionalProperties", "unevaluatedProperties")...)
		}
		if ch := c.report(v, "object-closed", w); ch != nil && v.from.Object.open() && !v.from.Object.Map {
			ch.guard = guardUndeclared
		}
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

func (o *object) pattern(name string) *member {
	for _, m := range o.Patterns {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// rest returns the shape of undeclared members.
func (o *object) rest(where Place) *Shape {
	switch {
	case o.Closed:
		return nothing(where)
	case o.Rest == nil:
		return anything(where)
	}
	return o.Rest
}
