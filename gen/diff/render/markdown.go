package render

import (
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
)

func (p *printer) markdown(out Output) {
	for i, r := range out.Reports {
		if i > 0 {
			p.Line("")
		}
		p.Line("## %s → %s\n", cell(r.Old), cell(r.New))
		p.Line("%s\n", cell(Summary(r)))
		p.Line("%s\n", cell(Suggestion(r)))
		p.changes(r)
		for _, level := range []diff.Level{diff.LevelErr, diff.LevelWarn, diff.LevelInfo} {
			p.table(r, level)
		}
		for _, s := range r.Skipped {
			p.Line("> **Skipped:** %s\n", cell(skipped(r, s)))
		}
		for _, warning := range r.Warnings {
			p.Line("> **Warning:** %s\n", cell(warning))
		}
		for _, problem := range r.Problems {
			p.Line("> **Problem:** %s %s\n", cell(problem), Bug)
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
			p.Line("%s: %s\n", list.title, code(strings.Join(list.names, "`, `")))
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
		p.Line("| %s | %s | %s | %s | %s |", code(f.Subject), change(r, f), Sent(f.Direction), verdicts(r, f), code(f.Rule))
	}
	if !first {
		p.Line("")
	}
}

// change is the cell that explains and proves a finding.
func change(r *diff.Report, f *diff.Finding) string {
	lines := []string{cell(f.Message)}
	if f.Accepted != nil {
		lines = append(lines, "accepted"+cell(until(f.Accepted)+": "+f.Accepted.Reason))
	}
	for _, text := range says(r, f) {
		lines = append(lines, cell(text))
	}
	if matters(f) {
		if f.Guard != "" {
			lines = append(lines, f.Guard+": "+cell(Why(f)))
		}
		for _, w := range proof(r, f) {
			lines = append(lines, cell(w.RefusedBy)+" refuses "+code(string(w.Value)))
		}
		if f.Unproven != "" {
			lines = append(lines, cell(unproven(f)))
		}
	}
	if text := places(r, f); text != "" {
		lines = append(lines, cell(text))
	}
	return strings.Join(lines, "<br>")
}

// cell keeps a text from ending a cell of a table or being taken for markup.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "&", "&amp;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[").Replace(s)
}

// code returns a text in backticks, with enough of them to delimit the text.
func code(s string) string {
	s = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ").Replace(s)
	fence := "`"
	if strings.Contains(s, "`") && !strings.Contains(s, "`, `") {
		fence = "``"
		s = " " + s + " "
	}
	return fence + s + fence
}

// rulesMarkdown writes the rules and the guards.
func (p *printer) rulesMarkdown() {
	p.Line("| Rule | Category | Effect | Receiver first | Sender first | Version | What changed |\n|---|---|---|---|---|---|---|")
	for _, r := range diff.Rules() {
		v := r.Effect.Verdicts()
		p.Line("| %s | %s | %s | %s | %s | %s | %s |", code(r.ID), r.Category, r.Effect, v.ReceiverFirst, v.SenderFirst, r.Version, cell(r.Doc))
	}
	p.Line("\n| Guard | err becomes | Why |\n|---|---|---|")
	for _, g := range diff.Guards() {
		p.Line("| %s | %s | %s |", code(g.ID), g.Level, cell(g.Doc))
	}
}
