package diff

import (
	"math"
	"math/big"
	"slices"
	"strings"
)

// Shape is a set of JSON values at a place of a side.
type Shape struct {
	Where Place
	// About is what the side tells of the values that is no constraint.
	About about
	*set
}

// set is a set of JSON values: those of its alternatives.
type set struct {
	// list are the alternatives. None accepts nothing.
	list []*Alt
	// fill makes the list when it is needed first. Schemas can lead back to
	// themselves.
	fill func() []*Alt
	busy bool // while fill runs
	// exact says what the set accepts; nil leaves that to the alternatives.
	exact func(v any) bool
	// more makes samples beside those that the alternatives lead to.
	more func() []any
	// samples are kept once they are made.
	samples []any
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
	// Values are the only values, as canonical JSON texts; nil is no limit.
	Values []string
	// One of these is set, by the kind; none for the others.
	Text   *text
	Number *number
	Array  *array
	Object *object
	// Also are the constraints without a form here.
	Also []*also
	// exact says what the alternative accepts; nil leaves that to the form.
	exact func(v any) bool
	// more makes samples beside those that the form leads to.
	more func() []any
	// samples are kept once they are made.
	samples []any
}

type (
	// text constrains strings.
	text struct {
		// Formats and Patterns are sorted. A string satisfies all of them.
		Formats, Patterns []string
		Length            span
	}

	// number constrains numbers.
	number struct {
		Range span
		// Step divides every number; nil is no limit, 1 stands for whole numbers.
		Step *big.Rat
	}

	// array constrains arrays.
	array struct {
		// Prefix are the shapes of the first elements, Items that of the others; nil is
		// anything.
		Prefix []*Shape
		Items  *Shape
		Length span
		Unique bool
		// Contains are elements that there must be a number of.
		Contains []*contains
	}

	contains struct {
		*Shape
		Count span
	}

	// object constrains objects.
	object struct {
		// Members are sorted by name.
		Members []*member
		// Patterns are the members whose names match an expression.
		Patterns []*member
		// Rest is the shape of members that are not declared; nil is anything.
		Rest   *Shape
		Closed bool
		// Map is set where the schema describes the members that it does not declare: they
		// are sent, whatever they may be.
		Map  bool
		Size span
		// Names are the shapes that the names of all members have.
		Names []*Shape
		// Needs are members that must be there beside others.
		Needs []need
		// find returns the shape of a member that is not declared, if patterns have a say.
		find func(name string) *Shape
	}

	// need says that a member must be there where another is.
	need struct{ If, Then string }

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

// alts are the alternatives.
func (s *set) alts() []*Alt {
	if s.fill != nil {
		fill := s.fill
		s.fill, s.busy = nil, true
		s.list = fill()
		s.busy = false
	}
	return s.list
}

func newShape(where Place, alts ...*Alt) *Shape { return &Shape{Where: where, set: &set{list: alts}} }

func anything(where Place) *Shape { return newShape(where, &Alt{Kind: kindAny, Where: where}) }

func nothing(where Place) *Shape { return newShape(where) }

func openObject(where Place) *Shape {
	return newShape(where, &Alt{Kind: kindObject, Where: where, Object: &object{}})
}

func (o *object) member(name string) *member {
	i, ok := slices.BinarySearchFunc(o.Members, name, func(m *member, name string) int { return strings.Compare(m.Name, name) })
	if !ok {
		return nil
	}
	return o.Members[i]
}

// at returns the shape of a member, declared or not.
func (o *object) at(name string, where Place) *Shape {
	switch m := o.member(name); {
	case m != nil:
		return m.Shape
	case o.find != nil:
		return o.find(name)
	case o.Closed:
		return nothing(where)
	case o.Rest != nil:
		return o.Rest
	}
	return anything(where)
}

func (o *object) sort() {
	slices.SortFunc(o.Members, func(a, b *member) int { return strings.Compare(a.Name, b.Name) })
}

// open reports whether members that the object does not declare may be anything.
func (o *object) open() bool { return !o.Closed && (o.Rest == nil || o.Rest.any()) }

// at returns the shape of an element.
func (a *array) at(i int, where Place) *Shape {
	switch {
	case i < len(a.Prefix):
		return a.Prefix[i]
	case a.Items != nil:
		return a.Items
	}
	return anything(where)
}

// any reports whether a shape accepts every value.
func (s *Shape) any() bool {
	return slices.ContainsFunc(s.alts(), func(a *Alt) bool { return a.Kind == kindAny && len(a.Also) == 0 })
}

// untyped reports whether a shape has no form but constraints that have none, if
// any.
func (s *Shape) untyped() bool {
	return slices.ContainsFunc(s.alts(), func(a *Alt) bool { return a.Kind == kindAny })
}

// whole reports whether numbers must be whole.
func (n *number) whole() bool { return n.Step != nil && n.Step.IsInt() }

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

// covers reports whether the span has all numbers of another.
func (s span) covers(other span) bool {
	return s.low().compare(other.low()) >= 0 && s.high().compare(other.high()) <= 0
}

// empty reports whether no number is in the span.
func (s span) empty() bool {
	return s.Min != nil && s.Max != nil && (*s.Min > *s.Max || *s.Min == *s.Max && (s.MinOpen || s.MaxOpen))
}

// steps is the span without what no multiple of a number reaches, so that two
// spans with the same multiples are equal.
func (s span) steps(step *big.Rat) span {
	if step == nil {
		return s
	}
	by, _ := step.Float64()
	if by <= 0 || math.IsInf(by, 0) {
		return s
	}
	if s.Min != nil {
		low := math.Ceil(*s.Min/by) * by
		if s.MinOpen && low == *s.Min {
			low += by
		}
		s.Min, s.MinOpen = &low, false
	}
	if s.Max != nil {
		high := math.Floor(*s.Max/by) * by
		if s.MaxOpen && high == *s.Max {
			high -= by
		}
		s.Max, s.MaxOpen = &high, false
	}
	return s
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
			one, other := have.exact, a.exact
			if have.exact != nil && other != nil {
				have.exact = func(v any) bool { return one(v) || other(v) }
			}
			have.Where = joined[i].Where
		}
		joined[i] = &have
	}
	return joined
}

// free reports whether a scalar alternative has no constraint.
func (a *Alt) free() bool {
	switch {
	case len(a.Also) > 0:
		return false
	case a.Kind == kindNull:
		return true
	case a.Kind == kindBoolean:
		return a.Values == nil || len(a.Values) == 2
	case a.Values != nil:
		return false
	case a.Text != nil:
		return len(a.Text.Formats)+len(a.Text.Patterns) == 0 && a.Text.Length == span{}
	case a.Number != nil:
		return a.Number.Step == nil && a.Number.Range == span{}
	}
	return false
}

func (a *Alt) joins(b *Alt) bool {
	if a.Kind != b.Kind || len(a.Also)+len(b.Also) > 0 {
		return false
	}
	switch a.Kind {
	case kindNull, kindBoolean, kindNumber, kindString:
		return a.free() || b.free() || a.Values != nil && b.Values != nil
	}
	return a.Kind == kindAny
}

// label says in a word or two what a shape is.
func (s *Shape) label() string {
	var labels []string
	for _, a := range s.alts() {
		if label := a.label(); !slices.Contains(labels, label) {
			labels = append(labels, label)
		}
	}
	if len(labels) == 0 {
		return "nothing"
	}
	return strings.Join(labels, " or ")
}

func (a *Alt) label() string {
	switch {
	case a.Name != "":
		return a.Name
	case a.Kind == kindObject && a.Object != nil:
		return a.Object.label()
	case a.Kind == kindNumber && a.Number != nil && a.Number.whole():
		return "integer"
	}
	return string(a.Kind)
}

// label tells objects apart by their constant members.
func (o *object) label() string {
	text := "object"
	for _, m := range o.Members {
		if values := m.values(); m.Required && len(values) == 1 {
			text += " with " + m.Name + " " + values[0]
		}
	}
	return text
}
