package compat

import (
	"strconv"
	"strings"
)

// objects compares objects.
func (c *comparer) objects(old, new *Alt) []*change {
	var list []*change
	o, n := old.Object, new.Object
	for _, m := range o.Members {
		other := n.member(m.Name)
		switch {
		case other == nil && n.Rest != nil && !n.Rest.any():
			other = &member{Name: m.Name, Shape: n.Rest, Where: Place{m.Where.Path, n.Rest.Where.Pointer}}
			list = append(list, c.member(old, new, m, other)...)
		case other == nil:
			list = append(list, c.removed(old, new, m)...)
		default:
			list = append(list, c.member(old, new, m, other)...)
		}
	}
	for _, m := range n.Members {
		switch {
		case o.member(m.Name) != nil:
		case o.Rest != nil && !o.Rest.any():
			other := &member{Name: m.Name, Shape: o.Rest, Where: Place{m.Where.Path, o.Rest.Where.Pointer}}
			list = append(list, c.member(old, new, other, m)...)
		default:
			list = append(list, c.flip(c.swapped.removed(new, old, m))...)
		}
	}
	list = append(list, c.rest(old, new)...)
	if o.Size.low().compare(n.Size.low()) == 0 && o.Size.high().compare(n.Size.high()) == 0 {
		return list
	}
	values := c.sizes(old, new)
	list = append(list, c.bound(old, new, "min-properties", o.Size.low(), n.Size.low(), values)...)
	return append(list, c.bound(old, new, "max-properties", o.Size.high(), n.Size.high(), values)...)
}

// sizes are objects of various numbers of members.
func (c *comparer) sizes(old, new *Alt) []any {
	var values []any
	for _, a := range []*Alt{old, new} {
		values = append(values, c.make.samples(a)...)
	}
	for _, size := range lengths(old.Object.Size, new.Object.Size) {
		object := map[string]any{}
		for i := range size {
			object["x"+strconv.Itoa(i)] = ""
		}
		values = append(values, object)
	}
	return values
}

// removed tells of a member that only the old side declares.
func (c *comparer) removed(old, new *Alt, m *member) []*change {
	ch := at("member-removed", old, new, m.Name)
	ch.subject, ch.old = m.Where.Path, m.Where
	if new.Object.Closed {
		if v, ok := c.make.minimal(m.Shape); ok {
			ch.narrow = c.inside([]any{v}, m.Name, old, new)
		}
	}
	if m.Required {
		ch.rule = "required-member-removed"
		ch.widen = c.without(m.Name, new, old)
		if !new.Object.Closed {
			return []*change{ch}
		}
		// A closed object refuses it as well, which is another change.
		also := *ch
		also.rule, also.widen = "member-removed", nil
		ch.narrow = nil
		return []*change{ch, &also}
	}
	if len(ch.narrow) == 0 {
		ch.guard = c.dropped
	}
	return []*change{ch}
}

// member compares a member that both sides declare.
func (c *comparer) member(old, new *Alt, o, n *member) []*change {
	var list []*change
	for _, ch := range c.shapes(o.Shape, n.Shape) {
		up := *ch
		up.narrow, up.widen = c.inside(ch.narrow, n.Name, old, new), c.inside(ch.widen, n.Name, new, old)
		list = append(list, &up)
	}
	if o.Required != n.Required {
		ch := &change{rule: "member-became-optional", subject: n.Where.Path, old: o.Where, new: n.Where, args: []string{n.Name}}
		if n.Required {
			ch.rule = "member-became-required"
			ch.narrow = c.without(n.Name, old, new)
		} else {
			ch.widen = c.without(n.Name, new, old)
		}
		list = append(list, ch)
	}
	return list
}

// about compares what is told of values.
func (c *comparer) about(old, new *Shape) []*change {
	var list []*change
	name := new.Where.Path[strings.LastIndexByte(new.Where.Path, '.')+1:]
	if old.About.Description != new.About.Description {
		list = append(list, &change{rule: "parameter-description-changed", subject: new.Where.Path, old: old.Where, new: new.Where,
			args: []string{name, inQuotes(old.About.Description), inQuotes(new.About.Description)}})
	}
	if old.About.Title != new.About.Title {
		list = append(list, &change{rule: "parameter-title-changed", subject: new.Where.Path, old: old.Where, new: new.Where,
			args: []string{name, inQuotes(old.About.Title), inQuotes(new.About.Title)}})
	}
	if old.About.Default != new.About.Default {
		list = append(list, &change{rule: "default-changed", subject: new.Where.Path, old: old.Where, new: new.Where,
			args: []string{name, quoted(old.About.Default), quoted(new.About.Default)}})
	}
	return list
}

// inQuotes makes a text one word of a message. The whole of it is an argument, so
// that to accept one description is not to accept the next.
func inQuotes(s string) string {
	if s == "" {
		return "none"
	}
	return strconv.Quote(s)
}

// base makes an object that from may send and of which to refuses nothing that
// can be helped; leave is the member that matters.
func (c *comparer) base(from, to *Alt, leave string) (map[string]any, bool) {
	object := map[string]any{}
	for _, m := range from.Object.Members {
		other := to.Object.member(m.Name)
		if m.Name == leave || !m.Required && (other == nil || !other.Required) {
			continue
		}
		var also *Shape
		if other != nil {
			also = other.Shape
		}
		v, ok := c.make.common(m.Shape, also)
		if !ok {
			if m.Required {
				return nil, false
			}
			continue
		}
		object[m.Name] = v
	}
	if from.Object.open() {
		for _, m := range to.Object.Members {
			if m.Name == leave || !m.Required || from.Object.member(m.Name) != nil {
				continue
			}
			if v, ok := c.make.minimal(m.Shape); ok {
				object[m.Name] = v
			}
		}
	}
	return object, true
}

// inside puts values into objects as a member.
func (c *comparer) inside(values []any, name string, from, to *Alt) []any {
	if len(values) == 0 {
		return nil
	}
	base, ok := c.base(from, to, name)
	if !ok {
		return nil
	}
	var out []any
	for _, v := range values {
		if object := with(base, name, v); from.accepts(object) {
			out = append(out, object)
		}
	}
	return out
}

// without makes an object that from may send and that lacks a member to demands.
func (c *comparer) without(name string, from, to *Alt) []any {
	base, ok := c.base(from, to, name)
	if !ok || !from.accepts(base) || to.accepts(base) {
		return nil
	}
	return []any{base}
}

// rest compares what objects say of members they do not declare.
func (c *comparer) rest(old, new *Alt) []*change {
	var list []*change
	o, n := old.Object, new.Object
	name := "x"
	for o.member(name) != nil || n.member(name) != nil {
		name += "x"
	}
	rest := func(a *Alt) *Shape {
		if a.Object.Rest == nil {
			return anything(Place{a.Where.Path + "{}", a.Where.Pointer + "/additionalProperties"})
		}
		return a.Object.Rest
	}
	if o.Closed != n.Closed {
		rule, values := "object-opened", []any(nil)
		if n.Closed {
			rule = "object-closed"
		}
		ch := at(rule, old, new)
		ch.guard = guardUndeclared
		loose, tight := new, old
		if n.Closed {
			loose, tight = old, new
		}
		if v, ok := c.make.minimal(rest(loose)); ok {
			values = c.inside([]any{v}, name, loose, tight)
		}
		return append(list, ch.show(old, new, values))
	}
	if o.Closed || o.open() && n.open() {
		return list
	}
	for _, ch := range c.shapes(rest(old), rest(new)) {
		up := *ch
		up.narrow, up.widen = c.inside(ch.narrow, name, old, new), c.inside(ch.widen, name, new, old)
		if o.open() || n.open() {
			up.guard = guardUndeclared
		}
		list = append(list, &up)
	}
	return list
}
