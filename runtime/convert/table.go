package convert

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Table holds the pinned revisions, oldest first, and the steps between them. It is
// generated and never changes.
type Table struct {
	Revisions []Revision
	Steps     []*Step // Steps[i] is between Revisions[i] and Revisions[i+1]

	routes atomic.Pointer[map[values]*route] // those that were used, in a map that does not change
}

// Revision is a revision of the protocol.
type Revision struct {
	ID      string
	Methods []runtime.Method // sorted by name
}

// Step holds the conversions between two adjacent revisions.
type Step struct {
	Older, Newer string // revisions
	// Definitions are sorted by Newer.
	Definitions []Definition
	// Up and Down hold the shapes that rules refer to. The first of each is not used.
	Up, Down []Shape
	// Errors are the codes of errors that differ.
	Errors []ErrorCode
}

// ErrorCode is the code of an error in two revisions.
type ErrorCode struct {
	Method       string // of the request; "" means any
	Older, Newer int64
	// Data is the member of the data that distinguishes the error from others with the newer code. If
	// it is "", errors with the newer code keep it.
	Data string
}

// Definition says how the values of a definition are converted.
type Definition struct {
	Older, Newer string // the names in the two revisions
	Up, Down     Rule
}

// Rule is the index of the [Shape] by which a value is converted, or 0 for a value that is the same in both revisions.
type Rule int

const unchanged Rule = 0

// Shape describes the differences between the values of a type in two revisions.
type Shape struct {
	// Touched, if not nil, lists JSON strings. A conversion changes an object that contains none of them, at
	// any depth, at most by adding members.
	Touched []string
	// Members are the members of an object that are not the same in both revisions.
	Members []Member
	// Known, if not nil, are all members that the other revision allows. Others are dropped.
	Known []string
	// Each converts the elements of an array, or the values of a map.
	Each Rule
	// LeaveOut leaves out the elements that are refused.
	LeaveOut bool
	// Cases are the variants of a union. The first one that matches applies.
	Cases []Case
	// Otherwise is the reason to refuse a value that matches no case. If it is "", the value is
	// kept.
	Otherwise string
	// Checks are the check functions of schemas that the converted value must satisfy. Reason is the
	// reason for refusing a value that does not. If it is "", the reason says what is wrong with the
	// value.
	Checks []func(*schema.Checker)
	Reason string
}

// Member describes a member of an object.
type Member struct {
	Name string
	// As is the name of the member in the other revision, if it differs there.
	As string
	// Rewrite, if not "", is the function (policy.go) that rewrites the whole object if it has the member, before its
	// members are converted. If Always is set, the object need not have the member.
	Rewrite string
	Always  bool
	// Rule converts the value.
	Rule Rule
	// LeaveOut drops a value that is refused, or replaces it by the default.
	LeaveOut bool
	// Reason says why a value is refused or left out. If it is "", the rule has the reason.
	Reason string
	// Drop is the reason to drop the member, or "". It is not a loss if the value equals Implied,
	// or if Handled is set, because the runtime acts on the member.
	Drop    string
	Implied wire.Raw
	Handled bool
	// Require is the reason to refuse an object without the member; "" accepts the object. If it is
	// set, a value that is refused is not left out if the default is refused as well.
	Require string
	// Default is the value of a member that is absent, before the rule converts it. Fact is the
	// fact about the session that is the value instead; see [Conversion.Facts].
	Default wire.Raw
	Fact    string
	// Const means that the member can only have the default as its value.
	Const bool
}

// Case describes a variant of a union.
type Case struct {
	// Kind is the type of JSON value that the variant has, or 0 for any type.
	Kind wire.Kind
	// When holds further conditions.
	When []Condition
	// Rewrite, if not "", is the function that rewrites the value before Rule converts it.
	Rewrite string
	Rule    Rule
	// Replace replaces the value, which is a loss with the reason Lose, unless it is "".
	Replace wire.Raw
	Lose    string
	// Refuse is the reason to refuse a value, or "".
	Refuse string
}

// Condition is a condition on a member of an object, or on a member below it. An empty path
// leads to the value itself.
type Condition struct {
	Path []string
	// Is is the value that the member has. If it is "", any value satisfies the condition.
	Is wire.Raw
	// Absent means that there is no such member.
	Absent bool
}

// index returns the index of a revision.
func (t *Table) index(revision string) (int, error) {
	i := slices.IndexFunc(t.Revisions, func(r Revision) bool { return r.ID == revision })
	if i < 0 {
		return 0, fmt.Errorf("convert: unknown revision %.50q", revision)
	}
	return i, nil
}

// Check returns an error if the table does not have a revision, or names a function that this package does not have.
func (t *Table) Check(revision string) error {
	if _, err := t.index(revision); err != nil {
		return err
	}
	var err error
	check := func(name string) {
		if name != "" && policies()[name] == nil {
			err = errors.New("convert: " + unknownFunction(name))
		}
	}
	for _, step := range t.Steps {
		for _, s := range slices.Concat(step.Up, step.Down) {
			for _, m := range s.Members {
				check(m.Rewrite)
			}
			for _, k := range s.Cases {
				check(k.Rewrite)
			}
		}
	}
	return err
}

// method returns a method of a revision, or nil.
func (r *Revision) method(name string) *runtime.Method {
	i, ok := sort.Find(len(r.Methods), func(i int) int { return strings.Compare(name, r.Methods[i].Name) })
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

// values describes what is converted from one revision to another: values of a definition, or the params or results of
// a method.
type values struct {
	from, to string
	of       part
	name     string // of the definition or the method
	// sent means that the revision is that of a session, and that the runtime completes the values there: results, and
	// the requests of a client.
	sent bool
}

// part says what values are.
type part uint8

const (
	ofDefinition part = iota
	ofParams
	ofResult
)

// definition returns the name of the definition of the values in a revision.
func (v values) definition(r *Revision) string {
	if v.of == ofDefinition {
		return v.name
	}
	switch m := r.method(v.name); {
	case m == nil:
		return v.name
	case v.of == ofResult:
		return m.Result
	default:
		return m.Params
	}
}

// route is the conversion of values from one revision to another.
type route struct {
	ways []way // of the steps that change something
	err  error // why it leads no further
}

// route returns the route of values. It is made when it is first needed.
func (t *Table) route(v values) *route {
	var known map[values]*route
	if used := t.routes.Load(); used != nil {
		known = *used
	}
	if r, ok := known[v]; ok {
		return r
	}
	r := t.newRoute(v)
	if r.err == nil {
		more := map[values]*route{v: r}
		maps.Copy(more, known)
		t.routes.Store(&more) // a route that another goroutine adds now is made again
	}
	return r
}

func (t *Table) newRoute(v values) *route {
	r := &route{}
	at, err := t.index(v.from)
	end, unknown := t.index(v.to)
	if r.err = cmp.Or(err, unknown); r.err != nil {
		return r
	}
	for up := at < end; at != end; {
		older, next := at, at+1
		if !up {
			older, next = at-1, at-1
		}
		step, a, b := t.Steps[older], &t.Revisions[older], &t.Revisions[older+1]
		d, ok := step.definition(v.definition(a), v.definition(b))
		if !ok {
			r.err = &Error{Reason: fmt.Sprintf("revisions %s and %s do not both define %.50s", a.ID, b.ID, v.definition(&t.Revisions[at]))}
			return r
		}
		if w := step.way(d, up); w.rule != unchanged {
			to := runtime.Binding{Methods: t.Revisions[next].Methods}
			w.supplied = v.sent && next == end && to.Stateless()
			w.plain = w.shapes[w.rule].Cases == nil && !w.adds(&w.shapes[w.rule])
			r.ways = append(r.ways, w)
		}
		at = next
	}
	return r
}

// keeps reports whether a value is certain to be the same, except for what the runtime adds.
func (r *route) keeps(v wire.Raw) bool {
	for i := range r.ways {
		if !r.ways[i].keeps(v) {
			return false
		}
	}
	return r.err == nil
}

// convert converts a value. The text must be well-formed.
func (r *route) convert(c *Conversion, v wire.Raw) (_ wire.Raw, err error) {
	for _, w := range r.ways {
		if v, err = c.convert(w, v); err != nil {
			return "", err
		}
	}
	return v, r.err
}

// convert converts a value by the way of a step.
func (c *Conversion) convert(w way, v wire.Raw) (wire.Raw, error) {
	if w.rule == unchanged {
		return v, nil
	}
	c.way, c.changed = w, false
	converted := c.value(make([]byte, 0, len(v)+64), w.rule, wire.Raw(strings.Trim(string(v), " \t\r\n")))
	if c.err != nil || !c.changed {
		return v, c.Err()
	}
	return wire.Raw(converted), nil
}

// Convert converts a value of a definition from one revision to another, step by step.
// The definition must have the same name in both and in those between them. Convert
// returns an [*Error] if the value cannot be expressed in the other revision; c holds what
// is lost.
func (t *Table) Convert(c *Conversion, from, to, definition string, v wire.Appender) (wire.Raw, error) {
	text, err := wire.MarshalString(v)
	if err != nil {
		return "", err
	}
	return t.route(values{from: from, to: to, name: definition}).convert(c, wire.Raw(text))
}

// way returns the conversion of the values of a definition in one direction.
func (s *Step) way(d Definition, up bool) way {
	if up {
		return way{shapes: s.Up, rule: d.Up, to: s.Newer}
	}
	return way{shapes: s.Down, rule: d.Down, to: s.Older}
}

// Convert converts a value of one of the step's definitions, up or down. The text must be
// well-formed. Convert returns an [*Error] if the value cannot be expressed in the other
// revision; c holds what is lost. It returns v itself if nothing differs.
func (s *Step) Convert(c *Conversion, d Definition, up bool, v wire.Raw) (wire.Raw, error) {
	return c.convert(s.way(d, up), v)
}

// Error converts the error of a request from one revision to another. Other errors than a
// [*jsonrpc.Error] are returned as they are.
func (t *Table) Error(from, to, method string, err error) error {
	i, unknown := t.index(from)
	j, also := t.index(to)
	e, ok := errors.AsType[*jsonrpc.Error](err)
	if unknown != nil || also != nil || !ok {
		return err
	}
	converted := *e
	for ; i < j; i++ {
		for _, c := range t.Steps[i].Errors {
			if converted.Code == c.Older && (c.Method == "" || c.Method == method) {
				converted.Code = c.Newer
				break
			}
		}
	}
	for i--; i >= j; i-- {
		for _, c := range t.Steps[i].Errors {
			if converted.Code == c.Newer && c.Data != "" && has(converted.Data, c.Data) && (c.Method == "" || c.Method == method) {
				converted.Code = c.Older
				break
			}
		}
	}
	if converted.Code == e.Code {
		return err
	}
	return &converted
}
