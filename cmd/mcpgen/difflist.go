package main

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/render/page"
	"github.com/mcpgen/mcpgen/gen/report"
)

// listSide reads a side that is a catalog, which is everything a server offers. name is the
// name of its file.
func (d *differ) listSide(side *diffSide, name string, src []byte) error {
	c, err := catalog.Read(name, src)
	if err != nil {
		return placed(side.label, err)
	}
	var names []string
	for _, t := range c.Tools.Tools {
		names = append(names, t.Name)
	}
	d.sides = append(d.sides, page.Side{Label: side.label, Source: shown(name, src), Subjects: names})
	side.tools = &diff.ToolList{Label: side.label, List: c.Tools, Catalog: c}
	for _, note := range c.Notes {
		side.tools.Notes.Skipped = append(side.tools.Notes.Skipped, diff.Skipped{Where: diff.Place{Path: note.Tool, Pointer: note.Pointer}, Why: note.Problem})
	}
	return nil
}

// offersNothing reports whether a list has nothing to compare.
func offersNothing(c *catalog.Catalog) bool {
	parts := []catalog.Part{catalog.Tools, catalog.Prompts, catalog.Resources, catalog.Templates, catalog.Instructions, catalog.Capabilities}
	return !slices.ContainsFunc(parts, func(part catalog.Part) bool { return c.Count(part) > 0 })
}

// shown returns the text of a list as JSON for the page.
func shown(name string, src []byte) []byte {
	text, err := catalog.JSON(name, src)
	if err != nil || !catalog.IsYAML(name, src) {
		return src
	}
	return report.Indented(text, nil)
}

// placed adds the name of a side to an error, and the line and column if they are known.
func placed(name string, err error) error {
	if errors.Is(err, catalog.ErrNone) {
		return fmt.Errorf(`%s: neither a schema, which has "$defs" or "definitions", nor a list: %w`, name, err)
	}
	return named(name, err)
}

// sides adds the running server, if any, to the sides of a comparison.
func (o *origin) sides(args []string) ([]string, error) {
	switch {
	case o.command != "":
		return append(args, "cmd:"+o.command), nil
	case o.url != "":
		return append(args, "url:"+o.url), nil
	}
	return args, nil
}

// withoutSecrets returns the URL of a server without user, password and query, for reports that
// others may read.
func withoutSecrets(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return "url:"
	}
	parsed.User, parsed.RawQuery, parsed.Fragment = nil, "", ""
	return parsed.String()
}

// liveSide reads a side that is a running server.
func (d *differ) liveSide(cmd *cobra.Command, side *diffSide, from *origin) error {
	text, err := from.indented(cmd)
	if err != nil {
		return fmt.Errorf("%s: %w", side.label, err)
	}
	return d.listSide(side, "list.json", text)
}
