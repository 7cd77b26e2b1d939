package render

import (
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/report"
)

func (p *printer) markdown(out Output) {
	for i, r := range out.Reports {
		if i > 0 {
			p.Line("")
		}
		p.Line("## %s → %s\n", report.Cell(r.Old), report.Cell(r.New))
		p.Line("%s\n", report.Cell(Summary(r)))
		p.Line("%s\n", report.Cell(Suggestion(r)))
		p.changes(r)
		for _, level := range []diff.Level{diff.LevelErr, diff.LevelWarn, diff.LevelInfo} {
			p.table(r, level)
		}
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

func (p *printer) table(r *diff.Report, level diff.Level) {
	first := true
	for _, f := range r.Findings {
		if f.Level != level {
			continue
		}
		if first {
			p.Line("### %s\n", map[diff.Level]string{diff.LevelErr: "Breaks", diff.LevelWarn: "May break", diff.LevelInfo: "Is safe"}[level])
			p.Line("| Subject | Change | Sent | Verdicts | Rule |\n|---|---|---|---|---|")
			first = false
		}
		p.Line("| %s | %s | %s | %s | %s |", report.Code(f.Subject), change(r, f), Sent(f.Direction), verdicts(r, f), report.Code(f.Rule))
	}
	if !first {
		p.Line("")
	}
}

// change is the cell that explains and proves a finding.
func change(r *diff.Report, f *diff.Finding) string {
	lines := []string{report.Cell(f.Message)}
	if f.Accepted != nil {
		lines = append(lines, "accepted"+report.Cell(until(f.Accepted)+": "+f.Accepted.Reason))
	}
	for _, text := range says(r, f) {
		lines = append(lines, report.Cell(text))
	}
	if matters(f) {
		if f.Guard != "" {
			lines = append(lines, f.Guard+": "+report.Cell(Why(f)))
		}
		for _, w := range proof(r, f) {
			lines = append(lines, report.Cell(w.RefusedBy)+" refuses "+report.Code(string(w.Value)))
		}
		if f.Unproven != "" {
			lines = append(lines, report.Cell(unproven(f)))
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
