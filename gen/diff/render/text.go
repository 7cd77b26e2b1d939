package render

import (
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
)

func (p *printer) text(out Output, o Options) {
	for _, r := range out.Reports {
		for _, g := range groups(r) {
			shown, left := g.first(o.Most)
			for _, f := range shown {
				p.finding(r, f)
			}
			if left > 0 {
				p.Line("%s", moreFindings(left, g.name))
			}
		}
		for _, s := range r.Skipped {
			p.Line("skipped: %s", skipped(r, s))
		}
		for _, warning := range r.Warnings {
			p.Line("warning: %s", warning)
		}
		if text := r.Negotiate(); text != "" {
			p.Line("negotiation: %s", text)
		}
		p.Line("%s", Suggestion(r))
		p.Line("%s", Summary(r))
		for _, problem := range r.Problems {
			p.Line("problem: %s", problem)
		}
		if len(r.Problems) > 0 {
			p.Line("%s", Bug)
		}
	}
}

// finding writes a finding on one line, followed by explanations and examples.
func (p *printer) finding(r *diff.Report, f *diff.Finding) {
	level := string(f.Level)
	if f.Accepted != nil {
		level = "accepted " + level
	}
	p.Line("%s: %s: %s [%s %s]", level, f.Subject, f.Message, f.Rule, f.Fingerprint)
	if f.Accepted != nil {
		p.Line("    accepted%s: %s", until(f.Accepted), f.Accepted.Reason)
	}
	for _, text := range says(r, f) {
		p.Line("    %s", text)
	}
	if !matters(f) {
		return
	}
	p.Line("    %s; sent %s in %s", verdicts(r, f), Sent(f.Direction), strings.Join(f.Uses, ", "))
	if f.Guard != "" {
		p.Line("    %s: %s", f.Guard, Why(f))
	}
	for _, w := range proof(r, f) {
		p.Line("    example, which %s accepts and %s refuses (%s): %s", w.AcceptedBy, w.RefusedBy, w.Of, string(w.Value))
	}
	if f.Unproven != "" {
		p.Line("    %s", unproven(f))
	}
	if text := places(r, f); text != "" {
		p.Line("    %s", text)
	}
}
