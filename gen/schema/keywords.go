package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// keywords are the keywords that the reader knows, with the draft that has them, or "" for both.
var keywords = map[string]jsonschema.Draft{
	"$schema": "", "$id": "", "$ref": "", "$defs": "", "definitions": "", "$comment": "",
	"$anchor": jsonschema.Draft202012, "$dynamicAnchor": jsonschema.Draft202012, "$dynamicRef": jsonschema.Draft202012,
	"title": "", "description": "", "default": "", "deprecated": "", "examples": "", "readOnly": "", "writeOnly": "",
	"contentMediaType": "", "contentEncoding": "", "contentSchema": jsonschema.Draft202012,
	"type": "", "enum": "", "const": "", "format": "", "allOf": "", "anyOf": "", "oneOf": "", "not": "", "if": "", "then": "", "else": "",
	"minimum": "", "maximum": "", "exclusiveMinimum": "", "exclusiveMaximum": "", "multipleOf": "", "minLength": "", "maxLength": "", "pattern": "",
	"items": "", "contains": "", "minItems": "", "maxItems": "", "uniqueItems": "", "additionalItems": jsonschema.Draft7,
	"prefixItems": jsonschema.Draft202012, "minContains": jsonschema.Draft202012, "maxContains": jsonschema.Draft202012, "unevaluatedItems": jsonschema.Draft202012,
	"properties": "", "patternProperties": "", "additionalProperties": "", "propertyNames": "", "required": "", "minProperties": "", "maxProperties": "",
	"dependencies": jsonschema.Draft7, "dependentRequired": jsonschema.Draft202012, "dependentSchemas": jsonschema.Draft202012,
	"unevaluatedProperties": jsonschema.Draft202012,
}

// annotations lists the keywords that say nothing about values.
var annotations = []string{"$comment", "title", "description", "default", "deprecated", "examples", "readOnly", "writeOnly"}

// inRoot lists the keywords that the whole file may have beside its definitions.
var inRoot = []string{"$schema", "$id", "$comment", "title", "description", "$defs", "definitions"}

// known fails for each keyword that the reader does not know, and for patterns that are not
// regular expressions. A lenient reader ignores the keywords of extensions, which begin with "x-".
func (r *reader) known(lenient bool) {
	all := r.root.All()
	for _, pointer := range slices.Sorted(maps.Keys(all)) {
		s := all[pointer]
		if s.Source.Kind() != wire.KindObject {
			continue
		}
		if s.Draft != jsonschema.Draft7 && s.Draft != jsonschema.Draft202012 {
			r.fail(Child(pointer, "$schema"), "unsupported draft %q: schemas of MCP are of %s or %s", s.Draft, jsonschema.Draft7, jsonschema.Draft202012)
			continue
		}
		for key := range wire.Object(s.Source).All() {
			draft, ok := keywords[key]
			switch {
			case !ok && lenient && strings.HasPrefix(key, "x-"):
			case !ok:
				r.fail(Child(pointer, key), "unknown keyword %q", key)
			case pointer == "" && !slices.Contains(inRoot, key):
				r.fail(Child(pointer, key), "keyword %q is supported in definitions only", key)
			case draft != "" && draft != s.Draft:
				r.fail(Child(pointer, key), "unknown keyword %q: it is one of %s, and this schema is in %s", key, draft, s.Draft)
			}
		}
		if s.Pattern != nil {
			r.pattern(Child(pointer, "pattern"), *s.Pattern)
		}
		for _, p := range s.PatternProperties {
			r.pattern(Child(pointer, "patternProperties", p.Name), p.Name)
		}
	}
}

func (r *reader) pattern(pointer, pattern string) {
	if _, err := ecma.Compile(pattern); err != nil {
		r.fail(pointer, "is not a regular expression: %v", err)
	}
}
