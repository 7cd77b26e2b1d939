package typed

import (
	"encoding"
	stdjson "encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/fallback"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The deriver ignores the parts of a tag that it does not understand, so a misspelled limit would
// have no effect. The tags are therefore checked before.

// keys are the keys of the tag jsonschema, with the kinds of values that they apply to. A key that
// applies to every kind has no kinds. Those of elements also apply to arrays of the kind.
var keys = map[string][]string{
	"title": nil, "description": nil, "type": nil, "anchor": nil,
	"oneof_required": nil, "anyof_required": nil, "oneof_ref": nil, "oneof_type": nil, "anyof_ref": nil, "anyof_type": nil,
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
	if tag == "" || tag == "-" || keyed.MatchString(tag) || slices.Contains(flags, strings.Split(tag, ",")[0]) {
		return ""
	}
	return tag
}

// keyed matches a tag that begins with a key.
var keyed = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// checkTags returns an error for a tag in a type, or in a type that it contains, whose effect would
// be none or a wrong one.
func checkTags(t reflect.Type, seen map[reflect.Type]bool) error {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Array || t.Kind() == reflect.Map {
		if special(t) != nil || tellsSchema(t) {
			return nil
		}
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() || special(t) != nil || tellsSchema(t) || seen[t] {
		return nil
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() && !f.Anonymous || f.Tag.Get("json") == "-" {
			continue
		}
		if err := checkTag(f); err != nil {
			return fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		if err := checkTags(f.Type, seen); err != nil {
			return err
		}
	}
	return nil
}

// checkTag checks the tag jsonschema of a field.
func checkTag(f reflect.StructField) error {
	tag := f.Tag.Get("jsonschema")
	if tag == "" || tag == "-" {
		return nil
	}
	parts := splitTag(tag)
	if text := description(tag); text != "" {
		if _, known := keys[text]; known {
			return fmt.Errorf("tag jsonschema: the key %q has no value; a description of this word is description=%[1]s", text)
		}
		for _, part := range parts[1:] {
			key, _, has := strings.Cut(part, "=")
			if _, known := keys[key]; has && known || slices.Contains(flags, part) {
				return fmt.Errorf("tag jsonschema: %q follows a text without a key; a description beside other keys is description=%s", part, parts[0])
			}
		}
		if other := f.Tag.Get("jsonschema_description"); other != "" {
			return fmt.Errorf("the tags jsonschema and jsonschema_description are both descriptions")
		}
		return nil
	}
	kind, element := kindsOf(f.Type)
	if slices.Contains(strings.Split(f.Tag.Get("json"), ",")[1:], "string") {
		kind = "string"
	}
	for _, part := range parts {
		key, value, has := strings.Cut(part, "=")
		if !has {
			if !slices.Contains(flags, part) {
				return fmt.Errorf(`tag jsonschema: %q has no value, and is none of %s; a comma in a value is written as \\,`, part, strings.Join(flags, ", "))
			}
			continue
		}
		if err := checkKey(key, value, kind, element); err != nil {
			return fmt.Errorf("tag jsonschema: %s: %w", part, err)
		}
	}
	return nil
}

// checkKey checks a key and its value, for a field whose values are of a kind. Element is the
// kind of the elements of an array. A kind is "" if it is not known.
func checkKey(key, value, kind, element string) error {
	kinds, known := keys[key]
	if !known {
		return fmt.Errorf("unknown key %q; the keys are %s", key, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
	}
	if kinds == nil || kind == "" {
		return nil
	}
	if kind == "array" && !slices.Contains(kinds, "array") && element != "" {
		kind = element
	}
	if !slices.Contains(kinds, kind) {
		return fmt.Errorf("the key %q is for values of type %s; the field is of type %s", key, strings.Join(kinds, " or "), kind)
	}
	switch key {
	case "minLength", "maxLength", "minItems", "maxItems":
		if _, err := strconv.ParseUint(value, 10, 63); err != nil {
			return fmt.Errorf("%q is not an integer of at least 0", value)
		}
	case "uniqueItems", "readOnly", "writeOnly":
		if value != "true" {
			return fmt.Errorf("%q is not true", value)
		}
	case "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "default", "enum", "example":
		return checkValue(value, kind)
	}
	return nil
}

// checkValue checks the text of a value of a kind.
func checkValue(text, kind string) error {
	raw := wire.Raw(text)
	switch kind {
	case "integer", "number":
		if !stdjson.Valid([]byte(text)) || raw.Kind() != wire.KindNumber {
			return fmt.Errorf("%q is not a number", text)
		}
		if kind == "integer" && schema.Check(raw, func(c *schema.Checker) { c.Value(schema.Integer) }) != nil {
			return fmt.Errorf("%q is not an integer", text)
		}
	case "boolean":
		if text != "true" && text != "false" {
			return fmt.Errorf("%q is neither true nor false", text)
		}
	}
	return nil
}

// kindsOf returns the type in JSON Schema of the values of a Go type, and of the elements if
// they are arrays. It is "" if it is not known.
func kindsOf(t reflect.Type) (kind, element string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s := special(t); s != nil {
		return s.Type, ""
	}
	switch {
	case tellsSchema(t):
		return "", ""
	case t == reflect.TypeFor[time.Time](), t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "string", ""
	}
	switch t.Kind() {
	case reflect.String:
		return "string", ""
	case reflect.Bool:
		return "boolean", ""
	case reflect.Int, reflect.Int64:
		return "integer", ""
	case reflect.Float32, reflect.Float64:
		return "number", ""
	case reflect.Struct, reflect.Map:
		return "object", ""
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return "string", ""
		}
		element, _ = kindsOf(t.Elem())
		return "array", element
	}
	return "", ""
}

// splitTag splits a tag as the deriver does: at commas without a backslash before them.
func splitTag(tag string) []string {
	var parts []string
	for part := range strings.SplitSeq(tag, ",") {
		if n := len(parts); n > 0 && strings.HasSuffix(parts[n-1], `\`) {
			parts[n-1] = strings.TrimSuffix(parts[n-1], `\`) + "," + part
		} else {
			parts = append(parts, part)
		}
	}
	return parts
}

// checkDefaults returns an error for a default of a schema that is not valid under it.
func checkDefaults(document wire.Raw) error {
	definitions, _ := wire.Object(document).Get("$defs")
	var visit func(at string, s wire.Raw) error
	within := func(at string, members wire.Raw) error {
		for name, member := range wire.Object(members).All() {
			if err := visit(at+"/"+name, member); err != nil {
				return err
			}
		}
		return nil
	}
	visit = func(at string, s wire.Raw) error {
		if s.Kind() != wire.KindObject {
			return nil
		}
		o := wire.Object(s)
		if value, ok := o.Get("default"); ok {
			standalone := o
			var err error
			if definitions != "" {
				if standalone, err = o.With("$defs", definitions); err != nil {
					return err
				}
			}
			check, err := fallback.Compile(string(standalone))
			if err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
			if err := schema.Check(value, check); err != nil {
				return fmt.Errorf("%s: the default %s is not valid under its own schema: %w", at, value, err)
			}
		}
		properties, _ := o.Get("properties")
		if err := within(at, properties); err != nil {
			return err
		}
		for _, keyword := range []string{"items", "additionalProperties"} {
			inner, _ := o.Get(keyword)
			if err := visit(at+"/"+keyword, inner); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit("", document); err != nil {
		return err
	}
	return within("/$defs", definitions)
}
