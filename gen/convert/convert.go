// Package convert pairs the ir of two adjacent revisions: which declaration of one is
// which of the other, and how each member and each variant is converted, up to the newer
// revision and down to the older one. All decisions about converters are made here;
// package emit renders them.
//
// Names are stable across revisions, so declarations and members are paired by name. What
// names and types cannot say is in the table (table.go). What neither can say is an error.
package convert

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// Step is all that is emitted for two adjacent revisions.
type Step struct {
	Older, Newer *ir.Revision
	// Package is the Go package name, "step20251125".
	Package string
	// Funcs are sorted by name.
	Funcs []*Func
	// Definitions are sorted by the newer name, Methods by name.
	Definitions []Definition
	Methods     []Method
}

// Definition is a row of the step's table of what can be converted by name. A Link is nil
// for what cannot be.
type Definition struct {
	Older, Newer *ir.Decl
	Up, Down     *Link
}

// Method is a row of the step's table of methods that both revisions have.
type Method struct {
	Name                 string
	ParamsUp, ParamsDown *Link
	ResultUp, ResultDown *Link // nil for notifications
}

// Link is a way to convert a declaration: a Func or, where that is nil, none needed.
type Link struct{ Func *Func }

// Func is a converter.
type Func struct {
	Name string
	Up   bool
	// From and To are references to declarations, or open objects or scalars.
	From, To ir.Type
	Body     Body
}

// Body is a sealed sum: how a Func converts.
type Body interface{ isBody() }

type (
	// Object converts member by member.
	Object struct {
		Restates []Restate
		Fields   []Field
		// Reserved are the names that members without a field must not have, because
		// the other revision has a field for them.
		Reserved []string
	}
	// Union converts by variant.
	Union struct{ Cases []Case }
	// Wrap makes a variant of what was no union: of an object by Func, of a scalar as
	// the Variant that embeds it.
	Wrap struct {
		Func    *Func
		Variant *ir.Variant
	}
	// Elements converts a declared array.
	Elements struct{ Elem Value }
	// Plain converts between types that Go converts.
	Plain struct{}
	// ToOpen makes an open object of one with fields: up as it is, down without them.
	ToOpen struct{ Drops []*ir.Field }
	// FromOpen makes an object with fields of an open one: down by reading it, up
	// without looking for what was not defined.
	FromOpen struct{ Reserved []string }
)

func (*Object) isBody()   {}
func (*Union) isBody()    {}
func (*Wrap) isBody()     {}
func (*Elements) isBody() {}
func (*Plain) isBody()    {}
func (*ToOpen) isBody()   {}
func (*FromOpen) isBody() {}

// Restate has the policy restate the whole object where the field is there.
type Restate struct {
	Field  *ir.Field
	Policy string
}

// Field converts a member. Without From it is assumed to be there as an empty object or,
// with Carry, adopted from the members without a field; without To it is dropped or, with
// Carry, put among these.
type Field struct {
	From, To *ir.Field
	Value    Value
	Carry    bool
	// Offers leaves out elements that are refused.
	Offers bool
	// Reason is why an object without the member is refused; "" if it is not.
	Reason string
}

// Case converts a variant: by Func, after Policy has restated it as a Restated if there
// is one. Without a Func it is refused, unless Scalar takes the variant's scalar.
type Case struct {
	Variant  *ir.Variant
	Func     *Func
	Policy   string
	Restated *ir.Decl
	Scalar   bool
	Reason   string
}

// Value is a sealed sum: how a value within another is converted.
type Value interface{ isValue() }

type (
	// Same needs nothing done.
	Same struct{}
	// Cast is a Go conversion to the declared type.
	Cast struct{ To *ir.Decl }
	// Call is a Func's.
	Call struct{ Func *Func }
	// List converts each element.
	List struct{ Elem Value }
	// Map converts each value.
	Map struct{ Elem Value }
)

func (Same) isValue() {}
func (Cast) isValue() {}
func (Call) isValue() {}
func (List) isValue() {}
func (Map) isValue()  {}

// Steps pairs each revision with the next. The revisions are the oldest first.
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
	for _, d := range p.step.Older.Decls {
		if newer := p.counterpart(d, true); newer != nil {
			p.define(d, newer)
		}
	}
	for _, d := range p.step.Newer.Decls {
		if p.counterpart(d, false) == nil {
			p.orphan(d)
		}
	}
	for _, m := range p.step.Older.Methods {
		i := slices.IndexFunc(p.step.Newer.Methods, func(n *ir.Method) bool { return n.Wire == m.Wire })
		if i < 0 {
			continue
		}
		newer := p.step.Newer.Methods[i]
		row := Method{Name: m.Wire}
		row.ParamsUp, row.ParamsDown = p.links(m.Params, newer.Params)
		if m.Result != nil {
			row.ResultUp, row.ResultDown = p.links(m.Result, newer.Result)
		}
		p.step.Methods = append(p.step.Methods, row)
	}
	slices.SortFunc(p.step.Funcs, func(a, b *Func) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(p.step.Definitions, func(a, b Definition) int { return cmp.Compare(a.Newer.Name, b.Newer.Name) })
	for i := 1; i < len(p.step.Funcs); i++ {
		if p.step.Funcs[i].Name == p.step.Funcs[i-1].Name {
			p.fail(p.step.Funcs[i].Name, "two converters have this name")
		}
	}
	return p.step
}

// define makes the converters of a definition, and the row to find them by.
func (p *pairing) define(older, newer *ir.Decl) {
	up, down := p.links(older, newer)
	p.step.Definitions = append(p.step.Definitions, Definition{older, newer, up, down})
}

// orphan makes the converters of a declaration that only the newer revision has, where a
// method has it in the place of another one: a union of what may answer, for one.
func (p *pairing) orphan(d *ir.Decl) {
	for _, m := range p.step.Newer.Methods {
		i := slices.IndexFunc(p.step.Older.Methods, func(o *ir.Method) bool { return o.Wire == m.Wire })
		switch {
		case i < 0:
		case m.Params == d:
			p.define(p.step.Older.Methods[i].Params, d)
			return
		case m.Result == d:
			p.define(p.step.Older.Methods[i].Result, d)
			return
		}
	}
}

func (p *pairing) links(older, newer *ir.Decl) (up, down *Link) {
	return p.link(older, newer, true), p.link(newer, older, false)
}

func (p *pairing) link(from, to *ir.Decl, up bool) *Link {
	switch v := p.value(&ir.Ref{Decl: from}, &ir.Ref{Decl: to}, up, from.Name).(type) {
	case Call:
		return &Link{v.Func}
	case Cast:
		return &Link{p.plain(from, to, up)}
	case nil:
		return nil
	}
	return &Link{}
}

func (p *pairing) fail(place, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s to %s: %s: %s", p.step.Older.ID, p.step.Newer.ID, place, fmt.Sprintf(format, args...)))
}
