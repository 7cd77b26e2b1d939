package samples

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Most schemas of tools are plain: they have only keywords whose meaning needs no compiler. Compiling a schema takes as
// long as validating a hundred values, and a comparison of two tools validates about forty by each.

// plain returns the patterns of a document that is plain: its references are pointers without circles, its numbers have
// no exponents, and it has none of the keywords below. It returns nil for others.
func plain(root *jsonschema.Schema) map[*jsonschema.Schema]santhosh.Regexp {
	known := 0
	if _, named := wire.Object(root.Source).Get("$schema"); named {
		known = 1
	}
	text := string(root.Source)
	known += strings.Count(text, `"$ref"`) + strings.Count(text, `"$defs"`)
	if root.Draft == jsonschema.Draft4 || strings.Count(text, `"$`) > known || strings.Contains(text, `\u0024`) || exponents(root.Source) || len(root.Endless()) > 0 {
		return nil
	}
	patterns := map[*jsonschema.Schema]santhosh.Regexp{}
	for _, s := range root.All() {
		if s.Always != nil {
			continue
		}
		if s.Source.Kind() != wire.KindObject || s.Meta || s.MultipleOf != "" || s.UniqueItems || s.If != nil || s.PrefixItems != nil || s.Contains != nil ||
			s.PatternProperties != nil || s.PropertyNames != nil || s.DependentRequired != nil || s.DependentSchemas != nil ||
			s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil || s.Format != "" && formats()[s.Format] == nil {
			return nil
		}
		if s.Pattern != nil {
			p, err := compilePattern(*s.Pattern)
			if err != nil {
				return nil
			}
			patterns[s] = p
		}
	}
	return patterns
}

// exponents reports whether a text may have numbers with an exponent.
func exponents(text wire.Raw) bool {
	for i := 1; i < len(text); i++ {
		if text[i]|0x20 == 'e' && '0' <= text[i-1] && text[i-1] <= '9' {
			return true
		}
	}
	return false
}

// formats has the formats of package santhosh-tekuri/jsonschema.
var formats = sync.OnceValue(func() map[string]*santhosh.Format {
	all := map[string]*santhosh.Format{}
	for _, name := range []string{
		"date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "iri", "iri-reference", "json-pointer", "period", "regex",
		"relative-json-pointer", "semver", "time", "uri", "uri-reference", "uri-template", "uuid",
	} {
		c := newCompiler()
		if c.AddResource(documentURI, map[string]any{"format": name}) == nil {
			if s, err := c.Compile(documentURI); err == nil {
				all[name] = s.Format
			}
		}
	}
	return all
})

// satisfies reports whether a value satisfies a schema of a plain document.
func (v *Validator) satisfies(s *jsonschema.Schema, value any) bool {
	v.Visits++
	if s.Always != nil {
		return *s.Always
	}
	is := func(raw wire.Raw) bool { return equal(value, raw) }
	by := func(s *jsonschema.Schema) bool { return v.satisfies(s, value) }
	if s.Types != nil && !slices.ContainsFunc(s.Types, func(name string) bool { return isOf(value, name) }) ||
		s.Enum != nil && !slices.ContainsFunc(s.Enum, is) || s.Const != "" && !is(s.Const) || s.Format != "" && formats()[s.Format].Validate(value) != nil {
		return false
	}
	switch value := value.(type) {
	case json.Number:
		less := func(x, y wire.Raw) bool { return x != "" && y != "" && wire.CompareNumbers(x, y) < 0 }
		n := wire.Raw(value)
		if less(n, s.Minimum) || less(s.Maximum, n) || s.ExclusiveMinimum != "" && !less(s.ExclusiveMinimum, n) || s.ExclusiveMaximum != "" && !less(n, s.ExclusiveMaximum) {
			return false
		}
	case string:
		if !within(utf8.RuneCountInString(value), s.MinLength, s.MaxLength) || s.Pattern != nil && !v.patterns[s].MatchString(value) {
			return false
		}
	case []any:
		if !within(len(value), s.MinItems, s.MaxItems) || s.Items != nil && slices.ContainsFunc(value, func(one any) bool { return !v.satisfies(s.Items, one) }) {
			return false
		}
	case map[string]any:
		if !within(len(value), s.MinProperties, s.MaxProperties) {
			return false
		}
		for _, name := range s.Required {
			if _, ok := value[name]; !ok {
				return false
			}
		}
		for name, one := range value {
			of := s.Property(name)
			if of == nil {
				of = s.AdditionalProperties
			}
			if of != nil && !v.satisfies(of, one) {
				return false
			}
		}
	}
	matches := 0
	for _, one := range s.OneOf {
		if by(one) {
			matches++
		}
	}
	return (s.Target == nil || by(s.Target)) && (s.OneOf == nil || matches == 1) && (s.AnyOf == nil || slices.ContainsFunc(s.AnyOf, by)) && (s.Not == nil || !by(s.Not)) &&
		!slices.ContainsFunc(s.AllOf, func(one *jsonschema.Schema) bool { return !by(one) })
}

// isOf reports whether a value is of a type.
func isOf(value any, name string) bool {
	if jsonschema.KindsOfDecoded(value) != jsonschema.KindsOfType(name) {
		return false
	}
	return name != "integer" || wire.Raw(value.(json.Number)).IsInteger()
}

// equal reports whether a value is the same as that of a text.
func equal(value any, raw wire.Raw) bool {
	if text, ok := value.(string); ok {
		other, ok := raw.Str()
		return ok && text == other
	}
	text, err := json.Marshal(value)
	return err == nil && wire.Equal(wire.Raw(text), raw)
}

// within reports whether a count is within two limits.
func within(n int, least, most *int64) bool {
	return (least == nil || int64(n) >= *least) && (most == nil || int64(n) <= *most)
}
