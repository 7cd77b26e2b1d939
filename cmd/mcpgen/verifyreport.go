//go:build !bootstrap

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/gen/report"
)

// finding is a broken rule or a note, as verify reports it.
type finding struct {
	File    string      `json:"file"`
	Line    int         `json:"line"`
	Level   audit.Level `json:"level"`
	Pointer string      `json:"pointer"`
	Problem string      `json:"problem"`
	Rule    audit.Rule  `json:"rule"`
	// From is the sender of the message, if known.
	From audit.Side `json:"from,omitempty"`
	// Session is the digest of the id of a session over HTTP.
	Session string `json:"session,omitempty"`
}

// newFinding returns a finding in a file.
func newFinding(file string, f audit.Finding) finding {
	return finding{file, f.Place + f.Line, f.Level, f.Pointer, f.Problem, f.Rule, f.From, f.Session}
}

// String formats the finding as one line.
func (f finding) String() string {
	return printable(fmt.Sprintf("%s:%d: %s", f.File, f.Line, audit.Finding{Level: f.Level, Pointer: f.Pointer, Problem: f.Problem, Rule: f.Rule}))
}

type summary struct {
	Revision string `json:"revision"`
	Files    int    `json:"files"`
	Values   int    `json:"values"`
	// Others counts the lines that are not messages.
	Others int `json:"others"`
	// FirstOther is the position of the first such line, for example "session.log:3".
	FirstOther string `json:"firstOther,omitempty"`
	audit.Tally
}

// findings prints the report of verify: lines for people, or JSON objects.
type findings struct {
	w    io.Writer
	json bool
}

// line prints one line of the report: the value as JSON, with its kind, or else the text.
func (r findings) line(kind string, value any, text string) {
	if !r.json {
		fmt.Fprintln(r.w, text)
		return
	}
	object, err := json.Marshal(value)
	if err == nil { // the values have only texts and numbers
		fmt.Fprintf(r.w, "{\"type\":%q,%s\n", kind, object[1:])
	}
}

func (r findings) finding(f finding) { r.line("finding", f, f.String()) }

func (r findings) verdict(v verdict) {
	text := v.Revision + ": accepted"
	if !v.Accepted {
		text = fmt.Sprintf("%s: refused, %s, first: %s", v.Revision, report.Plural(v.Problems, "problem"), v.First)
	}
	r.line("verdict", v, text)
}

func (r findings) summary(s summary) {
	revision := ""
	if s.Revision != "" {
		revision = s.Revision + ": "
	}
	others := ""
	if s.Others > 0 {
		others = fmt.Sprintf(", %s without a message (first %s)", report.Plural(s.Others, "line"), s.FirstOther)
	}
	r.line("summary", s, fmt.Sprintf("%schecked %s in %s%s: %s", revision, report.Plural(s.Values, "value"), report.Plural(s.Files, "file"), others, counts(s.Tally)))
}

// counts formats the numbers of findings. It leaves out warnings and notes if there are none.
func counts(t audit.Tally) string {
	text := report.Plural(t.Errors, "error")
	if t.Warnings > 0 {
		text += ", " + report.Plural(t.Warnings, "warning")
	}
	if t.Notes > 0 {
		text += ", " + report.Plural(t.Notes, "note")
	}
	return text
}

func (r findings) rules(all []audit.RuleInfo) {
	rows := [][]string{}
	enc := json.NewEncoder(r.w)
	for _, rule := range all {
		if r.json {
			enc.Encode(struct {
				Rule    audit.Rule  `json:"rule"`
				Level   audit.Level `json:"level"`
				Since   string      `json:"since,omitempty"`
				Text    string      `json:"text"`
				Section string      `json:"section,omitempty"`
			}{rule.ID, rule.Level, rule.Since, rule.Text, rule.Section})
		}
		rows = append(rows, []string{string(rule.ID), string(rule.Level), cmp.Or(rule.Since, "all"), rule.Text + " (" + rule.Section + ")"})
	}
	if !r.json {
		p := report.Printer{W: r.w}
		p.Table(rows)
	}
}

// progress prints the progress of a run every two seconds.
type progress struct {
	w      io.Writer
	last   time.Time
	values int
	read   int64 // bytes of this file
	size   int64 // size of this file, or 0 if unknown
}

// start begins a file.
func (p *progress) start(size int64) { p.read, p.size = 0, size }

// step is called after each value with its length.
func (p *progress) step(file string, length, problems int) {
	p.values++
	p.read += int64(length)
	if p.values%256 != 0 && length < 1<<20 || time.Since(p.last) < 2*time.Second {
		return
	}
	p.last = time.Now()
	bar := ""
	if p.size > 0 {
		const width = 20
		done := int(min(p.read*width/p.size, width))
		bar = fmt.Sprintf("[%s%s] %d%%, ", strings.Repeat("#", done), strings.Repeat(".", width-done), min(p.read*100/p.size, 100))
	}
	fmt.Fprintf(p.w, "%s: %s%d values, %d MB, %d problems so far\n", file, bar, p.values, p.read/1e6, problems)
}
