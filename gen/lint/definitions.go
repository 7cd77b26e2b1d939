package lint

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// members are the members of each kind of definition.
var members = map[catalog.Part][]string{
	catalog.Tools:     {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution", "icons", "_meta", "x-mcp-scopes", "x-go-name"},
	catalog.Prompts:   {"name", "title", "description", "arguments", "icons", "_meta", "x-mcp-scopes", "x-go-name"},
	catalog.Resources: {"name", "title", "description", "uri", "mimeType", "size", "annotations", "icons", "_meta", "x-mcp-scopes", "x-go-name"},
	catalog.Templates: {"name", "title", "description", "uriTemplate", "mimeType", "annotations", "icons", "_meta", "x-mcp-scopes", "x-go-name"},
}

// hints are the members of the annotations of a tool.
var hints = []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

// protocolName is the form of names that the protocol recommends.
var protocolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// The sizes from which a list is large, in tokens.
const (
	largeTool = 2_500
	largeList = 25_000
)

// tools checks the tools of a list.
func (l *linter) tools(c *catalog.Catalog) {
	var all []named
	descriptions := map[string]string{}
	for _, d := range c.Definitions {
		if d.Part != catalog.Tools {
			continue
		}
		o, ok := l.begin(d, "tool", "name")
		if !ok {
			continue
		}
		name := cmp.Or(o.GetString("name"), d.Name)
		all = append(all, named{name, d.Pointer})
		l.tool(d.Pointer, name, o)
		if text := strings.TrimSpace(o.GetString("description")); text != "" {
			if other, ok := descriptions[text]; ok && other != name {
				l.add("description-repeated", d.Pointer+"/description", "the description is that of %q too", other)
			}
			descriptions[text] = name
		}
		size := tokens(d.Text)
		l.report.Tokens += size
		if size > largeTool {
			l.add("tool-large", d.Pointer, "the definition has about %d tokens", size)
		}
	}
	l.names("tool", all, true)
	l.subject = "tools"
	if l.report.Tokens > largeList {
		l.add("list-large", "", "%d tools have about %d tokens", len(all), l.report.Tokens)
	}
	if len(all) > mostTools {
		l.add("openai-tool-count", "", "the list has %d tools", len(all))
	}
}

// tokens estimates the number of tokens of a definition: about four bytes without white space
// make one.
func tokens(text wire.Raw) int {
	compact, err := text.AppendJSON(nil)
	if err != nil {
		return len(text) / 4
	}
	return (len(compact) + 3) / 4
}

// begin makes a definition the subject and checks what all definitions have. It reports
// whether the definition is an object.
func (l *linter) begin(d catalog.Definition, kind, key string) (wire.Object, bool) {
	l.subject = kind
	if d.Text.Kind() != wire.KindObject {
		l.add("definition-invalid", d.Pointer, "a %s must be an object, found %s", kind, d.Text.Kind())
		return "", false
	}
	o := wire.Object(d.Text)
	if inner, ok := o.Get("function"); ok && inner.Kind() == wire.KindObject { // the form of chat APIs
		o = wire.Object(inner)
	}
	name := cmp.Or(o.GetString(key), d.Name)
	if name == "" {
		l.add("name-missing", d.Pointer, "the %s has no %q that is a string", kind, key)
	} else {
		l.subject = kind + " " + name
	}
	for member, value := range o.All() {
		if near, ok := nearest(member, members[d.Part]); ok {
			l.add("member-misspelled", wire.ChildPointer(d.Pointer, member), "unknown member %q (did you mean %q?)", member, near)
		}
		if member != "inputSchema" && member != "outputSchema" {
			l.strings(wire.ChildPointer(d.Pointer, member), value)
		}
	}
	if l.options.Validate != nil && name != "" {
		for _, p := range l.options.Validate(d.Part, wire.Raw(o)) {
			l.add("definition-invalid", d.Pointer+p.Pointer, "%s", p.Message)
		}
	}
	return o, true
}

// tool checks one tool.
func (l *linter) tool(at, name string, o wire.Object) {
	l.hostNames(at+"/name", name)
	l.described(at, name, o)
	if description := o.GetString("description"); len([]rune(description)) > mostDescription {
		l.add("openai-description-long", at+"/description", "the description has %d characters", len([]rune(description)))
	}
	l.annotations(at, o)
	keyword := "inputSchema"
	for _, other := range []string{"parameters", "input_schema"} { // as chat APIs have it
		if _, ok := o.Get(other); ok {
			keyword = other
		}
	}
	input, ok := o.Get(keyword)
	if !ok {
		l.add("input-schema-missing", at, "the tool has no inputSchema")
	} else {
		l.input(wire.ChildPointer(at, keyword), input)
	}
	output, ok := o.Get("outputSchema")
	switch {
	case !ok:
		l.add("output-schema-missing", at, "the tool has no outputSchema")
	case output.Kind() == wire.KindObject && !isObjectSchema(wire.Object(output)):
		l.add("output-schema-not-object", at+"/outputSchema", `the outputSchema has no "type": "object"`)
		fallthrough
	default:
		l.schema(at+"/outputSchema", output, false)
	}
}

// placeholder matches descriptions that are still to be written.
var placeholder = regexp.MustCompile(`^(?:TODO|FIXME|TBD|XXX)(?:[:.!]|$)|^(?i:n/?a|todo|tbd|placeholder|undefined|null|(?:add |your |insert )*description(?: goes)?(?: here)?|no description(?: available| provided| yet)?|description of (?:the|this|your|my) (?:tool|function|parameter|argument|prompt|resource)|(?:tool|function|parameter|argument|prompt|resource) description|(?:a|my|the|this|your) (?:tool|function|parameter|prompt)|lorem ipsum.*)[.!]?$`)

// isMissing reports whether a description is empty or a placeholder.
func isMissing(description string) bool {
	text := strings.TrimSpace(description)
	return text == "" || placeholder.MatchString(text)
}

// described checks the description of a definition.
func (l *linter) described(at, name string, o wire.Object) {
	text := strings.TrimSpace(o.GetString("description"))
	switch {
	case text == "":
		l.add("description-missing", at, "there is no description")
	case placeholder.MatchString(text):
		l.add("description-missing", at+"/description", "the description %q is a placeholder", short(text))
	case strings.Contains(fold(name), fold(strings.TrimRight(text, ".!"))) || fold(text) == fold(o.GetString("title")):
		l.add("description-empty", at+"/description", "the description %q only repeats the name", short(text))
	}
}

// annotations checks the hints of a tool.
func (l *linter) annotations(at string, o wire.Object) {
	raw, ok := o.Get("annotations")
	if !ok || raw.Kind() != wire.KindObject {
		return
	}
	at += "/annotations"
	hint := func(name string) wire.Raw {
		value, _ := wire.Object(raw).Get(name)
		return value
	}
	for name := range wire.Object(raw).All() {
		if near, ok := nearest(name, hints); ok {
			l.add("member-misspelled", wire.ChildPointer(at, name), "unknown annotation %q (did you mean %q?)", name, near)
		}
	}
	if hint("readOnlyHint") == "true" && hint("destructiveHint") == "true" {
		l.add("annotations-contradict", at+"/destructiveHint", "the tool is both read-only and destructive")
	}
	if hint("readOnlyHint") == "true" && hint("idempotentHint") == "false" {
		l.add("annotations-contradict", at+"/idempotentHint", "the tool is read-only, but not idempotent")
	}
}

// input checks an inputSchema.
func (l *linter) input(at string, raw wire.Raw) {
	if s, errs := jsonschema.Read(at, raw); len(errs) == 0 {
		switch root := tools.JudgeInput(s); {
		case root.Refused != "":
			l.add("input-schema-not-object", at, "the inputSchema %s", root.Refused)
		case root.Lacks != "":
			l.add("input-schema-not-object", at, `%s; the protocol requires "type": "object"`, root.Lacks)
		}
	}
	if raw.Kind() == wire.KindObject {
		l.headers(at, raw)
	}
	l.schema(at, raw, true)
}

// isObjectSchema reports whether the type of a schema is object.
func isObjectSchema(o wire.Object) bool { return o.GetString("type") == "object" }

// headers checks the annotations x-mcp-header.
func (l *linter) headers(at string, raw wire.Raw) {
	_, err := headers.NewTable(raw)
	var invalid *wire.ValidationError
	if !errors.As(err, &invalid) {
		return
	}
	for _, p := range invalid.Problems {
		l.add("header-annotation", at+p.Pointer, "%s", p.Message)
	}
}

// others checks the prompts, resources and templates of a list.
func (l *linter) others(c *catalog.Catalog) {
	for _, list := range tools.ItemKinds {
		var all []named
		for _, d := range c.Definitions {
			if d.Part != list.Kind {
				continue
			}
			o, ok := l.begin(d, list.Noun, list.Key)
			if !ok {
				continue
			}
			key := o.GetString(list.Key)
			all = append(all, named{key, d.Pointer})
			switch list.Kind {
			case catalog.Prompts:
				l.described(d.Pointer, key, o)
				l.arguments(d.Pointer, o)
			case catalog.Resources:
				if u, err := url.Parse(key); key != "" && (err != nil || !u.IsAbs()) {
					l.add("uri-invalid", d.Pointer+"/uri", "%q is not an absolute URI", short(key))
				}
			case catalog.Templates:
				if _, err := uritemplate.New(key); err != nil {
					l.add("uri-invalid", d.Pointer+"/uriTemplate", "%q is not a URI template (RFC 6570): %v", short(key), err)
				}
			}
		}
		l.names(list.Noun, all, list.Kind == catalog.Prompts)
	}
}

// arguments checks the arguments of a prompt.
func (l *linter) arguments(at string, o wire.Object) {
	raw, _ := o.Get("arguments")
	if raw.Kind() != wire.KindArray {
		return
	}
	seen := map[string]bool{}
	for i, argument := range raw.Elements() {
		here := fmt.Sprintf("%s/arguments/%d", at, i)
		if argument.Kind() != wire.KindObject {
			continue // Validate reports it
		}
		name := wire.Object(argument).GetString("name")
		if seen[name] {
			l.add("argument-duplicate", here, "the argument %q occurs twice", name)
		}
		seen[name] = true
		if strings.TrimSpace(wire.Object(argument).GetString("description")) == "" {
			l.add("parameter-description-missing", here, "the argument %q has no description", name)
		}
	}
}
