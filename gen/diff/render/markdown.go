package render

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/report"
)

func (p *printer) markdown(out Output, o Options) {
	if len(out.Steps) > 0 {
		p.changelog(out, o)
		return
	}
	for i, r := range out.Reports {
		if i > 0 {
			p.Line("")
		}
		p.Line("## %s → %s\n", report.Cell(r.Old), report.Cell(r.New))
		p.Line("%s\n", report.Cell(Summary(r)))
		p.Line("%s\n", report.Cell(Suggestion(r)))
		if text := r.Negotiate(); text != "" {
			p.Line("Negotiation: %s.\n", report.Cell(text))
		}
		p.changes(r)
		p.tables(r, o)
		for _, s := range r.Skipped {
			p.Line("> **Skipped:** %s\n", report.Cell(skipped(r, s)))
		}
		for _, warning := range r.Warnings {
			p.Line("> **Warning:** %s\n", report.Cell(warning))
		}
		for _, problem := range r.Problems {
			p.Line("> **Problem:** %s %s\n", report.Cell(problem), Bug)
		}
	}
}

// changes lists the added and removed subjects.
func (p *printer) changes(r *diff.Report) {
	for _, list := range []struct {
		title string
		names []string
	}{{"Added", r.Compared.Added}, {"Removed", r.Compared.Removed}, {"Changed", r.Compared.Changed}} {
		if len(list.names) > 0 {
			p.Line("%s: %s\n", list.title, report.Codes(list.names))
		}
	}
}

// words are the words for levels in headings and cells.
var words = map[diff.Level]string{diff.LevelErr: "Breaks", diff.LevelUndecided: "Undecided", diff.LevelWarn: "May break", diff.LevelInfo: "Is safe"}

// tables writes a table for each tool, or for each level of the findings of revisions.
func (p *printer) tables(r *diff.Report, o Options) {
	if r.Kind == "tools" {
		for _, g := range groups(r) {
			p.Line("### %s: %s\n", report.Code(g.name), g.counts())
			shown, left := g.first(o.Most)
			p.table(r, shown)
			if left > 0 {
				p.Line("%s\n", report.Cell(moreFindings(left, g.name)))
			}
		}
		return
	}
	for _, level := range []diff.Level{diff.LevelErr, diff.LevelUndecided, diff.LevelWarn, diff.LevelInfo} {
		if findings := atLevel(r.Findings, level); len(findings) > 0 {
			p.Line("### %s\n", words[level])
			p.table(r, findings)
		}
	}
}

// atLevel returns the findings of a level.
func atLevel(findings []*diff.Finding, level diff.Level) []*diff.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f *diff.Finding) bool { return f.Level != level })
}

func (p *printer) table(r *diff.Report, findings []*diff.Finding) {
	p.Line("| Level | Subject | Change | Sent | Verdicts | Rule |\n|---|---|---|---|---|---|")
	for _, f := range findings {
		p.Line("| %s | %s | %s | %s | %s | %s |", words[f.Level], report.Code(f.Subject), change(r, f), Sent(f.Direction), verdicts(r, f), report.Code(f.Rule))
	}
	p.Line("")
}

// change is the cell that explains and proves a finding.
func change(r *diff.Report, f *diff.Finding) string {
	lines := []string{report.Prose(f.Message)}
	if f.Accepted != nil {
		lines = append(lines, "accepted"+report.Cell(until(f.Accepted)+": "+f.Accepted.Reason))
	}
	for _, text := range says(r, f) {
		lines = append(lines, report.Prose(text))
	}
	if matters(f) {
		if f.Guard != "" {
			lines = append(lines, f.Guard+": "+report.Prose(Why(f)))
		}
		for _, w := range proof(r, f) {
			lines = append(lines, report.Cell(w.RefusedBy)+" refuses "+report.Code(string(w.Value)))
		}
		if f.Unproven != "" {
			lines = append(lines, report.Prose(unproven(f)))
		}
	}
	if text := places(r, f); text != "" {
		lines = append(lines, report.Cell(text))
	}
	return strings.Join(lines, "<br>")
}

// rulesMarkdown writes the rules and the guards.
func (p *printer) rulesMarkdown() {
	p.Line("| Rule | Category | Effect | Receiver first | Sender first | Version | What changed |\n|---|---|---|---|---|---|---|")
	for _, r := range diff.Rules() {
		v := r.Effect.Verdicts()
		p.Line("| %s | %s | %s | %s | %s | %s | %s |", report.Code(r.ID), r.Category, r.Effect, v.ReceiverFirst, v.SenderFirst, r.Version, report.Cell(r.Doc))
	}
	p.Line("\n| Guard | err becomes | Why |\n|---|---|---|")
	for _, g := range diff.Guards() {
		p.Line("| %s | %s | %s |", report.Code(g.ID), g.Level, report.Cell(g.Doc))
	}
}
