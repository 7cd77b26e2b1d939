// Package render writes the reports and rules of package lint for people and for programs.
package render

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/catalog"
	"github.com/mcpgen/mcpgen/gen/lint"
	"github.com/mcpgen/mcpgen/gen/report"
	"github.com/mcpgen/mcpgen/gen/report/sarif"
)

// Format is an output format.
type Format string

// The formats.
const (
	Text   Format = "text"
	JSON   Format = "json"
	GitHub Format = "github"
	GitLab Format = "gitlab"
	JUnit  Format = "junit"
	SARIF  Format = "sarif"
	HTML   Format = "html"
)

// Formats returns the formats.
func Formats() []Format { return []Format{Text, JSON, GitHub, GitLab, JUnit, SARIF, HTML} }

// Write writes a report. File is the path of the list, or "" if it is not a file. Findings of the
// level failOn, or of a worse one, fail; without a level, none does.
func Write(w io.Writer, format Format, r *lint.Report, file string, failOn lint.Level) error {
	p := &printer{report.Printer{W: w}}
	switch format {
	case Text:
		p.text(r)
	case JSON:
		p.JSON(r)
	case GitHub:
		p.Annotations(issues(r, file, failOn))
		p.Line("%s", Summary(r))
	case GitLab:
		p.CodeQuality(issues(r, file, failOn))
	case JUnit:
		p.JUnit("mcpgen lint", []report.Suite{{Name: r.Name, Issues: issues(r, file, failOn), Summary: Summary(r)}})
	case SARIF:
		p.sarif(r, file, failOn)
	case HTML:
		return page.Execute(w, r)
	default:
		return fmt.Errorf("unknown format %q", format)
	}
	return p.Err
}

type printer struct{ report.Printer }

// Summary returns the last line of a report for people.
func Summary(r *lint.Report) string {
	return fmt.Sprintf("%s: %s, about %d tokens: %d err, %d warn, %d info",
		r.Name, cmp.Or(catalog.Counted(func(p catalog.Part) int { return r.Counts[p] }), "nothing"), r.Tokens, r.Count(lint.Err), r.Count(lint.Warn), r.Count(lint.Info))
}

// place returns where a finding is: a line and a column, or a JSON Pointer.
func place(name string, f *lint.Finding) string {
	if f.Position != nil {
		return fmt.Sprintf("%s:%d:%d", name, f.Position.Line, f.Position.Column)
	}
	return name + f.Pointer
}

func (p *printer) text(r *lint.Report) {
	for _, f := range r.Findings {
		p.Line("%s: %s: %s: %s [%s]", place(r.Name, f), string(f.Level), f.Subject, f.Message, f.Rule)
	}
	p.Line("%s", Summary(r))
}

// severities are the levels in the words of other programs.
var severities = map[lint.Level]report.Severity{lint.Err: report.Error, lint.Warn: report.Warning, lint.Info: report.Notice}

// issues returns the findings of a report as issues of a file.
func issues(r *lint.Report, file string, failOn lint.Level) []report.Issue {
	var all []report.Issue
	for _, f := range r.Findings {
		i := report.Issue{
			Rule: f.Rule, Severity: severities[f.Level], Group: f.Subject, Subject: f.Subject, Title: f.Subject + ": " + f.Message, Lines: []string{rule(f.Rule).Doc},
			File: file, Fingerprint: f.Rule + " " + f.Subject + " " + f.Message, Fails: failOn != "" && f.Level.AtLeast(failOn),
		}
		if f.Position != nil {
			i.Line, i.Column = f.Position.Line, f.Position.Column
		}
		all = append(all, i)
	}
	return all
}

// rule returns the rule with an id.
func rule(id string) lint.Rule {
	all := lint.Rules()
	return all[slices.IndexFunc(all, func(r lint.Rule) bool { return r.ID == id })]
}

func (p *printer) sarif(r *lint.Report, file string, failOn lint.Level) {
	run := sarif.Run{Results: []sarif.Result{}, Invocations: []sarif.Invocation{{Successful: true}}}
	for _, rule := range lint.Rules() {
		help := rule.Doc
		if rule.Source != "" {
			help += " See " + rule.Source + "."
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarif.Rule{
			ID: rule.ID, ShortDescription: sarif.Text{Text: strings.ReplaceAll(rule.ID, "-", " ")}, FullDescription: sarif.Text{Text: rule.Doc},
			Help: sarif.Text{Text: help}, Configuration: sarif.Configuration{Level: sarif.Levels[severities[rule.Level]]}, Properties: sarif.Tags{Tags: []string{string(rule.Group)}},
		})
	}
	for _, i := range issues(r, file, failOn) {
		i.Lines = nil // the rule has them
		run.Results = append(run.Results, sarif.Of(i, "mcpgenLint/v1"))
	}
	p.JSON(sarif.New(run))
}

// Rules writes the table of the rules as text or JSON.
func Rules(w io.Writer, format Format) error {
	p := &printer{report.Printer{W: w}}
	switch format {
	case JSON:
		p.JSON(struct {
			Rules []lint.Rule `json:"rules"`
		}{lint.Rules()})
		return p.Err
	case Text:
		rows := [][]string{{"RULE", "GROUP", "LEVEL", "FIX", "WHAT IS WRONG", "SOURCE"}}
		for _, r := range lint.Rules() {
			fix := ""
			if r.Fixable {
				fix = "yes"
			}
			rows = append(rows, []string{r.ID, string(r.Group), string(r.Level), fix, r.Doc, r.Source})
		}
		p.Table(rows)
		return p.Err
	}
	return fmt.Errorf("the rules have no format %q: expected text or json", format)
}

//go:embed page.html
var pageText string

// page is the HTML form of a report.
var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"visible": visible, "summary": Summary, "levels": lint.Levels, "subjects": subjects, "place": place, "rule": rule,
}).Parse(pageText))

// subject is a definition with its findings.
type subject struct {
	Name     string
	Findings []*lint.Finding
}

// subjects groups the findings of a report by their subjects, in the order of the text.
func subjects(r *lint.Report) []*subject {
	var all []*subject
	known := map[string]*subject{}
	for _, f := range r.Findings {
		s := known[f.Subject]
		if s == nil {
			s = &subject{Name: f.Subject}
			known[f.Subject] = s
			all = append(all, s)
		}
		s.Findings = append(s.Findings, f)
	}
	return all
}

func visible(s string) string { return report.Escape(s, report.Hidden) }
