// Package lint finds faults in what a server offers: tools that hosts refuse, schemas that
// contradict themselves, texts that are missing, and texts that try to instruct the model.
//
// It reads lists in all forms that package catalog knows and changes nothing; [Fix] rewrites the
// faults that have an equivalent form without the fault. The rules are data ([Rules]), each with
// the source it rests on.
//
// Terms: a host is a program that offers the tools of a server to a model. Its subset is the part
// of JSON Schema that the API of the model accepts.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/diff/locate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options select the rules.
type Options struct {
	// Hosts are the hosts whose rules apply. Nil means those of the function Hosts.
	Hosts []Host
	// Disabled are the ids of rules that do not apply.
	Disabled []string
	// Validate reports what a revision of the protocol does not allow in a definition, with
	// pointers into it. It may be nil.
	Validate func(part catalog.Part, definition wire.Raw) []Problem
	// Refused are the reasons why no server can be generated from the list, with pointers into the text.
	// A finding of another rule at the same place, or within it, takes precedence.
	Refused []Problem
	// Noted are the probable mistakes that the generator notes in a list that it accepts. A finding of another rule at the
	// same place, or within it, takes precedence.
	Noted []Problem
	// Find returns the positions of JSON Pointers into the text, in the file that the text was made from.
	// If it is nil, positions are those in the text itself.
	Find func(pointers []string) map[string]locate.Position
}

// Problem is a violation at a place within a definition.
type Problem struct {
	Pointer, Message string
	// Position is the place of the problem if the pointer does not lead to it, or nil.
	Position *locate.Position
}

// Finding is a fault.
type Finding struct {
	Rule  string `json:"rule"`
	Level Level  `json:"level"`
	Host  Host   `json:"host,omitempty"`
	// Subject names what the fault is in, such as "tool get_weather".
	Subject string `json:"subject"`
	// Pointer is a JSON Pointer (RFC 6901) into the text.
	Pointer string `json:"pointer"`
	// Position is the line and column of the pointer, or nil if the text is not a file.
	Position *locate.Position `json:"position,omitempty"`
	Message  string           `json:"message"`
	// Fixable means that [Fix] can rewrite the fault.
	Fixable bool `json:"fixable,omitempty"`
}

// Report is the result of [Lint].
type Report struct {
	// Name is the name of the list.
	Name string `json:"name"`
	// Counts has the number of definitions of each part, for parts that the list has.
	Counts map[catalog.Part]int `json:"counts"`
	// Tokens estimates the size of the tool definitions for a model.
	Tokens int `json:"tokens"`
	// Findings are in the order of the text.
	Findings []*Finding `json:"findings"`
}

// Count returns the number of findings of a level.
func (r *Report) Count(level Level) int {
	n := 0
	for _, f := range r.Findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// Lint reads a list and reports its faults. Name is the name of its file, see [catalog.Read],
// whose errors it returns.
func Lint(name string, text []byte, o Options) (*Report, error) {
	c, err := catalog.Read(name, text)
	if err != nil {
		return nil, err
	}
	if o.Hosts == nil {
		o.Hosts = Hosts()
	}
	l := &linter{options: o, report: &Report{Name: name, Counts: map[catalog.Part]int{}, Findings: []*Finding{}}}
	for _, d := range c.Definitions {
		l.report.Counts[d.Part]++
	}
	l.tools(c)
	l.others(c)
	if c.Has[catalog.Instructions] {
		l.subject = "instructions"
		l.text("/instructions", c.Instructions)
	}
	l.generator(c, "list-refused", o.Refused, func(f *Finding) bool { return f.Level == Err && f.Host == "" })
	l.generator(c, "list-noted", o.Noted, func(*Finding) bool { return true })
	l.locate(text)
	return l.report, nil
}

// linter is one run of Lint.
type linter struct {
	options Options
	report  *Report
	subject string // what is being checked, such as "tool search"
	// places counts the keywords that Gemini lacks, of which one finding may report several.
	places int
}

// add adds a finding of a rule.
func (l *linter) add(id, pointer, format string, args ...any) {
	rule := ruleOf(id)
	if slices.Contains(l.options.Disabled, id) || rule.Host != "" && !slices.Contains(l.options.Hosts, rule.Host) {
		return
	}
	l.report.Findings = append(l.report.Findings, &Finding{
		Rule: id, Level: rule.Level, Host: rule.Host, Subject: l.subject, Pointer: pointer,
		Message: fmt.Sprintf(format, args...), Fixable: rule.Fixable,
	})
}

// generator adds what the generator says about the list, unless a finding that says enough is at the same place.
func (l *linter) generator(c *catalog.Catalog, rule string, said []Problem, enough func(*Finding) bool) {
	known := l.report.Findings
	for _, p := range said {
		if slices.ContainsFunc(known, func(f *Finding) bool {
			return p.Pointer != "" && enough(f) && within(f.Pointer, p.Pointer)
		}) {
			continue
		}
		l.subject = "list"
		for _, d := range c.Definitions {
			if within(p.Pointer, d.Pointer) {
				l.subject = d.Part.Noun()
				if d.Text.Kind() == wire.KindObject {
					l.subject = strings.TrimSpace(l.subject + " " + wire.Object(d.Text).GetString("name"))
				}
			}
		}
		before := len(l.report.Findings)
		l.add(rule, p.Pointer, "%s", p.Message)
		for _, f := range l.report.Findings[before:] {
			f.Position = p.Position
		}
	}
}

// within reports whether a pointer leads to a value or into it.
func within(pointer, value string) bool {
	return pointer == value || strings.HasPrefix(pointer, value+"/")
}

// locate sets the positions of the findings and sorts them by their place.
func (l *linter) locate(text []byte) {
	var pointers []string
	for _, f := range l.report.Findings {
		pointers = append(pointers, f.Pointer)
	}
	find := l.options.Find
	if find == nil {
		find = func(pointers []string) map[string]locate.Position { return locate.Find(text, pointers) }
	}
	found := find(pointers)
	for _, f := range l.report.Findings {
		if at, ok := found[f.Pointer]; ok && f.Position == nil {
			f.Position = &at
		}
	}
	slices.SortStableFunc(l.report.Findings, func(a, b *Finding) int {
		if a.Position == nil || b.Position == nil {
			return 0
		}
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column))
	})
}
