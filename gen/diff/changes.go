package diff

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file names the changes of keywords. A keyword of the receiver is a change if the finder does not
// prove that the sender has no value that breaks it.

// constraintRule returns the rule for a constraint that the old side has, the new side has,
// or both have.
func constraintRule(old, new bool) string {
	switch {
	case !old:
		return "constraint-added"
	case !new:
		return "constraint-removed"
	}
	return "constraint-changed"
}

// asked reports a change of a keyword, unless neither side refuses a value of the other one by it.
func (c *comparer) asked(p *pairing, old, new *Alt, branches func(a *Alt) []*branch, name func() (rule string, args []string)) *change {
	var ways [2]oneWay
	for _, v := range p.views(old, new) {
		list := branches(v.to)
		// Names are limited where objects are free to have any.
		ways[v.way] = c.ask(v, len(list) > 0 && list[0].keyword == "propertyNames" && v.from.Object.open(), list...)
	}
	if ways[narrows].refuted() && ways[widens].refuted() {
		return nil
	}
	rule, args := name()
	ch := p.between(old, new, rule, args...)
	for way := range ways {
		ch.ways[way].join(ways[way])
	}
	return ch
}

// constraint compares a keyword that has no rules of its own.
func (c *comparer) constraint(p *pairing, old, new *Alt, keyword string) {
	branches := func(a *Alt) []*branch { return c.breaking(a, keyword) }
	c.asked(p, old, new, branches, func() (string, []string) {
		return constraintRule(len(branches(old)) > 0, len(branches(new)) > 0), []string{strconv.Quote(keyword)}
	})
}

// conditions compares the keywords with conditions that the forms of alternatives do not show.
func (c *comparer) conditions(p *pairing, old, new *Alt) {
	for _, k := range keywords {
		if k.shows == nil {
			continue
		}
		branches := func(a *Alt) (list []*branch) {
			if k.name == "oneOf" {
				for _, s := range a.refused {
					list = append(list, &branch{keyword: k.name, accept: []*jsonschema.Schema{s}})
				}
				return list
			}
			return slices.DeleteFunc(c.breaking(a, k.name), func(b *branch) bool { return k.shows(a, b) })
		}
		if len(branches(old))+len(branches(new)) == 0 {
			continue
		}
		has := func(v view, same func(x, y wire.Raw) bool) bool {
			return slices.ContainsFunc(branches(v.to), func(b *branch) bool { return !v.writes(b, same) })
		}
		views := p.views(old, new)
		if ch := c.asked(p, old, new, branches, func() (string, []string) {
			return constraintRule(has(views[widens], c.sameText), has(views[narrows], c.sameText)), []string{strconv.Quote(k.name)}
		}); ch != nil {
			ch.condition, ch.own = true, ch.own || has(views[widens], wire.Equal) || has(views[narrows], wire.Equal)
		}
	}
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
	case old.Kind == kindNumber:
		c.numbers(p, old, new)
	case old.Kind == kindString:
		c.strings(p, old, new)
	}
	c.conditions(p, old, new)
}

// listed compares enum and const.
func (c *comparer) listed(p *pairing, old, new *Alt) {
	if old.Values != nil && new.Values != nil && len(old.Values) == 1 && len(new.Values) == 1 {
		if old.Values[0] == new.Values[0] {
			return
		}
		ch := p.between(old, new, "const-changed", old.Values[0], new.Values[0])
		for _, v := range p.views(old, new) {
			ch.ways[v.way].join(v.try(v.from.Values))
		}
		return
	}
	for _, v := range p.views(old, new) {
		if v.from.Values == nil {
			if w := c.ask(v, false, &branch{keyword: "enum", kinds: v.from.Kind}); !w.refuted() {
				p.between(old, new, c.rules.toward("enum-closed", v.way), v.from.Kind.String()).ways[v.way].join(w)
			}
			continue
		}
		var texts []string
		listed := map[string]bool{}
		for _, text := range v.to.Values {
			listed[text] = true
		}
		for _, text := range v.from.Values {
			if !listed[text] && (v.to.Values != nil || !v.to.accepts(parse(text))) {
				texts = append(texts, text)
			}
		}
		if len(texts) > 0 {
			p.between(old, new, c.rules.toward("enum-value-removed", v.way), texts...).ways[v.way].join(v.try(texts))
		}
	}
}

// try returns what the receiver says of values that the sender's alternative lists.
func (v view) try(texts []string) (w oneWay) {
	for _, text := range texts[:min(len(texts), 60)] {
		switch value := parse(text); {
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
	return w
}

// limits compares a limit.
func (c *comparer) limits(p *pairing, old, new *Alt, keyword string, was, is limit) {
	moved := was.compare(is)
	if moved == 0 {
		return
	}
	kind := boundOf(keyword)
	rule := kind.raised
	if moved < 0 {
		rule = kind.lowered
	}
	way := narrows
	if c.rules.rule(rule).Effect == EffectWidens {
		way = widens
	}
	v := p.views(old, new)[way]
	limit := is
	if way == widens {
		limit = was
	}
	w := c.ask(v, keyword == "maxProperties" && v.from.Object.open(), breachOf(v.from.Kind, keyword, limit))
	if !w.refuted() {
		if kind.counts && limit.count() > largest {
			w.why, w.sure = "an example would be too long to show", true
		}
		p.between(old, new, rule, was.String(), is.String()).ways[way].join(w)
	}
}

// numbers compares minimum, maximum and multipleOf, which is 1 for integers.
func (c *comparer) numbers(p *pairing, old, new *Alt) {
	o, n := old.Number, new.Number
	c.spans(p, old, new, "minimum", "maximum", o.span, n.span)
	one := big.NewRat(1, 1)
	plain := func(t *number) bool { return t.Step == nil || t.Step.Cmp(one) == 0 }
	branches := func(a *Alt) []*branch {
		if a.Number.Step == nil {
			return nil
		}
		if a.Number.Step.Cmp(one) == 0 {
			return []*branch{{keyword: "type", kinds: kindNumber, fraction: true}}
		}
		return []*branch{breachOf(kindNumber, "multipleOf", limit{at: a.Number.Step})}
	}
	c.asked(p, old, new, branches, func() (string, []string) {
		switch {
		case plain(o) && plain(n) && n.Step != nil:
			return "type-narrowed", nil
		case plain(o) && plain(n):
			return "type-widened", nil
		}
		return constraintRule(!plain(o), !plain(n)), []string{`"multipleOf"`}
	})
}

// strings compares minLength, maxLength, format and pattern.
func (c *comparer) strings(p *pairing, old, new *Alt) {
	c.formats(p, old, new)
	less := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
	}
	before, after := less(old.Text.Patterns, new.Text.Patterns), less(new.Text.Patterns, old.Text.Patterns)
	c.asked(p, old, new, func(a *Alt) []*branch { return c.breaking(a, "pattern") }, func() (string, []string) {
		return constraintRule(len(before) > 0, len(after) > 0), []string{`"pattern"`}
	})
	c.spans(p, old, new, "minLength", "maxLength", old.Text.Length, new.Text.Length)
}

// formats compares the formats of strings. Validators do not check formats that the package
// does not know, so a change of one is only a remark.
func (c *comparer) formats(p *pairing, old, new *Alt) {
	checked := func(t, other *text) (list, remarks []string) {
		for _, format := range t.Formats {
			if slices.Contains(other.Formats, format) {
				continue
			}
			if isFormat(format) {
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
	c.asked(p, old, new, func(a *Alt) []*branch { return c.breaking(a, "format") }, func() (string, []string) {
		switch {
		case len(before) > 0 && len(after) > 0:
			return "format-changed", []string{before[0], after[0]}
		case len(before) > 0:
			return "format-removed", []string{before[0]}
		}
		return "format-added", []string{first(after)}
	})
}

// spans compares the limits of a count.
func (c *comparer) spans(p *pairing, old, new *Alt, least, most string, was, is span) {
	c.limits(p, old, new, least, was.Low, is.Low)
	c.limits(p, old, new, most, was.High, is.High)
}

// arrays compares prefixItems, items, contains, uniqueItems, minItems and maxItems.
func (c *comparer) arrays(p *pairing, old, new *Alt) {
	o, n := old.Array, new.Array
	prefix := max(len(o.Prefix), len(n.Prefix))
	reaches := func(i int) bool {
		longer := atLeast(int64(i) + 1)
		return !o.Length.and(longer).empty() && !n.Length.and(longer).empty()
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
	c.constraint(p, old, new, "contains")
	c.asked(p, old, new, func(a *Alt) []*branch { return c.breaking(a, "uniqueItems") }, func() (string, []string) {
		if n.Unique {
			return "unique-items-added", nil
		}
		return "unique-items-removed", nil
	})
	c.spans(p, old, new, "minItems", "maxItems", o.Length, n.Length)
}
