package render

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/report"
)

// changelog writes the reports of a history as Markdown, the newest step first.
func (p *printer) changelog(out Output, o Options) {
	p.Line("# Changes from %s to %s\n", report.Cell(RevOf(out.Reports[0].Old)), report.Cell(RevOf(out.Reports[len(out.Reports)-1].New)))
	for end := len(out.Steps); end > 0; {
		start := end - 1
		for start > 0 && out.Steps[start-1] == out.Steps[end-1] {
			start--
		}
		step, reports := out.Steps[start], out.Reports[start:end]
		p.Line("## %s (%s): %s\n", report.Cell(step.Title), report.Cell(step.Date), string(version(reports)))
		for _, level := range []diff.Level{diff.LevelErr, diff.LevelUndecided, diff.LevelWarn, diff.LevelInfo} {
			p.items(reports, level, o)
		}
		end = start
	}
}

// RevOf returns the name of the commit of a side git:REV:PATH, or the label of another one.
func RevOf(label string) string {
	if rest, ok := strings.CutPrefix(label, "git:"); ok {
		label, _, _ = strings.Cut(rest, ":")
	}
	return label
}

// version returns the greatest version change of reports.
func version(reports []*diff.Report) diff.Version {
	order := []diff.Version{diff.VersionNone, diff.Patch, diff.Minor, diff.Major}
	greatest := diff.VersionNone
	for _, r := range reports {
		if slices.Index(order, r.Suggested) > slices.Index(order, greatest) {
			greatest = r.Suggested
		}
	}
	return greatest
}

// items writes the findings of a level as a list.
func (p *printer) items(reports []*diff.Report, level diff.Level, o Options) {
	first := true
	for _, r := range reports {
		for _, g := range groups(r) {
			shown, left := (&group{g.name, atLevel(g.findings, level)}).first(o.Most)
			for _, f := range shown {
				if first {
					p.Line("### %s\n", words[level])
					first = false
				}
				in := ""
				if len(reports) > 1 {
					in = " in " + report.Code(PathOf(r.New))
				}
				lines := append([]string{report.Code(f.Subject) + in + ": " + report.Prose(f.Message) + "."}, prose(says(r, f))...)
				if f.Accepted != nil {
					lines = append(lines, "Accepted: "+report.Cell(f.Accepted.Reason)+".")
				}
				p.Line("- %s", strings.Join(lines, " "))
			}
			if left > 0 {
				p.Line("- %s", report.Cell(moreFindings(left, g.name)))
			}
		}
	}
	if !first {
		p.Line("")
	}
}

// PathOf returns the path of a side git:REV:PATH, or the label of another one.
func PathOf(label string) string {
	if rest, ok := strings.CutPrefix(label, "git:"); ok {
		_, label, _ = strings.Cut(rest, ":")
	}
	return label
}

func prose(texts []string) []string {
	for i := range texts {
		texts[i] = report.Prose(texts[i])
	}
	return texts
}
