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

type summary struct {
	Revision string `json:"revision"`
	Files    int    `json:"files"`
	Values   int    `json:"values"`
	// Others counts the lines that are not messages.
	Others int `json:"others"`
	// FirstOther is the position of the first such line, for example "session.log:3".
	FirstOther string `json:"firstOther,omitempty"`
	Errors     int    `json:"errors"`
	Warnings   int    `json:"warnings"`
	Notes      int    `json:"notes"`
}

type reporter interface {
	finding(finding)
	verdict(verdict)
	summary(summary)
	rules([]audit.RuleInfo)
}

type textReporter struct{ w io.Writer }

func (r *textReporter) finding(f finding) { fmt.Fprintln(r.w, f) }

// String formats the finding as one line.
func (f finding) String() string {
	pointer := f.Pointer
	if pointer != "" {
		pointer += ": "
	}
	return printable(fmt.Sprintf("%s:%d: %s: %s%s [%s]", f.File, f.Line, f.Level, pointer, f.Problem, f.Rule))
}

func (r *textReporter) verdict(v verdict) {
	if v.Accepted {
		fmt.Fprintf(r.w, "%s: accepted\n", v.Revision)
		return
	}
	fmt.Fprintf(r.w, "%s: refused, %s, first: %s\n", v.Revision, report.Plural(v.Problems, "problem"), v.First)
}

func (r *textReporter) summary(s summary) {
	revision := ""
	if s.Revision != "" {
		revision = s.Revision + ": "
	}
	others := ""
	if s.Others > 0 {
		others = fmt.Sprintf(", %s without a message (first %s)", report.Plural(s.Others, "line"), s.FirstOther)
	}
	fmt.Fprintf(r.w, "%schecked %s in %s%s: %s\n", revision, report.Plural(s.Values, "value"), report.Plural(s.Files, "file"), others, counts(s.Errors, s.Warnings, s.Notes))
}

// counts formats the numbers of findings. It leaves out warnings and notes if there are none.
func counts(errors, warnings, notes int) string {
	text := report.Plural(errors, "error")
	if warnings > 0 {
		text += ", " + report.Plural(warnings, "warning")
	}
	if notes > 0 {
		text += ", " + report.Plural(notes, "note")
	}
	return text
}

func (r *textReporter) rules(all []audit.RuleInfo) {
	rows := [][]string{}
	for _, rule := range all {
		rows = append(rows, []string{string(rule.ID), string(rule.Level), cmp.Or(rule.Since, "all"), rule.Text + " (" + rule.Section + ")"})
	}
	p := report.Printer{W: r.w}
	p.Table(rows)
}

type jsonReporter struct{ enc *json.Encoder }

func (r *jsonReporter) finding(f finding) {
	r.enc.Encode(struct {
		Type string `json:"type"`
		finding
	}{"finding", f})
}

func (r *jsonReporter) verdict(v verdict) {
	r.enc.Encode(struct {
		Type string `json:"type"`
		verdict
	}{"verdict", v})
}

func (r *jsonReporter) summary(s summary) {
	r.enc.Encode(struct {
		Type string `json:"type"`
		summary
	}{"summary", s})
}

func (r *jsonReporter) rules(all []audit.RuleInfo) {
	for _, rule := range all {
		r.enc.Encode(struct {
			Rule    audit.Rule  `json:"rule"`
			Level   audit.Level `json:"level"`
			Since   string      `json:"since,omitempty"`
			Text    string      `json:"text"`
			Section string      `json:"section,omitempty"`
		}{rule.ID, rule.Level, rule.Since, rule.Text, rule.Section})
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
