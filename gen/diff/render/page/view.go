package page

import (
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/report"
)

// view is the data of the template.
type view struct {
	Title, Heading, Description string
	Worst                       diff.Level
	Policy                      string
	CSS                         template.CSS
	JS                          template.JS
	// Revisions is set on a page with several reports.
	Revisions *revisionsView
	// Lists has the sections of a page with several reports of tool lists.
	Lists       []section
	Comparisons []*comparison
	Corrected   []corrected
	// Findings is the number of findings on the page.
	Findings int
}

// comparison is the view of a report.
type comparison struct {
	ID       string
	Report   *diff.Report
	Old, New string
	// Noun is the unit of the counts: "method" or "tool".
	Noun   string
	Tools  bool
	Counts counts
	Orders []order
	// Loud has the findings of two revisions that may break something in some order of
	// upgrades, Quiet the others.
	Loud, Quiet []*finding
	// Groups are the changed tools, the worst first.
	Groups    []*group
	Unchanged []string
	Kinds     []kindOfChange
	// Few means that findings are expanded.
	Few bool
}

// few is the maximum number of findings that a page expands.
const few = 12

// group has the changes of a tool.
type group struct {
	ID, Name, State string
	Counts          counts
	Findings        []*finding
}

// kindOfChange counts the findings of a rule.
type kindOfChange struct {
	Rule, Doc string
	Counts    counts
}

// order is an order of upgrades.
type order struct {
	Key, Title, Text string
	Counts           counts
	// Chosen marks the report's order of upgrades.
	Chosen bool
}

// counts has the numbers of findings by level. Accepted findings count separately.
type counts struct{ Err, Warn, Safe, Accepted int }

func (c *counts) add(f *diff.Finding, l diff.Level) {
	switch {
	case f.Accepted != nil:
		c.Accepted++
	case l == diff.LevelErr:
		c.Err++
	case l == diff.LevelWarn:
		c.Warn++
	default:
		c.Safe++
	}
}

// Any reports whether there is a finding.
func (c counts) Any() bool { return c.Err+c.Warn+c.Safe+c.Accepted > 0 }

// Worst returns the worst level with a finding.
func (c counts) Worst() diff.Level {
	switch {
	case c.Err > 0:
		return diff.LevelErr
	case c.Warn > 0:
		return diff.LevelWarn
	case c.Safe+c.Accepted > 0:
		return diff.LevelInfo
	}
	return diff.LevelOK
}

// Heat returns the CSS class of a cell: the worst level, and one of five steps for the number
// of findings.
func (c counts) Heat() string {
	n := c.Safe
	switch {
	case c.Err > 0:
		n = c.Err
	case c.Warn > 0:
		n = c.Warn
	}
	step := 1
	for _, from := range []int{2, 5, 15, 40} {
		if n >= from {
			step++
		}
	}
	return fmt.Sprintf("heat %s-%d", c.Worst(), step)
}

// String returns the counts that are not 0 in words.
func (c counts) String() string {
	var parts []string
	for _, part := range []struct {
		n          int
		one, other string
	}{{c.Err, "breaks", "break"}, {c.Warn, "may break", "may break"}, {c.Safe, "safe", "safe"}, {c.Accepted, "accepted", "accepted"}} {
		switch {
		case part.n == 1:
			parts = append(parts, "1 "+part.one)
		case part.n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.other))
		}
	}
	if parts == nil {
		return "no change"
	}
	return strings.Join(parts, ", ")
}

func newView(in Input) (*view, error) {
	if len(in.Reports) == 0 {
		return nil, errors.New("a page needs a report")
	}
	b := &builder{byLabel: map[string]*source{}, reports: map[[2]string]*diff.Report{}, rules: map[string]diff.Rule{}, taken: ids{}}
	for _, s := range in.Sides {
		src, err := newSource(s)
		if err != nil {
			return nil, err
		}
		b.sources = append(b.sources, src)
		b.byLabel[s.Label] = src
		b.order = append(b.order, s.Label)
	}
	for _, r := range diff.Rules() {
		b.rules[r.ID] = r
	}
	b.index(in.Reports)
	v := &view{}
	for _, r := range in.Reports {
		c, err := b.comparison(r, len(in.Reports)+len(in.Steps) > 1)
		if err != nil {
			return nil, err
		}
		v.Comparisons = append(v.Comparisons, c)
		v.Findings += len(r.Findings)
		if v.Worst == "" || c.Counts.Worst().AtLeast(v.Worst) {
			v.Worst = c.Counts.Worst()
		}
	}
	v.Corrected = correctedSides(in.Reports)
	if in.Reports[0].Kind == "tools" && (len(in.Reports) > 1 || len(in.Steps) > 0) {
		v.lists(in)
		return v, nil
	}
	if len(in.Reports) > 1 {
		v.Revisions = newRevisionsView(b.order, v.Comparisons, b.byLabel)
		v.Heading = "Which MCP revisions work together?"
		v.Title = v.Heading
		v.Description = fmt.Sprintf("What breaks between servers and clients of %s revisions of the Model Context Protocol, %s to %s: %s, each with a message that proves it.",
			spelled(len(b.order)), b.order[0], b.order[len(b.order)-1], report.Plural(v.Findings, "change"))
		return v, nil
	}
	v.head(v.Comparisons[0])
	return v, nil
}

// corrected is an erratum of a side.
type corrected struct {
	Label string
	diff.Corrected
}

// correctedSides returns the errata of all reports without duplicates.
func correctedSides(reports []*diff.Report) []corrected {
	var all []corrected
	seen := map[[2]string]bool{}
	for _, r := range reports {
		for _, e := range r.Errata {
			label := r.Old
			if e.Side == "new" {
				label = r.New
			}
			if key := [2]string{label, e.Pointer}; !seen[key] {
				seen[key] = true
				all = append(all, corrected{label, e})
			}
		}
	}
	return all
}

// spelled returns a small number as a word.
func spelled(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// head sets the title and the description of a page with one report.
func (v *view) head(c *comparison) {
	v.Heading = visible(c.Old) + " → " + visible(c.New)
	switch k := c.Counts; {
	case k.Err > 0:
		v.Title = report.Plural(k.Err, "breaking change")
	case k.Warn > 0:
		v.Title = report.Plural(k.Warn, "change") + " may break"
	case k.Any():
		v.Title = "nothing breaks"
	default:
		v.Title = "nothing changes"
	}
	v.Title = v.Heading + ": " + v.Title
	v.Description = fmt.Sprintf("%s compared: %s.", report.Plural(c.Report.Compared.Subjects, c.Noun), c.Counts)
	for i, f := range c.all() {
		if i == 3 || !f.Level.AtLeast(diff.LevelWarn) {
			break
		}
		v.Description += " " + f.Sentence.String()
	}
}

// all returns the findings in the order in which they are shown.
func (c *comparison) all() []*finding {
	list := slices.Concat(c.Loud, c.Quiet)
	for _, g := range c.Groups {
		list = append(list, g.Findings...)
	}
	return list
}
