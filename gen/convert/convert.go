// Package convert compares the ir of adjacent revisions and decides how values are
// converted, up to the newer revision and down to the older one. The result is a table of
// shapes, which describe the differences; package emit renders it, and runtime/convert
// applies it to JSON texts.
//
// Names are stable across revisions, so declarations and members are paired by name. The
// table in table.go holds the facts that names and types do not express. A difference that
// neither covers is an error.
package convert

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// Step holds the conversions between two adjacent revisions.
type Step struct {
	Older, Newer *ir.Revision
	// Definitions are sorted by the newer name, then by the older one.
	Definitions []Definition
	// Up and Down are sorted by name.
	Up, Down []*Shape
}

// Definition says how the values of a declaration are converted. Methods use pairs of
// declarations with different names, for example for a union of results.
type Definition struct {
	Older, Newer string // the names for the New functions of the generated packages
	Up, Down     Rule
}

// Rule converts a value by a shape. Without one, it keeps the value, or None is set and
// the value cannot be converted.
type Rule struct {
	Shape *Shape
	None  bool
}

// Shape describes the differences between the values of a type in two revisions; see
// convert.Shape in the runtime, which has the same fields.
type Shape struct {
	Name      string // a Go identifier
	Members   []Member
	Each      *Shape
	LeaveOut  bool
	Cases     []Case
	Otherwise string
}

// Member describes a member of an object. Kinds is empty if any kind is allowed.
type Member struct {
	Name    string
	Rewrite string // a function of runtime/convert/policy.go
	Shape   *Shape
	Kinds   []ir.Kind
	Integer bool // numbers must be integers
	Drop    string
	Require string
	Default string // JSON
	Const   bool
}

// Case describes a variant of a union. An empty Kind matches every value.
type Case struct {
	Kind    ir.Kind
	When    []Condition
	Rewrite string
	Shape   *Shape
	Refuse  string
}

// Condition is a condition on the member at a path: that it has the value Is, which is
// JSON, that it is absent, or that it is present.
type Condition struct {
	Path   []string
	Is     string
	Absent bool
}

// Steps pairs each revision with the next one. The revisions are sorted, oldest first.
func Steps(revisions []*ir.Revision) ([]*Step, error) {
	t := newTables()
	var steps []*Step
	var newer []string
	var errs []error
	for i := 1; i < len(revisions); i++ {
		p := newPairing(revisions[i-1], revisions[i], t)
		steps = append(steps, p.run())
		newer = append(newer, revisions[i].ID)
		errs = append(errs, p.errs...)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return steps, t.unused(newer)
}

func (p *pairing) run() *Step {
	for _, d := range p.older.Decls {
		if newer := p.counterpart(d, true); newer != nil {
			p.define(d, newer)
		}
	}
	for _, m := range p.older.Methods {
		i := slices.IndexFunc(p.newer.Methods, func(n *ir.Method) bool { return n.Wire == m.Wire })
		if i < 0 {
			continue
		}
		p.define(m.Params, p.newer.Methods[i].Params)
		if m.Result != nil {
			p.define(m.Result, p.newer.Methods[i].Result)
		}
	}
	step := &Step{Older: p.older, Newer: p.newer}
	step.Definitions = p.definitions()
	for _, d := range step.Definitions {
		step.Up = d.Up.Shape.collect(step.Up)
		step.Down = d.Down.Shape.collect(step.Down)
	}
	for _, list := range [][]*Shape{step.Up, step.Down} {
		slices.SortFunc(list, func(a, b *Shape) int { return cmp.Compare(a.Name, b.Name) })
		for i := 1; i < len(list); i++ {
			if list[i].Name == list[i-1].Name {
				p.fail(list[i].Name, "two shapes have this name")
			}
		}
	}
	return step
}

// definitions returns the rows of the step. Shapes without an effect are removed.
func (p *pairing) definitions() []Definition {
	p.prune()
	var all []Definition
	for _, d := range p.defined {
		all = append(all, Definition{newName(d.older), newName(d.newer), p.rule(d.up, d.upOK), p.rule(d.down, d.downOK)})
	}
	slices.SortFunc(all, func(a, b Definition) int {
		return cmp.Or(cmp.Compare(a.Newer, b.Newer), cmp.Compare(a.Older, b.Older))
	})
	return all
}

func (p *pairing) rule(s *Shape, ok bool) Rule {
	if !ok {
		return Rule{None: true}
	}
	return Rule{Shape: p.effective(s)}
}

// newName returns the name under which a generated package's New knows a declaration.
func newName(d *ir.Decl) string {
	if d.Definition {
		return d.Path
	}
	return d.Name
}

// collect appends the shape and those below it that are not in the list.
func (s *Shape) collect(list []*Shape) []*Shape {
	if s == nil || slices.Contains(list, s) {
		return list
	}
	list = append(list, s)
	for _, below := range s.below() {
		list = (*below).collect(list)
	}
	return list
}

// below returns the places of the shapes that the shape refers to.
func (s *Shape) below() []**Shape {
	all := []**Shape{&s.Each}
	for i := range s.Members {
		all = append(all, &s.Members[i].Shape)
	}
	for i := range s.Cases {
		all = append(all, &s.Cases[i].Shape)
	}
	return all
}

// prune removes the shapes without an effect from all others.
func (p *pairing) prune() {
	p.effects = map[*Shape]bool{}
	for changed := true; changed; {
		changed = false
		for _, s := range p.shapes {
			if !p.effects[s] && s.hasEffect(p.effects) {
				p.effects[s], changed = true, true
			}
		}
	}
	for _, s := range p.shapes {
		for _, below := range s.below() {
			*below = p.effective(*below)
		}
		s.Members = slices.DeleteFunc(s.Members, func(m Member) bool { return !m.hasEffect() && m.Shape == nil })
		for i := len(s.Cases) - 1; i >= 0; i-- {
			if s.Otherwise == "" && s.Cases[i].isRedundant(s.Cases[i+1:]) {
				s.Cases = slices.Delete(s.Cases, i, i+1)
			}
		}
	}
}

// isRedundant reports whether a case keeps its values, and no later case would match them.
func (c Case) isRedundant(later []Case) bool {
	return !c.hasEffect() && c.Shape == nil && !slices.ContainsFunc(later, func(o Case) bool { return !c.excludes(o) })
}

// excludes reports whether no value matches both cases: they have different kinds, or
// require different values of the same member.
func (c Case) excludes(o Case) bool {
	return c.Kind != o.Kind || slices.ContainsFunc(c.When, func(a Condition) bool {
		return slices.ContainsFunc(o.When, func(b Condition) bool {
			return slices.Equal(a.Path, b.Path) && a.Is != b.Is && (a.Is != "" || a.Absent) && (b.Is != "" || b.Absent)
		})
	})
}

// effective returns the shape, or nil if it has no effect.
func (p *pairing) effective(s *Shape) *Shape {
	if s == nil || !p.effects[s] {
		return nil
	}
	return s
}

func (s *Shape) hasEffect(effects map[*Shape]bool) bool {
	return s.Otherwise != "" || s.LeaveOut ||
		slices.ContainsFunc(s.below(), func(below **Shape) bool { return effects[*below] }) ||
		slices.ContainsFunc(s.Members, Member.hasEffect) || slices.ContainsFunc(s.Cases, Case.hasEffect)
}

// hasEffect reports whether a member changes, apart from its value.
func (m Member) hasEffect() bool {
	return m.Rewrite != "" || len(m.Kinds) > 0 || m.Drop != "" || m.Require != "" || m.Default != ""
}

// hasEffect reports whether a variant changes, apart from its shape.
func (c Case) hasEffect() bool { return c.Rewrite != "" || c.Refuse != "" }

func (p *pairing) fail(place, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s to %s: %s: %s", p.older.ID, p.newer.ID, place, fmt.Sprintf(format, args...)))
}
