package render

import (
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// github writes workflow commands, which GitHub shows next to the lines of the new side, and
// the summary as plain text.
func (p *printer) github(out Output, o Options) {
	for _, r := range out.Reports {
		for _, f := range r.Findings {
			if f.Accepted == nil && matters(f) {
				p.annotation(r, f, o)
			}
		}
		for _, s := range r.Skipped {
			p.Command("notice", "not compared", "", 0, 0, skipped(r, s))
		}
		for _, warning := range r.Warnings {
			p.Command("warning", "mcpgen.yaml", "", 0, 0, warning)
		}
		p.Line("%s", Suggestion(r))
		p.Line("%s", Summary(r))
		for _, problem := range r.Problems {
			p.Command("warning", "bug of mcpgen", "", 0, 0, problem+"\n"+Bug)
		}
	}
}

func (p *printer) annotation(r *diff.Report, f *diff.Finding, o Options) {
	command := "error"
	if f.Level == diff.LevelWarn {
		command = "warning"
	}
	lines := append([]string{f.Subject + ": " + f.Message + " (" + f.Fingerprint + ")"}, says(r, f)...)
	lines = append(lines, verdicts(r, f))
	for _, w := range proof(r, f) {
		lines = append(lines, w.RefusedBy+" refuses "+string(w.Value))
	}
	if f.Unproven != "" {
		lines = append(lines, unproven(f))
	}
	if old := place(r.Old, f.OldPosition); old != "" {
		lines = append(lines, "was at "+old)
	}
	line, column := 0, 0
	if f.NewPosition != nil {
		line, column = f.NewPosition.Line, f.NewPosition.Column
	}
	p.Command(command, f.Rule, o.New, line, column, strings.Join(lines, "\n"))
}
