package diff

import (
	"slices"
	"strconv"
)

// demand is a constraint that the receiver of a view has. Values that violate it show the
// change.
type demand struct {
	// implied reports whether every value of the sender satisfies the constraint anyway.
	implied func(v view) bool
	// values returns candidates for an example.
	values   func(v view) []any
	violates func(v view, value any) bool
}

// demands reports a change of a constraint, unless both sides imply the constraint of the
// other.
func (p *pairing) demands(old, new *Alt, d demand, rule string, args ...string) {
	views := p.views(old, new)
	implied := [2]bool{d.implied(views[narrows]), d.implied(views[widens])}
	if implied[narrows] && implied[widens] {
		return
	}
	ch := p.between(old, new, rule, args...)
	for way, v := range views {
		var values []any
		if !implied[way] {
			values = d.values(v)
		}
		v.show(ch, values, func(value any) bool { return d.violates(v, value) }, implied[way])
	}
}

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

// byWay returns the first of two values for a change that narrows, the second for one that
// widens.
func byWay[T any](v view, narrow, widen T) T {
	if v.way == narrows {
		return narrow
	}
	return widen
}

// also compares the constraints that no other function compares, keyword by keyword.
func (c *comparer) also(p *pairing, old, new *Alt) {
	all := slices.Concat(old.Also, new.Also)
	keywords := []string{}
	for _, one := range all {
		if !slices.Contains(keywords, one.keyword) {
			keywords = append(keywords, one.keyword)
		}
	}
	slices.Sort(keywords)
	for _, keyword := range keywords {
		var values [2][]any
		missing := func(v view) (list []*also) {
			for _, one := range v.to.Also {
				if one.keyword != keyword {
					continue
				}
				switch a := c.prove.breaking(v.from, one, false); a.is {
				case none:
					continue
				case found:
					values[v.way] = append(values[v.way], a.value)
				}
				list = append(list, one)
			}
			return list
		}
		has := func(a *Alt) bool {
			return slices.ContainsFunc(a.Also, func(one *also) bool { return one.keyword == keyword })
		}
		views := p.views(old, new)
		added, removed := missing(views[narrows]), missing(views[widens])
		p.demands(old, new, demand{
			implied: func(v view) bool { return len(byWay(v, added, removed)) == 0 },
			values: func(v view) []any {
				return slices.Concat(values[v.way], c.make.samples(old), c.make.samples(new))
			},
			violates: func(v view, value any) bool {
				return slices.ContainsFunc(byWay(v, added, removed), func(one *also) bool { return one.violated(value) })
			},
		}, constraintRule(has(old) && len(removed) > 0, has(new) && len(added) > 0), strconv.Quote(keyword))
	}
}
