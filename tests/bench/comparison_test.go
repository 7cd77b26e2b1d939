package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/tests/internal/golden"
)

// compared are the measured rows of the comparison in README.md.
var compared = []struct{ row, unit, title string }{
	{"stdio/call/own", perOp, "A tool call over standard input and output"},
	{"http/json/own/1", perOp, "A tool call over Streamable HTTP"},
	{"inprocess/call", allocBytes, "Memory allocated by a tool call, in process"},
	{"sessions/idle", heapBytes, "Memory of an idle session over HTTP"},
	{"program/start", perOp, "From the start of a server to its first answer"},
	{"program/size", fileBytes, "Size of a server with one tool from a tool list, without symbols"},
	{"program/size/typed", fileBytes, "Size of a server with one tool from Go structs, without symbols"},
}

// TestComparison checks that the comparison in README.md shows the published results.
func TestComparison(t *testing.T) {
	report, err := readReport("results.json")
	if err != nil {
		t.Fatal(err)
	}
	page := filepath.Join("..", "..", "README.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- comparison -->\n", "<!-- end of comparison -->\n"
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no lines %q and %q", page, begin, end)
	}
	var table strings.Builder
	report.writeComparison(t, &table)
	golden.Check(t, page, before+begin+table.String()+end+after)
}

// writeComparison writes a Markdown table of what a reader may want to know first.
func (r *Report) writeComparison(t *testing.T, w io.Writer) {
	row := func(cells ...string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	heading := []string{""}
	for _, module := range []string{"", "github.com/modelcontextprotocol/go-sdk", "github.com/mark3labs/mcp-go"} {
		if module == "" {
			heading = append(heading, mcpgen)
			continue
		}
		heading = append(heading, filepath.Base(module)+" "+r.Environment.Modules[module])
	}
	row(heading...)
	row("---", "---", "---", "---")
	row("Types of the messages", "generated from the schema of each revision", "written by hand for all revisions", "written by hand for all revisions")
	row(append([]string{"Messages to a client of 2024-11-05 with parts that it does not know"}, foreign(t, "2024-11-05")...)...)
	for _, c := range compared {
		cells := []string{c.title}
		for _, subject := range []string{mcpgen, goSDK, mcpGo} {
			value, ok := r.find(c.row).value(subject, c.unit)
			if !ok {
				t.Fatalf("%s of %s was not measured", c.row, subject)
			}
			cells = append(cells, format(value, c.unit))
		}
		row(cells...)
	}
}

// find returns the result of a row. It is empty if the row was not measured.
func (r *Report) find(name string) *Result {
	for _, row := range r.Rows {
		if row.Name == name {
			return row
		}
	}
	return &Result{}
}

// foreign returns the cells of a revision in the table of package purity, in its order: how many of the
// messages of a server have parts that the revision does not define.
func foreign(t *testing.T, revision string) []string {
	text, err := os.ReadFile(filepath.Join("purity", "testdata", "table.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "| "+revision+" | ")
	line, _, _ := strings.Cut(rest, " |\n")
	var cells []string
	for cell := range strings.SplitSeq(line, " | ") {
		var invalid, foreign, all int
		if _, err := fmt.Sscanf(cell, "%d / %d / %d", &invalid, &foreign, &all); err != nil {
			t.Fatalf("%s: %q: %v", revision, cell, err)
		}
		cells = append(cells, fmt.Sprintf("%d of %d", foreign, all))
	}
	return cells
}
