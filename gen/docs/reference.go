package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Reference returns a page that describes everything that a server offers, with the members of arguments
// and results. It has the form of llms.txt: a heading, a summary as a quotation, and sections.
func Reference(title string, c *catalog.Catalog) string {
	var b strings.Builder
	offers := "that offers nothing"
	if counted := catalog.Counted(c.Count); counted != "" {
		offers = "with " + counted
	}
	fmt.Fprintf(&b, "# %s\n\n> An MCP server %s.\n", report.Cell(visible(title)), offers)
	if text := paragraphs(c.Instructions); text != "" {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	section(&b, "Tools", c.Tools.Tools, tool)
	section(&b, "Prompts", c.Prompts, prompt)
	section(&b, "Resources", c.Resources, resource)
	section(&b, "Resource templates", c.Templates, resource)
	return b.String()
}

func section[E any](b *strings.Builder, title string, entries []E, write func(*strings.Builder, E)) {
	if len(entries) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n", title)
	for _, e := range entries {
		write(b, e)
	}
}

// heading writes the beginning of an entry.
func heading(b *strings.Builder, key, title, description string, scopes []string) {
	fmt.Fprintf(b, "\n### %s\n", report.Code(visible(key)))
	if title = report.Cell(visible(title)); title != "" && title != key {
		fmt.Fprintf(b, "\n%s\n", title)
	}
	if text := paragraphs(description); text != "" {
		fmt.Fprintf(b, "\n%s\n", text)
	}
	for i, scope := range scopes {
		before := ", "
		if i == 0 {
			before = "\nScopes of the access token: "
		}
		b.WriteString(before + report.Code(visible(scope)))
	}
	if len(scopes) > 0 {
		b.WriteString("\n")
	}
}

func tool(b *strings.Builder, t *tools.Tool) {
	heading(b, t.Name, t.Title, t.Description, t.Scopes)
	if hints := hints(t.Definition); hints != "" {
		fmt.Fprintf(b, "\n%s\n", hints)
	}
	members(b, "Arguments", t.Input)
	if t.Output != nil {
		result(b, t.Output)
	}
}

// result writes what the structured result of a tool is.
func result(b *strings.Builder, s *jsonschema.Schema) {
	if !tools.JudgeOutput(s).Values {
		members(b, "Result", s)
		return
	}
	of := s.Resolved()
	if element := elements(of); element != nil {
		of = element
	}
	if len(of.Properties) == 0 {
		fmt.Fprintf(b, "\nResult: %s\n", kind(s, 0))
		return
	}
	fmt.Fprintf(b, "\nResult (%s):\n\n", kind(s, 0))
	list(b, 0, of)
}

// hints describes in words what the annotations of a tool declare.
func hints(definition wire.Object) string {
	raw, _ := definition.Get("annotations")
	if raw.Kind() != wire.KindObject {
		return ""
	}
	var all []string
	for _, h := range []struct{ member, value, text string }{
		{"readOnlyHint", "true", "only reads"},
		{"destructiveHint", "true", "may destroy data"},
		{"idempotentHint", "true", "can be repeated without further effect"},
		{"openWorldHint", "true", "reaches systems outside of the server"},
	} {
		if value, _ := wire.Object(raw).Get(h.member); string(value) == h.value {
			all = append(all, h.text)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "The server says that the tool " + strings.Join(all, ", ") + "."
}

func prompt(b *strings.Builder, e *catalog.Entry) {
	heading(b, e.Key, e.Definition.GetString("title"), e.Definition.GetString("description"), tools.ScopesOf(e.Source))
	for i, a := range argumentsOf(e) {
		if i == 0 {
			b.WriteString("\nArguments:\n\n")
		}
		item(b, 0, a.GetString("name"), "string", required(a), a.GetString("description"))
	}
}

func resource(b *strings.Builder, e *catalog.Entry) {
	title := cmp.Or(e.Definition.GetString("title"), e.Definition.GetString("name"))
	heading(b, e.Key, title, e.Definition.GetString("description"), tools.ScopesOf(e.Source))
	if kind := e.Definition.GetString("mimeType"); kind != "" {
		fmt.Fprintf(b, "\nType: %s\n", report.Code(visible(kind)))
	}
}

// deepest is the depth up to which nested members are listed.
const deepest = 4

// members writes the members of an object.
func members(b *strings.Builder, title string, s *jsonschema.Schema) {
	if s = s.Resolved(); len(s.Properties) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n", title)
	list(b, 0, s)
}

func list(b *strings.Builder, depth int, s *jsonschema.Schema) {
	for _, p := range s.Properties {
		of := p.Schema.Resolved()
		item(b, depth, p.Name, kind(p.Schema, 0), slices.Contains(s.Required, p.Name), cmp.Or(p.Schema.Description, of.Description))
		if element := elements(of); element != nil {
			of = element
		}
		if depth+1 < deepest {
			list(b, depth+1, of)
		}
	}
}

// item writes a member as an element of a list.
func item(b *strings.Builder, depth int, name, kind string, required bool, about string) {
	indent := strings.Repeat("  ", depth)
	if !required {
		kind += ", optional"
	}
	fmt.Fprintf(b, "%s- %s (%s)", indent, report.Code(visible(name)), kind)
	if about = report.Cell(visible(strings.Join(strings.Fields(about), " "))); about != "" {
		fmt.Fprintf(b, ": %s", about)
	}
	b.WriteString("\n")
}

// kind describes the values of a schema, as Markdown.
func kind(s *jsonschema.Schema, depth int) string {
	s = s.Resolved()
	element := elements(s)
	switch {
	case s.Const != "":
		return report.Code(visible(string(s.Const)))
	case len(s.Enum) > 0:
		var values []string
		for _, v := range s.Enum {
			values = append(values, report.Code(visible(string(v))))
		}
		return strings.Join(values, ", ")
	case element != nil && depth < deepest:
		return "array of " + kind(element, depth+1)
	case len(s.Types) > 0:
		text := strings.Join(s.Types, " or ")
		if s.Format != "" {
			text += " " + report.Code(visible(s.Format))
		}
		return text
	}
	var variants []string
	if depth < deepest {
		for _, v := range slices.Concat(s.AnyOf, s.OneOf) {
			if k := kind(v, depth+1); !slices.Contains(variants, k) {
				variants = append(variants, k)
			}
		}
	}
	if len(variants) > 0 {
		return strings.Join(variants, " or ")
	}
	if len(s.Properties) > 0 {
		return "object"
	}
	return "any value"
}

// elements returns the schema of the elements of an array that has one for all, or nil.
func elements(s *jsonschema.Schema) *jsonschema.Schema {
	if !slices.Contains(s.Types, "array") || s.Items == nil || s.Items.Always != nil || len(s.PrefixItems) > 0 {
		return nil
	}
	return s.Items.Resolved()
}

// paragraphs returns the lines of a text in which nothing is markup of a page.
func paragraphs(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			b.WriteString("\n")
			continue
		}
		line = strings.ReplaceAll(visible(line), "<", "&lt;")
		if trimmed := strings.TrimLeft(line, " "); strings.HasPrefix(trimmed, "#") {
			line = "\\" + trimmed
		}
		b.WriteString(line + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
