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
		return []*change{c.shown("enum-opened", old, new, c.make.samples(new), string(old.Kind))}
	case new.Values != nil:
		return []*change{c.shown("enum-closed", old, new, c.make.samples(old), string(old.Kind))}
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
			list = append(list, c.shown(rule, old, new, probes))
		}
	}
	if old.Text != nil && new.Text != nil {
		list = append(list, c.format(old, new)...)
		list = append(list, c.bound(old, new, "min-length", old.Text.Length.low(), new.Text.Length.low(), texts(old.Text.Length, new.Text.Length))...)
		list = append(list, c.bound(old, new, "max-length", old.Text.Length.high(), new.Text.Length.high(), texts(old.Text.Length, new.Text.Length))...)
	}
	return list
}

// shown is a change with the values that its rule is about. Those of the other
// direction have another reason.
func (c *comparer) shown(rule string, old, new *Alt, values []any, args ...string) *change {
	ch := at(rule, old, new, args...).show(old, new, values)
	effect := c.rules.rule(rule).Effect
	if !effect.Narrows() {
		ch.narrow = nil
	}
	if !effect.Widens() {
		ch.widen = nil
	}
	return ch
}

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
	samples := append(formatted(), texts(old.Text.Length, new.Text.Length)...)
	switch {
	case checkedBefore && checkedAfter:
		ch := c.shown("format-changed", old, new, samples, before, after)
		ch.unproven = true // the samples need not tell two formats apart
		return []*change{ch}
	case checkedBefore:
		return []*change{c.shown("format-removed", old, new, samples, before)}
	case checkedAfter:
		return []*change{c.shown("format-added", old, new, samples, after)}
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
	ch := c.shown(rule, old, new, values, before.String(), after.String())
	ch.unproven = before.large() || after.large()
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
			return anything(Place{a.Where.Path + "[]", a.Where.Pointer + "/items"})
		}
		return a.Array.Items
	}
	for _, ch := range c.shapes(items(old), items(new)) {
		up := *ch
		up.narrow, up.widen = c.around(ch.narrow, old), c.around(ch.widen, new)
		list = append(list, &up)
	}
	if o.Length.low().compare(n.Length.low()) != 0 || o.Length.high().compare(n.Length.high()) != 0 {
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
	}
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
