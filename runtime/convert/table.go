package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// V2 is true while this package is compatible with tables generated for its second
// version. Generated code refers to it, so that a mismatch does not compile.
const V2 = true

// Table holds the pinned revisions, oldest first, and the steps between them. It is
// generated and never changes.
type Table struct {
	Revisions []Revision
	Steps     []*Step // Steps[i] is between Revisions[i] and Revisions[i+1]
}

// Revision is a revision of the protocol.
type Revision struct {
	ID      string
	Methods []runtime.Method // sorted by name
}

// Step holds the conversions between two adjacent revisions.
type Step struct {
	// Definitions are sorted by Newer.
	Definitions []Definition
	// Up and Down hold the shapes that rules refer to. The first of each is not used.
	Up, Down []Shape
}

// Definition says how the values of a definition are converted.
type Definition struct {
	Older, Newer string // the names in the two revisions
	Up, Down     Rule
}

// Rule is the index of the [Shape] by which a value is converted, or [Keep] or [None].
type Rule int

const (
	Keep Rule = 0  // the value is the same in both revisions
	None Rule = -1 // the other revision has no such value
)

// Shape describes the differences between the values of a type in two revisions. It
// describes an object, an array, a map or a union.
type Shape struct {
	// Members are the members of an object that are not the same in both revisions.
	Members []Member
	// Each converts the elements of an array or the values of a map.
	Each Rule
	// LeaveOut leaves out the elements that are refused.
	LeaveOut bool
	// Cases are the variants of a union. The first one that matches applies.
	Cases []Case
	// Otherwise is why a value that matches no case is refused. If it is "", the value is
	// kept.
	Otherwise string
}

// Member describes a member of an object.
type Member struct {
	Name string
	// Rewrite, if not nil, rewrites the whole object if it has the member, before its members
	// are converted.
	Rewrite Rewrite
	// Rule converts the value.
	Rule Rule
	// Kinds are the kinds of JSON values that the other revision allows, or 0 for any. A value
	// of another kind is dropped.
	Kinds Kinds
	// Drop is why the member is dropped, or "".
	Drop string
	// Require is why an object is refused that does not have the member, or has it with
	// another kind; "" accepts the object.
	Require string
	// Default is the value of a member that is absent, after drops.
	Default wire.Raw
	// Const means that the member can only have the default as its value.
	Const bool
}

// Case describes a variant of a union.
type Case struct {
	// Kind is the kind of JSON value that the variant has.
	Kind Kinds
	// When holds further conditions.
	When []Condition
	// Rewrite, if not nil, rewrites the value before Rule converts it.
	Rewrite Rewrite
	Rule    Rule
	// Refuse is why a value is refused, or "".
	Refuse string
}

// Condition is a condition on a member of an object, or on a member below it.
type Condition struct {
	Path []string
	// Is is the value that the member has. If it is "", any value satisfies the condition.
	Is wire.Raw
	// Absent means that there is no such member.
	Absent bool
}

// Rewrite expresses a value of the newer revision in terms that the older revision has
// too. It records losses and refusals in c.
type Rewrite func(c *Conversion, value wire.Raw) wire.Raw

// Kinds is a set of kinds of JSON values.
type Kinds uint8

const (
	String Kinds = 1 << iota
	Integer
	Number // includes Integer
	Bool
	Object
	Array
	Null
)

func kindsOf(v wire.Raw) Kinds {
	switch v.Kind() {
	case wire.KindString:
		return String
	case wire.KindNumber:
		if v.IsInteger() {
			return Integer | Number
		}
		return Number
	case wire.KindBool:
		return Bool
	case wire.KindObject:
		return Object
	case wire.KindArray:
		return Array
	}
	return Null
}

// index returns the index of a revision.
func (t *Table) index(revision string) (int, error) {
	i := slices.IndexFunc(t.Revisions, func(r Revision) bool { return r.ID == revision })
	if i < 0 {
		return 0, fmt.Errorf("convert: unknown revision %.50q", revision)
	}
	return i, nil
}

// Check returns an error if the table does not have a revision.
func (t *Table) Check(revision string) error {
	_, err := t.index(revision)
	return err
}

// method returns a method of a revision, or nil.
func (r *Revision) method(name string) *runtime.Method {
	i, ok := slices.BinarySearchFunc(r.Methods, name, func(m runtime.Method, name string) int { return strings.Compare(m.Name, name) })
	if !ok {
		return nil
	}
	return &r.Methods[i]
}

// definition returns the row of a definition.
func (s *Step) definition(older, newer string) (Definition, bool) {
	i, ok := slices.BinarySearchFunc(s.Definitions, newer, func(d Definition, name string) int { return strings.Compare(d.Newer, name) })
	for ; ok && i < len(s.Definitions) && s.Definitions[i].Newer == newer; i++ {
		if s.Definitions[i].Older == older {
			return s.Definitions[i], true
		}
	}
	return Definition{}, false
}

// Convert converts a value of a definition from one revision to another, step by step.
// The definition must have the same name in both and in those between them. Convert
// returns an [*Error] if the value cannot be expressed in the other revision; c holds what
// is lost.
func (t *Table) Convert(c *Conversion, from, to, definition string, v wire.Appender) (wire.Raw, error) {
	i, err := t.index(from)
	if err != nil {
		return "", err
	}
	j, err := t.index(to)
	if err != nil {
		return "", err
	}
	text, err := wire.MarshalString(v)
	if err != nil {
		return "", err
	}
	return t.convert(c, i, j, func(int) string { return definition }, wire.Raw(text))
}

// convert converts a value whose definition has the given name in each revision. The text
// must be well-formed.
func (t *Table) convert(c *Conversion, from, to int, name func(revision int) string, v wire.Raw) (wire.Raw, error) {
	for from != to {
		older, next := from, from+1
		if to < from {
			older, next = from-1, from-1
		}
		d, ok := t.Steps[older].definition(name(older), name(older+1))
		if !ok {
			return "", &Error{Reason: fmt.Sprintf("revisions %s and %s do not both define %.50s", t.Revisions[older].ID, t.Revisions[older+1].ID, name(from))}
		}
		var err error
		if v, err = t.Steps[older].Convert(c, d, from < to, v); err != nil {
			return "", err
		}
		from = next
	}
	return v, nil
}

// Convert converts a value of one of the step's definitions, up or down. The text must be
// well-formed. Convert returns an [*Error] if the value cannot be expressed in the other
// revision; c holds what is lost.
func (s *Step) Convert(c *Conversion, d Definition, up bool, v wire.Raw) (wire.Raw, error) {
	rule := d.Down
	c.shapes = s.Down
	if up {
		rule, c.shapes = d.Up, s.Up
	}
	if rule == None {
		return "", &Error{Reason: "the other revision has no such value"}
	}
	v = c.value(rule, v)
	return v, c.Err()
}
