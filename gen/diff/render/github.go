package render

import (
	"fmt"
	"path/filepath"
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
			p.line("::notice title=not compared::%s", data(skipped(r, s)))
		}
		for _, warning := range r.Warnings {
			p.line("::warning title=mcpgen.yaml::%s", data(warning))
		}
		p.line("%s", Suggestion(r))
		p.line("%s", Summary(r))
		for _, problem := range r.Problems {
			p.line("::warning title=bug of mcpgen::%s", data(problem+"\n"+Bug))
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
	properties := "title=" + property(f.Rule)
	if o.New != "" {
		at := "file=" + property(filepath.ToSlash(o.New))
		if f.NewPosition != nil {
			at += fmt.Sprintf(",line=%d,col=%d", f.NewPosition.Line, f.NewPosition.Column)
		}
		properties = at + "," + properties
	}
	p.line("::%s %s::%s", command, properties, data(strings.Join(lines, "\n")))
}

// data escapes the text of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
