package jsonschema

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Disjoint reports whether it is obvious that no value satisfies two of the schemas: their types or
// constants are different, or those of a member that they require.
func Disjoint(schemas []*Schema) bool {
	for i, a := range schemas {
		for _, b := range schemas[:i] {
			if !apart(a, b, 0) {
				return false
			}
		}
	}
	return true
}

// Resolved returns the schema that the references of a schema lead to.
func (s *Schema) Resolved() *Schema {
	for range 100 { // references may form a cycle
		if s.Target == nil {
			break
		}
		s = s.Target
	}
	return s
}

func apart(a, b *Schema, depth int) bool {
	const mostLevels = 3 // of objects in objects: schemas may refer to themselves
	a, b = a.Resolved(), b.Resolved()
	if a.Types != nil && b.Types != nil && !slices.ContainsFunc(a.Types, func(t string) bool {
		return slices.ContainsFunc(b.Types, func(u string) bool {
			return t == u || KindsOfType(t) == Number && KindsOfType(u) == Number
		})
	}) {
		return true
	}
	if x, y := a.Constants(), b.Constants(); x != nil && y != nil {
		return !slices.ContainsFunc(x, func(v wire.Raw) bool {
			return slices.ContainsFunc(y, func(w wire.Raw) bool { return wire.Equal(v, w) })
		})
	}
	object := []string{"object"}
	if !slices.Equal(a.Types, object) || !slices.Equal(b.Types, object) || depth > mostLevels {
		return false
	}
	return slices.ContainsFunc(a.Properties, func(p Property) bool {
		other := b.Property(p.Name)
		return other != nil && slices.Contains(a.Required, p.Name) && slices.Contains(b.Required, p.Name) && apart(p.Schema, other, depth+1)
	})
}

// Constants returns the only values of a schema, or nil if they are not listed.
func (s *Schema) Constants() []wire.Raw {
	if s.Const != "" {
		return []wire.Raw{s.Const}
	}
	return s.Enum
}
