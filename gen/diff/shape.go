package diff

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// Shape is a set of JSON values at a place of a side.
type Shape struct {
	Where Place
	// About has the descriptive members.
	About about
	// from has the schemas that the values satisfy, none for any value.
	from []*jsonschema.Schema
	*set
}

// set is a set of JSON values: the union of its alternatives.
type set struct {
	// list has the alternatives. A set without alternatives is empty.
	list []*Alt
	// fill makes the list on first use, because schemas can be recursive.
	fill func() []*Alt
	busy bool // while fill runs
}

// Place is a location in a side.
type Place struct {
	// Path is for people: a declaration and the members below it.
	Path string `json:"path"`
	// Pointer is a JSON Pointer into the side's file.
	Pointer string `json:"pointer"`
}

type (
	// kind is a set of JSON types, kindAny that of all.
	kind  = jsonschema.Kinds
	limit = jsonschema.Limit
	span  = jsonschema.Span
)

const (
	kindAny     = jsonschema.AllKinds
	kindNull    = jsonschema.Null
	kindBoolean = jsonschema.Boolean
	kindNumber  = jsonschema.Number
	kindString  = jsonschema.String
	kindArray   = jsonschema.Array
	kindObject  = jsonschema.Object
)

// Alt is an alternative: values of one JSON type that satisfy the conditions of a way, or of any type.
type Alt struct {
	// Name is the name of the declaration, if any, and of the place of the schema that a reference leads to.
	Name, of string
	Where    Place
	way
	// Values lists the only values, as canonical JSON texts. nil means no restriction.
	Values []string
	// The form limits values of every type. Array limits arrays as well, and Object limits objects.
	form
	Array  *array
	Object *object
	// conditional means that the fields above do not express all conditions.
	conditional bool
}

type (
	// array constrains arrays.
	array struct {
		// Prefix has the shapes of the first elements, Items the shape of all others. nil
		// allows anything.
		Prefix []*Shape
		Items  *Shape
	}

	// object constrains objects.
	object struct {
		// Members are sorted by name.
		Members []*member
		// Patterns has the members whose names match a pattern.
		Patterns []*member
		// Rest is the shape of undeclared members. nil allows anything.
		Rest   *Shape
		Closed bool
		// Map means that the schema has a keyword for undeclared members, so senders send them,
		// even if it allows any value.
		Map bool
		// find returns the shape of an undeclared member, if patterns apply to it.
		find func(name string) *Shape
	}

	// member is a declared member.
	member struct {
		Name     string
		Required bool
		// Implied means that the schema requires the member, but that receivers do not: Required is
		// false.
		Implied bool
		Shape   *Shape
		Where   Place
	}

	// about has the texts and the default that a schema gives for a value.
	about struct{ Description, Default, Title string }
)

// alts returns the alternatives.
func (s *set) alts() []*Alt {
	if s.fill != nil {
		fill := s.fill
		s.fill, s.busy = nil, true
		s.list = fill()
		s.busy = false
	}
	return s.list
}

func anything(where Place) *Shape {
	return &Shape{Where: where, set: &set{list: []*Alt{{way: way{kinds: kindAny}, Where: where}}}}
}

func nothing(where Place) *Shape {
	none, _ := jsonschema.Read("", "false")
	return &Shape{Where: where, from: []*jsonschema.Schema{none}, set: &set{}}
}

// has reports whether a value belongs to the alternative.
func (e *engine) has(a *Alt, v any) bool {
	if a.Values != nil {
		return slices.Contains(a.Values, exactly(v))
	}
	return a.kinds&jsonschema.KindsOfDecoded(v) != 0 && e.satisfies(v, a.accept...)
}

// knows reports whether the shape has the value and declares all its members.
func (e *engine) knows(s *Shape, v any) bool {
	return slices.ContainsFunc(s.alts(), func(a *Alt) bool {
		if !e.has(a, v) {
			return false
		}
		members, _ := v.(map[string]any)
		for name, value := range members {
			if a.Object == nil {
				break // any value
			}
			switch m := a.Object.member(name); {
			case m != nil && !e.knows(m.Shape, value), m == nil && a.Object.Rest == nil && len(a.Object.Members) > 0:
				return false
			}
		}
		return true
	})
}

func (o *object) member(name string) *member {
	i, ok := slices.BinarySearchFunc(o.Members, name, func(m *member, name string) int { return strings.Compare(m.Name, name) })
	if !ok {
		return nil
	}
	return o.Members[i]
}

// at returns the shape of a declared or undeclared member.
func (o *object) at(name string, where Place) *Shape {
	switch m := o.member(name); {
	case m != nil:
		return m.Shape
	case o.find != nil:
		return o.find(name)
	}
	return anything(where)
}

// open reports whether undeclared members may have any value.
func (o *object) open() bool { return !o.Closed && (o.Rest == nil || o.Rest.any()) }

// at returns the shape of the element at index i.
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
	return slices.ContainsFunc(s.alts(), func(a *Alt) bool { return a.kinds == kindAny && !a.conditional })
}

// untyped reports whether a shape has no restriction other than conditions.
func (s *Shape) untyped() bool {
	return slices.ContainsFunc(s.alts(), func(a *Alt) bool { return a.kinds == kindAny })
}

// join merges scalar alternatives of one kind if one of them, or a list of values, can express
// both.
func join(alts []*Alt) []*Alt {
	var joined []*Alt
	for _, a := range alts {
		i := slices.IndexFunc(joined, func(have *Alt) bool {
			return have.kinds == a.kinds && (have.free() || a.free() || have.Values != nil && a.Values != nil && a.kinds != kindArray && a.kinds != kindObject)
		})
		switch {
		case i < 0:
			joined = append(joined, a)
		case joined[i].free():
		case a.free():
			joined[i] = a
		default:
			one, have := joined[i], *joined[i]
			have.Values = append(slices.Clone(one.Values), less(a.Values, one.Values)...)
			have.way = way{kinds: a.kinds}
			joined[i] = &have
		}
	}
	return joined
}

// less returns the texts of a list that another one does not have.
func less(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

// free reports whether a scalar alternative has no constraint.
func (a *Alt) free() bool {
	return !a.conditional && a.Values == nil && (a.kinds == kindString || a.kinds == kindNumber) &&
		len(a.formats)+len(a.patterns) == 0 && a.step == nil && !a.Limited()
}

// label describes a shape in a few words.
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
	case a.kinds == kindObject && a.Object != nil:
		return a.Object.label()
	case a.kinds == kindNumber && a.integers():
		return "integer"
	}
	return a.kinds.String()
}

// label describes an object by its constant members.
func (o *object) label() string {
	text := "object"
	for _, m := range o.Members {
		if values := m.values(); m.Required && len(values) == 1 {
			text += " with " + m.Name + " " + values[0]
		}
	}
	return text
}
