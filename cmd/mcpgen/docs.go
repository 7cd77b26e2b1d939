package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/docs"
	"github.com/mcpgen/mcpgen/gen/files"
)

// documents are the pages about a list that the verb docs and mcpgen.yaml keep up to date.
type documents struct {
	readme string // a page with tables between two lines, or ""
	llms   string // a page of its own, or ""
	title  string
}

// pages reports whether there is a page to keep.
func (d *documents) pages() bool { return d.readme != "" || d.llms != "" }

// heading makes the name of the list the title if there is none.
func (d *documents) heading(name string) {
	if d.title == "" {
		d.title = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
}

// documenter is one run of docs.
type documenter struct {
	from origin
	documents
	check bool
	console
}

func docsCommand() *cobra.Command {
	var d documenter
	cmd := &cobra.Command{
		Use:   "docs [FILE]",
		Short: "Write Markdown about what a server offers",
		Long: `Write Markdown about the tools, prompts and resources of a list, of a server that is
started (--cmd), or of one that is reached over HTTP (--url). Without --readme and
--llms, print a reference.

--readme FILE keeps tables in a page, between these two lines of it:

  ` + docs.Begin + `
  ` + docs.End + `

--llms FILE writes the reference in the form of llms.txt. --check only reports whether
the files are up to date; differences make the exit code 1. mcpgen.yaml keeps both:

  generate:
    - tools: tools.yaml
      readme: README.md
      llms: llms.txt`,
		Args: atMostOne,
		RunE: d.run,
	}
	d.from.flags(cmd, "cmd", "url")
	d.console.flags(cmd)
	cmd.Flags().StringVar(&d.readme, "readme", "", "`FILE` with the two lines between which tables are kept")
	cmd.Flags().StringVar(&d.llms, "llms", "", "`FILE` for the reference, such as llms.txt")
	cmd.Flags().StringVar(&d.title, "title", "", "heading of the reference (default: the name of the list)")
	cmd.Flags().BoolVar(&d.check, "check", false, "write nothing, report whether the files are up to date")
	needs(cmd, "check json", "readme", "llms")
	idle(cmd, "quiet", "needs --readme or --llms", func([]string) bool { return !d.pages() && !d.from.given() })
	idle(cmd, "title", "has no effect with --readme without --llms", func([]string) bool { return d.readme != "" && d.llms == "" })
	completeFiles(cmd, "readme", "md")
	completeFiles(cmd, "llms", "txt", "md")
	return cmd
}

func (d *documenter) run(cmd *cobra.Command, args []string) error {
	d.from.quiet = d.quiet
	name, c, err := d.from.described(cmd, args)
	if err != nil {
		return err
	}
	d.heading(name)
	if !d.pages() {
		_, err := io.WriteString(cmd.OutOrStdout(), docs.Reference(d.title, c))
		return err
	}
	done, err := d.keep(cmd.Context(), c, d.check)
	if err != nil {
		return err
	}
	return ended(d.report(cmd, done, done.text), done.stale())
}

// described returns the name and the description of a file or of a running server.
func (o *origin) described(cmd *cobra.Command, args []string) (string, *catalog.Catalog, error) {
	if err := o.check(cmd, args); err != nil {
		return "", nil, err
	}
	name := "server"
	var text []byte
	if len(args) == 0 {
		var err error
		if text, err = o.indented(cmd); err != nil {
			return "", nil, err
		}
	} else {
		name = args[0]
		bundled, err := readShared(cmd, name)
		if err != nil {
			return "", nil, err
		}
		text = bundled.Text
	}
	c, err := catalog.Read(name, text)
	if err != nil {
		return "", nil, named(name, err)
	}
	return name, c, nil
}

// reference matches the beginning of a page of docs.Reference.
var reference = regexp.MustCompile(`^# .*\n\r?\n> An MCP server `)

// keep writes the pages, or compares them with what it would write.
func (d *documents) keep(ctx context.Context, c *catalog.Catalog, check bool) (*kept, error) {
	done := &kept{}
	for _, page := range []struct {
		path string
		make func(old string) (string, error)
	}{
		{d.readme, func(old string) (string, error) { return docs.Insert(old, docs.Tables(c)) }},
		{d.llms, func(old string) (string, error) {
			text := docs.Reference(d.title, c)
			if strings.Contains(old, "\r\n") { // Git for Windows checks files out with these line ends
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			return text, nil
		}},
	} {
		if page.path == "" {
			continue
		}
		if _, err := files.Target(page.path); err != nil && !check {
			return nil, err
		}
		old, err := os.ReadFile(page.path)
		missing := errors.Is(err, fs.ErrNotExist)
		switch {
		case missing && page.path == d.readme:
			return nil, fmt.Errorf("%w: write it, with the lines %s and %s", err, docs.Begin, docs.End)
		case err != nil && !missing:
			return nil, err
		case page.path == d.llms && len(old) > 0 && !reference.Match(old):
			return nil, fmt.Errorf("%s: is not a reference that mcpgen has written, so it is not overwritten", page.path)
		}
		text, err := page.make(string(old))
		if err != nil {
			return nil, named(page.path, err)
		}
		done.Pages = append(done.Pages, page.path)
		if text == string(old) {
			continue
		}
		done.Differ = append(done.Differ, page.path)
		done.changes = append(done.changes, files.Change{Path: filepath.ToSlash(page.path), Old: old, New: []byte(text), Kind: "modify"})
	}
	done.checked = check
	if check {
		return done, nil
	}
	var pages []files.File
	for _, change := range done.changes {
		pages = append(pages, files.File{Path: change.Path, Content: change.New})
	}
	if err := replace(ctx, "", pages...); err != nil {
		return nil, err
	}
	return done, nil
}

// kept is the report of docs.
type kept struct {
	Pages  []string `json:"pages"`
	Differ []string `json:"differ,omitempty"` // those that were not up to date

	checked bool
	changes []files.Change
}

func (k *kept) text(w io.Writer) {
	if k.checked {
		for _, change := range k.changes {
			w.Write(change.Diff())
		}
	}
	differs := "written"
	if k.checked {
		differs = "differs"
	}
	for _, page := range k.Pages {
		state := "up to date"
		if slices.Contains(k.Differ, page) {
			state = differs
		}
		fmt.Fprintf(w, "%s: %s\n", page, state)
	}
}
