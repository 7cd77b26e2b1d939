package samples

import (
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// candidates calls try with values that may satisfy some schemas without alternatives, those that likely do first,
// until it returns true.
func (g *sampler) candidates(flat []*jsonschema.Schema, try func(v wire.Raw) bool) bool {
	for _, s := range flat {
		if s.Const != "" {
			return try(s.Const)
		}
	}
	for _, s := range flat {
		if s.Enum != nil {
			return slices.ContainsFunc(rotate(s.Enum, g.turn), try)
		}
	}
	return slices.ContainsFunc(allowedTypes(flat), func(t string) bool {
		if t == "object" || t == "array" || g.turn > 0 {
			return g.made(t, flat, try) || given(t, flat, try) // generated values show more
		}
		return given(t, flat, try) || g.made(t, flat, try)
	})
}

// made is candidates for generated values of one type.
func (g *sampler) made(t string, flat []*jsonschema.Schema, try func(v wire.Raw) bool) bool {
	switch t {
	case "object":
		return g.objects(flat, try)
	case "array":
		return g.arrays(flat, try)
	case "string":
		return slices.ContainsFunc(g.strings(flat), try)
	case "integer", "number":
		return slices.ContainsFunc(g.numbers(flat, t == "integer"), try)
	case "boolean":
		return slices.ContainsFunc(rotate([]wire.Raw{"true", "false"}, g.turn), try)
	}
	return try("null")
}

// given is candidates for the values of one type that the schemas give as a default or as examples.
func given(t string, flat []*jsonschema.Schema, try func(v wire.Raw) bool) bool {
	return slices.ContainsFunc(flat, func(s *jsonschema.Schema) bool {
		return slices.ContainsFunc(append([]wire.Raw{s.Default}, s.Examples...), func(v wire.Raw) bool {
			decodes := v.Kind() != wire.KindNumber || t != "number" || jsonschema.IsHeld(v)
			return jsonschema.KindsOfValue(v) == jsonschema.KindsOfType(t) && decodes && try(v)
		})
	})
}

// allTypes has the types in the order in which they are tried if a schema names none.
var allTypes = []string{"string", "integer", "object", "array", "boolean", "number", "null"}

// allowedTypes returns the types that all schemas allow. null is last, because it shows least.
// If no schema restricts the type, types that other keywords refer to come first.
func allowedTypes(flat []*jsonschema.Schema) []string {
	allowed := slices.Clone(allTypes)
	named := false
	for _, s := range flat {
		if s.Types == nil {
			continue
		}
		if !named {
			allowed = slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
			if slices.Contains(s.Types, "null") {
				allowed = append(allowed, "null")
			}
			named = true
			continue
		}
		both := func(t string) bool {
			return slices.Contains(s.Types, t) ||
				t == "integer" && slices.Contains(s.Types, "number")
		}
		if slices.Contains(s.Types, "integer") && slices.Contains(allowed, "number") && !slices.Contains(allowed, "integer") {
			allowed = append(allowed, "integer")
		}
		allowed = slices.DeleteFunc(allowed, func(t string) bool { return !both(t) })
	}
	if named {
		return allowed
	}
	slices.SortStableFunc(allowed, func(a, b string) int { return hint(flat, b) - hint(flat, a) })
	return allowed
}

// hint returns 1 if a keyword of the schemas refers to a type, and 0 otherwise. Numbers need not be integers.
func hint(flat []*jsonschema.Schema, t string) int {
	for _, s := range flat {
		for name := range wire.Object(s.Source).All() {
			if k := jsonschema.KeywordOf(name); k != nil && k.Kinds == jsonschema.KindsOfType(t) && t != "integer" || name == "format" && t == "string" {
				return 1
			}
		}
	}
	return 0
}

// lengths returns the range of the lengths or sizes between some limits.
func lengths(flat []*jsonschema.Schema, limits func(s *jsonschema.Schema) (least, most *int64)) (least, most int) {
	var all jsonschema.Span
	for _, s := range flat {
		all = all.And(jsonschema.Counts(limits(s)))
	}
	return all.Ends()
}
