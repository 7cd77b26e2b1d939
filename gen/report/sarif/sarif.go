// Package sarif writes SARIF 2.1.0, which code scanning of GitHub and editors read.
package sarif

import (
	"net/url"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/gen/report"
)

// The objects of SARIF that are written, with the names and members of the standard.
type (
	Log struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []Run  `json:"runs"`
	}
	Run struct {
		Tool        Tool         `json:"tool"`
		ColumnKind  string       `json:"columnKind"`
		Invocations []Invocation `json:"invocations"`
		Results     []Result     `json:"results"`
		Properties  any          `json:"properties,omitempty"`
	}
	Tool struct {
		Driver Driver `json:"driver"`
	}
	Driver struct {
		Name  string `json:"name"`
		URI   string `json:"informationUri"`
		Rules []Rule `json:"rules"`
	}
	Rule struct {
		ID               string        `json:"id"`
		ShortDescription Text          `json:"shortDescription"`
		FullDescription  Text          `json:"fullDescription"`
		Help             Text          `json:"help"`
		Configuration    Configuration `json:"defaultConfiguration"`
		Properties       Tags          `json:"properties"`
	}
	Configuration struct {
		Level string `json:"level"`
	}
	Tags struct {
		Tags []string `json:"tags"`
	}
	Text struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	Invocation struct {
		Successful    bool           `json:"executionSuccessful"`
		Notifications []Notification `json:"toolExecutionNotifications,omitempty"`
	}
	Notification struct {
		Level   string `json:"level"`
		Message Text   `json:"message"`
	}
	Result struct {
		RuleID       string            `json:"ruleId"`
		Level        string            `json:"level"`
		Message      Text              `json:"message"`
		Locations    []Location        `json:"locations"`
		Related      []Location        `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Suppressions []Suppression     `json:"suppressions,omitempty"`
		Properties   any               `json:"properties,omitempty"`
	}
	Location struct {
		ID       int       `json:"id,omitempty"`
		Physical *Physical `json:"physicalLocation,omitempty"`
		Logical  []Logical `json:"logicalLocations,omitempty"`
		Message  *Text     `json:"message,omitempty"`
	}
	Physical struct {
		Artifact Artifact `json:"artifactLocation"`
		Region   *Region  `json:"region,omitempty"`
	}
	Artifact struct {
		URI string `json:"uri"`
	}
	Region struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn"`
	}
	Logical struct {
		Name string `json:"fullyQualifiedName"`
	}
	Suppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// New returns a log with one run of mcpgen.
func New(run Run) Log {
	run.Tool.Driver.Name, run.Tool.Driver.URI = "mcpgen", "https://github.com/mcpgen/mcpgen"
	run.ColumnKind = "unicodeCodePoints"
	return Log{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []Run{run}}
}

// Levels are the levels of the severities of issues.
var Levels = map[report.Severity]string{report.Error: "error", report.Warning: "warning", report.Notice: "note"}

// Of returns the result of an issue. Scheme names the form of its fingerprint.
func Of(i report.Issue, scheme string) Result {
	out := Result{
		RuleID: i.Rule, Level: Levels[i.Severity], Message: Text{Text: report.Visible(strings.Join(append([]string{i.Title}, i.Lines...), " "))},
		Locations:    []Location{{Physical: File(i.File, i.Line, i.Column), Logical: []Logical{{Name: i.Subject}}}},
		Fingerprints: map[string]string{scheme: i.Fingerprint},
	}
	if i.Accepted != "" {
		out.Suppressions = []Suppression{{Kind: "external", Justification: i.Accepted}}
	}
	return out
}

// File returns a location in a file, or nil if file is "". A line of 0 means the whole file.
func File(file string, line, column int) *Physical {
	if file == "" {
		return nil
	}
	reference := url.URL{Path: filepath.ToSlash(file)}
	out := &Physical{Artifact: Artifact{reference.String()}}
	if line > 0 {
		out.Region = &Region{line, column}
	}
	return out
}
