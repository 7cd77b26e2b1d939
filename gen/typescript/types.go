package typescript

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// expression is a type, or the parts of a union or an intersection of types.
type expression struct {
	parts    []string
	operator string // between the parts
}

// joined returns the type of parts, of which equal ones count once.
func joined(operator string, parts ...string) expression { return expression{unique(parts), operator} }

// String returns the type.
func (e expression) String() string { return strings.Join(e.parts, e.operator) }

// grouped returns the type in parentheses if it has an operator.
func (e expression) grouped() string {
	if len(e.parts) > 1 {
		return "(" + e.String() + ")"
	}
	return e.String()
}

// shape returns the type of the values of a schema. A keyword that TypeScript cannot express, such as a
// limit or a negation, leaves more values in the type. Indent is that of the line.
func (m *module) shape(s *jsonschema.Schema, indent string) expression {
	switch {
	case s.Always != nil && !*s.Always:
		return joined("", "never")
	case s.Always != nil || s.Meta:
		return joined("", "unknown")
	case s.Const != "" || len(s.Enum) > 0:
		var values []string
		for _, v := range s.Constants() {
			values = append(values, literal(v))
		}
		return joined(" | ", values...)
	}
	var parts []expression
	add := func(e expression) {
		if text := e.String(); text != "unknown" && text != "" && !slices.ContainsFunc(parts, func(p expression) bool { return p.String() == text }) {
			parts = append(parts, e)
		}
	}
	add(m.own(s, indent))
	if s.Target != nil {
		add(joined("", m.reference(s.Target)))
	}
	for _, sub := range s.AllOf {
		add(m.shape(sub, indent))
	}
	for _, variants := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		var union []string
		var last expression
		for _, v := range variants {
			if last = m.shape(v, indent); last.operator == " | " {
				union = append(union, last.parts...)
			} else {
				union = append(union, last.String())
			}
		}
		if either := joined(" | ", union...); len(either.parts) > 1 {
			last = either
		}
		add(last)
	}
	switch len(parts) {
	case 0:
		return joined("", "unknown")
	case 1:
		return parts[0]
	}
	all := expression{operator: " & "}
	for _, p := range parts {
		all.parts = append(all.parts, p.grouped())
	}
	return all
}

// own returns the type of the keywords of the schema itself. It is empty if they allow every value.
func (m *module) own(s *jsonschema.Schema, indent string) expression {
	types := s.Types
	if len(types) == 0 && len(s.Properties) > 0 {
		types = []string{"object"}
	}
	var union []string
	for _, t := range types {
		switch t {
		case "string", "boolean", "null":
			union = append(union, t)
		case "integer", "number":
			union = append(union, "number")
		case "array":
			union = append(union, m.array(s, indent))
		case "object":
			union = append(union, m.object(s, indent))
		}
	}
	return joined(" | ", union...)
}

// array returns the type of an array.
func (m *module) array(s *jsonschema.Schema, indent string) string {
	rest := joined("", "unknown")
	if s.Items != nil {
		rest = m.shape(s.Items, indent)
	}
	if len(s.PrefixItems) == 0 {
		return rest.grouped() + "[]"
	}
	var elements []string
	for i, item := range s.PrefixItems {
		element := m.shape(item, indent).grouped()
		if s.MinItems == nil || int64(i) >= *s.MinItems {
			element += "?"
		}
		elements = append(elements, element)
	}
	if rest.String() != "never" {
		elements = append(elements, "..."+rest.grouped()+"[]")
	}
	return "[" + strings.Join(elements, ", ") + "]"
}

// object returns the type of an object.
func (m *module) object(s *jsonschema.Schema, indent string) string {
	// The type of other members must allow those that have a type of their own.
	others := "unknown"
	if more := s.AdditionalProperties; more != nil {
		if others = m.shape(more, indent).String(); len(s.Properties) > 0 && others != "never" {
			others = "unknown"
		}
	}
	if len(s.PatternProperties) > 0 {
		others = "unknown"
	}
	if len(s.Properties) == 0 {
		if others == "never" || others == "unknown" {
			return "Record<string, " + others + ">"
		}
		return "{ [name: string]: " + others + " }" // may be within the type itself, unlike a Record
	}
	inner := indent + "  "
	var b strings.Builder
	b.WriteString("{\n")
	for _, p := range s.Properties {
		b.WriteString(comment(inner, about(p.Schema)))
		b.WriteString(inner + property(p.Name))
		if !slices.Contains(s.Required, p.Name) {
			b.WriteString("?")
		}
		b.WriteString(": " + m.shape(p.Schema, inner).String() + ";\n")
	}
	if others != "never" && s.AdditionalProperties != nil {
		b.WriteString(inner + "[name: string]: " + others + ";\n")
	}
	b.WriteString(indent + "}")
	return b.String()
}

// takesNothing reports whether {} is of the type of a schema.
func takesNothing(s *jsonschema.Schema, depth int) bool {
	takes := func(sub *jsonschema.Schema) bool { return depth < 100 && takesNothing(sub, depth+1) }
	refuses := func(sub *jsonschema.Schema) bool { return !takes(sub) }
	return len(s.Required) == 0 && (s.Target == nil || takes(s.Target)) && !slices.ContainsFunc(s.AllOf, refuses) &&
		(len(s.AnyOf) == 0 || slices.ContainsFunc(s.AnyOf, takes)) && (len(s.OneOf) == 0 || slices.ContainsFunc(s.OneOf, takes)) &&
		!slices.ContainsFunc(s.Properties, func(p jsonschema.Property) bool { return slices.Contains(inherited, p.Name) })
}

// inherited are the members of every object, whose types differ from those of members with these names.
var inherited = strings.Fields("constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf")

// about returns the doc comment of a member.
func about(s *jsonschema.Schema) string {
	text := cmp.Or(strings.TrimSpace(s.Description), strings.TrimSpace(s.Title))
	if s.Default != "" {
		text = strings.TrimSpace(text + "\n\n@default " + string(s.Default))
	}
	if s.Deprecated {
		text = strings.TrimSpace(text + "\n\n@deprecated")
	}
	return text
}

// literal returns the type of one value.
func literal(raw wire.Raw) string {
	switch raw.Kind() {
	case wire.KindString:
		text, _ := raw.Str()
		return quote(text)
	case wire.KindObject:
		var members []string
		for name, value := range wire.Object(raw).All() {
			members = append(members, property(name)+": "+literal(value))
		}
		return "{ " + strings.Join(members, "; ") + " }"
	case wire.KindArray:
		var elements []string
		for _, element := range raw.Elements() {
			elements = append(elements, literal(element))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	}
	return strings.TrimSpace(string(raw))
}

var identifierForm = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// property returns the name of a member in a type.
func property(name string) string {
	if identifierForm.MatchString(name) {
		return name
	}
	return quote(name)
}

// quote returns a string literal.
func quote(text string) string {
	var quoted strings.Builder
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	e.Encode(text) // a string has no error
	inner := strings.ReplaceAll(strings.TrimSpace(quoted.String()), `\"`, `"`)
	inner = inner[1 : len(inner)-1]
	return "'" + strings.ReplaceAll(inner, "'", `\'`) + "'"
}

// unique returns texts without repetitions.
func unique(all []string) []string {
	var out []string
	for _, text := range all {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
