package render

import (
	"cmp"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/report"
)

// github writes workflow commands, which GitHub shows next to the lines of the new side, and
// the summaries as plain text.
func (p *printer) github(out Output, o Options) {
	for i, r := range out.Reports {
		left := 0
		for _, g := range groups(r) {
			shown, more := g.first(o.Most)
			left += more
			for _, f := range shown {
				if matters(f) {
					p.Annotations([]report.Issue{issue(r, f, o.files(i))})
				}
			}
		}
		p.Annotations(remarks(r))
		if left > 0 {
			p.Line("%s", moreFindings(left, ""))
		}
		p.Line("%s", Suggestion(r))
		p.Line("%s", Summary(r))
	}
}

// gitLab writes a code quality report.
func (p *printer) gitLab(out Output, o Options) {
	var all []report.Issue
	for i, r := range out.Reports {
		first := len(all)
		for _, f := range r.Findings {
			if matters(f) {
				all = append(all, issue(r, f, o.files(i)))
			}
		}
		all = append(all, remarks(r)...)
		for j := range all[first:] { // each issue needs a path
			one := &all[first+j]
			one.File = cmp.Or(one.File, o.files(i).New, r.New)
		}
	}
	p.CodeQuality(all)
}

// junit writes a suite of tests for each report.
func (p *printer) junit(out Output, o Options) {
	var suites []report.Suite
	for i, r := range out.Reports {
		s := report.Suite{Name: r.Old + " -> " + r.New, Summary: Suggestion(r) + "\n" + Summary(r)}
		for _, f := range r.Findings {
			s.Issues = append(s.Issues, issue(r, f, o.files(i)))
		}
		s.Issues = append(s.Issues, remarks(r)...)
		suites = append(suites, s)
	}
	p.JUnit("mcpgen diff", suites)
}

// issue returns a finding as an issue.
func issue(r *diff.Report, f *diff.Finding, files Files) report.Issue {
	i := report.Issue{
		Rule: f.Rule, Severity: severity(f), Group: groupOf(r, f), Subject: f.Subject, Fingerprint: f.Fingerprint, Fails: f.Fails,
		Title: f.Subject + ": " + f.Message + " (" + f.Fingerprint + ")", Lines: explained(r, f), File: files.New,
	}
	if f.NewPosition != nil {
		i.Line, i.Column = f.NewPosition.Line, f.NewPosition.Column
	}
	if f.Accepted != nil {
		i.Accepted = f.Accepted.Reason
	}
	return i
}

func severity(f *diff.Finding) report.Severity {
	switch {
	case f.Level == diff.LevelWarn:
		return report.Warning
	case f.Level == diff.LevelInfo && !f.Fails:
		return report.Notice
	}
	return report.Error
}

// explained returns what a finding breaks, and the proof.
func explained(r *diff.Report, f *diff.Finding) []string {
	lines := append(says(r, f), verdicts(r, f)+".")
	for _, w := range proof(r, f) {
		lines = append(lines, w.RefusedBy+" refuses "+string(w.Value)+".")
	}
	if f.Unproven != "" {
		lines = append(lines, unproven(f)+".")
	}
	if old := place(r.Old, f.OldPosition); old != "" {
		lines = append(lines, "Was at "+old+".")
	}
	return lines
}

// remarks are the parts of a report that are no findings, as issues.
func remarks(r *diff.Report) []report.Issue {
	var all []report.Issue
	add := func(rule string, severity report.Severity, text string, lines ...string) {
		all = append(all, report.Issue{Rule: rule, Severity: severity, Group: "mcpgen diff", Title: text, Lines: lines, Fingerprint: strings.ReplaceAll(text, r.New, "")})
	}
	if r.Bump != nil && !r.Bump.Enough {
		add("version", report.Error, r.Bump.String())
		all[0].Fails = true
	}
	for _, s := range r.Skipped {
		add("not compared", report.Notice, skipped(r, s))
	}
	for _, warning := range r.Warnings {
		add("mcpgen.yaml", report.Warning, warning)
	}
	for _, problem := range r.Problems {
		add("bug of mcpgen", report.Warning, problem, Bug)
	}
	return all
}
