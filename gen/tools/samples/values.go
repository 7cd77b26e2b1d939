package samples

import (
	"iter"
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// candidates makes values that may satisfy some schemas without alternatives,
// those that likely do first.
func (g *sampler) candidates(flat []*jsonschema.Schema) iter.Seq[wire.Raw] {
	return func(yield func(wire.Raw) bool) {
		for _, s := range flat {
			if s.Const != "" {
				yield(s.Const)
				return
			}
		}
		for _, s := range flat {
			if s.Enum != nil {
				for _, v := range rotate(s.Enum, g.turn) {
					if !yield(v) {
						return
					}
				}
				return
			}
		}
		for _, t := range allowedTypes(flat) {
			for v := range g.ofType(t, flat) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// ofType returns candidates of one type.
func (g *sampler) ofType(t string, flat []*jsonschema.Schema) iter.Seq[wire.Raw] {
	var made iter.Seq[wire.Raw]
	switch t {
	case "object":
		made = g.objects(flat)
	case "array":
		made = g.arrays(flat)
	case "string":
		made = g.strings(flat)
	case "integer", "number":
		made = g.numbers(flat, t == "integer")
	case "boolean":
		made = slices.Values(rotate([]wire.Raw{"true", "false"}, g.turn))
	default:
		made = slices.Values([]wire.Raw{"null"})
	}
	given := func(yield func(wire.Raw) bool) {
		for _, s := range flat {
			for _, v := range append([]wire.Raw{s.Default}, s.Examples...) {
				if jsonschema.KindsOfValue(v) != jsonschema.KindsOfType(t) || v.Kind() == wire.KindNumber && t == "number" && !jsonschema.IsHeld(v) {
					continue // a value that does not decode is useless
				}
				if !yield(v) {
					return
				}
			}
		}
	}
	order := []iter.Seq[wire.Raw]{given, made}
	if t == "object" || t == "array" || g.turn > 0 {
		slices.Reverse(order) // generated values show more
	}
	return func(yield func(wire.Raw) bool) {
		for _, values := range order {
			for v := range values {
				if !yield(v) {
					return
				}
			}
		}
	}
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

// atLeast returns the largest of some lower bounds, and atMost the smallest of some upper ones, or
// -1 if there is none.
func atLeast(flat []*jsonschema.Schema, bound func(*jsonschema.Schema) *int64) int64 {
	most := int64(0)
	for _, s := range flat {
		if b := bound(s); b != nil {
			most = max(most, *b)
		}
	}
	return most
}

func atMost(flat []*jsonschema.Schema, bound func(*jsonschema.Schema) *int64) int64 {
	least := int64(-1)
	for _, s := range flat {
		if b := bound(s); b != nil && (least < 0 || *b < least) {
			least = *b
		}
	}
	return least
}
