package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file says what each keyword of a schema refuses. The values that break one are made in
// find_values.go, and changes.go and objects.go name the changes of one.

// keyword is a keyword that values of one kind break. has reports whether a schema refuses values by it, and drop
// removes it from a schema.
type keyword struct {
	name string
	kind kind
	has  func(s *jsonschema.Schema) bool
	drop func(s *jsonschema.Schema)
}

var keywords = []keyword{
	{"minimum", kindNumber, func(s *jsonschema.Schema) bool { return s.Minimum != "" || s.ExclusiveMinimum != "" }, func(s *jsonschema.Schema) { s.Minimum, s.ExclusiveMinimum = "", "" }},
	{"maximum", kindNumber, func(s *jsonschema.Schema) bool { return s.Maximum != "" || s.ExclusiveMaximum != "" }, func(s *jsonschema.Schema) { s.Maximum, s.ExclusiveMaximum = "", "" }},
	{"multipleOf", kindNumber, func(s *jsonschema.Schema) bool { return s.MultipleOf != "" }, func(s *jsonschema.Schema) { s.MultipleOf = "" }},
	{"minLength", kindString, func(s *jsonschema.Schema) bool { return s.MinLength != nil }, func(s *jsonschema.Schema) { s.MinLength = nil }},
	{"maxLength", kindString, func(s *jsonschema.Schema) bool { return s.MaxLength != nil }, func(s *jsonschema.Schema) { s.MaxLength = nil }},
	{"pattern", kindString, func(s *jsonschema.Schema) bool { return s.Pattern != nil }, func(s *jsonschema.Schema) { s.Pattern = nil }},
	{"format", kindString, func(s *jsonschema.Schema) bool { return s.Format != "" && isFormat(s.Format) }, func(s *jsonschema.Schema) { s.Format = "" }},
	{"minItems", kindArray, func(s *jsonschema.Schema) bool { return s.MinItems != nil }, func(s *jsonschema.Schema) { s.MinItems = nil }},
	{"maxItems", kindArray, func(s *jsonschema.Schema) bool { return s.MaxItems != nil }, func(s *jsonschema.Schema) { s.MaxItems = nil }},
	{"uniqueItems", kindArray, func(s *jsonschema.Schema) bool { return s.UniqueItems }, func(s *jsonschema.Schema) { s.UniqueItems = false }},
	{"items", kindArray, func(s *jsonschema.Schema) bool { return limits(s.Items) }, func(*jsonschema.Schema) {}},
	{"contains", kindArray, func(s *jsonschema.Schema) bool { return s.Contains != nil && fewest(s) > 0 }, func(s *jsonschema.Schema) { s.Contains = nil }},
	{"unevaluatedItems", kindArray, func(s *jsonschema.Schema) bool { return limits(s.UnevaluatedItems) }, func(s *jsonschema.Schema) { s.UnevaluatedItems = nil }},
	{"additionalProperties", kindObject, func(s *jsonschema.Schema) bool { return limits(s.AdditionalProperties) }, func(s *jsonschema.Schema) { s.AdditionalProperties, s.UnevaluatedProperties = nil, nil }},
	{"unevaluatedProperties", kindObject, func(s *jsonschema.Schema) bool { return limits(s.UnevaluatedProperties) }, func(s *jsonschema.Schema) { s.AdditionalProperties, s.UnevaluatedProperties = nil, nil }},
	{"propertyNames", kindObject, func(s *jsonschema.Schema) bool { return limits(s.PropertyNames) }, func(s *jsonschema.Schema) { s.PropertyNames = nil }},
	{"minProperties", kindObject, func(s *jsonschema.Schema) bool { return s.MinProperties != nil }, func(s *jsonschema.Schema) { s.MinProperties = nil }},
	{"maxProperties", kindObject, func(s *jsonschema.Schema) bool { return s.MaxProperties != nil }, func(s *jsonschema.Schema) { s.MaxProperties = nil }},
}

// limits reports whether a schema that may be absent refuses a value.
func limits(s *jsonschema.Schema) bool { return s != nil && !always(s) }

// waysToRefuse returns the ways in which a schema refuses a value, one for each keyword.
func waysToRefuse(s *jsonschema.Schema) []*branch {
	var list []*branch
	add := func(keyword string, b *branch) {
		b.of, b.keyword = s, keyword
		list = append(list, b)
	}
	by := func(k kind, keyword string, item int) {
		add(keyword, &branch{kinds: k, breaks: []breach{{s, keyword, item}}})
	}
	if s.Types != nil {
		allowed, whole := kindsOf([]*jsonschema.Schema{s})
		if allowed != kindAny {
			add("type", &branch{kinds: kindAny &^ allowed})
		}
		if whole && allowed&kindNumber != 0 {
			add("type", &branch{kinds: kindNumber, fraction: true})
		}
	}
	if s.Enum != nil || s.Const != "" {
		add("enum", &branch{breaks: []breach{{s, "enum", 0}}})
	}
	for _, one := range without(append([]*jsonschema.Schema{s.Target}, s.AllOf...)...) {
		add("allOf", &branch{refuse: []*jsonschema.Schema{one}})
	}
	if s.Not != nil {
		add("not", &branch{accept: []*jsonschema.Schema{s.Not}})
	}
	if s.Then != nil && s.If != nil {
		add("if", &branch{accept: []*jsonschema.Schema{s.If}, refuse: []*jsonschema.Schema{s.Then}})
	}
	if s.Else != nil && s.If != nil {
		add("if", &branch{refuse: []*jsonschema.Schema{s.If, s.Else}})
	}
	for i := range s.Properties {
		by(kindObject, "properties", i)
	}
	for _, name := range s.Required {
		add("required", &branch{kinds: kindObject, absent: name})
	}
	for i := range s.PatternProperties {
		by(kindObject, "patternProperties", i)
	}
	for _, d := range s.DependentRequired {
		for _, name := range d.Required {
			add("dependentRequired", &branch{kinds: kindObject, present: d.Name, absent: name})
		}
	}
	for _, d := range s.DependentSchemas {
		add("dependentSchemas", &branch{kinds: kindObject, present: d.Name, refuse: []*jsonschema.Schema{d.Schema}})
	}
	for i := range s.PrefixItems {
		by(kindArray, "prefixItems", i)
	}
	for _, k := range keywords {
		if k.has(s) {
			by(k.kind, k.name, 0)
		}
	}
	if s.Contains != nil && s.MaxContains != nil {
		by(kindArray, "contains", tooMany)
	}
	if s.AnyOf != nil {
		add("anyOf", &branch{refuse: s.AnyOf})
	}
	if s.OneOf != nil {
		add("oneOf", &branch{refuse: s.OneOf})
		for i, x := range s.OneOf {
			for _, y := range s.OneOf[:i] {
				add("oneOf", &branch{accept: []*jsonschema.Schema{x, y}})
			}
		}
	}
	if s.DynamicRef != "" {
		add("$dynamicRef", &branch{unknown: true})
	}
	if s.Meta {
		add("$ref", &branch{unknown: true})
	}
	return list
}

// wholly lists the keywords that mean the same wherever they are written alike, with the keywords that
// belong to them.
var wholly = map[string][]string{
	"not": {"not"}, "if": {"if", "then", "else"}, "contains": {"contains", "minContains", "maxContains"}, "propertyNames": {"propertyNames"},
	"dependentSchemas": {"dependentSchemas"}, "pattern": {"pattern"}, "format": {"format"}, "multipleOf": {"multipleOf"}, "$dynamicRef": {"$dynamicRef"}, "$ref": {"$ref"},
}

func rawOf(s *jsonschema.Schema, name string) wire.Raw {
	if s.Source.Kind() != wire.KindObject {
		return ""
	}
	raw, _ := wire.Object(s.Source).Get(name)
	return raw
}

// sameText reports whether two texts are the same schema, which must not have references.
func (e *engine) sameText(x, y wire.Raw) bool {
	if x == "" || y == "" {
		return x == y
	}
	text := e.text(x)
	return text != "" && text == e.text(y)
}

// text returns a schema in a normal form, or "" if it has references.
func (e *engine) text(raw wire.Raw) string {
	text, ok := e.texts[raw]
	if !ok {
		if !strings.Contains(string(raw), `"$ref"`) && !strings.Contains(string(raw), `"$dynamicRef"`) {
			text = canonical(raw)
		}
		e.texts[raw] = text
	}
	return text
}

// bareOf returns a schema without the keyword that a branch breaks.
func bareOf(s *jsonschema.Schema, b *branch) *jsonschema.Schema {
	bare := s.Clone()
	if b.absent != "" {
		bare.Required = slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return name == b.absent })
	}
	switch b.keyword {
	case "type":
		bare.Types = nil
	case "enum":
		bare.Enum, bare.Const = nil, ""
	case "dependentRequired":
		bare.DependentRequired = nil
	case "dependentSchemas":
		bare.DependentSchemas = nil
	case "not":
		bare.Not = nil
	case "if":
		bare.If = nil
	default:
		if i := slices.IndexFunc(keywords, func(k keyword) bool { return k.name == b.keyword }); i >= 0 {
			keywords[i].drop(bare)
		}
	}
	return bare
}

// breachOf returns a branch of values of a kind that break a keyword with a limit, of a schema that no document has.
func breachOf(k kind, keyword string, at limit) *branch {
	written := keyword
	switch {
	case at.open && at.upper:
		written = "exclusiveMaximum"
	case at.open:
		written = "exclusiveMinimum"
	}
	s, _ := jsonschema.Read("", wire.Raw(fmt.Sprintf(`{%q:%s}`, written, decimal(at.at))))
	return &branch{keyword: keyword, kinds: k, breaks: []breach{{s, keyword, 0}}}
}

// breaking returns the branches in which an alternative refuses values by some keywords.
func (e *engine) breaking(a *Alt, keywords ...string) (list []*branch) {
	for _, s := range a.all {
		for _, b := range e.refusing(s) {
			if slices.Contains(keywords, b.keyword) {
				list = append(list, b)
			}
		}
	}
	return list
}

// matchOf returns the schema of the strings that match a pattern.
func (e *engine) matchOf(pattern string) *jsonschema.Schema {
	s, ok := e.patterns[pattern]
	if !ok {
		text, _ := wire.AppendString([]byte(`{"type":"string","pattern":`), pattern) // it was read, so it is UTF-8
		s, _ = jsonschema.Read("", wire.Raw(append(text, '}')))
		e.patterns[pattern] = s
	}
	return s
}
