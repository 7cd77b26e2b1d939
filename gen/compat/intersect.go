package compat

import (
	"maps"
	"slices"
)

// both are the alternatives of values that are in two lists of alternatives.
func (b *schemaBuilder) both(x, y []*Alt, where Place) []*Alt {
	var out []*Alt
	for _, a := range x {
		for _, c := range y {
			if one := b.meet(a, c, where); one != nil {
				out = append(out, one)
			}
		}
	}
	return out
}

// meet is the alternative of values that are in two alternatives, nil if there
// are none.
func (b *schemaBuilder) meet(x, y *Alt, where Place) *Alt {
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
	out := &Alt{Name: x.Name, Where: where, Kind: x.Kind, Opaque: opaque}
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
		out.Array = &array{Items: b.meetShapes(x.Array.Items, y.Array.Items, where), Length: narrower(x.Array.Length, y.Array.Length), Unique: x.Array.Unique || y.Array.Unique}
	case kindObject:
		out.Object = b.meetObjects(x.Object, y.Object, where)
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

// meetShapes is the shape of values in both. Shapes that are not made yet,
// because they are being made, are taken as they are.
func (b *schemaBuilder) meetShapes(x, y *Shape, where Place) *Shape {
	switch {
	case x == nil || x == y:
		return y
	case y == nil || y.any():
		return x
	case x.any():
		return y
	case len(x.Alts) == 0 || len(y.Alts) == 0:
		b.inexact = true
		return x
	}
	out := &Shape{Where: where, Alts: join(b.both(x.Alts, y.Alts, where)), About: x.About}
	if out.About == (about{}) {
		out.About = y.About
	}
	return out
}

func (b *schemaBuilder) meetObjects(x, y *object, where Place) *object {
	out := &object{Rest: b.meetShapes(x.Rest, y.Rest, where), Closed: x.Closed || y.Closed, Size: narrower(x.Size, y.Size)}
	for _, m := range x.Members {
		if other := y.member(m.Name); other != nil {
			one := *m
			one.Required = m.Required || other.Required
			one.Shape = b.meetShapes(m.Shape, other.Shape, m.Where)
			out.Members = append(out.Members, &one)
		} else {
			out.Members = append(out.Members, b.against(m, y))
		}
	}
	for _, m := range y.Members {
		if x.member(m.Name) == nil {
			out.Members = append(out.Members, b.against(m, x))
		}
	}
	out.sort()
	return out
}

// against is a member that another object, which does not declare it, has a
// say about too.
func (b *schemaBuilder) against(m *member, other *object) *member {
	one := *m
	switch {
	case other.Closed:
		one.Shape = &Shape{Where: m.Where}
	case other.Rest != nil:
		one.Shape = b.meetShapes(m.Shape, other.Rest, m.Where)
	}
	return &one
}
