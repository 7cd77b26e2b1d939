package diff

import (
	"slices"
)

// meeter makes intersections of shapes that were made from the ir. These have no constraints of
// type also.
type meeter struct{ met map[shapePair]*Shape }

func newMeeter() *meeter { return &meeter{met: map[shapePair]*Shape{}} }

// both returns the alternatives of the values that are in both lists.
func (m *meeter) both(x, y []*Alt) []*Alt {
	var out []*Alt
	for _, a := range x {
		for _, c := range y {
			if one := m.alt(a, c); one != nil {
				out = append(out, one)
			}
		}
	}
	return out
}

// alt returns the intersection of two alternatives, or nil if it is empty.
func (m *meeter) alt(x, y *Alt) *Alt {
	switch {
	case x.Kind == kindAny:
		return y
	case y.Kind == kindAny:
		return x
	case x.Kind != y.Kind:
		return nil
	}
	out := &Alt{Name: x.Name, Where: x.Where, Kind: x.Kind}
	switch x.Kind {
	case kindNumber:
		out.Number = &number{Step: x.Number.Step, Range: narrower(x.Number.Range, y.Number.Range)}
		if y.Number.Step != nil {
			out.Number.Step = common(x.Number.Step, y.Number.Step)
		}
		out.Number.Range = out.Number.Range.steps(out.Number.Step)
	case kindString:
		out.Text = &text{Length: narrower(x.Text.Length, y.Text.Length)}
		out.Text.Formats = slices.Compact(slices.Sorted(slices.Values(slices.Concat(x.Text.Formats, y.Text.Formats))))
		out.Text.Patterns = slices.Compact(slices.Sorted(slices.Values(slices.Concat(x.Text.Patterns, y.Text.Patterns))))
	case kindArray:
		out.Array = &array{Items: m.shapes(x.Array.Items, y.Array.Items), Length: narrower(x.Array.Length, y.Array.Length), Unique: x.Array.Unique || y.Array.Unique}
	case kindObject:
		out.Object = m.objects(x.Object, y.Object)
	}
	switch {
	case x.Values != nil && y.Values != nil:
		out.Values = slices.DeleteFunc(slices.Clone(x.Values), func(v string) bool { return !slices.Contains(y.Values, v) })
	case x.Values != nil:
		out.Values = slices.DeleteFunc(slices.Clone(x.Values), func(v string) bool { return !y.accepts(parse(v)) })
	case y.Values != nil:
		out.Values = slices.DeleteFunc(slices.Clone(y.Values), func(v string) bool { return !x.accepts(parse(v)) })
	}
	if out.Values != nil && len(out.Values) == 0 {
		return nil
	}
	return out
}

// shapes returns the intersection of two shapes. Its alternatives are made on demand, because
// its members may contain the shape itself.
func (m *meeter) shapes(x, y *Shape) *Shape {
	switch {
	case x == nil || x == y:
		return y
	case y == nil || y.any():
		return x
	case x.any():
		return y
	}
	if done, ok := m.met[shapePair{x, y}]; ok {
		return done
	}
	out := newShape(x.Where)
	m.met[shapePair{x, y}] = out
	out.fill = func() []*Alt { return join(m.both(x.alts(), y.alts())) }
	return out
}

func (m *meeter) objects(x, y *object) *object {
	out := &object{Rest: m.shapes(x.Rest, y.Rest), Closed: x.Closed || y.Closed, Size: narrower(x.Size, y.Size)}
	for _, own := range x.Members {
		if other := y.member(own.Name); other != nil {
			one := *own
			one.Required = own.Required || other.Required
			one.Shape = m.shapes(own.Shape, other.Shape)
			out.Members = append(out.Members, &one)
		} else {
			out.Members = append(out.Members, m.against(own, y))
		}
	}
	for _, own := range y.Members {
		if x.member(own.Name) == nil {
			out.Members = append(out.Members, m.against(own, x))
		}
	}
	out.sort()
	return out
}

// against returns a member restricted by an object that does not declare it.
func (m *meeter) against(own *member, other *object) *member {
	one := *own
	switch {
	case other.Closed:
		one.Shape = nothing(own.Where)
	case other.Rest != nil:
		one.Shape = m.shapes(own.Shape, other.Rest)
	}
	return &one
}
