package compat

import (
	"maps"
	"slices"
)

// meeter makes shapes of the values that are in two shapes.
type meeter struct {
	met map[shapePair]*Shape
	// inexact is set when a shape has values that are not in both.
	inexact bool
}

type shapePair struct{ x, y *Shape }

func newMeeter() *meeter { return &meeter{met: map[shapePair]*Shape{}} }

// both are the alternatives of values that are in two lists of alternatives.
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

// alt is the alternative of values that are in two alternatives, nil if there
// are none.
func (m *meeter) alt(x, y *Alt) *Alt {
	opaque := x.Opaque
	if len(y.Opaque) > 0 {
		opaque = maps.Clone(y.Opaque)
		for keyword, text := range x.Opaque {
			if have, ok := opaque[keyword]; ok && have != text {
				text = min(have, text) + " and " + max(have, text)
			}
			opaque[keyword] = text
		}
	}
	if x.Kind == kindAny || y.Kind == kindAny {
		out := *x
		if x.Kind == kindAny {
			out = *y
		}
		out.Opaque = opaque
		return &out
	}
	if x.Kind != y.Kind {
		return nil
	}
	out := &Alt{Name: x.Name, Where: x.Where, Kind: x.Kind, Opaque: opaque}
	switch x.Kind {
	case kindNumber:
		out.Number = &number{Whole: x.Number.Whole || y.Number.Whole, Range: narrower(x.Number.Range, y.Number.Range)}
		if out.Number.Whole {
			out.Number.Range = out.Number.Range.whole()
		}
	case kindString:
		out.Text = &text{Format: x.Text.Format, Pattern: x.Text.Pattern, Length: narrower(x.Text.Length, y.Text.Length)}
		if out.Text.Format == "" {
			out.Text.Format = y.Text.Format
		}
		if out.Text.Pattern == "" {
			out.Text.Pattern = y.Text.Pattern
		}
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

func narrower(x, y span) span {
	if y.Min != nil && (x.Min == nil || *y.Min > *x.Min || *y.Min == *x.Min && y.MinOpen) {
		x.Min, x.MinOpen = y.Min, y.MinOpen
	}
	if y.Max != nil && (x.Max == nil || *y.Max < *x.Max || *y.Max == *x.Max && y.MaxOpen) {
		x.Max, x.MaxOpen = y.Max, y.MaxOpen
	}
	return x
}

// shapes is the shape of values in both. Shapes that are not made yet,
// because they are being made, are taken as they are.
func (m *meeter) shapes(x, y *Shape) *Shape {
	switch {
	case x == nil || x == y:
		return y
	case y == nil || y.any():
		return x
	case x.any():
		return y
	case len(x.Alts) == 0 || len(y.Alts) == 0:
		m.inexact = true
		return x
	}
	if done, ok := m.met[shapePair{x, y}]; ok {
		return done
	}
	out := &Shape{Where: x.Where, About: x.About}
	m.met[shapePair{x, y}] = out // its members may lead back here
	out.Alts = join(m.both(x.Alts, y.Alts))
	if out.About == (about{}) {
		out.About = y.About
	}
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

// against is a member that another object, which does not declare it, has a
// say about too.
func (m *meeter) against(own *member, other *object) *member {
	one := *own
	switch {
	case other.Closed:
		one.Shape = &Shape{Where: own.Where}
	case other.Rest != nil:
		one.Shape = m.shapes(own.Shape, other.Rest)
	}
	return &one
}
