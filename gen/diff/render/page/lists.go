package page

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/diff/render"
	"github.com/mcpgen/mcpgen/gen/report"
)

// section is a report among several of tool lists.
type section struct {
	Title string
	// Date is the day of a step of a history.
	Date string
	*comparison
}

// lists makes the page one of several tool lists, or of the history of some.
func (v *view) lists(in Input) {
	var total counts
	for i, c := range v.Comparisons {
		s := section{Title: visible(render.PathOf(c.New)), comparison: c}
		if i < len(in.Steps) {
			s.Title, s.Date = visible(in.Steps[i].Title), in.Steps[i].Date
			if in.Steps[0] != in.Steps[len(in.Steps)-1] && render.PathOf(in.Reports[0].New) != render.PathOf(in.Reports[len(in.Reports)-1].New) {
				s.Title += ": " + visible(render.PathOf(c.New))
			}
		}
		v.Lists = append(v.Lists, s)
		total.Err, total.Warn, total.Safe, total.Accepted = total.Err+c.Counts.Err, total.Warn+c.Counts.Warn, total.Safe+c.Counts.Safe, total.Accepted+c.Counts.Accepted
	}
	v.Heading = fmt.Sprintf("What changes in %s", report.Plural(len(v.Lists), "list"))
	if len(in.Steps) > 0 {
		first, last := in.Reports[0], in.Reports[len(in.Reports)-1]
		v.Heading = "Changes from " + visible(render.RevOf(first.Old)) + " to " + visible(render.RevOf(last.New))
		slices.Reverse(v.Lists)
	}
	v.Title, v.Description = v.Heading, total.String()
}
