package render

import (
	"strings"

	"github.com/mcpgen/mcpgen/gen/compat"
)

// github writes workflow commands, which GitHub shows beside the file, and the
// summary as plain text.
func (p *printer) github(out Output, o Options) {
	for _, r := range out.Reports {
		for _, f := range r.Findings {
			if f.Accepted != nil || f.Level == compat.LevelInfo {
				continue
			}
			command := "warning"
			if f.Level == compat.LevelErr {
				command = "error"
			}
			text := f.Subject + ": " + f.Message + " (" + verdicts(f) + "; " + f.Fingerprint + ")"
			for _, w := range f.Witnesses {
				text += "\n" + w.RefusedBy + " refuses " + string(w.Value)
			}
			properties := "title=" + property(f.Rule)
			if o.File != "" {
				properties = "file=" + property(o.File) + "," + properties
			}
			p.line("::%s %s::%s", command, properties, data(text))
		}
		for _, warning := range r.Warnings {
			p.line("::warning title=accepted findings::%s", data(warning))
		}
		p.line("%s", Summary(r))
	}
}

// data escapes the text of a workflow command.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
