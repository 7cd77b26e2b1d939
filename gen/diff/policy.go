package diff

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Policy is a project's configuration for reports.
type Policy struct {
	// Upgrade is the order of upgrades whose levels count. It defaults to [UpgradeServer]
	// for tool lists and to [UpgradeEither] for revisions.
	Upgrade Upgrade
	// Profile says what the comparison is about.
	Profile Profile
	// FailOn lists the conditions for failure. It defaults to any finding of level undecided or err,
	// or that fails by the profile.
	FailOn FailOn
	// Severity overrides the levels of rules in every order of upgrades.
	Severity map[string]Level
	// Ignore matches findings that the report omits.
	Ignore []Selector
	// Accept matches known findings that are not a problem.
	Accept []Acceptance
}

// Selector matches findings. All fields are patterns in which * matches any characters and ?
// matches one character. An empty pattern matches everything.
type Selector struct {
	Rule string `json:"rule,omitempty"`
	Tool string `json:"tool,omitempty"`
	// Path matches the subject of the finding. For a tool it matches the part after the tool's
	// name: "input.tone".
	Path string `json:"path,omitempty"`
}

// Acceptance states that findings are known and why they are not a problem. It matches the
// finding with its fingerprint, or all findings that its selector matches.
type Acceptance struct {
	Fingerprint string `json:"-"`
	Selector    `json:"-"`
	Reason      string `json:"reason"`
	// Until is the last day on which the acceptance is valid, such as "2026-12-31". "" means
	// that it does not expire.
	Until string `json:"until,omitempty"`
	// Where is the location in the policy's file, such as "mcpgen.yaml:3:5".
	Where string `json:"-"`
}

// NoReason begins the reasons that are still to be filled in.
const NoReason = "TODO"

// matches reports whether a selector matches a finding.
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

// String returns the criteria of an acceptance.
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
	expression := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile("(?s)^" + expression + "$").MatchString(text)
}

// Apply applies the policy to reports as of a day. It sets the levels of findings, removes
// ignored findings, and marks accepted and failing ones. Acceptances that have expired or match
// no finding of any report produce warnings.
func (p *Policy) Apply(reports []*Report, today time.Time) {
	day := today.Format(time.DateOnly)
	used := make([]bool, len(p.Accept))
	failOn := p.FailOn
	if failOn == nil {
		failOn = FailOn{{Level: LevelUndecided}}
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
			p.Profile.apply(f, ruleTable()[f.Rule])
			f.level(order)
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
			f.Fails = f.Accepted == nil && (slices.ContainsFunc(failOn, func(c Condition) bool { return c.met(f) }) || p.FailOn == nil && p.Profile.fails(f, ruleTable()[f.Rule]))
		}
	}
	for i := range p.Accept {
		row, r := &p.Accept[i], reports[len(reports)-1]
		if used[i] && strings.HasPrefix(row.Reason, NoReason) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%sthis acceptance has no reason yet: %s", row.at(), row))
		}
		if !used[i] && row.applies(reports) {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%sthis acceptance matches no finding: %s (%s)", row.at(), row, row.Reason))
		}
	}
}

// accept marks the findings that an acceptance matches, and reports whether there are any.
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

// at returns the location in the policy's file as the prefix of a warning.
func (a *Acceptance) at() string {
	if a.Where == "" {
		return ""
	}
	return a.Where + ": "
}

// applies reports whether an acceptance can match findings of the reports. An acceptance for a
// tool does not apply to revisions.
func (a *Acceptance) applies(reports []*Report) bool {
	return slices.ContainsFunc(reports, func(r *Report) bool { return a.Tool == "" || r.Kind == "tools" })
}

// Failed reports whether a finding meets a condition of the policy, or the version has not changed
// enough.
func (r *Report) Failed() bool {
	return r.Bump != nil && !r.Bump.Enough || slices.ContainsFunc(r.Findings, func(f *Finding) bool { return f.Fails })
}

// FailOn is a list of conditions. A comparison fails if a finding meets any of them. An empty
// list never fails.
type FailOn []Condition

// Condition is met by findings that have at least a given level.
type Condition struct {
	Level Level
	// Upgrade, if set, selects the order of upgrades whose level counts. It defaults to the
	// order of the report.
	Upgrade Upgrade
	// Sent, if set, restricts the condition to values that are sent in this direction.
	Sent Direction
}

// conditions maps the names of conditions to their restrictions.
var conditions = map[string]Condition{
	"server":    {Upgrade: UpgradeServer},
	"client":    {Upgrade: UpgradeClient},
	"to-server": {Sent: ToServer},
	"to-client": {Sent: ToClient},
}

// ParseFailOn parses a comma-separated list of conditions: "err", "undecided", "warn" and "info" for the
// report's order of upgrades, "server=err" and "client=err" for one order, "to-server=err" and
// "to-client=err" for the values that are sent to one side. "none" is the empty list.
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
			return nil, fmt.Errorf("unknown condition %q: expected server, client, to-server or to-client", name)
		}
		if c.Level = Level(level); !slices.Contains(levels[1:], c.Level) {
			return nil, fmt.Errorf("unknown level %q: expected err, undecided, warn or info, or none alone", level)
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
	return level.AtLeast(c.Level) && (c.Sent == "" || f.Direction.includes(c.Sent))
}
