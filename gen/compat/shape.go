package compat

import (
	"math"
	"slices"
	"strings"
)

// Shape is a set of JSON values: those of its alternatives.
type Shape struct {
	Where Place
	// Alts are the alternatives. None accepts nothing.
	Alts []*Alt
	// About is what is told of the values that is no constraint.
	About about
}

// Place is where something stands in a side.
type Place struct {
	// Path is for people: a declaration and the members below it.
	Path string `json:"path"`
	// Pointer is a JSON Pointer into the side's file.
	Pointer string `json:"pointer"`
}

// Kind is a JSON kind, or kindAny for all of them.
type kind string

const (
	kindAny     kind = "any"
	kindNull    kind = "null"
	kindBoolean kind = "boolean"
	kindNumber  kind = "number"
	kindString  kind = "string"
	kindArray   kind = "array"
	kindObject  kind = "object"
)

// Alt is an alternative: values of one kind.
type Alt struct {
	// Name is that of the declaration, where it has one.
	Name  string
	Where Place
	Kind  kind
	// Values are the only scalars, as JSON texts; nil is no limit.
	Values []string
	// One of these is set, by the kind; none for the others.
	Text   *text
	Number *number
	Array  *array
	Object *object
	// Opaque are the constraints without a form here, by keyword.
	Opaque map[string]string
}

type (
	// text constrains strings.
	text struct {
		Format string
		// Pattern is told of but not understood.
		Pattern string
		Length  span
	}

	// number constrains numbers.
	number struct {
		// Whole numbers only.
		Whole bool
		Range span
	}

	// array constrains arrays.
	array struct {
		Items  *Shape
		Length span
		Unique bool
	}

	// object constrains objects.
	object struct {
		// Members are sorted by name.
		Members []*member
		// Rest is the shape of members that are not declared; nil is anything.
		Rest   *Shape
		Closed bool
		Size   span
	}

	// member is a declared member.
	member struct {
		Name     string
		Required bool
		Shape    *Shape
		Where    Place
	}

	// about is what a schema tells people and models of a value.
	about struct{ Description, Default, Title string }

	// span is a range of numbers; nil is no limit.
	span struct {
		Min, Max         *float64
		MinOpen, MaxOpen bool
	}
)

func (o *object) member(name string) *member {
	i, ok := slices.BinarySearchFunc(o.Members, name, func(m *member, name string) int { return strings.Compare(m.Name, name) })
	if !ok {
		return nil
	}
	return o.Members[i]
}

func (o *object) sort() {
	slices.SortFunc(o.Members, func(a, b *member) int { return strings.Compare(a.Name, b.Name) })
}

// open reports whether members that the object does not declare may be anything.
func (o *object) open() bool { return !o.Closed && (o.Rest == nil || o.Rest.any()) }

// any reports whether a shape accepts every value.
func (s *Shape) any() bool {
	return slices.ContainsFunc(s.Alts, func(a *Alt) bool { return a.Kind == kindAny && len(a.Opaque) == 0 })
}

// untyped reports whether a shape has no form but constraints that are not
// understood, if any.
func (s *Shape) untyped() bool {
	return slices.ContainsFunc(s.Alts, func(a *Alt) bool { return a.Kind == kindAny })
}

func anything(where Place) *Shape {
	return &Shape{Where: where, Alts: []*Alt{{Kind: kindAny, Where: where}}}
}

func openObject(where Place) *Shape {
	return &Shape{Where: where, Alts: []*Alt{{Kind: kindObject, Where: where, Object: &object{}}}}
}

// contains reports whether a number is in the span.
func (s span) contains(f float64) bool {
	switch {
	case s.Min != nil && (f < *s.Min || s.MinOpen && f == *s.Min):
		return false
	case s.Max != nil && (f > *s.Max || s.MaxOpen && f == *s.Max):
		return false
	}
	return true
}

// whole is the span without what no whole number reaches, so that two spans
// with the same whole numbers are equal.
func (s span) whole() span {
	if s.Min != nil {
		low := math.Ceil(*s.Min)
		if s.MinOpen && low == *s.Min {
			low++
		}
		s.Min, s.MinOpen = &low, false
	}
	if s.Max != nil {
		high := math.Floor(*s.Max)
		if s.MaxOpen && high == *s.Max {
			high--
		}
		s.Max, s.MaxOpen = &high, false
	}
	return s
}

// join puts alternatives of one kind of scalar together, where one of them or a
// list of values says what both do.
func join(alts []*Alt) []*Alt {
	var joined []*Alt
	for _, a := range alts {
		i := slices.IndexFunc(joined, func(have *Alt) bool { return have.joins(a) })
		if i < 0 {
			joined = append(joined, a)
			continue
		}
		have := *joined[i]
		switch {
		case have.Kind == kindAny || have.free():
		case a.free():
			have = *a
		default:
			have.Values = slices.Clone(have.Values)
			for _, v := range a.Values {
				if !slices.Contains(have.Values, v) {
					have.Values = append(have.Values, v)
				}
			}
		}
		joined[i] = &have
	}
	return joined
}

// free reports whether a scalar alternative has no constraint.
func (a *Alt) free() bool {
	switch {
	case a.Values != nil || len(a.Opaque) > 0:
		return false
	case a.Text != nil:
		return *a.Text == text{}
	case a.Number != nil:
		return *a.Number == number{}
	}
	return a.Kind == kindBoolean || a.Kind == kindNull
}

func (a *Alt) joins(b *Alt) bool {
	if a.Kind != b.Kind || len(a.Opaque)+len(b.Opaque) > 0 {
		return false
	}
	switch a.Kind {
	case kindNull, kindBoolean, kindNumber, kindString:
		return a.free() || b.free() || a.Values != nil && b.Values != nil
	}
	return a.Kind == kindAny
}
