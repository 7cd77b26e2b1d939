package jsonschema

import (
	"encoding/json"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Kinds is a set of kinds of JSON values.
type Kinds uint8

// The kinds.
const (
	Null Kinds = 1 << iota
	Boolean
	Number
	String
	Array
	Object

	AllKinds = Null | Boolean | Number | String | Array | Object
)

// types has the type of each kind.
var types = []struct {
	kind Kinds
	name string
	of   wire.Kind
}{
	{Null, "null", wire.KindNull}, {Boolean, "boolean", wire.KindBool}, {Number, "number", wire.KindNumber},
	{String, "string", wire.KindString}, {Array, "array", wire.KindArray}, {Object, "object", wire.KindObject},
}

// String returns the type of one kind, and "any" for others.
func (k Kinds) String() string {
	for _, t := range types {
		if t.kind == k {
			return t.name
		}
	}
	return "any"
}

// KindsOfType returns the kind of the values of a type, or 0 for a name that is not one.
func KindsOfType(name string) Kinds {
	for _, t := range types {
		if t.name == name || t.kind == Number && name == "integer" {
			return t.kind
		}
	}
	return 0
}

// KindsOfValue returns the kind of a value.
func KindsOfValue(v wire.Raw) Kinds {
	for _, t := range types {
		if t.of == v.Kind() {
			return t.kind
		}
	}
	return 0
}

// KindsOfDecoded returns the kind of a value that encoding/json has decoded with UseNumber.
func KindsOfDecoded(v any) Kinds {
	switch v.(type) {
	case nil:
		return Null
	case bool:
		return Boolean
	case json.Number:
		return Number
	case string:
		return String
	case []any:
		return Array
	}
	return Object
}

// IsOf reports whether a value is of one of several types.
func IsOf(v wire.Raw, types ...string) bool {
	return slices.ContainsFunc(types, func(t string) bool {
		return KindsOfValue(v) == KindsOfType(t) && (t != "integer" || v.IsInteger())
	})
}

// Kinds returns the kinds of values that a schema allows, as far as its types, listed values,
// references and combinators tell. Values of other kinds are certainly not valid.
func (s *Schema) Kinds() Kinds {
	w := kindWalk{open: map[*Schema]bool{}, left: maxKindSteps}
	return w.of(s)
}

// maxKindSteps limits how many schemas are looked at for the kinds of one. Beyond it, a schema allows
// all kinds.
const maxKindSteps = 20_000

// kindWalk is the state of one [Schema.Kinds]. Schemas that are being looked at are open: a schema
// that leads back to itself allows no additional values.
type kindWalk struct {
	open map[*Schema]bool
	left int
}

func (w *kindWalk) of(s *Schema) Kinds {
	if s.Always != nil && !*s.Always || w.open[s] {
		return 0
	}
	if w.left--; w.left < 0 {
		return AllKinds
	}
	w.open[s] = true
	defer delete(w.open, s)
	all := s.own()
	for _, part := range s.InPlace() {
		all &= w.of(part)
	}
	for _, group := range [][]*Schema{s.AnyOf, s.OneOf} {
		if group == nil {
			continue
		}
		var either Kinds
		for _, branch := range group {
			either |= w.of(branch)
		}
		all &= either
	}
	return all
}

// own returns the kinds that the keywords of a schema without references and combinators allow.
func (s *Schema) own() Kinds {
	if s.Not != nil && s.Not.everything() {
		return 0
	}
	all := AllKinds
	if s.Types != nil {
		all = 0
		for _, name := range s.Types {
			all |= KindsOfType(name)
		}
	}
	if s.Const != "" {
		all &= KindsOfValue(s.Const)
	}
	if s.Enum != nil {
		var listed Kinds
		for _, v := range s.Enum {
			listed |= KindsOfValue(v)
		}
		all &= listed
	}
	return all
}

// everything reports whether a schema has no keyword that a value could violate, as far as its text
// tells at once.
func (s *Schema) everything() bool { return s.Source == "true" || s.Source == "{}" }

// OfMembers reports whether a schema says something of the members of objects: with keywords of its own,
// through a reference or allOf, or in every branch of an anyOf or oneOf.
func (s *Schema) OfMembers() bool { return s.ofMembers(map[*Schema]bool{}) }

func (s *Schema) ofMembers(seen map[*Schema]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	if s.Properties != nil || s.PatternProperties != nil || s.AdditionalProperties != nil || s.Required != nil ||
		s.PropertyNames != nil || s.MinProperties != nil || s.MaxProperties != nil || s.DependentRequired != nil || s.DependentSchemas != nil ||
		s.UnevaluatedProperties != nil {
		return true
	}
	of := func(part *Schema) bool { return part.ofMembers(seen) }
	not := func(part *Schema) bool { return !part.ofMembers(seen) }
	return slices.ContainsFunc(s.InPlace(), of) ||
		len(s.AnyOf) > 0 && !slices.ContainsFunc(s.AnyOf, not) || len(s.OneOf) > 0 && !slices.ContainsFunc(s.OneOf, not)
}
