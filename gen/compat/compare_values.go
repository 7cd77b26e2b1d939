package compat

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// at starts a change of an alternative.
func at(rule string, old, new *Alt, args ...string) *change {
	return &change{rule: rule, subject: new.Where.Path, old: old.Where, new: new.Where, args: args}
}

// show gives a change the values of a list that only one side accepts.
func (ch *change) show(old, new *Alt, values []any) *change {
	for _, v := range values {
		switch o, n := old.accepts(v), new.accepts(v); {
		case o && !n:
			ch.narrow = append(ch.narrow, v)
		case n && !o:
			ch.widen = append(ch.widen, v)
		}
	}
	ch.narrow, ch.widen = few(ch.narrow), few(ch.widen)
	return ch
}

// scalars compares alternatives that are no objects or arrays.
func (c *comparer) scalars(old, new *Alt) []*change {
	var list []*change
	switch {
	case old.Values != nil && new.Values != nil:
		return c.listed(old, new)
	case old.Values != nil:
		return []*change{at("enum-opened", old, new, string(old.Kind)).only(old, new, c.make.samples(new))}
	case new.Values != nil:
		return []*change{at("enum-closed", old, new, string(old.Kind)).only(old, new, c.make.samples(old))}
	}
	if old.Number != nil && new.Number != nil {
		probes := numbers(append(old.Number.Range.probes(), new.Number.Range.probes()...))
		list = append(list, c.bound(old, new, "minimum", old.Number.Range.low(), new.Number.Range.low(), probes)...)
		list = append(list, c.bound(old, new, "maximum", old.Number.Range.high(), new.Number.Range.high(), probes)...)
		if old.Number.Whole != new.Number.Whole {
			rule := "type-widened"
			if new.Number.Whole {
				rule = "type-narrowed"
			}
			list = append(list, at(rule, old, new).only(old, new, probes))
		}
	}
	if old.Text != nil && new.Text != nil {
		list = append(list, c.format(old, new)...)
		list = append(list, c.bound(old, new, "min-length", old.Text.Length.low(), new.Text.Length.low(), texts(old.Text.Length, new.Text.Length))...)
		list = append(list, c.bound(old, new, "max-length", old.Text.Length.high(), new.Text.Length.high(), texts(old.Text.Length, new.Text.Length))...)
	}
	return list
}

// only is show for a rule of one direction: the values that speak of the other
// one have another reason.
func (ch *change) only(old, new *Alt, values []any) *change {
	ch.show(old, new, values)
	switch {
	case strings.HasSuffix(ch.rule, "-opened"), strings.HasSuffix(ch.rule, "-widened"), strings.HasSuffix(ch.rule, "-added") && !ch.demands():
		ch.narrow = nil
	case ch.rule != "const-changed" && ch.rule != "format-changed" && ch.rule != "type-changed":
		ch.widen = nil
	}
	return ch
}

// demands tells the rules that add a demand from those that add a possibility.
func (ch *change) demands() bool { return ch.rule == "format-added" || ch.rule == "unique-items-added" }

// listed compares lists of values.
func (c *comparer) listed(old, new *Alt) []*change {
	if len(old.Values) == 1 && len(new.Values) == 1 {
		if old.Values[0] == new.Values[0] {
			return nil
		}
		ch := at("const-changed", old, new, old.Values[0], new.Values[0])
		return []*change{ch.show(old, new, []any{parse(old.Values[0]), parse(new.Values[0])})}
	}
	var list []*change
	for _, v := range old.Values {
		if !slices.Contains(new.Values, v) {
			list = append(list, at("enum-value-removed", old, new, v).show(old, new, []any{parse(v)}))
		}
	}
	for _, v := range new.Values {
		if !slices.Contains(old.Values, v) {
			list = append(list, at("enum-value-added", old, new, v).show(old, new, []any{parse(v)}))
		}
	}
	return list
}

func (c *comparer) format(old, new *Alt) []*change {
	before, after := old.Text.Format, new.Text.Format
	if before == after {
		return nil
	}
	_, checkedBefore := formats[before]
	_, checkedAfter := formats[after]
	samples := append(c.make.samples(old), c.make.samples(new)...)
	samples = append(samples, formats[before].bad, formats[after].bad)
	switch {
	case checkedBefore && checkedAfter:
		return []*change{at("format-changed", old, new, before, after).show(old, new, samples)}
	case checkedBefore:
		ch := at("format-removed", old, new, before).show(old, new, samples)
		ch.narrow = nil
		return []*change{ch}
	case checkedAfter:
		return []*change{at("format-added", old, new, after).only(old, new, samples)}
	}
	return []*change{at("format-remark-changed", old, new, quoted(before), quoted(after))}
}

func quoted(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// limit is one end of a span.
type limit struct {
	at   *float64
	open bool
	// upper limits are looser the greater they are.
	upper bool
}

func (s span) low() limit  { return limit{s.Min, s.MinOpen, false} }
func (s span) high() limit { return limit{s.Max, s.MaxOpen, true} }

// large reports whether no value is made to show the limit.
func (l limit) large() bool { return l.at != nil && *l.at > largest }

func (l limit) String() string {
	if l.at == nil {
		return "none"
	}
	text := strconv.FormatFloat(*l.at, 'g', -1, 64)
	if l.open {
		text += " (exclusive)"
	}
	return text
}

// compare is above 0 when the limit has moved up.
func (l limit) compare(to limit) int {
	sign := 1
	if !l.upper {
		sign = -1
	}
	switch {
	case l.at == nil && to.at == nil:
		return 0
	case l.at == nil:
		return -sign
	case to.at == nil:
		return sign
	case *to.at > *l.at:
		return 1
	case *to.at < *l.at:
		return -1
	case l.open == to.open:
		return 0
	case to.open:
		return -sign
	}
	return sign
}

// bound compares a limit.
func (c *comparer) bound(old, new *Alt, name string, before, after limit, values []any) []*change {
	moved := before.compare(after)
	if moved == 0 {
		return nil
	}
	rule := name + "-raised"
	if moved < 0 {
		rule = name + "-lowered"
	}
	ch := at(rule, old, new, before.String(), after.String()).show(old, new, values)
	ch.unproven = before.large() || after.large()
	if c.rules.rule(rule).Effect == EffectWidens {
		ch.narrow = nil
	} else {
		ch.widen = nil
	}
	return []*change{ch}
}

func numbers(list []float64) []any {
	var values []any
	for _, f := range list {
		values = append(values, num(f))
	}
	return values
}

// texts are strings of lengths in and around spans.
func texts(spans ...span) []any {
	var values []any
	for _, n := range lengths(spans...) {
		values = append(values, strings.Repeat("x", n))
	}
	return values
}

// lengths are numbers of things in and around spans, none of them large.
func lengths(spans ...span) []int {
	list := []int{0, 1, 2}
	for _, s := range spans {
		for _, bound := range []*float64{s.Min, s.Max} {
			if bound != nil && *bound <= largest {
				list = append(list, max(0, int(*bound)-1), int(*bound), int(*bound)+1)
			}
		}
	}
	return list
}

// arrays compares arrays.
func (c *comparer) arrays(old, new *Alt) []*change {
	var list []*change
	o, n := old.Array, new.Array
	items := func(a *Alt) *Shape {
		if a.Array.Items == nil {
			return anything(Place{a.Where.Path + "[]", a.Where.Pointer})
		}
		return a.Array.Items
	}
	for _, ch := range c.shapes(items(old), items(new)) {
		up := *ch
		up.narrow, up.widen = c.around(ch.narrow, old), c.around(ch.widen, new)
		list = append(list, &up)
	}
	var values []any
	for _, length := range lengths(o.Length, n.Length) {
		for _, a := range []*Alt{old, new} {
			if v, ok := c.make.list(a, length); ok {
				values = append(values, v)
			}
		}
	}
	list = append(list, c.bound(old, new, "min-items", o.Length.low(), n.Length.low(), values)...)
	list = append(list, c.bound(old, new, "max-items", o.Length.high(), n.Length.high(), values)...)
	if o.Unique != n.Unique {
		rule, loose := "unique-items-added", old
		if o.Unique {
			rule, loose = "unique-items-removed", new
		}
		ch := at(rule, old, new)
		if two, ok := c.make.list(loose, max(2, lowest(loose.Array.Length))); ok {
			ch.show(old, new, []any{two})
		}
		list = append(list, ch)
	}
	return list
}

// around puts values into arrays, as long as the alternative demands.
func (c *comparer) around(values []any, a *Alt) []any {
	var out []any
	for _, v := range values {
		list, ok := c.make.list(a, max(0, lowest(a.Array.Length)-1))
		if !ok {
			continue
		}
		if whole := append([]any{v}, list.([]any)...); a.Array.Length.contains(float64(len(whole))) {
			out = append(out, whole)
		}
	}
	return out
}

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
	var values []any
	for _, a := range []*Alt{old, new} {
		values = append(values, c.make.samples(a)...)
		for _, size := range lengths(o.Size, n.Size) {
			object := map[string]any{}
			for i := range size {
				object["x"+strconv.Itoa(i)] = ""
			}
			values = append(values, object)
		}
	}
	list = append(list, c.bound(old, new, "min-properties", o.Size.low(), n.Size.low(), values)...)
	return append(list, c.bound(old, new, "max-properties", o.Size.high(), n.Size.high(), values)...)
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
		list = append(list, &change{rule: "parameter-description-changed", subject: new.Where.Path, old: old.Where, new: new.Where, args: []string{name}})
	}
	if old.About.Default != new.About.Default {
		list = append(list, &change{rule: "default-changed", subject: new.Where.Path, old: old.Where, new: new.Where,
			args: []string{name, quoted(old.About.Default), quoted(new.About.Default)}})
	}
	return list
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
			return anything(Place{a.Where.Path + "{}", a.Where.Pointer})
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

// opaque tells of constraints that are not understood.
func (c *comparer) opaque(old, new *Shape, was, is []*Alt) []*change {
	before, after := opaques(was), opaques(is)
	keywords := maps.Clone(before)
	maps.Copy(keywords, after)
	var list []*change
	for _, keyword := range slices.Sorted(maps.Keys(keywords)) {
		if before[keyword] != after[keyword] {
			list = append(list, &change{rule: "constraint-changed", subject: new.Where.Path, old: old.Where, new: new.Where, args: []string{fmt.Sprintf("%q", keyword)}})
		}
	}
	return list
}

func opaques(list []*Alt) map[string]string {
	all := map[string]string{}
	for _, a := range list {
		for keyword, text := range a.Opaque {
			if have := all[keyword]; !strings.Contains(have, text) {
				all[keyword] = have + text
			}
		}
	}
	return all
}
