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

// report adds what is known of a direction to the change of a rule. rule is the one for the old side as the sender.
// report returns nil if there are no values.
func (c *comparer) report(v view, rule string, o answer, args ...string) *change {
	if o.is == none {
		return nil
	}
	old, new := inOrder(v.way, v.from, v.to)
	ch := v.between(old, new, toward(rule, v.way), args...)
	ch.ways[v.way].join(o)
	return ch
}

// alts compares two alternatives of one kind.
func (c *comparer) alts(p *pairing, old, new *Alt) {
	switch {
	case old == new:
		return
	case old.Values != nil || new.Values != nil:
		c.listed(p, old, new)
		return
	case old.kinds == kindObject:
		c.objects(p, old, new)
	case old.kinds == kindArray:
		c.elements(p, old, new)
	case old.kinds == kindString:
		p.remarks(old, new)
	}
	for _, v := range p.views(old, new) {
		for _, b := range bounds {
			if b.kind == old.kinds {
				c.limit(v, b)
			}
		}
	}
	for _, k := range keywords {
		if k.shows != nil || k.of == old.kinds {
			c.keyword(p, old, new, k)
		}
	}
}

// keyword compares a keyword that a side may have several times. It reports nothing if neither side refuses a value
// of the other one by it.
func (c *comparer) keyword(p *pairing, old, new *Alt, k keyword) {
	var ways [2]answer
	views := p.views(old, new)
	for _, v := range views {
		ways[v.way] = c.ask(v, c.unshown(v.to, k)...)
	}
	if ways[narrows].is == none && ways[widens].is == none {
		return
	}
	has := func(way int, same func(x, y wire.Raw) bool) bool {
		return slices.ContainsFunc(c.unshown(views[way].to, k), func(b *branch) bool { return !views[way].writes(b, same) })
	}
	rule, args := constraintRule(has(widens, c.sameText), has(narrows, c.sameText)), []string{strconv.Quote(k.name)}
	if k.named != nil {
		rule, args = k.named(old, new)
	}
	ch := p.between(old, new, rule, args...)
	for way := range ways {
		ch.ways[way].join(ways[way])
	}
	if k.shows != nil {
		ch.condition, ch.own = true, ch.own || has(widens, wire.Equal) || has(narrows, wire.Equal)
	}
}

// unshown returns the branches in which an alternative refuses values by a keyword, as far as its forms do not show
// them.
func (e *engine) unshown(a *Alt, k keyword) (list []*branch) {
	if k.name == "oneOf" {
		for _, s := range a.refused {
			list = append(list, &branch{keyword: k.name, accept: []*jsonschema.Schema{s}})
		}
		return list
	}
	names := []string{k.name}
	if k.name == "multipleOf" {
		names = append(names, "type") // integers are multiples of 1
	}
	return slices.DeleteFunc(e.breaking(a, names...), func(b *branch) bool { return k.shows != nil && k.shows(a, b) })
}

// listed compares enum and const.
func (c *comparer) listed(p *pairing, old, new *Alt) {
	if len(old.Values) == 1 && len(new.Values) == 1 {
		if old.Values[0] == new.Values[0] {
			return
		}
		ch := p.between(old, new, "const-changed", old.Values[0], new.Values[0])
		for _, v := range p.views(old, new) {
			ch.ways[v.way].join(c.try(v, v.from.Values))
		}
		return
	}
	for _, v := range p.views(old, new) {
		if v.from.Values == nil {
			c.report(v, "enum-closed", c.ask(v, &branch{keyword: "enum", kinds: v.from.kinds}), v.from.kinds.String())
			continue
		}
		var texts []string
		listed := map[string]bool{}
		for _, text := range v.to.Values {
			listed[text] = true
		}
		for _, text := range v.from.Values {
			if !listed[text] && (v.to.Values != nil || !c.has(v.to, parse(text))) {
				texts = append(texts, text)
			}
		}
		c.report(v, "enum-value-removed", c.try(v, texts), texts...)
	}
}

// try returns what the receiver says of values that the sender's alternative lists.
func (c *comparer) try(v view, texts []string) (o answer) {
	for _, text := range texts[:min(len(texts), 60)] {
		value := parse(text)
		switch accepts, known := c.accepts(value, v.accepts.from...); {
		case !known:
			o.join(answer{is: unknown})
		case !accepts:
			o.join(answer{is: found, value: value})
		case v.to == nil || !c.has(v.to, value):
			o.join(c.asAnother(v, value))
		}
	}
	return o
}

// asAnother returns what becomes of a value that the receiver accepts as another variant.
func (c *comparer) asAnother(v view, value any) answer {
	if c.knows(v.accepts, value) {
		return answer{is: another}
	}
	return answer{is: lost}
}

// limit compares a limit of the receiver.
func (c *comparer) limit(v view, b bound) {
	was, is := b.at(v.from), b.at(v.to)
	if !is.stricter(was) {
		return
	}
	o := c.ask(v, breachOf(v.from.kinds, b.keyword, is))
	if o.is != none && b.kind != kindNumber && is.reach() > largest {
		o.is, o.sure, o.why = max(o.is, unknown), true, "an example would be too long to show"
	}
	was, is = inOrder(v.way, was, is)
	c.report(v, b.narrows, o, was.String(), is.String())
}

// elements compares prefixItems and items.
func (c *comparer) elements(p *pairing, old, new *Alt) {
	o, n := old.Array, new.Array
	prefix := max(len(o.Prefix), len(n.Prefix))
	at := func(a *Alt, i int) *Shape {
		where := a.Where
		if where.Path != "" {
			where = Place{where.Path + "[]", where.Pointer + "/items"}
		}
		return a.Array.at(i, where)
	}
	for i := range prefix + 1 {
		longer := atLeast(int64(i) + 1)
		if o.Length.and(longer).empty() || n.Length.and(longer).empty() {
			break
		}
		path := "[]"
		if i < prefix {
			path = "[" + strconv.Itoa(i) + "]"
		}
		p.children = append(p.children, &child{old: at(old, i), new: at(new, i), oldAlt: old, newAlt: new, element: true, index: i, path: path})
	}
}

// unlike returns the formats that from has and to does not have: those that validators check if checked is set,
// and otherwise the others.
func unlike(from, to *text, checked bool) []string {
	return slices.DeleteFunc(slices.Clone(from.Formats), func(format string) bool { return slices.Contains(to.Formats, format) || isFormat(format) != checked })
}

// formatRule names a change of the formats that validators check.
func formatRule(old, new *Alt) (rule string, args []string) {
	was, is := unlike(old.Text, new.Text, true), unlike(new.Text, old.Text, true)
	switch {
	case len(was) > 0 && len(is) > 0:
		return "format-changed", []string{was[0], is[0]}
	case len(was) > 0:
		return "format-removed", was[:1]
	}
	return "format-added", []string{first(is)}
}

// first returns the first of some formats.
func first(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return list[0]
}

// remarks reports a change of formats that validators do not check, if no other formats have changed.
func (p *pairing) remarks(old, new *Alt) {
	was, is := unlike(old.Text, new.Text, false), unlike(new.Text, old.Text, false)
	if len(was)+len(is) > 0 && len(unlike(old.Text, new.Text, true))+len(unlike(new.Text, old.Text, true)) == 0 {
		p.between(old, new, "format-remark-changed", first(was), first(is))
	}
}

// stepRule names a change of multipleOf, which is 1 for integers.
func stepRule(old, new *Alt) (rule string, args []string) {
	one := big.NewRat(1, 1)
	plain := func(a *Alt) bool { return a.Number.Step == nil || a.Number.Step.Cmp(one) == 0 }
	switch {
	case plain(old) && plain(new) && new.Number.Step != nil:
		return "type-narrowed", nil
	case plain(old) && plain(new):
		return "type-widened", nil
	}
	return constraintRule(!plain(old), !plain(new)), []string{`"multipleOf"`}
}

// uniqueRule names a change of uniqueItems.
func uniqueRule(_, new *Alt) (rule string, args []string) {
	if new.Array.Unique {
		return "unique-items-added", nil
	}
	return "unique-items-removed", nil
}
