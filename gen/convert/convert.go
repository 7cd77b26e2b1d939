// Package convert compares the ir of adjacent revisions and decides how values are
// converted, up to the newer revision and down to the older one. The result is a table of
// shapes, which describe the differences; package emit renders it, and runtime/convert
// applies it to JSON texts.
//
// Declarations and members are paired by name, variants by name, constants and structure.
// The rows of spec.Conversions hold the facts that names and types do not express. Where a
// difference is not covered by a row, values that the other revision does not allow are
// refused, and Step.Unbridged names the place.
package convert

import (
	"cmp"
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/spec"
)

// Step holds the conversions between two adjacent revisions.
type Step struct {
	Older, Newer *ir.Revision
	// Definitions are sorted by the newer name, then by the older one.
	Definitions []Definition
	// Up and Down are sorted by name.
	Up, Down []*Shape
	// Errors are the codes of errors that differ.
	Errors []ErrorCode
	// Unbridged names each place where values are refused and no row says why.
	Unbridged []string
}

// Definition says how the values of a declaration are converted; nil keeps them. Methods
// use pairs of declarations with different names, for example for a union of results.
type Definition struct {
	Older, Newer string // the names for the New functions of the generated packages
	Up, Down     *Shape
}

// ErrorCode is a code of errors that differs, for a method or, if that is "", for all; see convert.ErrorCode in the
// runtime.
type ErrorCode struct {
	Older, Newer int64
	Method, Data string
}

// Shape describes the differences between the values of a type in two revisions; see
// convert.Shape in the runtime, which has a check function for each of Rules and for Limits.
type Shape struct {
	Name   string // a Go identifier
	Limits *Limits
	// Touched, if not nil, lists JSON strings. A conversion changes an object that contains none of them, at any
	// depth, at most by adding members.
	Touched   []string
	Members   []Member
	Known     []string // the members of a closed object
	Each      *Shape
	LeaveOut  bool
	Cases     []Case
	Otherwise string
	// Rules lists schemas of the revision converted to, as JSON Pointers, that the converted value must
	// satisfy. Reason is the reason for refusing a value that does not satisfy them or exceeds Limits;
	// if it is "", the reason is the problem itself.
	Rules  []string
	Reason string
}

// Limits are limits of a value. Kinds is empty if any kind is allowed.
type Limits struct {
	Kinds   []ir.Kind
	Integer bool     // numbers must be integers
	Values  []string // JSON
	Format  string
	Pattern string
	Bounds  ir.Bounds
	Length  ir.Count // of a string in characters, of an array in elements
}

// Member describes a member of an object.
type Member struct {
	Name     string
	As       string // the other name in the revision converted to, or ""
	Rewrite  string // a function of runtime/convert/policy.go
	Always   bool
	Shape    *Shape
	LeaveOut bool
	Reason   string
	Drop     string
	Implied  string // JSON
	Handled  bool
	Require  string
	Default  string // JSON
	Fact     string
	Const    bool
}

// Case describes a variant of a union. An empty Kind matches every value.
type Case struct {
	Kind    ir.Kind
	When    []Condition
	Rewrite string
	Shape   *Shape
	Replace string // JSON
	Lose    string
	Refuse  string
}

// Condition is a condition on the member at a path: that it has the value Is, which is
// JSON, that it is absent, or that it is present.
type Condition struct {
	Path   []string
	Is     string
	Absent bool
}

// Steps pairs each revision with the next one. The revisions are sorted, oldest first. Steps
// returns an error for rows that are invalid or that no step uses.
func Steps(revisions []*ir.Revision, rows *spec.Conversions) ([]*Step, error) {
	t := newTables(rows)
	var steps []*Step
	var newer []string
	for i := 1; i < len(revisions); i++ {
		p := newPairing(revisions[i-1], revisions[i], t)
		steps = append(steps, p.run())
		newer = append(newer, revisions[i].ID)
	}
	t.stale(newer)
	if err := errors.Join(t.errs...); err != nil {
		return nil, err
	}
	return steps, nil
}

func (p *pairing) run() *Step {
	for _, d := range p.older.Decls {
		if newer := p.counterpart(d, true); newer != nil && !(d.Message && newer.Message) {
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
	step.Errors = p.tables.errors(p.newer.ID, p.newer.Methods)
	step.Unbridged = p.unbridged()
	for _, d := range step.Definitions {
		step.Up = d.Up.collect(step.Up)
		step.Down = d.Down.collect(step.Down)
	}
	for _, list := range [][]*Shape{step.Up, step.Down} {
		slices.SortFunc(list, func(a, b *Shape) int { return cmp.Compare(a.Name, b.Name) })
	}
	return step
}

// definitions returns the rows of the step. Shapes without an effect are removed.
func (p *pairing) definitions() []Definition {
	p.prune()
	p.touch()
	var all []Definition
	for _, d := range p.defined {
		all = append(all, Definition{d.older.Key(), d.newer.Key(), p.effective(d.up), p.effective(d.down)})
	}
	slices.SortFunc(all, func(a, b Definition) int {
		return cmp.Or(cmp.Compare(a.Newer, b.Newer), cmp.Compare(a.Older, b.Older))
	})
	return all
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
