package check

import (
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// plan lists the passes over a value that the check of a schema makes.
type plan struct {
	// value checks the value as a whole, strings and numbers; object and array loop over
	// members and elements.
	value, object, array, unique bool
	conditional, dependent       bool
	// passes is the number of passes, with those of references and of combinations.
	passes int
}

func newPlan(s *jsonschema.Schema) plan {
	can := func(types ...string) bool {
		return len(s.Types) == 0 || slices.ContainsFunc(types, func(t string) bool { return slices.Contains(s.Types, t) })
	}
	p := plan{
		value:       s.Enum != nil || s.Const != "" || can("string") && onStrings(s) || can("number", "integer") && onNumbers(s),
		object:      can("object") && onObjects(s),
		array:       can("array") && onArrays(s),
		unique:      can("array") && s.UniqueItems,
		conditional: s.If != nil && !(anything(s.Then) && anything(s.Else)),
		dependent:   can("object") && len(s.DependentSchemas) > 0,
		passes:      len(s.AllOf),
	}
	p.object = p.object || p.dependent
	if p.dependent {
		p.passes += len(s.DependentSchemas)
	}
	for _, pass := range []bool{p.value, p.object, p.array, p.unique, s.Target != nil, len(s.AnyOf) > 0, len(s.OneOf) > 0, s.Not != nil, p.conditional} {
		if pass {
			p.passes++
		}
	}
	return p
}

func onNumbers(s *jsonschema.Schema) bool {
	return s.Minimum != "" || s.Maximum != "" || s.ExclusiveMinimum != "" || s.ExclusiveMaximum != "" || s.MultipleOf != ""
}

func onStrings(s *jsonschema.Schema) bool {
	return s.MinLength != nil || s.MaxLength != nil || s.Pattern != nil || assertsFormat(s)
}

func onArrays(s *jsonschema.Schema) bool {
	return len(s.PrefixItems) > 0 || !anything(items(s)) || contains(s) || s.MinItems != nil || s.MaxItems != nil
}

// contains reports whether a schema counts elements.
func contains(s *jsonschema.Schema) bool {
	return s.Contains != nil && (s.MinContains == nil || *s.MinContains > 0 || s.MaxContains != nil)
}

func onObjects(s *jsonschema.Schema) bool {
	return len(s.Required) > 0 || len(s.DependentRequired) > 0 || s.MinProperties != nil || s.MaxProperties != nil ||
		len(s.Properties) > 0 || len(s.PatternProperties) > 0 || !anything(additional(s)) || !anything(s.PropertyNames)
}

// assertsFormat reports whether strings must have a format, and the format is known.
func assertsFormat(s *jsonschema.Schema) bool { return s.AssertsFormat() && knownFormat(s.Format) }

// knownFormat reports whether [wire.InFormat] knows the format.
func knownFormat(name string) bool {
	switch name {
	case "uri", "iri", "uri-reference", "iri-reference", "uri-template", "date-time", "date", "time", "email",
		"duration", "period", "uuid", "json-pointer", "relative-json-pointer", "semver", "hostname", "ipv4", "ipv6":
		return true
	}
	return false
}
