package diff

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Policy says how a project judges findings.
type Policy struct {
	// Upgrade is the order of upgrades whose levels count. "" is [UpgradeServer]
	// for lists of tools and [UpgradeEither] for revisions.
	Upgrade Upgrade
	// FailOn is what makes a comparison fail; nil is a finding of level err.
	FailOn FailOn
	// Severity sets the levels of rules, in every order of upgrades.
	Severity map[string]Level
	// Ignore matches findings that are left out of the report.
	Ignore []Selector
	// Accept matches findings that are known and fine.
	Accept []Acceptance
}

// Selector matches findings. Tool and Path are patterns in which * stands for
// any characters and ? for one; so is Rule. An empty pattern matches everything.
type Selector struct {
	Rule string `json:"rule,omitempty"`
	Tool string `json:"tool,omitempty"`
	// Path is that of the finding's subject, of a tool the part behind its name:
	// "input.tone".
	Path string `json:"path,omitempty"`
}

// Acceptance says that findings are known and why they are fine. It is about the
// finding with a fingerprint, or about all that its selector matches.
type Acceptance struct {
	Fingerprint string `json:"-"`
	Selector    `json:"-"`
	Reason      string `json:"reason"`
	// Until is the last day it holds, "2026-12-31"; "" is forever.
	Until string `json:"until,omitempty"`
	// Where is the place in the policy's file, "mcpgen.yaml:3:5".
	Where string `json:"-"`
}

// matches reports whether a selector is about a finding.
func (s Selector) matches(f *Finding) bool {
	path := f.Subject
	if f.Tool != "" {
		path = strings.TrimPrefix(strings.TrimPrefix(path, f.Tool), ".")
	}
	return (s.Rule == "" || glob(s.Rule, f.Rule)) &&
		(s.Tool == "" || f.Tool != "" && glob(s.Tool, f.Tool)) &&
		(s.Path == "" || glob(s.Path, path))
}

func (a *Acceptance) matches(f *Finding) bool {
	if a.Fingerprint != "" {
		return a.Fingerprint == f.Fingerprint
	}
	return a.Selector.matches(f)
}

// String says what an acceptance is about.
func (a *Acceptance) String() string {
	var parts []string
	for _, part := range [][2]string{{"fingerprint", a.Fingerprint}, {"rule", a.Rule}, {"tool", a.Tool}, {"path", a.Path}} {
		if part[1] != "" {
			parts = append(parts, part[0]+" "+part[1])
		}
	}
	return strings.Join(parts, ", ")
}

// glob reports whether a text matches a pattern with * and ?.
func glob(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	star, mark := -1, 0 // of the last *, and the text that it has taken
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(string(p[i:]), "*") == ""
}

// Apply judges reports on a day: it sets the levels of their findings, leaves out
// the ignored ones and marks those that are accepted and those that fail. Acceptances that have expired, or
// that match no finding of any report, become warnings.
func (p *Policy) Apply(reports []*Report, today time.Time) {
	day := today.Format(time.DateOnly)
	used := make([]bool, len(p.Accept))
	failOn := p.FailOn
	if failOn == nil {
		failOn = FailOn{{Level: LevelErr}}
	}
	for _, r := range reports {
		kept := slices.DeleteFunc(slices.Clone(r.Findings), func(f *Finding) bool {
			return slices.ContainsFunc(p.Ignore, func(s Selector) bool { return s.matches(f) })
		})
		r.Summary.Ignored, r.Findings = len(r.Findings)-len(kept), kept
		order := p.Upgrade
		if order == "" {
			order = r.defaultUpgrade()
		}
		r.SetUpgrade(order)
		for _, f := range r.Findings {
			if level, ok := p.Severity[f.Rule]; ok {
				f.ServerFirst.Level, f.ClientFirst.Level = level, level
				f.level(order)
			}
			f.Accepted = nil
		}
		for i := range p.Accept {
			used[i] = r.accept(&p.Accept[i], day) || used[i]
		}
		r.settle()
		for _, f := range r.Findings {
			f.Fails = f.Accepted == nil && slices.ContainsFunc(failOn, func(c Condition) bool { return c.met(f) })
		}
	}
	for i := range p.Accept {
		if row := &p.Accept[i]; !used[i] && row.applies(reports) {
			r := reports[len(reports)-1]
			r.Warnings = append(r.Warnings, fmt.Sprintf("%sthis acceptance matches no finding: %s (%s)", row.at(), row, row.Reason))
		}
	}
}

// accept marks the findings that an acceptance matches, and reports whether there
// are any.
func (r *Report) accept(row *Acceptance, day string) bool {
	var found []*Finding
	for _, f := range r.Findings {
		if row.matches(f) {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return false
	}
	if row.Until != "" && row.Until < day {
		what := fmt.Sprintf("%s at %s", found[0].Rule, found[0].Subject)
		if len(found) > 1 {
			what = fmt.Sprintf("%d findings", len(found))
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("%sthis acceptance expired on %s: %s (%s)", row.at(), row.Until, row, what))
		return true
	}
	for _, f := range found {
		if f.Accepted == nil {
			f.Accepted = row
		}
	}
	return true
}

// at begins a warning with the place in the policy's file.
func (a *Acceptance) at() string {
	if a.Where == "" {
		return ""
	}
	return a.Where + ": "
}

// applies reports whether an acceptance can match findings of the reports: one
// about tools has nothing to do with revisions.
func (a *Acceptance) applies(reports []*Report) bool {
	return slices.ContainsFunc(reports, func(r *Report) bool { return a.Tool == "" || r.Kind == "tools" })
}

// Failed reports whether a finding meets a condition of the policy.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Fails })
}

// FailOn is a list of conditions, one of which a finding has to meet for the
// comparison to fail. An empty list never fails.
type FailOn []Condition

// Condition is met by findings that have at least a level.
type Condition struct {
	Level Level
	// Upgrade, unless it is "", takes the level of this order of upgrades instead
	// of the report's.
	Upgrade Upgrade
	// Sent, unless it is "", leaves out values that are not sent this way.
	Sent Direction
}

// conditions are the names that a condition may have.
var conditions = map[string]Condition{
	"server":    {Upgrade: UpgradeServer},
	"client":    {Upgrade: UpgradeClient},
	"to-server": {Sent: ToServer},
	"to-client": {Sent: ToClient},
}

// ParseFailOn reads conditions: "err", "warn" and "info" of the report's order of
// upgrades, "server=err" and "client=err" of one order, "to-server=err" and
// "to-client=err" of the values sent to one side, with commas between them; or
// "none".
func ParseFailOn(text string) (FailOn, error) {
	list := FailOn{}
	if text == "none" {
		return list, nil
	}
	for term := range strings.SplitSeq(text, ",") {
		name, level, named := strings.Cut(strings.TrimSpace(term), "=")
		c, known := conditions[name]
		switch {
		case !named:
			level = name
		case !known:
			return nil, fmt.Errorf("unknown name %q: it is server, client, to-server or to-client", name)
		}
		if c.Level = Level(level); !slices.Contains(levels[1:], c.Level) {
			return nil, fmt.Errorf("unknown level %q: it is err, warn or info; none stands alone", level)
		}
		list = append(list, c)
	}
	return list, nil
}

func (c Condition) met(f *Finding) bool {
	level := f.Level
	switch c.Upgrade {
	case UpgradeServer:
		level = worse(f.ServerFirst.Level, LevelInfo)
	case UpgradeClient:
		level = worse(f.ClientFirst.Level, LevelInfo)
	}
	return level.AtLeast(c.Level) && (c.Sent == "" || f.Direction == c.Sent || f.Direction == BothWays)
}
