package diff

import (
	"maps"
	"slices"
)

// mostSamples limits the number of samples of an alternative.
const mostSamples = 60

// all returns samples of every alternative of a shape.
func (m *maker) all(s *Shape) []any {
	if s.set.samples != nil {
		return s.set.samples
	}
	list := []any{}
	for _, a := range s.alts() {
		for _, v := range m.samples(a) {
			if s.accepts(v) {
				list = append(list, v)
			}
		}
	}
	if len(list) == 0 && s.more != nil {
		list = append(list, s.more()...)
	}
	s.set.samples = list
	return list
}

// samples returns various values of an alternative.
func (m *maker) samples(a *Alt) []any {
	if a.samples != nil {
		return a.samples
	}
	list := []any{}
	seen := map[string]bool{}
	add := func(v any) {
		if text := render(v); len(list) < mostSamples && !seen[text] {
			seen[text] = true
			if a.accepts(v) {
				list = append(list, v)
			}
		}
	}
	minimal, ok := m.of(a)
	if a.Kind == kindArray {
		m.arrays(a, add)
	}
	if ok {
		add(minimal)
	}
	for _, v := range m.scalars(a, 0) {
		add(v)
	}
	switch a.Kind {
	case kindAny:
		for _, v := range []any{"", num(0), num(0.5), false, nil, []any{}, map[string]any{}} {
			add(v)
		}
	case kindString:
		for _, v := range []any{"", "x", "xx", "X", "1", "a b", "é"} {
			add(v)
		}
		for _, v := range formatted() {
			add(v)
		}
	case kindObject:
		if base, ok := minimal.(map[string]any); ok {
			for _, v := range m.variations(a, base, 4) {
				add(v)
			}
		}
	}
	if a.more != nil && (len(a.Also) > 0 || len(list) == 0) {
		for _, v := range a.more() {
			add(v)
		}
	}
	a.samples = list
	return list
}

// arrays adds arrays with various elements and lengths.
func (m *maker) arrays(a *Alt, add func(v any)) {
	least := max(lowest(a.Array.Length), contained(a))
	if one, ok := m.array(a, least+1, 4); ok {
		add(one) // a longer array shows more than an empty one
	}
	if two, ok := m.array(a, least+2, 4); ok {
		add(two)
	}
	n := max(least, 1)
	base, ok := m.array(a, n, 4)
	for i := range min(n, 4) {
		for _, v := range m.each(a.Array.at(i, a.Where)) {
			list := make([]any, 1)
			if ok {
				list = slices.Clone(base.([]any))
			}
			list[min(i, len(list)-1)] = v
			add(list)
		}
	}
	if len(a.Array.Prefix) > 0 {
		if all, ok := m.array(a, len(a.Array.Prefix)+1, 4); ok {
			add(all)
		}
	}
}

// each returns one value of each alternative of a shape, and all values of an alternative that
// has only a few.
func (m *maker) each(s *Shape) []any {
	var list []any
	for _, a := range s.alts() {
		if values, ok := a.few(); ok {
			for _, text := range values[:min(len(values), 8)] {
				list = append(list, parse(text))
			}
			continue
		}
		if v, ok := m.of(a); ok {
			list = append(list, v)
		}
	}
	return list
}

// variations returns base with other members: with each optional member, with two of them, with
// all, with various values for each, and with all but one.
func (m *maker) variations(a *Alt, base map[string]any, depth int) []any {
	var list []any
	full := maps.Clone(base)
	var optional []string
	for _, member := range a.Object.Members {
		if member.Shape.busy {
			continue
		}
		v, ok := m.member(member.Shape, depth)
		if !ok {
			continue
		}
		if _, there := base[member.Name]; !there {
			list = append(list, with(base, member.Name, v))
			full[member.Name] = v
			optional = append(optional, member.Name)
		}
	}
	list = append(list, full)
	for _, n := range a.Object.Needs {
		if _, ok := full[n.If]; ok {
			both := with(base, n.If, full[n.If])
			if v, ok := full[n.Then]; ok {
				both[n.Then] = v
			}
			list = append(list, both)
		}
	}
	if depth > 1 {
		for _, member := range a.Object.Members[:min(len(a.Object.Members), 24)] {
			for _, v := range m.each(member.Shape) {
				list = append(list, with(base, member.Name, v), with(full, member.Name, v))
			}
		}
	}
	if name, ok := m.name(a.Object, 0); ok {
		if v, ok := m.member(a.Object.at(name, a.Where), depth); ok {
			list = append(list, with(base, name, v))
		}
	}
	for _, p := range a.Object.Patterns {
		if s, found, known := m.prove.search(&text{Patterns: []string{p.Name}}, nil, nil); known && found {
			if v, ok := m.member(a.Object.at(s, a.Where), depth); ok {
				list = append(list, with(base, s, v))
			}
		}
	}
	for _, c := range a.Also {
		for _, hint := range c.hints() {
			for _, v := range m.hinted(hint, depth) {
				list = append(list, merged(base, v), merged(full, v))
			}
		}
	}
	for i, one := range optional[:min(len(optional), 8)] {
		for _, other := range optional[i+1 : min(len(optional), 8)] {
			list = append(list, with(with(base, one, full[one]), other, full[other]))
		}
		less := maps.Clone(full)
		delete(less, one)
		list = append(list, less)
	}
	return list
}

// hinted returns objects that are likely to matter to a shape.
func (m *maker) hinted(s *Shape, depth int) []map[string]any {
	var list []map[string]any
	if s.busy {
		return nil
	}
	for _, a := range s.alts() {
		if a.Kind != kindObject {
			continue
		}
		if v, ok := m.alt(a, min(depth, 3)); ok {
			list = append(list, v.(map[string]any))
		}
		if a.Object == nil || depth <= 1 {
			continue
		}
		for _, member := range a.Object.Members {
			for _, v := range m.each(member.Shape) {
				list = append(list, map[string]any{member.Name: v})
			}
		}
	}
	return list
}

func merged(base, more map[string]any) map[string]any {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, more)
	return out
}

// few returns the four shortest values.
func few(values []any) []any {
	values = slices.Clone(values)
	slices.SortStableFunc(values, func(a, b any) int { return len(render(a)) - len(render(b)) })
	return values[:min(len(values), 4)]
}
