package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/gen/authoring"
	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/files"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/skeleton"
)

// outcome is the report of a generated, or checked, server or client.
type outcome struct {
	Folder  string `json:"folder"`
	Package string `json:"package,omitzero"` // of Go
	offers

	Files int `json:"files"` // generated files

	Lines   int      `json:"lines,omitzero"`
	Written []string `json:"written,omitempty"` // generated files that have changed
	Removed []string `json:"removed,omitempty"` // files that are no longer generated
	Mine    []string `json:"yours,omitempty"`   // files of the user that were written
	Kept    []string `json:"kept,omitempty"`    // files of the user that were there
	Untyped []string `json:"untyped,omitempty"` // places without a Go type
	Notes   []string `json:"notes,omitempty"`
	Advice  []string `json:"advice,omitempty"`  // what to do before it builds
	Missing []string `json:"missing,omitempty"` // tools and other items without a method
	Stale   []string `json:"stale,omitempty"`   // methods that no item has any more
	Differ  []string `json:"differ,omitempty"`  // files that differ from what would be written

	checked bool
	took    time.Duration
	diffs   [][]byte
}

// differs notes how the files on disk differ.
func (o *outcome) differs(changes []files.Change) {
	for _, c := range changes {
		o.Differ = append(o.Differ, c.Path)
		o.diffs = append(o.diffs, c.Diff())
	}
}

// wrote notes which files were written, and what is to be said of the list.
func (o *outcome) wrote(list *authoring.File, made *skeleton.Result, plan files.Plan, changes []files.Change) {
	o.Untyped = texts(list.Places(made.Untyped))
	o.Notes = append(o.Notes, mistakes(list.Places(made.Notes))...)
	kinds := o.changed(plan, changes)
	names := slices.Clone(skeleton.UserFiles)
	for _, f := range plan.Users { // those that people have given other names
		if !slices.Contains(names, f.Path) {
			names = append(names, f.Path)
		}
	}
	for _, name := range names {
		if kinds[name] == "add" || kinds[name] == "modify" {
			o.Mine = append(o.Mine, name)
		} else if _, err := os.Lstat(filepath.Join(plan.Dir, name)); err == nil {
			o.Kept = append(o.Kept, name)
		}
	}
}

// changed notes which generated files were written, and returns the kind of each change by its path.
func (o *outcome) changed(plan files.Plan, changes []files.Change) map[string]string {
	kinds := map[string]string{}
	for _, c := range changes {
		kinds[c.Path] = c.Kind
		if c.Kind == "remove" {
			o.Removed = append(o.Removed, c.Path)
		}
	}
	for _, f := range plan.Files {
		o.Lines += countLines(f.Content)
		if kinds[f.Path] != "" {
			o.Written = append(o.Written, f.Path)
		}
	}
	return kinds
}

// text prints the report for people.
func (o *outcome) text(w io.Writer) {
	if o.checked {
		w.Write(slices.Concat(o.diffs...))
		if len(o.Differ) == 0 {
			fmt.Fprintf(w, "%s up to date\n", report.Plural(o.Files, "generated file"))
		}
		return
	}
	for _, d := range o.Untyped {
		fmt.Fprintf(w, "untyped (wire.Raw): %s\n", d)
	}
	for _, d := range o.Notes {
		fmt.Fprintf(w, "note: %s\n", d)
	}
	language := "TypeScript"
	if o.Package != "" {
		language = "package " + o.Package
	}
	fmt.Fprintf(w, "%s: %s, %s, %s with %d lines in %d ms: %d written, %d unchanged\n", o.Folder, language,
		o.offers, report.Plural(o.Files, "generated file"), o.Lines, o.took.Milliseconds(), len(o.Written), o.Files-len(o.Written))
	for _, path := range o.Removed {
		fmt.Fprintf(w, "removed (no longer generated): %s\n", path)
	}
	for _, list := range []struct {
		title string
		names []string
	}{{"written (yours to edit)", o.Mine}, {"kept (yours)", o.Kept}} {
		if len(list.names) > 0 {
			fmt.Fprintf(w, "%s: %s\n", list.title, strings.Join(list.names, " "))
		}
	}
	for _, line := range o.Advice {
		fmt.Fprintln(w, line)
	}
	if len(o.Missing) > 0 {
		fmt.Fprintf(w, "not implemented (see --missing): %s\n", strings.Join(o.Missing, " "))
	}
	for _, method := range o.Stale {
		fmt.Fprintf(w, "no longer in the list: the method %s\n", method)
	}
}

// offers counts what a list has.
type offers struct {
	Tools int `json:"tools"`

	Prompts   int `json:"prompts,omitzero"`
	Resources int `json:"resources,omitzero"`
	Templates int `json:"resourceTemplates,omitzero"`
}

// offersOf returns the counts of a list, given those of its parts.
func offersOf(count func(catalog.Part) int) offers {
	return offers{count(catalog.Tools), count(catalog.Prompts), count(catalog.Resources), count(catalog.Templates)}
}

// String returns the counts for people. It always includes the count of tools.
func (o offers) String() string {
	counts := map[catalog.Part]int{catalog.Tools: o.Tools, catalog.Prompts: o.Prompts, catalog.Resources: o.Resources, catalog.Templates: o.Templates}
	text := catalog.Counted(func(part catalog.Part) int { return counts[part] })
	if o.Tools == 0 {
		text = strings.TrimSuffix("0 tools, "+text, ", ")
	}
	return text
}
