// Package render writes the reports and rules of package diff for people and for programs. The
// same input gives the same output.
package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/report"
)

// Output is the root of the JSON form: the reports of one or more comparisons.
type Output struct {
	Reports []*diff.Report `json:"reports"`
	// Steps has the step of each report of a history, in the order of time. Other outputs have
	// none.
	Steps []Step `json:"steps,omitempty"`
}

// Step is a part of the history of a list: what a tag or a commit changes.
type Step struct {
	// Title is a tag, or the digits of a commit and the subject of its message.
	Title string `json:"title"`
	// Date is the day of the step, such as "2026-12-31".
	Date string `json:"date"`
}

// Format is an output format.
type Format string

// The formats.
const (
	Text     Format = "text"
	JSON     Format = "json"
	Markdown Format = "markdown"
	GitHub   Format = "github"
	GitLab   Format = "gitlab"
	JUnit    Format = "junit"
	SARIF    Format = "sarif"
)

// Formats returns the formats.
func Formats() []Format { return []Format{Text, JSON, Markdown, GitHub, GitLab, JUnit, SARIF} }

// Options configure Write.
type Options struct {
	// Files has the files of each report. It may be shorter than the list of reports.
	Files []Files
	// Most is the greatest number of findings about one tool that formats for people show. 0
	// means all.
	Most int
}

// Files are the paths of sides that are files, for annotations.
type Files struct{ Old, New string }

// files returns the files of the report with an index.
func (o Options) files(i int) Files {
	if i < len(o.Files) {
		return o.Files[i]
	}
	return Files{}
}

// Write writes reports in a format.
func Write(w io.Writer, format Format, out Output, o Options) error {
	p := &printer{report.Printer{W: w}}
	switch format {
	case Text:
		p.text(out, o)
	case JSON:
		p.JSON(out)
	case Markdown:
		p.markdown(out, o)
	case GitHub:
		p.github(out, o)
	case GitLab:
		p.gitLab(out, o)
	case JUnit:
		p.junit(out, o)
	case SARIF:
		p.sarif(out, o)
	default:
		return fmt.Errorf("unknown format %q", format)
	}
	return p.Err
}

type printer struct{ report.Printer }

// Summary returns the summary line of a report. Every format for people includes it, even
// without findings.
func Summary(r *diff.Report) string {
	c, s := r.Compared, r.Summary
	noun := "method"
	if r.Kind == "tools" {
		noun = "tool"
	}
	if c.Subjects != 1 {
		noun += "s"
	}
	undecided := ""
	if s.Undecided > 0 {
		undecided = fmt.Sprintf(", %d undecided", s.Undecided)
	}
	text := fmt.Sprintf("%s -> %s: %d %s compared, %d unchanged, %d added, %d removed: %d err%s, %d warn, %d info, %d accepted",
		r.Old, r.New, c.Subjects, noun, c.Unchanged, len(c.Added), len(c.Removed), s.Err, undecided, s.Warn, s.Info, s.Accepted)
	if s.Ignored > 0 {
		text += fmt.Sprintf(", %d ignored", s.Ignored)
	}
	return text
}

// Suggestion says which part of a semantic version should change, and what has changed if that was
// checked.
func Suggestion(r *diff.Report) string {
	text := fmt.Sprintf("suggested version change: %s (levels for %s upgraded first)", r.Suggested, upgraded(r.Upgrade))
	if r.Bump != nil {
		text += "; " + r.Bump.String()
	}
	return text
}

func upgraded(u diff.Upgrade) string {
	switch u {
	case diff.UpgradeServer:
		return "the server"
	case diff.UpgradeClient:
		return "the client"
	}
	return "either side"
}

// Bug asks the user to report an internal problem.
const Bug = "This is a bug in mcpgen. It does not affect the findings. Please report it with both sides at https://github.com/mcpgen/mcpgen/issues."

// says returns the sentences of a finding that is not harmless. The sentence for the report's
// order of upgrades comes first. Sentences for other orders begin with the order.
func says(r *diff.Report, f *diff.Finding) []string {
	server, client := f.ServerFirst.Says, f.ClientFirst.Says
	var list []string
	add := func(prefix, text string) {
		if text != "" && !slices.Contains(list, text) {
			list = append(list, prefix+text)
		}
	}
	switch r.Upgrade {
	case diff.UpgradeServer:
		add("", server)
		if client != server {
			add("If the client is upgraded first ("+string(f.ClientFirst.Level)+"): ", client)
		}
	case diff.UpgradeClient:
		add("", client)
		if client != server {
			add("If the server is upgraded first ("+string(f.ServerFirst.Level)+"): ", server)
		}
	default:
		add("", server)
		add("", client)
	}
	return list
}

// verdicts returns the levels in both orders of upgrades. The level of an order that does not
// count is in parentheses.
func verdicts(r *diff.Report, f *diff.Finding) string {
	server, client := "server first: "+string(f.ServerFirst.Level), "client first: "+string(f.ClientFirst.Level)
	switch r.Upgrade {
	case diff.UpgradeServer:
		return server + " (" + client + ")"
	case diff.UpgradeClient:
		return client + " (" + server + ")"
	}
	return server + ", " + client
}

// matters reports whether a finding is shown in full: its level is above info, or it fails
// because of the other order of upgrades.
func matters(f *diff.Finding) bool { return f.Level.AtLeast(diff.LevelWarn) || f.Fails }

// proof returns the witnesses for the report's order of upgrades, or all witnesses if the
// finding fails because of the other order.
func proof(r *diff.Report, f *diff.Finding) []diff.Witness {
	if f.Fails && !f.Level.AtLeast(diff.LevelWarn) {
		return f.Witnesses
	}
	return f.Proof(r.Upgrade)
}

// place returns a side's label with a position, or "" if the position is unknown.
func place(label string, p *diff.Position) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", label, p.Line, p.Column)
}

// places returns the positions of a finding in both sides, or "" if they are unknown.
func places(r *diff.Report, f *diff.Finding) string {
	old, new := place(r.Old, f.OldPosition), place(r.New, f.NewPosition)
	switch {
	case new == "" && old == "":
		return ""
	case new == "":
		return "was at " + old
	case old == "":
		return "at " + new
	}
	return "at " + new + ", was at " + old
}

// unproven says why a finding has no example.
func unproven(f *diff.Finding) string {
	const lead = "no example found: "
	return string(f.Level) + ", " + lead + strings.TrimPrefix(f.Unproven, lead)
}

// skipped describes a part that was left out.
func skipped(r *diff.Report, s diff.Skipped) string {
	text := s.Where.Path
	if name := map[string]string{"old": r.Old, "new": r.New}[s.Side]; name != "" {
		text = strings.TrimSpace(name + " " + text)
	}
	if s.Where.Pointer != "" && s.Where.Pointer != s.Where.Path {
		text = strings.TrimSpace(text + " (" + s.Where.Pointer + ")")
	}
	if text == "" {
		return s.Why
	}
	return text + ": " + s.Why
}

func until(a *diff.Acceptance) string {
	if a.Until == "" {
		return ""
	}
	return " until " + a.Until
}

// Sent describes a direction.
func Sent(d diff.Direction) string {
	switch d {
	case diff.ToServer:
		return "to the server"
	case diff.ToClient:
		return "to the client"
	}
	return "both ways"
}

// Why returns the reason for a guard: that of the exception, or else the documentation of the
// guard.
func Why(f *diff.Finding) string {
	if f.Reason != "" {
		return f.Reason
	}
	for _, g := range diff.Guards() {
		if g.ID == f.Guard {
			return g.Doc
		}
	}
	return ""
}
