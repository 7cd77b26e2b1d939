// Package docs renders what a server offers as Markdown: tables for a README, and a reference for
// people and for models that read files.
//
// The texts of a description may come from a server that is not trusted. They are escaped, so that
// they cannot end a table or a line or act as markup.
package docs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The lines that delimit the part of a page that [Insert] replaces.
const (
	Begin = "<!-- mcpgen docs -->"
	End   = "<!-- end of mcpgen docs -->"
)

// Insert returns a page in which content replaces what is between the lines [Begin] and [End].
func Insert(page, content string) (string, error) {
	end := "\n"
	if strings.Contains(page, Begin+"\r\n") { // Git for Windows checks files out with these line ends
		end = "\r\n"
	}
	before, rest, found := strings.Cut(page, Begin+end)
	_, after, ended := strings.Cut(rest, End)
	switch {
	case !found:
		return "", fmt.Errorf("has no line %q; write it and %q where the tables belong", Begin, End)
	case !ended:
		return "", fmt.Errorf("has no line %q after %q", End, Begin)
	case strings.Contains(after, Begin+end):
		return "", fmt.Errorf("has a second line %q", Begin)
	}
	between := strings.ReplaceAll("\n\n"+strings.Trim(content, "\n")+"\n\n", "\n", end)
	return before + Begin + between + End + after, nil
}

// Tables returns a table for each part of a description: tools, prompts, resources and resource
// templates.
func Tables(c *catalog.Catalog) string {
	var b strings.Builder
	table(&b, "Tool", "Arguments", c.Tools.Tools, func(t *tools.Tool) (key, about, arguments string) {
		var names []string
		for _, p := range t.Input.Properties {
			names = append(names, argument(p.Name, slices.Contains(t.Input.Required, p.Name)))
		}
		return t.Name, cmp.Or(report.Sentence(t.Description), report.Sentence(t.Title)), strings.Join(names, ", ")
	})
	table(&b, "Prompt", "Arguments", c.Prompts, func(e *catalog.Entry) (key, about, arguments string) {
		var names []string
		for _, a := range argumentsOf(e) {
			names = append(names, argument(a.GetString("name"), required(a)))
		}
		return e.Key, purpose(e), strings.Join(names, ", ")
	})
	for _, part := range []struct {
		title   string
		entries []*catalog.Entry
	}{{"Resource", c.Resources}, {"Resource template", c.Templates}} {
		table(&b, part.title, "Type", part.entries, func(e *catalog.Entry) (key, about, kind string) {
			return e.Key, cmp.Or(purpose(e), e.Definition.GetString("name")), report.Cell(e.Definition.GetString("mimeType"))
		})
	}
	return b.String()
}

// table writes a table with a row for each entry. The last cell of a row is Markdown.
func table[E any](b *strings.Builder, title, last string, entries []E, row func(E) (key, about, more string)) {
	if len(entries) == 0 {
		return
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "| %s | Purpose | %s |\n| --- | --- | --- |\n", title, last)
	for _, e := range entries {
		key, about, more := row(e)
		fmt.Fprintf(b, "| %s | %s | %s |\n", report.Code(visible(key)), report.Cell(visible(about)), more)
	}
}

// argument returns the name of an argument, marked if the argument is optional.
func argument(name string, required bool) string {
	name = report.Code(visible(name))
	if !required {
		name += " (optional)"
	}
	return name
}

// argumentsOf returns the arguments of a prompt.
func argumentsOf(e *catalog.Entry) []wire.Object {
	var all []wire.Object
	raw, _ := e.Definition.Get("arguments")
	if raw.Kind() != wire.KindArray {
		return nil
	}
	for _, a := range raw.Elements() {
		if a.Kind() == wire.KindObject {
			all = append(all, wire.Object(a))
		}
	}
	return all
}

func required(o wire.Object) bool {
	raw, _ := o.Get("required")
	return raw == "true"
}

// purpose returns the first sentence of the description of an entry, or else of its title.
func purpose(e *catalog.Entry) string {
	return cmp.Or(report.Sentence(e.Definition.GetString("description")), report.Sentence(e.Definition.GetString("title")))
}

// visible returns a text in which hidden characters are escaped.
func visible(text string) string { return report.Escape(text, report.Hidden) }
