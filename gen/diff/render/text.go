package render

import (
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
)

func (p *printer) text(out Output) {
	for _, r := range out.Reports {
		for _, f := range r.Findings {
			p.finding(r, f)
		}
		for _, s := range r.Skipped {
			p.line("skipped: %s", skipped(r, s))
		}
		for _, warning := range r.Warnings {
			p.line("warning: %s", warning)
		}
		p.line("%s", Suggestion(r))
		p.line("%s", Summary(r))
		for _, problem := range r.Problems {
			p.line("problem: %s", problem)
		}
		if len(r.Problems) > 0 {
			p.line("%s", Bug)
		}
	}
}

// finding writes a finding on one line, followed by explanations and examples.
func (p *printer) finding(r *diff.Report, f *diff.Finding) {
	level := string(f.Level)
	if f.Accepted != nil {
		level = "accepted " + level
	}
	p.line("%s: %s: %s [%s %s]", level, f.Subject, f.Message, f.Rule, f.Fingerprint)
	if f.Accepted != nil {
		p.line("    accepted%s: %s", until(f.Accepted), f.Accepted.Reason)
	}
	for _, text := range says(r, f) {
		p.line("    %s", text)
	}
	if !matters(f) {
		return
	}
	p.line("    %s; sent %s in %s", verdicts(r, f), Sent(f.Direction), strings.Join(f.Uses, ", "))
	if f.Guard != "" {
		p.line("    %s: %s", f.Guard, Why(f))
	}
	for _, w := range proof(r, f) {
		p.line("    example, which %s accepts and %s refuses (%s): %s", w.AcceptedBy, w.RefusedBy, w.Of, string(w.Value))
	}
	if f.Unproven != "" {
		p.line("    %s", unproven(f))
	}
	if text := places(r, f); text != "" {
		p.line("    %s", text)
	}
}
