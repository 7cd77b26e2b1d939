package jsonschema

import "slices"

// Keywords whose values have schemas in them.
var (
	named  = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
	lists  = []string{"allOf", "anyOf", "oneOf", "prefixItems", "items"}
	single = []string{
		"not", "if", "then", "else", "items", "additionalItems", "contains", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "contentSchema",
	}
)

// HoldsNamed reports whether the value of a keyword, if it is an object, has schemas as members.
func HoldsNamed(keyword string) bool { return slices.Contains(named, keyword) }

// HoldsList reports whether the value of a keyword, if it is an array, has schemas as elements.
func HoldsList(keyword string) bool { return slices.Contains(lists, keyword) }

// HoldsSchema reports whether the value of a keyword may be a schema.
func HoldsSchema(keyword string) bool { return slices.Contains(single, keyword) }
