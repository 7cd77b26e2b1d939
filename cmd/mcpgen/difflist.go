package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/diff/judge"
	"github.com/mcpgen/mcpgen/gen/diff/render/page"
)

// listSide is a side that is a catalog: what a server offers. Name is that of its
// file.
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
	side.tools = &diff.ToolList{Label: side.label, List: c.Tools, Catalog: c, Judge: judge.Catalog(c)}
	for _, note := range c.Notes {
		side.tools.Notes.Skipped = append(side.tools.Notes.Skipped, diff.Skipped{Where: diff.Place{Path: note.Tool, Pointer: note.Pointer}, Why: note.Problem})
	}
	return nil
}

// shown is the text of a list for the page, which looks places up in JSON.
func shown(name string, src []byte) []byte {
	if !catalog.IsYAML(name, src) {
		return src
	}
	text, err := catalog.FromYAML(src)
	if err != nil {
		return src
	}
	var indented bytes.Buffer
	if json.Indent(&indented, text, "", "  ") != nil {
		return src
	}
	return indented.Bytes()
}

// placed puts the name of a side before an error, and the line and the column if
// there are any.
func placed(name string, err error) error {
	var syntax *catalog.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%w", name, err)
	case errors.Is(err, catalog.ErrNone):
		return fmt.Errorf(`%s: is neither a schema, which has "$defs" or "definitions", nor a list: %w`, name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// sides adds the running server, if there is one, to the sides of a comparison.
func (o *origin) sides(args []string) ([]string, error) {
	switch {
	case o.command != "" && o.url != "":
		return nil, errors.New("give one of --cmd and --url")
	case o.command != "":
		return append(args, "cmd:"+o.command), nil
	case o.url != "":
		return append(args, "url:"+o.url), nil
	}
	return args, nil
}

// withoutSecrets is the name of a server in a report, which others may read: its URL
// without user, password and query.
func withoutSecrets(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return "url:"
	}
	parsed.User, parsed.RawQuery, parsed.Fragment = nil, "", ""
	return parsed.String()
}

// liveSide is a side that is a running server.
func (d *differ) liveSide(cmd *cobra.Command, side *diffSide, from *origin) error {
	text, err := from.indented(cmd)
	if err != nil {
		return fmt.Errorf("%s: %w", side.label, err)
	}
	return d.listSide(side, "list.json", text)
}
