package diff

import (
	"math/big"
	"slices"
	"strconv"
)

// listed compares two lists of values, or a list of values with a constraint.
func (c *comparer) listed(p *pairing, old, new *Alt) {
	if old.Values != nil && new.Values != nil && len(old.Values) == 1 && len(new.Values) == 1 {
		if old.Values[0] == new.Values[0] {
			return
		}
		ch := p.between(old, new, "const-changed", old.Values[0], new.Values[0])
		for _, v := range p.views(old, new) {
			v.show(ch, []any{parse(v.from.Values[0])}, nil, false)
		}
		return
	}
	for _, v := range p.views(old, new) {
		if v.from.Values == nil {
			rule := c.rule("enum-closed", v.way)
			values, few := v.from.few()
			ch := p.between(old, new, rule, string(v.from.Kind))
			in := func(value any) bool { return !slices.Contains(v.to.Values, exactly(value)) }
			v.show(ch, c.make.samples(v.from), in, few && !slices.ContainsFunc(values, func(text string) bool { return !v.to.accepts(parse(text)) }))
			continue
		}
		var texts []string
		var values []any
		listed := map[string]bool{}
		for _, text := range v.to.Values {
			listed[text] = true
		}
		for _, text := range v.from.Values {
			if listed[text] || v.to.Values == nil && v.to.accepts(parse(text)) {
				continue
			}
			texts = append(texts, text)
			if len(values) < mostSamples {
				values = append(values, parse(text))
			}
		}
		if len(texts) > 0 {
			v.show(p.between(old, new, c.rule("enum-value-removed", v.way), texts...), values, nil, false)
		}
	}
}

// scalars compares the constraints of numbers and strings.
func (c *comparer) scalars(p *pairing, old, new *Alt) {
	if old.Number != nil && new.Number != nil {
		c.numbers(p, old, new)
	}
	if old.Text != nil && new.Text != nil {
		c.formats(p, old, new)
		c.textPatterns(p, old, new)
		o, n := old.Text.Length, new.Text.Length
		probes := append(c.make.samples(old), c.make.samples(new)...)
		for _, n := range lengths(o, n) {
			probes = append(probes, repeated(n))
		}
		for _, v := range p.views(old, new) {
			if s, found, known := c.prove.search(v.from.Text, nil, &text{Length: v.to.Text.Length}); found && known {
				probes = append(probes, s)
			}
		}
		for _, b := range []limits2{{"minLength", o.low(), n.low()}, {"maxLength", o.high(), n.high()}} {
			c.bound(p, old, new, b, probes, func(v any) float64 { return float64(len([]rune(v.(string)))) },
				func(from *Alt, l limit) bool { return c.prove.textIn(from.Text, &text{Length: l.span()}) })
		}
	}
}

func (c *comparer) numbers(p *pairing, old, new *Alt) {
	o, n := old.Number, new.Number
	var probes []any
	for _, f := range append(o.probes(), n.probes()...) {
		probes = append(probes, num(f))
	}
	for _, b := range []limits2{{"minimum", o.Range.low(), n.Range.low()}, {"maximum", o.Range.high(), n.Range.high()}} {
		c.bound(p, old, new, b, probes, func(v any) float64 { return toFloat(v) },
			func(from *Alt, l limit) bool { return l.holds(from.Number.Range) })
	}
	one := big.NewRat(1, 1)
	plain := func(t *number) bool { return t.Step == nil || t.Step.Cmp(one) == 0 }
	rule, args := constraintRule(!plain(o), !plain(n)), []string{`"multipleOf"`}
	switch {
	case plain(o) && plain(n) && n.Step != nil:
		rule, args = "type-narrowed", nil
	case plain(o) && plain(n):
		rule, args = "type-widened", nil
	}
	p.demands(old, new, demand{
		implied:  func(v view) bool { return divides(v.to.Number.Step, v.from.Number.Step) },
		values:   func(view) []any { return probes },
		violates: func(v view, value any) bool { return !divides(v.to.Number.Step, rational(render(value))) },
	}, rule, args...)
}

// formats compares the formats of strings. Validators do not check formats that the package
// does not know, so a change of one is only a remark.
func (c *comparer) formats(p *pairing, old, new *Alt) {
	checked := func(t, other *text) (list, remarks []string) {
		for _, format := range t.Formats {
			if slices.Contains(other.Formats, format) {
				continue
			}
			if _, ok := formats[format]; ok {
				list = append(list, format)
			} else {
				remarks = append(remarks, format)
			}
		}
		return list, remarks
	}
	before, remarksBefore := checked(old.Text, new.Text)
	after, remarksAfter := checked(new.Text, old.Text)
	first := func(list []string) string {
		if len(list) == 0 {
			return "none"
		}
		return list[0]
	}
	if len(remarksBefore)+len(remarksAfter) > 0 && len(before)+len(after) == 0 {
		p.between(old, new, "format-remark-changed", first(remarksBefore), first(remarksAfter))
	}
	differ := demand{
		implied: func(v view) bool { return c.prove.textIn(v.from.Text, &text{Formats: byWay(v, after, before)}) },
		values:  func(view) []any { return slices.Concat(formatted(), c.make.samples(old), c.make.samples(new)) },
		violates: func(v view, value any) bool {
			return slices.ContainsFunc(byWay(v, after, before), func(format string) bool { return !inFormat(format, value.(string)) })
		},
	}
	switch {
	case len(before) > 0 && len(after) > 0:
		p.demands(old, new, differ, "format-changed", before[0], after[0])
	case len(before) > 0:
		p.demands(old, new, differ, "format-removed", before[0])
	case len(after) > 0:
		p.demands(old, new, differ, "format-added", after[0])
	}
}

// textPatterns compares the patterns that strings must match.
func (c *comparer) textPatterns(p *pairing, old, new *Alt) {
	less := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
	}
	before, after := less(old.Text.Patterns, new.Text.Patterns), less(new.Text.Patterns, old.Text.Patterns)
	if len(before)+len(after) == 0 {
		return
	}
	demanded := func(v view) *text { return &text{Patterns: byWay(v, after, before)} }
	p.demands(old, new, demand{
		implied: func(v view) bool { return c.prove.textIn(v.from.Text, demanded(v)) },
		values: func(v view) []any {
			values := slices.Concat(c.make.samples(v.from), c.make.samples(v.to))
			if s, found, known := c.prove.search(v.from.Text, nil, demanded(v)); found && known {
				values = append(values, s)
			}
			return values
		},
		violates: func(v view, value any) bool {
			return slices.ContainsFunc(demanded(v).Patterns, func(pattern string) bool { return !matches(pattern, value.(string)) })
		},
	}, constraintRule(len(before) > 0, len(after) > 0), `"pattern"`)
}

// limits2 is a limit on the two sides, by its keyword.
type limits2 struct {
	keyword       string
	before, after limit
}

// bound compares a limit. Measure returns the property of a value that is limited. Implied
// reports whether every value of an alternative keeps a limit.
func (c *comparer) bound(p *pairing, old, new *Alt, b limits2, values []any, measure func(v any) float64, implied func(from *Alt, l limit) bool) {
	moved := b.before.compare(b.after)
	if moved == 0 {
		return
	}
	kind := boundOf(b.keyword)
	rule := kind.raised
	if moved < 0 {
		rule = kind.lowered
	}
	way := narrows
	if c.rules.rule(rule).Effect == EffectWidens {
		way = widens
	}
	v := p.views(old, new)[way]
	limits := byWay(v, b.after, b.before)
	ch := p.between(old, new, rule, b.before.String(), b.after.String())
	if kind.counts && limits.at != nil && *limits.at > largest {
		ch.ways[way].why, ch.ways[way].sure = "an example would be too long to show", true
	}
	v.show(ch, values, func(value any) bool { return !limits.allows(measure(value)) }, implied(v.from, limits))
}

// arrays compares the constraints of arrays.
func (c *comparer) arrays(p *pairing, old, new *Alt) {
	o, n := old.Array, new.Array
	prefix := max(len(o.Prefix), len(n.Prefix))
	reaches := func(i int) bool {
		return (o.Length.Max == nil || float64(i) < *o.Length.Max) && (n.Length.Max == nil || float64(i) < *n.Length.Max)
	}
	at := func(a *Alt, i int) *Shape {
		where := a.Where
		if where.Path != "" {
			where = Place{where.Path + "[]", where.Pointer + "/items"}
		}
		return a.Array.at(i, where)
	}
	for i := range prefix + 1 {
		if !reaches(i) {
			break
		}
		path := "[]"
		if prefix > 0 && i < prefix {
			path = "[" + strconv.Itoa(i) + "]"
		}
		p.children = append(p.children, &child{old: at(old, i), new: at(new, i), oldAlt: old, newAlt: new, element: true, index: i, path: path})
	}
	c.contains(p, old, new)
	if o.Unique != n.Unique {
		rule, way := "unique-items-added", narrows
		if o.Unique {
			rule, way = "unique-items-removed", widens
		}
		v := p.views(old, new)[way]
		ch := p.between(old, new, rule)
		length := v.from.length()
		v.show(ch, c.repeating(v), repeats, length.Max != nil && *length.Max <= 1)
	}
	if o.Length.low().compare(n.Length.low()) == 0 && o.Length.high().compare(n.Length.high()) == 0 {
		return
	}
	var values []any
	for _, a := range []*Alt{old, new} {
		values = append(values, c.make.samples(a)...)
		for _, length := range lengths(o.Length, n.Length) {
			if v, ok := c.make.array(a, length, 4); ok {
				values = append(values, v)
			}
		}
	}
	for _, b := range []limits2{{"minItems", o.Length.low(), n.Length.low()}, {"maxItems", o.Length.high(), n.Length.high()}} {
		c.bound(p, old, new, b, values, func(v any) float64 { return float64(len(v.([]any))) },
			func(from *Alt, l limit) bool { return l.holds(from.length()) })
	}
}

// repeats reports whether an array has equal elements.
func repeats(v any) bool {
	seen := map[string]bool{}
	for _, element := range v.([]any) {
		text := exactly(element)
		if seen[text] {
			return true
		}
		seen[text] = true
	}
	return false
}

// repeating returns arrays with equal elements.
func (c *comparer) repeating(v view) []any {
	var values []any
	least := max(2, lowest(v.from.Array.Length), lowest(v.to.Array.Length))
	base, ok := c.make.array(v.from, least, 4)
	for i := range min(least, 6) {
		for j := range i {
			for _, element := range c.make.each(v.from.Array.at(i, v.from.Where)) {
				list := make([]any, least)
				if ok {
					list = slices.Clone(base.([]any))
				}
				list[i], list[j] = element, element
				values = append(values, list)
			}
		}
	}
	return append(values, c.make.samples(v.from)...)
}

// contains compares the elements that arrays must have.
func (c *comparer) contains(p *pairing, old, new *Alt) {
	o, n := old.Array.Contains, new.Array.Contains
	if len(o)+len(n) == 0 {
		return
	}
	p.demands(old, new, demand{
		implied: func(v view) bool {
			return !slices.ContainsFunc(v.to.Array.Contains, func(one *contains) bool { return !c.prove.contained(v.from.Array, one) })
		},
		values: func(v view) []any { return append(c.lists(v.from, v.to), c.make.samples(v.from)...) },
		violates: func(v view, value any) bool {
			return slices.ContainsFunc(v.to.Array.Contains, func(one *contains) bool { return !one.accept(value.([]any)) })
		},
	}, constraintRule(len(o) > 0, len(n) > 0), `"contains"`)
}

// lists returns arrays of a few elements that the constraints of either side mention.
func (c *comparer) lists(a, b *Alt) []any {
	var elements []any
	for _, t := range []*array{a.Array, b.Array} {
		for _, one := range t.Contains {
			elements = append(elements, c.make.each(one.Shape)...)
		}
		elements = append(elements, c.make.each(t.at(len(t.Prefix), Place{}))...)
	}
	elements = elements[:min(len(elements), 10)]
	most := 3
	for _, t := range []*array{a.Array, b.Array} {
		for _, one := range t.Contains {
			for _, bound := range []*float64{one.Count.Min, one.Count.Max} {
				if bound != nil && *bound < 20 {
					most = max(most, int(*bound)+1)
				}
			}
		}
	}
	list := []any{[]any{}}
	for _, x := range elements {
		for n := 1; n <= most; n++ {
			same := slices.Repeat([]any{x}, n)
			list = append(list, same)
			for _, y := range elements {
				list = append(list, append(slices.Clone(same), y))
			}
		}
	}
	return list
}
