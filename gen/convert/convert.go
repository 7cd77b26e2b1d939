// Package convert pairs the ir of two adjacent revisions. It decides which declarations
// correspond, and how each member and each variant is converted, up to the newer revision
// and down to the older one. All decisions about converters are made here; package emit
// renders them.
//
// Names are stable across revisions, so declarations and members are paired by name. The
// table (table.go) holds the facts that names and types do not express. A difference that
// neither covers is an error.
package convert

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// Step holds the converters between two adjacent revisions.
type Step struct {
	Older, Newer *ir.Revision
	// Package is the Go package name, such as "step20251125".
	Package string
	// Funcs are sorted by name.
	Funcs []*Func
	// Definitions are sorted by the newer name, Methods by name.
	Definitions []Definition
	Methods     []Method
}

// Definition is a row of the step's lookup of definitions. A Link is nil if the definition
// cannot be converted in that direction.
type Definition struct {
	Older, Newer *ir.Decl
	Up, Down     *Link
}

// Method is a row of the step's lookup of methods that both revisions have.
type Method struct {
	Name                 string
	ParamsUp, ParamsDown *Link
	ResultUp, ResultDown *Link // nil for notifications
}

// Link is a way to convert a declaration. A nil Func means that no conversion is necessary.
type Link struct{ Func *Func }

// Func is a converter.
type Func struct {
	Name string
	Up   bool
	// From and To are references to declarations, open objects or scalars.
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
		// Reserved lists the names that members without a field must not have, because the
		// other revision has a field for them.
		Reserved []string
	}
	// Union converts by variant.
	Union struct{ Cases []Case }
	// Wrap turns a value into a variant of a union: an object is converted by Func, a
	// scalar becomes the Variant that embeds it.
	Wrap struct {
		Func    *Func
		Variant *ir.Variant
	}
	// Elements converts a declared array.
	Elements struct{ Elem Value }
	// Plain converts between types that a Go conversion covers.
	Plain struct{}
	// ToOpen converts an object with fields into an open object. On the way down, the
	// fields in Drops are removed.
	ToOpen struct{ Drops []*ir.Field }
	// FromOpen converts an open object into an object with fields. On the way down, it
	// decodes the fields. On the way up, no member can be meant for a field, so members
	// with a name in Reserved are dropped.
	FromOpen struct{ Reserved []string }
)

func (*Object) isBody()   {}
func (*Union) isBody()    {}
func (*Wrap) isBody()     {}
func (*Elements) isBody() {}
func (*Plain) isBody()    {}
func (*ToOpen) isBody()   {}
func (*FromOpen) isBody() {}

// Restate calls a policy function to rewrite the whole object if the field is present.
type Restate struct {
	Field  *ir.Field
	Policy string
}

// Field converts a member. A member without To is dropped or, if Carry is set, moved to the
// members without a field. A member without From is taken from these if Carry is set, and
// otherwise assumed to be present as an empty object.
type Field struct {
	From, To *ir.Field
	Value    Value
	Carry    bool
	// Offers leaves out elements that are refused.
	Offers bool
	// Reason explains why an object without the member is refused; "" accepts it.
	Reason string
}

// Case converts a variant by Func, after Policy, if any, has rewritten it as a Restated. A
// variant without a Func is refused, unless Scalar is set, which takes the variant's
// scalar.
type Case struct {
	Variant  *ir.Variant
	Func     *Func
	Policy   string
	Restated *ir.Decl
	Scalar   bool
	Reason   string
}

// Value is a sealed sum: how a value inside another one is converted.
type Value interface{ isValue() }

type (
	// Same keeps the value.
	Same struct{}
	// Cast is a Go conversion to a declared type.
	Cast struct{ To *ir.Decl }
	// Call calls a Func.
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

// Steps pairs each revision with the next one. The revisions are sorted, the oldest first.
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

// define creates the converters of a definition and its row in the lookup.
func (p *pairing) define(older, newer *ir.Decl) {
	up, down := p.links(older, newer)
	p.step.Definitions = append(p.step.Definitions, Definition{older, newer, up, down})
}

// orphan creates the converters of a declaration that only the newer revision has, if a
// method uses it where the older revision uses another one, for example for a union of
// results.
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
