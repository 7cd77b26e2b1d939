package diff

import (
	"maps"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/gen/config"
	"github.com/mcpgen/mcpgen/gen/yaml"
)

// ParseConfig reads the policy from the member "compat" of an mcpgen.yaml file, and the other members
// with the readers that others returns for their keys; others may be nil. The error joins one error for
// each problem, each of which begins with name, line and column.
func ParseConfig(name string, src []byte, others func(f *config.File) map[string]config.Reader) (*Policy, error) {
	policy := &Policy{}
	err := config.Read(name, src, func(f *config.File) map[string]config.Reader {
		keys := map[string]config.Reader{}
		if others != nil {
			keys = others(f)
		}
		c := &policyReader{f}
		keys["compat"] = func(n *yaml.Node) { c.policy(n, policy) }
		return keys
	})
	if err != nil {
		return nil, err
	}
	return policy, nil
}

// policyReader reads the policy in an mcpgen.yaml file.
type policyReader struct{ *config.File }

func (c *policyReader) policy(n *yaml.Node, p *Policy) {
	c.Mapping(n, "compat", map[string]config.Reader{
		"upgrade": func(n *yaml.Node) {
			p.Upgrade = Upgrade(c.Text(n, "upgrade"))
			if !slices.Contains(Upgrades(), p.Upgrade) {
				c.Fail(n, "upgrade: unknown value %q: expected server, client or either", p.Upgrade)
			}
		},
		"profile": func(n *yaml.Node) {
			p.Profile = Profile(c.Text(n, "profile"))
			if !slices.Contains(Profiles(), p.Profile) {
				c.Fail(n, "profile: unknown value %q: expected wire, typed or model", p.Profile)
			}
		},
		"fail-on": func(n *yaml.Node) {
			var err error
			if p.FailOn, err = ParseFailOn(c.Text(n, "fail-on")); err != nil {
				c.Fail(n, "fail-on: %v", err)
			}
		},
		"severity": func(n *yaml.Node) { c.severity(n, p) },
		"ignore": func(n *yaml.Node) {
			c.Sequence(n, "ignore", func(n *yaml.Node) {
				var s Selector
				c.Mapping(n, "ignore", c.selector(&s, "ignore"))
				if s == (Selector{}) {
					c.Fail(n, "ignore: expected a rule, a tool or a path")
				}
				p.Ignore = append(p.Ignore, s)
			})
		},
		"accept": func(n *yaml.Node) {
			c.Sequence(n, "accept", func(n *yaml.Node) { p.Accept = append(p.Accept, c.acceptance(n)) })
		},
	})
}

// severity reads the levels of rules.
func (c *policyReader) severity(n *yaml.Node, p *Policy) {
	p.Severity = map[string]Level{}
	known := map[string]config.Reader{}
	for id := range ruleTable() {
		known[id] = func(n *yaml.Node) {
			level := Level(c.Text(n, "severity"))
			if !slices.Contains(levels[1:], level) || level == LevelUndecided {
				c.Fail(n, "severity: %s: unknown level %q: expected err, warn or info", id, level)
			}
			p.Severity[id] = level
		}
	}
	c.Mapping(n, "severity", known)
}

// selector returns readers for the keys of a selector.
func (c *policyReader) selector(s *Selector, what string) map[string]config.Reader {
	return map[string]config.Reader{
		"rule": func(n *yaml.Node) {
			s.Rule = c.Text(n, what+": rule")
			ids := slices.Sorted(maps.Keys(ruleTable()))
			if !slices.ContainsFunc(ids, func(id string) bool { return glob(s.Rule, id) }) {
				c.Fail(n, "%s: unknown rule %q%s", what, s.Rule, config.Suggestion(s.Rule, ids))
			}
		},
		"tool": func(n *yaml.Node) { s.Tool = c.Text(n, what+": tool") },
		"path": func(n *yaml.Node) { s.Path = c.Text(n, what+": path") },
	}
}

func (c *policyReader) acceptance(n *yaml.Node) Acceptance {
	a := Acceptance{Where: c.Where(n)}
	before := c.Failed()
	keys := c.selector(&a.Selector, "accept")
	keys["fingerprint"] = func(n *yaml.Node) { a.Fingerprint = c.Text(n, "accept: fingerprint") }
	keys["reason"] = func(n *yaml.Node) { a.Reason = c.Text(n, "accept: reason") }
	keys["until"] = func(n *yaml.Node) {
		a.Until = c.Text(n, "accept: until")
		if _, err := time.Parse(time.DateOnly, a.Until); err != nil {
			c.Fail(n, "accept: until: expected a date such as 2026-12-31, found %q", a.Until)
		}
	}
	c.Mapping(n, "accept", keys)
	switch {
	case c.Failed() > before:
	case a.Fingerprint == "" && a.Selector == Selector{}:
		c.Fail(n, "accept: expected a fingerprint, or a rule, a tool or a path")
	case a.Fingerprint != "" && a.Selector != Selector{}:
		c.Fail(n, "accept: a fingerprint cannot be combined with %s", &Acceptance{Selector: a.Selector})
	case a.Reason == "":
		c.Fail(n, "accept: %s: expected a reason", &a)
	}
	return a
}
