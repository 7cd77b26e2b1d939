package jsonschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// source generates random schemas of a draft, and values that may match them.
type source struct {
	*rand.Rand
	draft string
	used  map[string]int // the number of uses of each keyword
}

// object is a schema or a value.
type object = map[string]any

var (
	names    = []string{"a", "b", "c", "x-1", "x-22", "ä/~"}
	words    = []string{"", "a", "ab", "abc", "x-1", "äöü", "🐲🐲", "2026-01-31", "a@b.co", "1", " \t"}
	numbers  = []json.Number{"0", "1", "1.0", "2", "3", "-2", "0.5", "1e1", "10", "2.5", "12345678901234567890", "-9223372036854775809", "1e30", "12345678901234567891.5", "1e-3", "4"}
	patterns = []string{"^a", "b$", `^\w+$`, `^[^\s]*$`, "^(?!a)", "^.{2}$", `^\p{L}+$`, `\d`}
	formats  = []string{"date", "email", "uuid", "ipv4", "uri", "unheard-of"}
	types    = []string{"null", "boolean", "object", "array", "number", "string", "integer"}
)

func pick[T any](r *source, from []T) T { return from[r.IntN(len(from))] }

// maybe returns true with the probability 1/n.
func (r *source) maybe(n int) bool { return r.IntN(n) == 0 }

// document returns a schema with definitions that may refer to each other recursively.
func (r *source) document() object {
	s := r.schema(3)
	for s["$ref"] != nil && r.draft == "draft7" { // $ref would hide other keywords
		s = r.schema(3)
	}
	defs := object{}
	for _, name := range []string{"one", "two"} {
		d := r.schema(2)
		// A reference below a property or an element cannot recurse endlessly.
		defs[name] = object{"type": pick(r, []any{"object", []any{"object", "null"}, []any{"array", "string", "object"}}),
			"properties": object{pick(r, names): r.reference(), pick(r, names): d}, "items": r.schema(1)}
	}
	if r.draft == "draft7" {
		s["definitions"] = defs
	} else {
		s["$defs"] = defs
	}
	return s
}

func (r *source) reference() object {
	keyword := "$defs"
	if r.draft == "draft7" {
		keyword = "definitions"
	}
	r.used["$ref"]++
	return object{"$ref": "#/properties/value/" + keyword + "/" + pick(r, []string{"one", "two"})}
}

// schema returns a schema with some keywords, or a boolean.
func (r *source) sub(depth int) any {
	if depth <= 0 || r.maybe(8) {
		return pick(r, []any{true, true, true, false, object{}, object{"type": pick(r, types)}})
	}
	if r.maybe(8) {
		return r.reference()
	}
	return r.schema(depth)
}

func (r *source) subs(depth, least int) []any {
	var all []any
	for range least + r.IntN(3) {
		all = append(all, r.sub(depth))
	}
	return all
}

// keywords that both drafts have, by type
var keywords = map[string][]string{
	"":       {"enum", "const", "allOf", "anyOf", "oneOf", "not", "if"},
	"number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
	"string": {"minLength", "maxLength", "pattern", "format"},
	"array":  {"tuple", "items", "contains", "minItems", "maxItems", "uniqueItems"},
	"object": {"properties", "properties", "required", "patternProperties", "additionalProperties", "propertyNames",
		"minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "unevaluated"},
}

func (r *source) schema(depth int) object {
	s := object{}
	about := pick(r, []string{"number", "string", "array", "array", "object", "object", "object"})
	switch {
	case r.maybe(3):
		s["type"] = []any{about, pick(r, slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == about }))}
	case r.maybe(4):
		about = ""
	case about == "number" && r.maybe(2):
		s["type"] = "integer"
	case !r.maybe(4):
		s["type"] = about
	}
	all := keywords[about]
	for range 1 + r.IntN(4) {
		if r.maybe(5) || about == "" {
			r.add(s, pick(r, keywords[""]), depth-1)
		} else {
			r.add(s, pick(r, all), depth-1)
		}
	}
	for keyword := range s {
		r.used[keyword]++
	}
	return s
}

func (r *source) value(depth int) any {
	switch n := r.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return r.maybe(2)
	case n <= 3 || depth <= 0 && n <= 5:
		return pick(r, numbers)
	case n <= 5 || depth <= 0:
		return pick(r, words)
	case n == 6:
		all := []any{}
		for range r.IntN(4) {
			all = append(all, r.value(depth-1))
		}
		return all
	}
	o := object{}
	for range r.IntN(4) {
		o[pick(r, names)] = r.value(depth - 1)
	}
	return o
}

// add adds a keyword to a schema.
func (r *source) add(s object, keyword string, depth int) {
	old := r.draft == "draft7"
	count := func() any { return pick(r, []json.Number{"0", "1", "2", "3", "2.0"}) }
	switch keyword {
	case "enum":
		all := []any{}
		for range 1 + r.IntN(4) {
			if v := r.value(1); !slices.ContainsFunc(all, func(other any) bool { return wire.Equal(text(other), text(v)) }) {
				all = append(all, v)
			}
		}
		s[keyword] = all
	case "const":
		s[keyword] = r.value(1)
	case "allOf", "anyOf", "oneOf":
		s[keyword] = r.subs(depth, 1)
	case "not", "contains", "propertyNames":
		s[keyword] = r.sub(depth)
		if keyword == "contains" && !old && r.maybe(2) {
			s["minContains"], s["maxContains"] = count(), count()
		}
	case "if":
		s["if"], s["then"], s["else"] = r.sub(depth), r.sub(depth), r.sub(depth)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		s[keyword] = pick(r, numbers)
	case "multipleOf":
		s[keyword] = pick(r, []json.Number{"1", "2", "0.5", "0.01", "2.5", "1e1"})
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		s[keyword] = count()
	case "pattern":
		s[keyword] = pick(r, patterns)
	case "format":
		if t, ok := s["type"].(string); ok && t == "string" { // otherwise format is an annotation, which some validators ignore
			s[keyword] = pick(r, formats)
		}
	case "tuple":
		if old {
			s["items"], s["additionalItems"] = r.subs(depth, 1), r.sub(depth)
		} else {
			s["prefixItems"] = r.subs(depth, 1)
		}
	case "items", "additionalProperties":
		s[keyword] = r.sub(depth)
	case "uniqueItems":
		s[keyword] = true
	case "properties", "dependentSchemas":
		all := object{}
		for range 1 + r.IntN(3) {
			all[pick(r, names)] = r.sub(depth)
		}
		if keyword == "dependentSchemas" && old {
			keyword = "dependencies"
		}
		s[keyword] = all
	case "patternProperties":
		s[keyword] = object{pick(r, []string{"^x-", "^[ab]$", "^(?!x)"}): r.sub(depth), ".": r.sub(depth)}
	case "required":
		s[keyword] = []any{pick(r, names)}
	case "dependentRequired":
		if old {
			keyword = "dependencies"
		}
		s[keyword] = object{pick(r, names): []any{pick(r, names)}}
	case "unevaluated":
		if !old && r.maybe(4) {
			s[pick(r, []string{"unevaluatedProperties", "unevaluatedItems"})] = r.sub(depth)
		}
	}
}

// arguments returns arguments with one value that may fit a schema, as text and as the validator reads it.
func (r *source) arguments(t *testing.T, schema object) (text []byte, value any) {
	t.Helper()
	text, err := json.Marshal(object{"value": r.fitting(schema, schema, 5)})
	if err != nil {
		t.Fatal(err)
	}
	if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return text, value
}

// fitting returns a value that is likely to match a schema of a document.
func (r *source) fitting(schema any, document object, depth int) any {
	s, ok := schema.(object)
	if !ok || depth <= 0 {
		return r.value(1)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if branches, ok := s[keyword].([]any); ok && len(branches) > 0 && r.maybe(3) {
			return r.fitting(pick(r, branches), document, depth-1)
		}
	}
	if all, ok := s["enum"].([]any); ok {
		return pick(r, all)
	}
	if v, ok := s["const"]; ok {
		return v
	}
	if ref, ok := s["$ref"].(string); ok {
		for _, container := range []string{"$defs", "definitions"} {
			if defs, ok := document[container].(object); ok {
				return r.fitting(defs[ref[len(ref)-3:]], document, depth-1)
			}
		}
	}
	kind, _ := s["type"].(string)
	if several, ok := s["type"].([]any); ok {
		kind = fmt.Sprint(pick(r, several))
	}
	if _, ok := s["properties"]; ok && kind == "" {
		kind = "object"
	}
	switch kind {
	case "null":
		return nil
	case "boolean":
		return r.maybe(2)
	case "number", "integer":
		return pick(r, numbers)
	case "string":
		return pick(r, words)
	case "array":
		all := []any{}
		for i := range r.IntN(4) {
			each := s["items"]
			if tuple, ok := s["prefixItems"].([]any); ok && i < len(tuple) {
				each = tuple[i]
			}
			if tuple, ok := each.([]any); ok {
				each = tuple[min(i, len(tuple)-1)]
			}
			all = append(all, r.fitting(each, document, depth-1))
		}
		return all
	case "object":
		o := object{}
		if properties, ok := s["properties"].(object); ok {
			for _, name := range sorted(properties) {
				if !r.maybe(3) {
					o[name] = r.fitting(properties[name], document, depth-1)
				}
			}
		}
		if required, ok := s["required"].([]any); ok {
			for _, name := range required {
				if _, ok := o[name.(string)]; !ok {
					o[name.(string)] = r.value(1)
				}
			}
		}
		if r.maybe(4) {
			o[pick(r, names)] = r.value(1)
		}
		return o
	}
	return r.value(2)
}

func text(v any) wire.Raw {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return wire.Raw(text)
}

func sorted(o object) []string {
	var all []string
	for name := range o {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
