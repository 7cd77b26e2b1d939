// Package page renders reports of package compat as one HTML file that stands
// alone: it loads nothing, from nowhere.
//
// Sides are across, methods and definitions (or tools) down; a cell is as bad as
// the worst finding in it and opens to all of them. The file is the same for the
// same input.
package page

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/compat"
	"github.com/mcpgen/mcpgen/gen/compat/render"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// Side is one of the things that were compared.
type Side struct {
	Label string
	// Source is the JSON text that the pointers of findings lead into.
	Source []byte
	// Definitions are the names of the definitions, Subjects those of the methods
	// or tools.
	Definitions, Subjects []string
}

// Input is what a page shows.
type Input struct {
	Reports []*compat.Report
	// Sides has every side of the reports.
	Sides []Side
}

// view is the data of the template.
type view struct {
	Title   string
	Kind    string
	CSS     template.CSS
	JS      template.JS
	Columns []column
	Groups  []group
	Matrix  *matrix
	Data    data
}

// column is a comparison.
type column struct {
	Index    int
	Old, New string
	// Adjacent columns are shown first: no other side is between the two.
	Adjacent bool
	Report   *compat.Report
	Summary  string
	Worst    compat.Level
}

// group is a part of the rows.
type group struct {
	Title string
	Rows  []row
}

// row is a method, a definition or a tool.
type row struct {
	Name  string
	Cells []cell
	// Quiet rows have no finding in any column.
	Quiet bool
}

// cell is what one comparison says of a row.
type cell struct {
	Column   int
	Old, New string
	Adjacent bool
	// State is "findings", "same", "none" (neither side has it), "added" or "removed".
	State    string
	Level    compat.Level
	Findings []int
	// Counts says "2 err, 1 info".
	Counts string
}

// matrix shows every comparison by its two sides.
type matrix struct {
	Sides []string
	Rows  []matrixRow
}

type matrixRow struct {
	Old   string
	Cells []*column
}

// data is what the script opens findings from.
type data struct {
	Findings [][]finding `json:"findings"`
}

// finding is a finding with the text of its places.
type finding struct {
	*compat.Finding
	Sent string `json:"sent"`
	Why  string `json:"why"`
	// ServerFirst and ClientFirst are the verdicts by who is upgraded first.
	ServerFirst compat.Level `json:"server_first"`
	ClientFirst compat.Level `json:"client_first"`
	OldText     string       `json:"old_text"`
	NewText     string       `json:"new_text"`
	Detail      string       `json:"doc"`
}

// Write writes the page.
func Write(w io.Writer, in Input) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	v, err := newView(in)
	if err != nil {
		return err
	}
	return t.Execute(w, v)
}

func newView(in Input) (*view, error) {
	if len(in.Reports) == 0 {
		return nil, fmt.Errorf("a page needs a report")
	}
	v := &view{Kind: in.Reports[0].Kind, CSS: template.CSS(pageCSS), JS: template.JS(pageJS), Title: "What changes on the wire"}
	sources := map[string]*source{}
	var order []string
	for _, s := range in.Sides {
		src, err := newSource(s)
		if err != nil {
			return nil, err
		}
		sources[s.Label] = src
		order = append(order, s.Label)
	}
	docs := map[string]string{}
	for _, r := range compat.Rules() {
		docs[r.ID] = r.Doc
	}
	for i, r := range in.Reports {
		old, new := sources[r.Old], sources[r.New]
		if old == nil || new == nil {
			return nil, fmt.Errorf("%s -> %s: a side has no source", r.Old, r.New)
		}
		c := column{Index: i, Old: r.Old, New: r.New, Report: r, Summary: render.Summary(r), Worst: compat.LevelOK}
		c.Adjacent = len(in.Reports) == 1 || slices.Index(order, r.New) == slices.Index(order, r.Old)+1
		var list []finding
		for _, f := range r.Findings {
			server, client := f.First()
			list = append(list, finding{f, render.Sent(f.Direction), render.Why(f), server, client, old.at(f.Old), new.at(f.New), docs[f.Rule]})
			if f.Accepted == nil && f.Level.AtLeast(c.Worst) {
				c.Worst = f.Level
			}
		}
		if list == nil {
			list = []finding{}
		}
		v.Columns = append(v.Columns, c)
		v.Data.Findings = append(v.Data.Findings, list)
	}
	v.groups(sources)
	if len(in.Reports) > 1 {
		v.matrix(order)
	}
	return v, nil
}

// groups makes the rows.
func (v *view) groups(sources map[string]*source) {
	var subjects, definitions []string
	for _, s := range sources {
		subjects = append(subjects, s.Subjects...)
		definitions = append(definitions, s.Definitions...)
	}
	slices.Sort(subjects)
	subjects = slices.Compact(subjects)
	for _, c := range v.Columns {
		for _, f := range c.Report.Findings {
			if name := ownerOf(f, subjects); !slices.Contains(subjects, name) {
				definitions = append(definitions, name)
			}
		}
	}
	slices.Sort(definitions)
	definitions = slices.Compact(definitions)
	if v.Kind == "tools" {
		v.Groups = []group{{"Tools", v.rows(subjects, sources, func(f *compat.Finding, name string) bool { return ownerOf(f, subjects) == name })}}
		return
	}
	v.Groups = []group{
		{"Methods", v.rows(subjects, sources, carries)},
		{"Definitions", v.rows(definitions, sources, func(f *compat.Finding, name string) bool { return ownerOf(f, subjects) == name })},
	}
}

// carries reports whether a method, or its result, carries what changed.
func carries(f *compat.Finding, method string) bool {
	return f.Subject == method || slices.Contains(f.Uses, method) || slices.Contains(f.Uses, method+" result")
}

// ownerOf is the method, the tool or the definition that a finding is about.
func ownerOf(f *compat.Finding, subjects []string) string {
	owner := ""
	for _, name := range subjects {
		if (f.Subject == name || strings.HasPrefix(f.Subject, name+".")) && len(name) > len(owner) {
			owner = name
		}
	}
	if owner != "" {
		return owner
	}
	owner, _, _ = strings.Cut(f.Subject, ".")
	return owner
}

func (v *view) rows(names []string, sources map[string]*source, about func(*compat.Finding, string) bool) []row {
	var rows []row
	for _, name := range names {
		r := row{Name: name, Quiet: true}
		for _, c := range v.Columns {
			one := v.cell(c, name, sources[c.Old].has(name), sources[c.New].has(name), about)
			r.Quiet = r.Quiet && len(one.Findings) == 0
			r.Cells = append(r.Cells, one)
		}
		rows = append(rows, r)
	}
	return rows
}

func (v *view) cell(c column, name string, was, is bool, about func(*compat.Finding, string) bool) cell {
	out := cell{Column: c.Index, Old: c.Old, New: c.New, Adjacent: c.Adjacent, Level: compat.LevelOK}
	counts := map[compat.Level]int{}
	for i, f := range c.Report.Findings {
		if !about(f, name) {
			continue
		}
		out.Findings = append(out.Findings, i)
		counts[f.Level]++
		if f.Level.AtLeast(out.Level) {
			out.Level = f.Level
		}
	}
	var parts []string
	for _, level := range []compat.Level{compat.LevelErr, compat.LevelWarn, compat.LevelInfo} {
		if counts[level] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[level], level))
		}
	}
	out.Counts = strings.Join(parts, ", ")
	switch {
	case len(out.Findings) > 0:
		out.State = "findings"
	case was && is:
		out.State = "same"
	case is:
		out.State = "added"
	case was:
		out.State = "removed"
	default:
		out.State = "none"
	}
	return out
}

// matrix puts the comparisons into rows by their old side.
func (v *view) matrix(order []string) {
	m := &matrix{Sides: order[1:]}
	for _, old := range order[:len(order)-1] {
		r := matrixRow{Old: old}
		for _, new := range m.Sides {
			var found *column
			for i := range v.Columns {
				if c := &v.Columns[i]; c.Old == old && c.New == new {
					found = c
				}
			}
			r.Cells = append(r.Cells, found)
		}
		m.Rows = append(m.Rows, r)
	}
	v.Matrix = m
}
