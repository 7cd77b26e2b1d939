package diff

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/mcpgen/mcpgen/gen/diff/locate"
)

// ParseConfig reads the policy from the member "compat" of an mcpgen.yaml file. The error joins
// one error for each problem, each of which begins with name, line and column.
func ParseConfig(name string, src []byte) (*Policy, error) {
	c := &config{name: name, rules: newRuleTable()}
	file, err := parser.ParseBytes(src, 0)
	if err != nil {
		return nil, c.syntax(err)
	}
	policy := &Policy{}
	if len(file.Docs) > 1 {
		c.fail(file.Docs[1].Body, "the file has a second document; it must have one")
	}
	if len(file.Docs) > 0 && file.Docs[0].Body != nil {
		root := file.Docs[0].Body
		c.anchors = locate.Anchors(root)
		c.mapping(root, "", map[string]reader{"compat": func(n ast.Node) { c.policy(n, policy) }})
	}
	return policy, errors.Join(c.errs...)
}

// config reads the nodes of an mcpgen.yaml file.
type config struct {
	name    string
	anchors map[string]ast.Node
	rules   ruleTable
	errs    []error
}

// reader reads the value of a key.
type reader func(n ast.Node)

// syntax converts an error of the parser.
func (c *config) syntax(err error) error {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil {
		return fmt.Errorf("%s:%d:%d: %s", c.name, syntax.Token.Position.Line, syntax.Token.Position.Column, syntax.Message)
	}
	line, _, _ := strings.Cut(err.Error(), "\n") // the rest is an excerpt of the source
	return fmt.Errorf("%s: %s", c.name, line)
}

func (c *config) fail(n ast.Node, format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf("%s: %s", c.where(n), fmt.Sprintf(format, args...)))
}

// where returns the location of a node, such as "mcpgen.yaml:3:5".
func (c *config) where(n ast.Node) string {
	if n == nil {
		return c.name + ":1:1"
	}
	at := locate.Start(n)
	return fmt.Sprintf("%s:%d:%d", c.name, at.Line, at.Column)
}

// mapping reads the known keys of a mapping. Errors begin with what. A missing value is an
// empty mapping.
func (c *config) mapping(n ast.Node, what string, known map[string]reader) {
	content := locate.Content(n, c.anchors)
	if _, empty := content.(*ast.NullNode); empty {
		return
	}
	members, ok := locate.Members(content)
	if !ok {
		c.fail(n, "%sexpected a mapping, found %s", prefix(what), found(content))
		return
	}
	for _, m := range members {
		name := locate.Name(m)
		if read, ok := known[name]; ok {
			read(m.Value)
			continue
		}
		c.fail(m, "%sunknown key %q%s", prefix(what), name, suggestion(name, slices.Sorted(maps.Keys(known))))
	}
}

// sequence reads the elements of a list.
func (c *config) sequence(n ast.Node, what string, read reader) {
	content := locate.Content(n, c.anchors)
	if _, empty := content.(*ast.NullNode); empty {
		return
	}
	list, ok := content.(*ast.SequenceNode)
	if !ok {
		c.fail(n, "%sexpected a list, found %s", prefix(what), found(content))
		return
	}
	for _, element := range list.Values {
		read(element)
	}
}

// text returns a scalar as written, so that a fingerprint of digits is not read as a number.
func (c *config) text(n ast.Node, what string) string {
	switch t := locate.Content(n, c.anchors).(type) {
	case *ast.StringNode:
		return t.Value
	case *ast.LiteralNode:
		return strings.TrimSpace(t.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return t.GetToken().Value
	case *ast.NullNode:
	default:
		c.fail(n, "%sexpected a text, found %s", prefix(what), found(t))
	}
	return ""
}

func prefix(what string) string {
	if what == "" {
		return ""
	}
	return what + ": "
}

// found describes the kind of a node.
func found(n ast.Node) string {
	switch n.(type) {
	case nil:
		return "an alias without an anchor"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode:
		return "nothing"
	}
	return fmt.Sprintf("%q", n.GetToken().Value)
}

func (c *config) policy(n ast.Node, p *Policy) {
	c.mapping(n, "compat", map[string]reader{
		"upgrade": func(n ast.Node) {
			p.Upgrade = Upgrade(c.text(n, "upgrade"))
			if !slices.Contains(Upgrades(), p.Upgrade) {
				c.fail(n, "upgrade: unknown value %q: expected server, client or either", p.Upgrade)
			}
		},
		"fail-on": func(n ast.Node) {
			var err error
			if p.FailOn, err = ParseFailOn(c.text(n, "fail-on")); err != nil {
				c.fail(n, "fail-on: %v", err)
			}
		},
		"severity": func(n ast.Node) { c.severity(n, p) },
		"ignore": func(n ast.Node) {
			c.sequence(n, "ignore", func(n ast.Node) {
				var s Selector
				c.mapping(n, "ignore", c.selector(&s, "ignore"))
				if s == (Selector{}) {
					c.fail(n, "ignore: expected a rule, a tool or a path")
				}
				p.Ignore = append(p.Ignore, s)
			})
		},
		"accept": func(n ast.Node) {
			c.sequence(n, "accept", func(n ast.Node) { p.Accept = append(p.Accept, c.acceptance(n)) })
		},
	})
}

// severity reads the levels of rules.
func (c *config) severity(n ast.Node, p *Policy) {
	p.Severity = map[string]Level{}
	known := map[string]reader{}
	for id := range c.rules {
		known[id] = func(n ast.Node) {
			level := Level(c.text(n, "severity"))
			if !slices.Contains(levels[1:], level) {
				c.fail(n, "severity: %s: unknown level %q: expected err, warn or info", id, level)
			}
			p.Severity[id] = level
		}
	}
	c.mapping(n, "severity", known)
}

// selector returns readers for the keys of a selector.
func (c *config) selector(s *Selector, what string) map[string]reader {
	return map[string]reader{
		"rule": func(n ast.Node) {
			s.Rule = c.text(n, what+": rule")
			ids := slices.Sorted(maps.Keys(c.rules))
			if !slices.ContainsFunc(ids, func(id string) bool { return glob(s.Rule, id) }) {
				c.fail(n, "%s: unknown rule %q%s", what, s.Rule, suggestion(s.Rule, ids))
			}
		},
		"tool": func(n ast.Node) { s.Tool = c.text(n, what+": tool") },
		"path": func(n ast.Node) { s.Path = c.text(n, what+": path") },
	}
}

func (c *config) acceptance(n ast.Node) Acceptance {
	a := Acceptance{Where: c.where(n)}
	before := len(c.errs)
	keys := c.selector(&a.Selector, "accept")
	keys["fingerprint"] = func(n ast.Node) { a.Fingerprint = c.text(n, "accept: fingerprint") }
	keys["reason"] = func(n ast.Node) { a.Reason = c.text(n, "accept: reason") }
	keys["until"] = func(n ast.Node) {
		a.Until = c.text(n, "accept: until")
		if _, err := time.Parse(time.DateOnly, a.Until); err != nil {
			c.fail(n, "accept: until: expected a date such as 2026-12-31, found %q", a.Until)
		}
	}
	c.mapping(n, "accept", keys)
	switch {
	case len(c.errs) > before:
	case a.Fingerprint == "" && a.Selector == Selector{}:
		c.fail(n, "accept: expected a fingerprint, or a rule, a tool or a path")
	case a.Fingerprint != "" && a.Selector != Selector{}:
		c.fail(n, "accept: a fingerprint cannot be combined with %s", a.Selector.names())
	case a.Reason == "":
		c.fail(n, "accept: %s: expected a reason", &a)
	}
	return a
}

// names returns the criteria of a selector.
func (s Selector) names() string {
	a := Acceptance{Selector: s}
	return a.String()
}

// suggestion returns a remark that names the known word closest to an unknown one.
func suggestion(word string, known []string) string {
	best, least := "", len(word)/3+2
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		if len(known) <= 8 {
			return fmt.Sprintf("; expected one of %s", strings.Join(known, ", "))
		}
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// distance returns the number of bytes to insert, delete or replace to turn one word into
// another.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
