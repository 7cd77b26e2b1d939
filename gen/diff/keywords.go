package diff

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file says what each keyword of a schema refuses. The values that break one are made in
// find_values.go, and changes.go and objects.go name the changes of one.

// waysToRefuse returns the ways in which a schema refuses a value, one for each keyword.
func waysToRefuse(s *jsonschema.Schema) []branch {
	var list []branch
	add := func(keyword string, b branch) {
		b.of, b.keyword = s, keyword
		list = append(list, b)
	}
	by := func(k kind, keyword string, item int) {
		add(keyword, branch{kinds: []kind{k}, breaks: []breach{{s, keyword, item}}})
	}
	if s.Types != nil {
		allowed, whole := kindsOf([]*jsonschema.Schema{s})
		add("type", branch{kinds: slices.DeleteFunc(slices.Clone(allKinds), func(k kind) bool { return slices.Contains(allowed, k) })})
		if whole && slices.Contains(allowed, kindNumber) {
			add("type", branch{kinds: []kind{kindNumber}, fraction: true})
		}
	}
	if s.Enum != nil || s.Const != "" {
		add("enum", branch{breaks: []breach{{s, "enum", 0}}})
	}
	for _, one := range without(append([]*jsonschema.Schema{s.Target}, s.AllOf...)...) {
		add("allOf", branch{refuse: []*jsonschema.Schema{one}})
	}
	if s.Not != nil {
		add("not", branch{accept: []*jsonschema.Schema{s.Not}})
	}
	if s.Then != nil && s.If != nil {
		add("if", branch{accept: []*jsonschema.Schema{s.If}, refuse: []*jsonschema.Schema{s.Then}})
	}
	if s.Else != nil && s.If != nil {
		add("if", branch{refuse: []*jsonschema.Schema{s.If, s.Else}})
	}
	for i := range s.Properties {
		by(kindObject, "properties", i)
	}
	for _, name := range s.Required {
		add("required", branch{kinds: []kind{kindObject}, absent: name})
	}
	for i := range s.PatternProperties {
		by(kindObject, "patternProperties", i)
	}
	for _, d := range s.DependentRequired {
		for _, name := range d.Required {
			add("dependentRequired", branch{kinds: []kind{kindObject}, present: d.Name, absent: name})
		}
	}
	for _, d := range s.DependentSchemas {
		add("dependentSchemas", branch{kinds: []kind{kindObject}, present: d.Name, refuse: []*jsonschema.Schema{d.Schema}})
	}
	for i := range s.PrefixItems {
		by(kindArray, "prefixItems", i)
	}
	for _, k := range []struct {
		has     bool
		kind    kind
		keyword string
	}{
		{s.Minimum != "" || s.ExclusiveMinimum != "", kindNumber, "minimum"}, {s.Maximum != "" || s.ExclusiveMaximum != "", kindNumber, "maximum"},
		{s.MultipleOf != "", kindNumber, "multipleOf"}, {s.MinLength != nil, kindString, "minLength"}, {s.MaxLength != nil, kindString, "maxLength"},
		{s.Pattern != nil, kindString, "pattern"}, {s.Format != "" && isFormat(s.Format), kindString, "format"},
		{s.MinItems != nil, kindArray, "minItems"}, {s.MaxItems != nil, kindArray, "maxItems"}, {s.UniqueItems, kindArray, "uniqueItems"},
		{s.Items != nil && !always(s.Items), kindArray, "items"}, {s.Contains != nil && (s.MinContains == nil || *s.MinContains > 0), kindArray, "contains"},
		{s.UnevaluatedItems != nil && !always(s.UnevaluatedItems), kindArray, "unevaluatedItems"},
		{s.AdditionalProperties != nil && !always(s.AdditionalProperties), kindObject, "additionalProperties"},
		{s.UnevaluatedProperties != nil && !always(s.UnevaluatedProperties), kindObject, "unevaluatedProperties"},
		{s.PropertyNames != nil && !always(s.PropertyNames), kindObject, "propertyNames"},
		{s.MinProperties != nil, kindObject, "minProperties"}, {s.MaxProperties != nil, kindObject, "maxProperties"},
	} {
		if k.has {
			by(k.kind, k.keyword, 0)
		}
	}
	if s.Contains != nil && s.MaxContains != nil {
		by(kindArray, "contains", tooMany)
	}
	if s.AnyOf != nil {
		add("anyOf", branch{refuse: s.AnyOf})
	}
	if s.OneOf != nil {
		add("oneOf", branch{refuse: s.OneOf})
		for i, x := range s.OneOf {
			for _, y := range s.OneOf[:i] {
				add("oneOf", branch{accept: []*jsonschema.Schema{x, y}})
			}
		}
	}
	if s.DynamicRef != "" {
		add("$dynamicRef", branch{unknown: true})
	}
	if s.Meta {
		add("$ref", branch{unknown: true})
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
func bareOf(s *jsonschema.Schema, b branch) *jsonschema.Schema {
	bare := *s
	if b.absent != "" {
		bare.Required = slices.DeleteFunc(slices.Clone(s.Required), func(name string) bool { return name == b.absent })
	}
	switch b.keyword {
	case "type":
		bare.Types = nil
	case "enum":
		bare.Enum, bare.Const = nil, ""
	case "minimum":
		bare.Minimum, bare.ExclusiveMinimum = "", ""
	case "maximum":
		bare.Maximum, bare.ExclusiveMaximum = "", ""
	case "multipleOf":
		bare.MultipleOf = ""
	case "minLength":
		bare.MinLength = nil
	case "maxLength":
		bare.MaxLength = nil
	case "pattern":
		bare.Pattern = nil
	case "format":
		bare.Format = ""
	case "minItems":
		bare.MinItems = nil
	case "maxItems":
		bare.MaxItems = nil
	case "uniqueItems":
		bare.UniqueItems = false
	case "contains":
		bare.Contains = nil
	case "unevaluatedItems":
		bare.UnevaluatedItems = nil
	case "additionalProperties", "unevaluatedProperties":
		bare.AdditionalProperties, bare.UnevaluatedProperties = nil, nil
	case "propertyNames":
		bare.PropertyNames = nil
	case "minProperties":
		bare.MinProperties = nil
	case "maxProperties":
		bare.MaxProperties = nil
	case "dependentRequired":
		bare.DependentRequired = nil
	case "dependentSchemas":
		bare.DependentSchemas = nil
	case "not":
		bare.Not = nil
	case "if":
		bare.If = nil
	}
	return &bare
}

// breachOf returns a branch of values of a kind that break the keyword of a schema that no document has.
func breachOf(k kind, keyword string, s *jsonschema.Schema) branch {
	return branch{keyword: keyword, kinds: []kind{k}, breaks: []breach{{s, keyword, 0}}}
}

// breaking returns the branches in which an alternative refuses values by some keywords.
func (e *engine) breaking(a *Alt, keywords ...string) (list []branch) {
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
