package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/gen/report"
)

// group has the findings about a tool, or about anything else that a server offers.
type group struct {
	name     string
	findings []*diff.Finding
}

// groups returns the findings of a report by what they are about, the worst first. Those of
// revisions, which share definitions, are one group.
func groups(r *diff.Report) []*group {
	var list []*group
	byName := map[string]*group{}
	for _, f := range r.Findings { // the worst first
		name := groupOf(r, f)
		if r.Kind != "tools" {
			name = ""
		}
		if byName[name] == nil {
			byName[name] = &group{name: name}
			list = append(list, byName[name])
		}
		byName[name].findings = append(byName[name].findings, f)
	}
	return list
}

// groupOf returns the name of the group of a finding.
func groupOf(r *diff.Report, f *diff.Finding) string {
	switch {
	case f.Tool != "":
		return f.Tool
	case r.Kind == "tools":
		return f.Subject
	}
	name, _, _ := strings.Cut(f.Subject, ".")
	return name
}

// first returns the first findings, at most a number unless it is 0, and how many are left out.
func (g *group) first(most int) (shown []*diff.Finding, left int) {
	if most <= 0 || len(g.findings) <= most || g.name == "" {
		return g.findings, 0
	}
	return g.findings[:most], len(g.findings) - most
}

// counts returns the numbers of findings by level in words.
func (g *group) counts() string {
	var parts []string
	for _, level := range []diff.Level{diff.LevelErr, diff.LevelUndecided, diff.LevelWarn, diff.LevelInfo} {
		n := len(slices.DeleteFunc(atLevel(g.findings, level), func(f *diff.Finding) bool { return f.Accepted != nil }))
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, level))
		}
	}
	if parts == nil {
		return "accepted"
	}
	return strings.Join(parts, ", ")
}

// moreFindings says how many findings are left out, about a group or in all.
func moreFindings(n int, name string) string {
	text := report.Plural(n, "more finding")
	if name != "" {
		text += " about " + name
	}
	return text + "; --most 0 shows all"
}
