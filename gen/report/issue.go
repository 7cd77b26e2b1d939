package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"path/filepath"
	"strings"
)

// Severity is how bad an issue is, in the words of GitHub.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Notice  Severity = "notice"
)

// Issue is a finding for programs that show findings beside the lines of files.
type Issue struct {
	Rule     string
	Severity Severity
	// Group is what the finding is about, such as a tool, and Subject is the part of it.
	Group, Subject string
	// Title is the finding on one line, and Lines explain it.
	Title string
	Lines []string
	// File is a path, or "" for an issue without a place. A line of 0 means the whole file.
	File         string
	Line, Column int
	// Fingerprint identifies the issue among those of a report.
	Fingerprint string
	// Fails says that the issue makes a check fail.
	Fails bool
	// Accepted is the reason why the issue is known and is not a problem, or "".
	Accepted string
}

// Text returns the title and the lines.
func (i Issue) Text() string { return strings.Join(append([]string{i.Title}, i.Lines...), "\n") }

// Annotations writes issues that are not accepted as workflow commands of GitHub.
func (p *Printer) Annotations(issues []Issue) {
	for _, i := range issues {
		if i.Accepted == "" {
			p.Command(string(i.Severity), i.Rule, i.File, i.Line, i.Column, Visible(i.Text()))
		}
	}
}

// codeQuality is an element of a report of GitLab's code quality.
type codeQuality struct {
	Description string `json:"description"`
	CheckName   string `json:"check_name"`
	Fingerprint string `json:"fingerprint"`
	Severity    string `json:"severity"`
	Location    struct {
		Path  string `json:"path"`
		Lines struct {
			Begin int `json:"begin"`
		} `json:"lines"`
	} `json:"location"`
}

// CodeQuality writes issues that are not accepted as a code quality report of GitLab.
func (p *Printer) CodeQuality(issues []Issue) {
	severities := map[Severity]string{Error: "major", Warning: "minor", Notice: "info"}
	list := []codeQuality{}
	for _, i := range issues {
		if i.Accepted != "" {
			continue
		}
		sum := sha256.Sum256([]byte(strings.Join([]string{i.File, i.Group, i.Rule, i.Fingerprint}, "\x00")))
		one := codeQuality{Description: Visible(strings.ReplaceAll(i.Text(), "\n", " ")), CheckName: i.Rule, Fingerprint: hex.EncodeToString(sum[:16]), Severity: severities[i.Severity]}
		one.Location.Path, one.Location.Lines.Begin = filepath.ToSlash(i.File), max(1, i.Line)
		list = append(list, one)
	}
	p.JSON(list)
}

// Suite is a report as the tests of a suite.
type Suite struct {
	Name   string
	Issues []Issue
	// Summary is the text for people.
	Summary string
}

type (
	junitSuites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Suites   []junitSuite
	}
	junitSuite struct {
		XMLName  xml.Name `xml:"testsuite"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Skipped  int      `xml:"skipped,attr"`
		Cases    []junitCase
		Output   string `xml:"system-out"`
	}
	junitCase struct {
		XMLName xml.Name   `xml:"testcase"`
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		File    string     `xml:"file,attr,omitempty"`
		Line    int        `xml:"line,attr,omitempty"`
		Skipped *junitText `xml:"skipped"`
		Failure *junitText `xml:"failure"`
		Output  string     `xml:"system-out,omitempty"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes suites as JUnit XML. An issue is a test, whose class is the group: one that fails is
// a failure, and an accepted one is skipped. A suite without issues has one test that passes.
func (p *Printer) JUnit(name string, suites []Suite) {
	all := junitSuites{Name: name}
	for _, s := range suites {
		suite := junitSuite{Name: Visible(s.Name), Output: Visible(s.Summary)}
		for _, i := range s.Issues {
			test := junitCase{Class: Visible(i.Group), Name: Visible(i.Title + " [" + i.Rule + "]"), File: filepath.ToSlash(i.File), Line: i.Line}
			switch text := Visible(i.Text()); {
			case i.Accepted != "":
				test.Skipped = &junitText{Message: Visible("accepted: " + i.Accepted)}
				suite.Skipped++
			case i.Fails:
				test.Failure = &junitText{Visible(i.Title), i.Rule, text}
				suite.Failures++
			default:
				test.Output = text
			}
			suite.Cases = append(suite.Cases, test)
		}
		if len(suite.Cases) == 0 {
			suite.Cases = []junitCase{{Class: name, Name: "no findings"}}
		}
		suite.Tests = len(suite.Cases)
		all.Suites = append(all.Suites, suite)
		all.Tests, all.Failures, all.Skipped = all.Tests+suite.Tests, all.Failures+suite.Failures, all.Skipped+suite.Skipped
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if p.Err = cmp.Or(p.Err, err); p.Err == nil {
		_, p.Err = p.W.Write(append([]byte(xml.Header), append(text, '\n')...))
	}
}
