package typed

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// facets are what the tags jsonschema and jsonschema_description of a field say about its values.
type facets struct {
	texts    []wire.Member // title and description
	rules    []wire.Member // keywords that restrict values
	items    []wire.Member // keywords that restrict the elements of an array
	enum     []wire.Raw    // of the value, or of the elements of an array
	preset   wire.Raw      // the default, or ""
	presets  []wire.Member // default, examples, readOnly and writeOnly
	nullable bool
	required bool
}

// keys are the keys of the tag jsonschema, with the types of the values that they apply to. A key that
// applies to every type has no types. A key also applies to an array if it applies to the elements.
var keys = map[string][]string{
	"title": nil, "description": nil,
	"minLength": {"string"}, "maxLength": {"string"}, "pattern": {"string"}, "format": {"string"},
	"readOnly": {"string"}, "writeOnly": {"string"},
	"multipleOf": {"integer", "number"}, "minimum": {"integer", "number"}, "maximum": {"integer", "number"},
	"exclusiveMinimum": {"integer", "number"}, "exclusiveMaximum": {"integer", "number"},
	"enum": {"string", "integer", "number"}, "example": {"string", "integer", "number"},
	"default":  {"string", "integer", "number", "boolean"},
	"minItems": {"array"}, "maxItems": {"array"}, "uniqueItems": {"array"},
}

// flags are the words of the tag without a value.
var flags = []string{"required", "nullable"}

// description returns the text of a tag that is only a description, as in
// jsonschema:"the name of a city".
func description(tag string) string {
	key, _, keyed := strings.Cut(tag, "=")
	isLetter := func(r rune) bool { return r == '_' || 'a' <= r|0x20 && r|0x20 <= 'z' }
	keyed = keyed && key != "" && strings.IndexFunc(key, func(r rune) bool { return !isLetter(r) }) < 0
	if tag == "" || tag == "-" || keyed || slices.Contains(flags, strings.Split(tag, ",")[0]) {
		return ""
	}
	return tag
}

// facetsOf reads the tags of a field whose values have a type in JSON Schema, "" if it is not known.
// Element is the type of the elements of an array.
func facetsOf(tags reflect.StructTag, kind, element string) (f facets, err error) {
	tag, other := tags.Get("jsonschema"), tags.Get("jsonschema_description")
	texts := map[string]string{}
	if other != "" {
		texts["description"] = other
	}
	var presets, examples []wire.Raw
	if only := description(tag); only != "" {
		if err := notKeyed(tag, other); err != nil {
			return f, err
		}
		texts["description"] = only
		tag = ""
	}
	for _, part := range splitTag(tag) {
		key, value, has := strings.Cut(part, "=")
		switch {
		case part == "required":
			f.required = true
		case part == "nullable":
			f.nullable = true
		case !has:
			return f, fmt.Errorf(`tag jsonschema: %q has no value, and is none of %s; a comma in a value is written as \\,`, part, strings.Join(flags, ", "))
		case key == "title" || key == "description":
			texts[key] = value
		default:
			raw, of, err := valueOf(key, value, kind, element)
			if err != nil {
				return f, fmt.Errorf("tag jsonschema: %s: %w", part, err)
			}
			switch member := (wire.Member{Name: key, Value: raw}); {
			case key == "enum":
				f.enum = append(f.enum, raw)
			case key == "default":
				presets = append(presets, raw)
			case key == "example":
				examples = append(examples, raw)
			case key == "readOnly" || key == "writeOnly":
				f.presets = append(f.presets, member)
			case of != kind:
				f.items = append(f.items, member)
			default:
				f.rules = append(f.rules, member)
			}
		}
	}
	for _, name := range []string{"title", "description"} {
		if s, ok := texts[name]; ok {
			value, err := wire.AppendString(nil, s)
			if err != nil {
				return f, err
			}
			f.texts = append(f.texts, wire.Member{Name: name, Value: wire.Raw(value)})
		}
	}
	return f, f.setPresets(kind, presets, examples)
}

// setPresets sets the default and the examples.
func (f *facets) setPresets(kind string, presets, examples []wire.Raw) error {
	switch {
	case presets == nil:
	case kind == "array":
		f.preset = wire.ArrayOf(presets)
	case len(presets) > 1:
		return fmt.Errorf("tag jsonschema: several defaults")
	default:
		f.preset = presets[0]
	}
	if f.preset != "" {
		f.presets = append(f.presets, wire.Member{Name: "default", Value: f.preset})
	}
	if examples != nil {
		f.presets = append(f.presets, wire.Member{Name: "examples", Value: wire.ArrayOf(examples)})
	}
	return nil
}

// notKeyed returns an error for a tag that is only a description but seems to be meant otherwise.
func notKeyed(tag, other string) error {
	if _, known := keys[tag]; known {
		return fmt.Errorf("tag jsonschema: the key %q has no value; to make this word the description, write description=%[1]s", tag)
	}
	parts := splitTag(tag)
	for _, part := range parts[1:] {
		key, _, has := strings.Cut(part, "=")
		if _, known := keys[key]; has && known || slices.Contains(flags, part) {
			return fmt.Errorf("tag jsonschema: %q follows a text without a key; beside other keys, write the description as description=%s", part, parts[0])
		}
	}
	if other != "" {
		return fmt.Errorf("the tags jsonschema and jsonschema_description are both descriptions")
	}
	return nil
}

// valueOf returns the value of a key as JSON, and the type of the values that the key is for: that of
// the field, or of the elements of an array.
func valueOf(key, value, kind, element string) (raw wire.Raw, of string, err error) {
	kinds, known := keys[key]
	if !known {
		return "", "", fmt.Errorf("unknown key %q; the keys are %s", key, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
	}
	if of = kind; kind == "array" && !slices.Contains(kinds, "array") && element != "" {
		of = element
	}
	if !slices.Contains(kinds, of) {
		return "", "", fmt.Errorf("the key %q is for values of type %s; the field is of type %s", key, strings.Join(kinds, " or "), cmp.Or(of, "any"))
	}
	switch key {
	case "minLength", "maxLength", "minItems", "maxItems":
		if _, err := strconv.ParseUint(value, 10, 63); err != nil {
			return "", "", fmt.Errorf("%q is not an integer of at least 0", value)
		}
		return wire.Raw(value), of, nil
	case "uniqueItems", "readOnly", "writeOnly":
		if value != "true" {
			return "", "", fmt.Errorf("%q is not true", value)
		}
		return "true", of, nil
	}
	if raw, err = literal(value, of); err == nil && key == "pattern" {
		err = pattern(raw)
	}
	return raw, of, err
}

// pattern returns an error if a text is not a regular expression. It returns nil for one that package regexp
// does not support.
func pattern(raw wire.Raw) error {
	_, err := dynamic.Compile(wire.Raw(object(wire.Member{Name: "pattern", Value: raw})))
	if errors.Is(err, dynamic.ErrNotCovered) {
		return nil
	}
	return errors.Unwrap(err)
}

// literal returns a text as a JSON value of a type.
func literal(value, kind string) (wire.Raw, error) {
	raw := wire.Raw(value)
	switch kind {
	case "integer", "number":
		if _, err := raw.AppendJSON(nil); err != nil || raw.Kind() != wire.KindNumber {
			return "", fmt.Errorf("%q is not a number", value)
		}
		if kind == "integer" && schema.Check(raw, func(c *schema.Checker) { c.Value(wire.KindInteger) }) != nil {
			return "", fmt.Errorf("%q is not an integer", value)
		}
		return raw, nil
	case "boolean":
		if value != "true" && value != "false" {
			return "", fmt.Errorf("%q is neither true nor false", value)
		}
		return raw, nil
	}
	text, err := wire.AppendString(nil, value)
	return wire.Raw(text), err
}

// splitTag splits a tag at commas without a backslash before them.
func splitTag(tag string) []string {
	var parts []string
	if tag == "" || tag == "-" {
		return nil
	}
	for part := range strings.SplitSeq(tag, ",") {
		if n := len(parts); n > 0 && strings.HasSuffix(parts[n-1], `\`) {
			parts[n-1] = strings.TrimSuffix(parts[n-1], `\`) + "," + part
		} else {
			parts = append(parts, part)
		}
	}
	return parts
}
