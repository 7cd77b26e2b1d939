package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// audit checks a schema.json as plain JSON and records everything that the generator does not
// support.
type audit struct {
	revision  string
	refPrefix string
	names     map[string]bool
	depth     int // of the current schema
	errs      []error
}

// maxDepth limits the nesting of schemas. The official schemas have up to 6 levels. Code for
// thousands of levels could neither be formatted nor compiled.
const maxDepth = 100

func (a *audit) fail(pointer, format string, args ...any) {
	a.errs = append(a.errs, &Error{a.revision, pointer, fmt.Sprintf(format, args...)})
}

func (a *audit) err() error { return errors.Join(a.errs...) }

// document checks the root object and every definition. It returns the name of the member that
// holds the definitions.
func (a *audit) document(root map[string]any) (container string) {
	for _, key := range slices.Sorted(maps.Keys(root)) {
		switch key {
		case "$schema":
			if _, ok := root[key].(string); !ok {
				a.fail("/$schema", "must be a string")
			}
		case "definitions", "$defs":
			if container != "" {
				a.fail("/"+key, "there are definitions in both %q and %q", container, key)
			}
			container = key
		default:
			a.fail(Child("", key), "unknown keyword %q", key)
		}
	}
	defs, ok := root[container].(map[string]any)
	if !ok || len(defs) == 0 {
		a.fail("", "has no definitions")
		return container
	}
	a.refPrefix = "#/" + container + "/"
	a.names = map[string]bool{}
	for name := range defs {
		a.names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		a.schema(Child("", container, name), defs[name])
	}
	return container
}

// keywordsBeside lists the keywords that are supported beside a keyword that determines the
// whole schema.
var keywordsBeside = map[string][]string{
	"$ref":  {"description", "title"},
	"anyOf": {"description", "title"},
	"allOf": {"description", "title"},
	"const": {"description", "title", "type"},
}

func (a *audit) schema(pointer string, v any) {
	node, ok := v.(map[string]any)
	if !ok {
		a.fail(pointer, "must be a schema object, is %s", kindOf(v))
		return
	}
	if a.depth++; a.depth > maxDepth {
		a.fail(pointer, "schemas nested more than %d levels deep are not supported", maxDepth)
		node = nil
	}
	defer func() { a.depth-- }()
	keys := slices.Sorted(maps.Keys(node))
	for _, key := range keys {
		a.keyword(Child(pointer, key), key, node[key], node)
		beside, exclusive := keywordsBeside[key]
		if !exclusive {
			continue
		}
		for _, other := range keys {
			if other != key && !slices.Contains(beside, other) {
				a.fail(Child(pointer, other), "keyword %q beside %q is not supported", other, key)
			}
		}
	}
	types := typeNames(node["type"])
	for _, dep := range []struct{ keyword, typ string }{
		{"properties", "object"}, {"required", "object"}, {"additionalProperties", "object"},
		{"items", "array"}, {"maxItems", "array"}, {"format", "string"}, {"enum", "string"},
	} {
		if _, ok := node[dep.keyword]; ok && (len(types) != 1 || types[0] != dep.typ) {
			a.fail(pointer, "keyword %q needs \"type\": %q", dep.keyword, dep.typ)
		}
	}
	for _, bound := range []string{"minimum", "maximum"} {
		if _, ok := node[bound]; ok && !slices.Equal(types, []string{"number"}) && !slices.Equal(types, []string{"integer"}) {
			a.fail(pointer, "keyword %q needs a numeric \"type\"", bound)
		}
	}
}

func (a *audit) keyword(pointer, key string, v any, node map[string]any) {
	switch key {
	case "$ref":
		ref, _ := v.(string)
		name, ok := strings.CutPrefix(ref, a.refPrefix)
		if !ok || !a.names[unescape(name)] {
			a.fail(pointer, "$ref %q does not refer to a definition", v)
		}
	case "description", "format", "title":
		if _, ok := v.(string); !ok {
			a.fail(pointer, "must be a string, is %s", kindOf(v))
		}
	case "type":
		a.typeKeyword(pointer, v)
	case "properties":
		props, ok := v.(map[string]any)
		if !ok {
			a.fail(pointer, "must be an object, is %s", kindOf(v))
			return
		}
		for _, name := range slices.Sorted(maps.Keys(props)) {
			a.schema(Child(pointer, name), props[name])
		}
	case "required":
		a.strings(pointer, v)
	case "additionalProperties":
		a.additional(pointer, v, node)
	case "items":
		a.schema(pointer, v)
	case "anyOf", "allOf":
		list, ok := v.([]any)
		if !ok || len(list) < 2 {
			a.fail(pointer, "must be a list of at least two schemas")
			return
		}
		for i, s := range list {
			a.schema(Child(pointer, strconv.Itoa(i)), s)
		}
	case "const":
		a.constKeyword(pointer, v, typeNames(node["type"]))
	case "enum":
		a.strings(pointer, v)
	case "minimum", "maximum":
		if n, ok := v.(json.Number); !ok {
			a.fail(pointer, "must be a number, is %s", kindOf(v))
		} else if _, err := n.Float64(); err != nil {
			a.fail(pointer, "is out of range")
		}
	case "maxItems":
		n, ok := v.(json.Number)
		if i, err := strconv.Atoi(string(n)); !ok || err != nil || i < 1 {
			a.fail(pointer, "must be a positive integer")
		}
	default:
		a.fail(pointer, "unknown keyword %q", key)
	}
}

func (a *audit) typeKeyword(pointer string, v any) {
	names := typeNames(v)
	if len(names) == 0 {
		a.fail(pointer, "must be a type or a list of types")
	}
	for i, name := range names {
		switch name {
		case "object", "array":
			if len(names) > 1 {
				a.fail(pointer, "type %q in a list of types is not supported", name)
			}
		case "string", "integer", "number", "boolean", "null":
		default:
			a.fail(pointer, "unknown type %q", name)
		}
		if slices.Contains(names[:i], name) {
			a.fail(pointer, "duplicate type %q", name)
		}
	}
}

func (a *audit) constKeyword(pointer string, v any, types []string) {
	switch v := v.(type) {
	case string:
		if slices.Equal(types, []string{"string"}) {
			return
		}
	case json.Number:
		// The parser stores numbers as float64, which is exact up to 2^53.
		if i, err := v.Int64(); err == nil && i > -1<<53 && i < 1<<53 && slices.Equal(types, []string{"integer"}) {
			return
		}
	}
	a.fail(pointer, "must be a string with \"type\": \"string\" or an integer with \"type\": \"integer\"")
}

func (a *audit) additional(pointer string, v any, node map[string]any) {
	if b, ok := v.(bool); ok {
		if !b {
			a.fail(pointer, "a closed object is not supported")
		}
		return
	}
	a.schema(pointer, v)
	rest, _ := v.(map[string]any)
	props, _ := node["properties"].(map[string]any)
	if _, required := node["required"]; constrains(rest) && (len(props) > 0 || required) {
		a.fail(pointer, "additionalProperties with a schema is not supported beside properties or required")
	}
}

// constrains reports whether a schema has a keyword other than its title and description.
func constrains(node map[string]any) bool {
	for key := range node {
		if key != "title" && key != "description" {
			return true
		}
	}
	return false
}

func (a *audit) strings(pointer string, v any) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		a.fail(pointer, "must be a list of strings")
		return
	}
	seen := map[string]bool{}
	for i, item := range list {
		s, ok := item.(string)
		if !ok {
			a.fail(Child(pointer, strconv.Itoa(i)), "must be a string, is %s", kindOf(item))
		}
		if seen[s] {
			a.fail(Child(pointer, strconv.Itoa(i)), "duplicate value %q", s)
		}
		seen[s] = true
	}
}

// typeNames returns the type keyword as a list, or nil if it is invalid.
func typeNames(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		names := make([]string, 0, len(v))
		for _, item := range v {
			s, ok := item.(string)
			if !ok {
				return nil
			}
			names = append(names, s)
		}
		return names
	}
	return nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case []any:
		return "an array"
	}
	return "an object"
}

func unescape(segment string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
}
