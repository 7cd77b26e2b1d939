package diff

import (
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
		for i := range keywords {
			if k := &keywords[i]; k.limit != nil && k.kind == old.kinds {
				c.limit(v, k)
			}
		}
	}
	for i := range keywords {
		if k := &keywords[i]; k.shows != nil || k.whole && k.kind == old.kinds {
			c.keyword(p, old, new, k)
		}
	}
}

// keyword compares a keyword that a side may have several times. It reports nothing if neither side refuses a value
// of the other one by it.
func (c *comparer) keyword(p *pairing, old, new *Alt, k *keyword) {
	var ways [2]answer
	views := p.views(old, new)
	for _, v := range views {
		ways[v.way] = c.ask(v, unshown(v.to, k)...)
	}
	if ways[narrows].is == none && ways[widens].is == none {
		return
	}
	has := func(way int, same func(x, y wire.Raw) bool) bool {
		return slices.ContainsFunc(unshown(views[way].to, k), func(b *branch) bool { return !views[way].writes(b, same) })
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
func unshown(a *Alt, k *keyword) (list []*branch) {
	if k.name == "oneOf" {
		for _, s := range a.refused {
			list = append(list, &branch{keyword: k.name, accept: []*jsonschema.Schema{s}})
		}
		return list
	}
	if k.name == "multipleOf" {
		list = breaking(a, "type") // integers are multiples of 1
	}
	return slices.DeleteFunc(append(list, k.breaking(a)...), func(b *branch) bool { return k.shows != nil && k.shows(a, b) })
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
func (c *comparer) limit(v view, k *keyword) {
	was, is := k.limit.of(v.from), k.limit.of(v.to)
	if !is.Stricter(was) {
		return
	}
	o := c.ask(v, &branch{keyword: k.name, kinds: k.kind, between: is.Beyond()})
	if o.is != none && k.kind != kindNumber && is.Reach() > largest {
		o.is, o.sure, o.why = max(o.is, unknown), true, "an example would be too long to show"
	}
	was, is = inOrder(v.way, was, is)
	c.report(v, k.limit.narrows, o, was.String(), is.String())
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
		longer := jsonschema.AtLeast(int64(i) + 1)
		if old.And(longer).Empty() || new.And(longer).Empty() {
			break
		}
		path := "[]"
		if i < prefix {
			path = "[" + strconv.Itoa(i) + "]"
		}
		p.children = append(p.children, &child{old: at(old, i), new: at(new, i), oldAlt: old, newAlt: new, element: true, index: i, path: path})
	}
}
