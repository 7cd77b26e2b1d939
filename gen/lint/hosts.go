package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Limits of OpenAI.
const (
	mostDescription = 1024
	mostTools       = 128
)

// The names that hosts accept.
var (
	apiName         = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	geminiName      = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_:.-]{0,63}$`)
	anthropicMember = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

// hostNames checks the name of a tool.
func (l *linter) hostNames(at, name string) {
	if name == "" {
		return
	}
	for _, host := range []struct {
		rule string
		form *regexp.Regexp
	}{{"anthropic-name", apiName}, {"openai-name", apiName}, {"gemini-name", geminiName}} {
		if !host.form.MatchString(name) {
			l.add(host.rule, at, "the name %q", short(name))
		}
	}
}

// The keywords that hosts refuse at the top level.
var (
	anthropicTop = []string{"anyOf", "oneOf", "allOf"}
	openaiTop    = []string{"anyOf", "oneOf", "allOf", "enum", "not"}
)

// geminiKeywords are the fields of the API's type Schema that JSON Schema has too.
var geminiKeywords = []string{
	"type", "format", "title", "description", "enum", "items", "minItems", "maxItems", "properties", "required", "minProperties", "maxProperties",
	"minimum", "maximum", "minLength", "maxLength", "pattern", "anyOf", "default",
	"nullable", "example", "propertyOrdering", // its own
}

// geminiFormats are the formats that the API accepts, by type.
var geminiFormats = map[string][]string{"string": {"enum", "date-time"}, "number": {"float", "double"}, "integer": {"int32", "int64"}}

// hosts checks an inputSchema against the subset of each host.
func (l *linter) hosts(at string, raw wire.Raw, s *jsonschema.Schema) {
	if raw.Kind() != wire.KindObject {
		return
	}
	root := wire.Object(raw)
	for keyword := range root.All() {
		here := wire.ChildPointer(at, keyword)
		if slices.Contains(anthropicTop, keyword) {
			l.add("anthropic-root-combinator", here, "%s is at the top level", keyword)
		}
		if slices.Contains(openaiTop, keyword) {
			l.add("openai-root-keyword", here, "%s is at the top level", keyword)
		}
	}
	if _, ok := root.Get("properties"); !ok && isObjectSchema(root) {
		l.add("openai-properties-missing", at, "the schema has no properties")
	}
	l.strict(at, raw)
	h := hostCheck{linter: l, keywords: map[string]int{}, first: map[string]string{}}
	h.draft(at, root, s)
	h.schema(at, raw)
	h.summary()
}

// hostCheck walks over the text of a schema.
type hostCheck struct {
	*linter
	// keywords counts the keywords that Gemini lacks, and first has the first place of each.
	// One finding reports all places, because generators write some of them into every object.
	keywords map[string]int
	first    map[string]string
	order    []string
}

// draft checks what is valid in older drafts and not in 2020-12.
func (h *hostCheck) draft(at string, root wire.Object, s *jsonschema.Schema) {
	if s.Draft == jsonschema.Draft202012 {
		return
	}
	walkSchemas(at, wire.Raw(root), func(at string, o wire.Object) {
		if value, ok := o.Get("items"); ok && value.Kind() == wire.KindArray {
			h.add("anthropic-draft", at+"/items", "an array of schemas in items is draft 07; draft 2020-12 has prefixItems")
		}
		for _, keyword := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
			if value, ok := o.Get(keyword); ok && value.Kind() == wire.KindBool {
				h.add("anthropic-draft", at+"/"+keyword, "a boolean is draft 04; in draft 2020-12, %s is a number", keyword)
			}
		}
	})
}

// schema checks a schema and the schemas in it.
func (h *hostCheck) schema(at string, raw wire.Raw) {
	walkSchemas(at, raw, func(here string, o wire.Object) {
		h.members(here, o)
		h.types(here, o, here == at)
		for keyword := range o.All() {
			if slices.Contains(geminiKeywords, keyword) {
				continue
			}
			if h.keywords[keyword]++; h.keywords[keyword] == 1 {
				h.first[keyword] = wire.ChildPointer(here, keyword)
				h.order = append(h.order, keyword)
			}
		}
	})
}

// members checks the properties of an object.
func (h *hostCheck) members(at string, o wire.Object) {
	properties, ok := o.Get("properties")
	if !ok || properties.Kind() != wire.KindObject {
		return
	}
	for name := range wire.Object(properties).All() {
		if !anthropicMember.MatchString(name) {
			h.add("anthropic-property-name", wire.ChildPointer(at+"/properties", name), "the property %q", short(name))
		}
	}
	required, _ := o.Get("required")
	for i, raw := range required.Elements() {
		name, ok := raw.Str()
		if _, declared := wire.Object(properties).Get(name); ok && !declared {
			h.add("gemini-required-undeclared", fmt.Sprintf("%s/required/%d", at, i), "%q has no schema in properties", name)
		}
	}
}

// types checks the requirements of hosts for the type of a schema.
func (h *hostCheck) types(at string, o wire.Object, root bool) {
	t, has := o.Get("type")
	if has && t.Kind() == wire.KindArray {
		h.add("gemini-type-list", at+"/type", "%s", short(string(t)))
	}
	name, single := t.Str()
	lacks := func(keyword string) bool { _, ok := o.Get(keyword); return !ok }
	if single && name == "array" && lacks("items") {
		if lacks("prefixItems") {
			h.add("openai-items-missing", at, "the array has no items")
		}
		h.add("gemini-items-missing", at, "the array has no items")
	}
	if properties, ok := o.Get("properties"); single && name == "object" && !root && lacks("$ref") && lacks("anyOf") &&
		(!ok || properties.Kind() == wire.KindObject && wire.Object(properties).Len() == 0) {
		h.add("gemini-object-empty", at, "the object has no properties")
	}
	if single && name != "object" {
		for _, keyword := range []string{"properties", "required"} {
			if !lacks(keyword) {
				h.add("gemini-keyword-type", at+"/"+keyword, "%s is in a schema of type %s", keyword, name)
			}
		}
	}
	if single && name != "array" && !lacks("items") {
		h.add("gemini-keyword-type", at+"/items", "items is in a schema of type %s", name)
	}
	if enum, ok := o.Get("enum"); ok && enum.Kind() == wire.KindArray {
		for i, value := range enum.Elements() {
			if text, ok := value.Str(); !ok || text == "" {
				h.add("gemini-enum", fmt.Sprintf("%s/enum/%d", at, i), "%s is not a non-empty string", short(string(value)))
				break
			}
		}
	}
	if format := o.GetString("format"); format != "" && single && !slices.Contains(geminiFormats[name], format) {
		h.add("gemini-format", at+"/format", "%q of a value of type %s", format, name)
	}
}

// summary reports the keywords that Gemini lacks.
func (h *hostCheck) summary() {
	for _, keyword := range h.order {
		times, n := "", h.keywords[keyword]
		if h.places += n; n > 1 {
			times = fmt.Sprintf(", in %d places of the schema", n)
		}
		h.add("gemini-keyword", h.first[keyword], "the subset of JSON Schema that it accepts does not have the keyword %q%s", keyword, times)
	}
}

// walkSchemas calls f with each schema of a text that is an object, the outer one first.
func walkSchemas(at string, raw wire.Raw, f func(at string, o wire.Object)) {
	if raw.Kind() != wire.KindObject {
		return
	}
	f(at, wire.Object(raw))
	for at, inner := range jsonschema.Inner(at, raw) {
		walkSchemas(at, inner, f)
	}
}

// ParseHosts reads a comma-separated list of hosts. "all" and "" mean those of [Hosts], and "none" none. With
// OpenAIStrict, the rules of OpenAI apply too.
func ParseHosts(list string) ([]Host, error) {
	switch list {
	case "", "all":
		return Hosts(), nil
	case "none":
		return []Host{}, nil
	}
	var hosts []Host
	for name := range strings.SplitSeq(list, ",") {
		h := Host(strings.TrimSpace(name))
		if h == OpenAIStrict {
			hosts = append(hosts, OpenAI)
		} else if !slices.Contains(Hosts(), h) {
			return nil, fmt.Errorf("unknown host %q: expected anthropic, openai, openai-strict, gemini, all or none", name)
		}
		hosts = append(hosts, h)
	}
	return hosts, nil
}
