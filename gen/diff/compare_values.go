package diff

import (
	"math/big"
	"slices"
	"strconv"
)

// listed compares lists of values, or one with a constraint.
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
		for _, text := range v.from.Values {
			value := parse(text)
			if v.to.accepts(value) || v.to.Values != nil && slices.Contains(v.to.Values, text) {
				continue
			}
			ch := p.between(old, new, c.rule("enum-value-removed", v.way), text)
			v.show(ch, []any{value}, nil, false)
		}
	}
}

// scalars compares numbers and strings.
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
		for _, b := range []bounds2{{"min-length", o.low(), n.low()}, {"max-length", o.high(), n.high()}} {
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
	for _, b := range []bounds2{{"minimum", o.Range.low(), n.Range.low()}, {"maximum", o.Range.high(), n.Range.high()}} {
		c.bound(p, old, new, b, probes, func(v any) float64 { return toFloat(v) },
			func(from *Alt, l limit) bool { return l.holds(from.Number.Range) })
	}
	if divides(o.Step, n.Step) && divides(n.Step, o.Step) {
		return
	}
	one := big.NewRat(1, 1)
	plain := func(t *number) bool { return t.Step == nil || t.Step.Cmp(one) == 0 }
	rule, args := "constraint-changed", []string{`"multipleOf"`}
	switch {
	case plain(o) && plain(n) && n.Step != nil:
		rule, args = "type-narrowed", nil
	case plain(o) && plain(n):
		rule, args = "type-widened", nil
	case plain(o):
		rule = "constraint-added"
	case plain(n):
		rule = "constraint-removed"
	}
	ch := p.between(old, new, rule, args...)
	for _, v := range p.views(old, new) {
		step := v.to.Number.Step
		v.show(ch, probes, func(value any) bool { return !divides(step, rational(render(value))) }, divides(step, v.from.Number.Step))
	}
}

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
	samples := append(formatted(), append(c.make.samples(old), c.make.samples(new)...)...)
	tell := func(rule string, args ...string) {
		ch := p.between(old, new, rule, args...)
		for _, v := range p.views(old, new) {
			demanded := after
			if v.way == widens {
				demanded = before
			}
			outside := func(value any) bool {
				return slices.ContainsFunc(demanded, func(format string) bool { return !inFormat(format, value.(string)) })
			}
			v.show(ch, samples, outside, c.prove.textIn(v.from.Text, &text{Formats: demanded}))
		}
	}
	switch {
	case len(before) > 0 && len(after) > 0:
		tell("format-changed", before[0], after[0])
	case len(before) > 0:
		tell("format-removed", before[0])
	case len(after) > 0:
		tell("format-added", after[0])
	}
}

// textPatterns compares what patterns strings match.
func (c *comparer) textPatterns(p *pairing, old, new *Alt) {
	less := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
	}
	before, after := less(old.Text.Patterns, new.Text.Patterns), less(new.Text.Patterns, old.Text.Patterns)
	rule := "constraint-changed"
	switch {
	case len(before)+len(after) == 0:
		return
	case len(before) == 0:
		rule = "constraint-added"
	case len(after) == 0:
		rule = "constraint-removed"
	}
	ch := p.between(old, new, rule, `"pattern"`)
	for _, v := range p.views(old, new) {
		demanded := &text{Patterns: after}
		if v.way == widens {
			demanded = &text{Patterns: before}
		}
		values := append(c.make.samples(v.from), c.make.samples(v.to)...)
		if s, found, known := c.prove.search(v.from.Text, nil, demanded); found && known {
			values = append(values, s)
		}
		outside := func(value any) bool {
			return slices.ContainsFunc(demanded.Patterns, func(pattern string) bool { return !matches(pattern, value.(string)) })
		}
		v.show(ch, values, outside, c.prove.textIn(v.from.Text, demanded))
	}
}

// bounds2 is a limit on two sides.
type bounds2 struct {
	name          string
	before, after limit
}

// bound compares a limit. Measure is what is limited of a value; implied reports
// whether all that an alternative may send keeps a limit.
func (c *comparer) bound(p *pairing, old, new *Alt, b bounds2, values []any, measure func(v any) float64, implied func(from *Alt, l limit) bool) {
	moved := b.before.compare(b.after)
	if moved == 0 {
		return
	}
	rule := b.name + "-raised"
	if moved < 0 {
		rule = b.name + "-lowered"
	}
	way := narrows
	if c.rules.rule(rule).Effect == EffectWidens {
		way = widens
	}
	v := p.views(old, new)[way]
	limits := b.after
	if way == widens {
		limits = b.before
	}
	ch := p.between(old, new, rule, b.before.String(), b.after.String())
	if limits.at != nil && *limits.at > largest && b.name != "minimum" && b.name != "maximum" {
		ch.ways[way].why = "an example would be too long to show"
	}
	v.show(ch, values, func(value any) bool { return !limits.allows(measure(value)) }, implied(v.from, limits))
}

// arrays compares arrays.
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
	for _, b := range []bounds2{{"min-items", o.Length.low(), n.Length.low()}, {"max-items", o.Length.high(), n.Length.high()}} {
		c.bound(p, old, new, b, values, func(v any) float64 { return float64(len(v.([]any))) },
			func(from *Alt, l limit) bool { return l.holds(from.length()) })
	}
}

// repeats reports whether an array has an element twice.
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

// repeating are arrays with an element twice.
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

// contains compares which elements arrays must have.
func (c *comparer) contains(p *pairing, old, new *Alt) {
	o, n := old.Array.Contains, new.Array.Contains
	rule := "constraint-changed"
	switch {
	case len(o)+len(n) == 0:
		return
	case len(o) == 0:
		rule = "constraint-added"
	case len(n) == 0:
		rule = "constraint-removed"
	}
	implied := func(v view) bool {
		return !slices.ContainsFunc(v.to.Array.Contains, func(one *contains) bool { return !c.prove.contained(v.from.Array, one) })
	}
	views := p.views(old, new)
	if implied(views[narrows]) && implied(views[widens]) {
		return
	}
	ch := p.between(old, new, rule, `"contains"`)
	for _, v := range views {
		lacks := func(value any) bool {
			return slices.ContainsFunc(v.to.Array.Contains, func(one *contains) bool { return !one.accept(value.([]any)) })
		}
		v.show(ch, append(c.lists(v.from, v.to), c.make.samples(v.from)...), lacks, implied(v))
	}
}

// lists are arrays of the elements that two sides speak of, a few of each.
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

// also compares the constraints that have no form.
func (c *comparer) also(p *pairing, old, new *Alt) {
	keywords := []string{}
	for _, one := range slices.Concat(old.Also, new.Also) {
		if !slices.Contains(keywords, one.keyword) {
			keywords = append(keywords, one.keyword)
		}
	}
	slices.Sort(keywords)
	for _, keyword := range keywords {
		missing := func(from, to *Alt) (list []*also) {
			for _, one := range to.Also {
				if one.keyword == keyword && !c.prove.implies(from, one) {
					list = append(list, one)
				}
			}
			return list
		}
		has := func(a *Alt) bool {
			return slices.ContainsFunc(a.Also, func(one *also) bool { return one.keyword == keyword })
		}
		added, removed := missing(old, new), missing(new, old)
		rule := "constraint-changed"
		switch {
		case len(added)+len(removed) == 0:
			continue
		case !has(old), len(removed) == 0:
			rule = "constraint-added"
		case !has(new), len(added) == 0:
			rule = "constraint-removed"
		}
		ch := p.between(old, new, rule, strconv.Quote(keyword))
		samples := append(slices.Clone(c.make.samples(old)), c.make.samples(new)...)
		for _, v := range p.views(old, new) {
			demanded := added
			if v.way == widens {
				demanded = removed
			}
			values := append(slices.Clone(samples), c.hinted(v, slices.Concat(old.Also, new.Also))...)
			violates := func(value any) bool {
				return slices.ContainsFunc(demanded, func(one *also) bool { return one.violated(value) })
			}
			v.show(ch, values, violates, len(demanded) == 0)
		}
	}
}

// hinted are values that constraints without a form may be about.
func (c *comparer) hinted(v view, list []*also) []any {
	var values []any
	for _, one := range list {
		for _, hint := range one.hints() {
			values = append(values, c.make.all(hint)...)
			if v.from.Kind != kindObject {
				continue
			}
			for _, object := range c.make.hinted(hint, 4) {
				values = append(values, merged(c.base(v, ""), object))
			}
		}
		if one.name != "" {
			for _, value := range c.make.each(v.from.Object.at(one.name, v.from.Where)) {
				values = append(values, c.inside(v, one.name, value)...)
			}
		}
	}
	switch v.from.Kind {
	case kindObject:
		if name, ok := c.make.name(v.from.Object, 0); ok {
			for _, value := range append(c.make.each(v.from.Object.at(name, v.from.Where)), "", num(0), nil, []any{}) {
				values = append(values, c.inside(v, name, value)...)
			}
		}
	case kindArray:
		values = append(values, c.lists(v.from, v.to)...)
		for _, element := range []any{"", "x", num(0), nil, true, []any{}, map[string]any{}} {
			values = append(values, []any{element}, []any{element, element})
		}
	}
	return values
}
