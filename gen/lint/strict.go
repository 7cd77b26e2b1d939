package lint

import (
	"slices"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Limits of OpenAI for strict functions.
const (
	mostStrictProperties = 5000
	mostStrictEnums      = 1000    // values of all enums
	mostStrictText       = 120_000 // characters of all names and listed values
)

// strictKeywords are the keywords that OpenAI refuses in strict functions.
var strictKeywords = []string{
	"allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies", "default",
	"patternProperties", "propertyNames", "minProperties", "maxProperties", "unevaluatedProperties",
	"prefixItems", "contains", "minContains", "maxContains", "uniqueItems", "unevaluatedItems",
}

// strictFormats are the formats that OpenAI accepts in strict functions.
var strictFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// strict checks an inputSchema against the subset of OpenAI's strict functions.
func (l *linter) strict(at string, raw wire.Raw) {
	properties, enums, text := 0, 0, 0
	walkSchemas(at, raw, func(at string, o wire.Object) {
		for keyword := range o.All() {
			if slices.Contains(strictKeywords, keyword) {
				l.add("openai-strict-keyword", wire.ChildPointer(at, keyword), "the keyword %q", keyword)
			}
		}
		if format := o.GetString("format"); format != "" && !slices.Contains(strictFormats, format) {
			l.add("openai-strict-format", at+"/format", "the format %q", short(format))
		}
		values, _ := o.Get("enum")
		for _, value := range values.Elements() {
			enums++
			text += utf8.RuneCountInString(string(value))
		}
		declared, _ := o.Get("properties")
		for _, member := range wire.Object(declared).Members() {
			properties++
			text += utf8.RuneCountInString(member.Name)
		}
		l.strictObject(at, o, wire.Object(declared))
	})
	for _, limit := range []struct {
		found, most int
		what        string
	}{{properties, mostStrictProperties, "properties"}, {enums, mostStrictEnums, "values of enums"}, {text, mostStrictText, "characters in names and enums"}} {
		if limit.found > limit.most {
			l.add("openai-strict-limit", at, "%d %s, more than %d", limit.found, limit.what, limit.most)
		}
	}
}

// strictObject checks that a schema of objects says what members there are, and that all are required.
func (l *linter) strictObject(at string, o, properties wire.Object) {
	types, _ := o.Get("type")
	name, _ := types.Str()
	if name != "object" && !slices.Contains(types.Elements(), `"object"`) {
		return
	}
	if others, _ := o.Get("additionalProperties"); others != "false" {
		l.add("openai-strict-open", at, `the object has no "additionalProperties": false`)
	}
	required, _ := o.Get("required")
	for member := range properties.All() {
		if !slices.ContainsFunc(required.Elements(), func(name wire.Raw) bool { text, _ := name.Str(); return text == member }) {
			l.add("openai-strict-optional", wire.ChildPointer(at+"/properties", member), "the property %q is optional", short(member))
		}
	}
}
