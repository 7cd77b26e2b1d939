// Package render writes the reports and rules of package compat for people and
// for programs. What it writes depends on nothing but what it is given.
package render

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/gen/compat"
)

// Output is what a run of comparisons found: the root of the JSON form.
type Output struct {
	Reports []*compat.Report `json:"reports"`
}

// Format is a form of output.
type Format string

// The formats.
const (
	Text     Format = "text"
	JSON     Format = "json"
	Markdown Format = "markdown"
	GitHub   Format = "github"
	SARIF    Format = "sarif"
)

// Formats lists the formats.
func Formats() []Format { return []Format{Text, JSON, Markdown, GitHub, SARIF} }

// Options say how to write.
type Options struct {
	// File is the path of the new side where it is a file, for annotations.
	File string
}

// Write writes reports in a format.
func Write(w io.Writer, format Format, out Output, o Options) error {
	p := &printer{w: w}
	switch format {
	case Text:
		p.text(out)
	case JSON:
		p.json(out)
	case Markdown:
		p.markdown(out)
	case GitHub:
		p.github(out, o)
	case SARIF:
		p.sarif(out, o)
	default:
		return fmt.Errorf("unknown format %q", format)
	}
	return p.err
}

// printer remembers the first error of writing.
type printer struct {
	w   io.Writer
	err error
}

// line writes a line. What it is given may come from a tool list of somebody's, so
// control characters, with which a name could write lines of its own or command
// the terminal, are shown as escapes.
func (p *printer) line(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = visible(text)
		}
	}
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func visible(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (p *printer) json(v any) {
	enc := json.NewEncoder(p.w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); p.err == nil {
		p.err = err
	}
}

// Summary is the line that every format for people ends a report with, whatever
// was found.
func Summary(r *compat.Report) string {
	c, s := r.Compared, r.Summary
	noun := "method"
	if r.Kind == "tools" {
		noun = "tool"
	}
	if c.Subjects != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%s -> %s: %d %s compared, %d unchanged, %d added, %d removed: %d err, %d warn, %d info, %d accepted",
		r.Old, r.New, c.Subjects, noun, c.Unchanged, len(c.Added), len(c.Removed), s.Err, s.Warn, s.Info, s.Accepted)
}

func (p *printer) text(out Output) {
	for _, r := range out.Reports {
		for _, f := range r.Findings {
			p.finding(f)
		}
		for _, warning := range r.Warnings {
			p.line("warning: %s", warning)
		}
		p.line("%s", Summary(r))
	}
}

// finding writes a line, and below it what proves and what explains it.
func (p *printer) finding(f *compat.Finding) {
	level := string(f.Level)
	if f.Accepted != nil {
		level = "accepted " + level
	}
	p.line("%s: %s: %s [%s %s]", level, f.Subject, f.Message, f.Rule, f.Fingerprint)
	if f.Level == compat.LevelInfo {
		return
	}
	p.line("    %s; sent %s in %s", verdicts(f), Sent(f.Direction), strings.Join(f.Uses, ", "))
	if f.Guard != "" {
		p.line("    %s: %s", f.Guard, Why(f))
	}
	for _, w := range f.Witnesses {
		p.line("    %s accepts and %s refuses this %s: %s", w.AcceptedBy, w.RefusedBy, w.Of, w.Value)
	}
	if f.Accepted != nil {
		p.line("    accepted%s: %s", until(f.Accepted), f.Accepted.Reason)
	}
}

func until(a *compat.Acceptance) string {
	if a.Until == "" {
		return ""
	}
	return " until " + a.Until
}

// verdicts says what happens when the one or the other goes first.
func verdicts(f *compat.Finding) string {
	server, client := f.First()
	if f.Direction == compat.BothWays {
		return fmt.Sprintf("receiver first: %s, sender first: %s", f.Verdicts.ReceiverFirst, f.Verdicts.SenderFirst)
	}
	return fmt.Sprintf("server first: %s, client first: %s", server, client)
}

// Sent says in words who is sent a value.
func Sent(d compat.Direction) string {
	switch d {
	case compat.ToServer:
		return "to the server"
	case compat.ToClient:
		return "to the client"
	}
	return "both ways"
}

// Why is why a finding is not as bad as its effect has it: what the ledger says,
// or else what the guard says of itself.
func Why(f *compat.Finding) string {
	if f.Reason != "" {
		return f.Reason
	}
	for _, g := range compat.Guards() {
		if g.ID == f.Guard {
			return g.Doc
		}
	}
	return ""
}
