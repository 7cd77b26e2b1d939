package convert

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// pairing is the state of pairing two revisions.
type pairing struct {
	step   *Step
	tables *tables
	funcs  map[funcKey]*Func
	errs   []error
}

// funcKey identifies a Func by the declarations it converts; nil stands for a type that is
// not a declaration.
type funcKey struct{ from, to *ir.Decl }

func newPairing(older, newer *ir.Revision, t *tables) *pairing {
	name := "step" + strings.ReplaceAll(newer.ID, "-", "")
	return &pairing{step: &Step{Older: older, Newer: newer, Package: name}, tables: t, funcs: map[funcKey]*Func{}}
}

// to returns the revision that values are converted to.
func (p *pairing) to(up bool) *ir.Revision {
	if up {
		return p.step.Newer
	}
	return p.step.Older
}

// counterpart returns the declaration's counterpart in the other revision, or nil.
func (p *pairing) counterpart(d *ir.Decl, up bool) *ir.Decl {
	if name, ok := p.tables.rename(p.step.Newer.ID, d.Name, up); ok {
		return p.to(up).Lookup(name)
	}
	if p.tables.claimed(p.step.Newer.ID, d.Name, up) {
		return nil
	}
	return p.to(up).Lookup(d.Name)
}

// plainType looks through declarations that only rename a type.
func plainType(t ir.Type) ir.Type {
	for {
		ref, ok := t.(*ir.Ref)
		if !ok || len(ref.Decl.Unions) > 0 {
			return t
		}
		switch ref.Decl.Type.(type) {
		case *ir.Scalar, *ir.Any, *ir.Open, *ir.Ref:
			t = ref.Decl.Type
		default:
			return t
		}
	}
}

func declOf(t ir.Type) *ir.Decl {
	if ref, ok := t.(*ir.Ref); ok {
		return ref.Decl
	}
	return nil
}

// value decides how a value is converted. It returns nil after reporting an error.
func (p *pairing) value(from, to ir.Type, up bool, place string) Value {
	from, to = plainType(from), plainType(to)
	if f, t := declOf(from), declOf(to); f != nil || t != nil {
		return p.declared(from, to, up, place)
	}
	switch f := from.(type) {
	case *ir.Array:
		t, ok := to.(*ir.Array)
		if ok && (t.MaxItems == 0 || f.MaxItems != 0 && f.MaxItems <= t.MaxItems) {
			return wrapped(p.value(f.Elem, t.Elem, up, place+"[]"), func(v Value) Value { return List{v} })
		}
	case *ir.Map:
		if t, ok := to.(*ir.Map); ok {
			return wrapped(p.value(f.Elem, t.Elem, up, place+"{}"), func(v Value) Value { return Map{v} })
		}
	default:
		// Compare the types as text, including kinds, formats and bounds.
		if ir.TypeString(from) == ir.TypeString(to) {
			return Same{}
		}
	}
	p.fail(place, "cannot convert %s to %s", ir.TypeString(from), ir.TypeString(to))
	return nil
}

func wrapped(elem Value, wrap func(Value) Value) Value {
	switch elem.(type) {
	case nil:
		return nil
	case Same:
		return Same{}
	}
	return wrap(elem)
}

// declared decides about types of which at least one is declared.
func (p *pairing) declared(from, to ir.Type, up bool, place string) Value {
	switch t := ir.Resolve(to).(type) {
	case *ir.Enum:
		f, ok := ir.Resolve(from).(*ir.Enum)
		if !ok || slices.ContainsFunc(f.Values, func(v ir.EnumValue) bool {
			return !slices.ContainsFunc(t.Values, func(w ir.EnumValue) bool { return w.Wire == v.Wire })
		}) {
			p.fail(place, "not every value is valid for %s", declOf(to).Name)
			return nil
		}
		return Cast{declOf(to)}
	case *ir.String:
		if ir.TypeString(ir.Resolve(from)) == ir.TypeString(t) {
			return Cast{declOf(to)}
		}
	}
	if f := p.function(from, to, up, place); f != nil {
		return Call{f}
	}
	return nil
}

// function returns the Func for two types and creates it on first use.
func (p *pairing) function(from, to ir.Type, up bool, place string) *Func {
	key := funcKey{declOf(from), declOf(to)}
	if f, ok := p.funcs[key]; ok {
		return f
	}
	f := &Func{Up: up, From: from, To: to}
	f.Name = direction(up) + f.Named().Name
	if newer := p.newer(f); declOf(newer) == nil {
		f.Name = direction(up) + "Open" + f.Named().Name
	}
	p.funcs[key] = f // before its body, which may refer to it
	if f.Body = p.body(f, place); f.Body == nil {
		p.fail(place, "cannot convert %s to %s", typeName(from), typeName(to))
		return nil
	}
	p.step.Funcs = append(p.step.Funcs, f)
	return f
}

// Named returns the declaration that the Func is named after: the one of the newer revision
// if there is one, and otherwise the older one.
func (f *Func) Named() *ir.Decl {
	newer, older := declOf(f.From), declOf(f.To)
	if f.Up {
		newer, older = older, newer
	}
	if newer == nil {
		return older
	}
	return newer
}

// newer returns the type of the newer revision.
func (p *pairing) newer(f *Func) ir.Type {
	if f.Up {
		return f.To
	}
	return f.From
}

func typeName(t ir.Type) string {
	if d := declOf(t); d != nil {
		return d.Name
	}
	return ir.TypeString(t)
}

func direction(up bool) string {
	if up {
		return "Up"
	}
	return "Down"
}

// plain returns the Func for types that a Go conversion covers, for callers that look up
// converters by name.
func (p *pairing) plain(from, to *ir.Decl, up bool) *Func {
	key := funcKey{from, to}
	if p.funcs[key] == nil {
		f := &Func{Up: up, From: &ir.Ref{Decl: from}, To: &ir.Ref{Decl: to}, Body: &Plain{}}
		f.Name = direction(up) + f.Named().Name
		p.funcs[key] = f
		p.step.Funcs = append(p.step.Funcs, f)
	}
	return p.funcs[key]
}

// body decides how a Func converts. It returns nil if there is no way.
func (p *pairing) body(f *Func, place string) Body {
	from, to := ir.Resolve(f.From), ir.Resolve(f.To)
	switch to := to.(type) {
	case *ir.Object:
		switch from := from.(type) {
		case *ir.Object:
			return p.object(f, from, to)
		case *ir.Union:
			return p.union(f, from)
		case *ir.Open:
			return p.fromOpen(f, to)
		}
	case *ir.Union:
		switch from := from.(type) {
		case *ir.Union:
			return p.union(f, from)
		case *ir.Object:
			for _, v := range to.Variants {
				if p.counterpart(declOf(f.From), f.Up) == v.Decl {
					return &Wrap{Func: p.function(f.From, &ir.Ref{Decl: v.Decl}, f.Up, place)}
				}
			}
		case *ir.Scalar:
			for _, v := range to.Variants {
				if ir.TypeString(v.Decl.Type) == ir.TypeString(from) {
					return &Wrap{Variant: v}
				}
			}
		}
	case *ir.Open:
		if from, ok := from.(*ir.Object); ok {
			if f.Up {
				return &ToOpen{}
			}
			return &ToOpen{Drops: from.Fields}
		}
	case *ir.Array:
		if from, ok := from.(*ir.Array); ok {
			if elem := p.value(from.Elem, to.Elem, f.Up, place+"[]"); elem != nil {
				return &Elements{elem}
			}
		}
	case *ir.Scalar:
		if from, ok := from.(*ir.Union); ok {
			return p.union(f, from)
		}
	}
	return nil
}

func (p *pairing) fromOpen(f *Func, to *ir.Object) Body {
	body := &FromOpen{}
	for _, t := range to.Fields {
		if t.Required {
			p.fail(declOf(f.To).Name, "%s is required, but the other revision has an open object", t.Wire)
		}
		if f.Up {
			body.Reserved = append(body.Reserved, t.Wire)
		}
	}
	return body
}

// object pairs the members of two objects.
func (p *pairing) object(f *Func, from, to *ir.Object) Body {
	newer := declOf(f.To)
	if !f.Up {
		newer = declOf(f.From)
	}
	row := func(member string, do treatment) (memberRow, bool) {
		return p.tables.member(p.step.Newer.ID, newer.Name, member, do)
	}
	body := &Object{}
	for _, a := range from.Fields {
		if !f.Up {
			if r, ok := row(a.Wire, restate); ok {
				body.Restates = append(body.Restates, Restate{a, r.policy})
			}
		}
		b := member(to, a.Wire)
		if b == nil {
			_, carried := row(a.Wire, carry)
			body.Fields = append(body.Fields, Field{From: a, Carry: carried})
			continue
		}
		field := Field{From: a, To: b, Value: p.value(a.Type, b.Type, f.Up, declOf(f.From).Name+"."+a.Wire)}
		if a.Const != b.Const {
			p.fail(declOf(f.From).Name, "%s has another constant in the other revision", a.Wire)
		}
		if r, ok := row(a.Wire, require); ok && !f.Up {
			field.Reason = r.reason
		}
		if b.Required && !a.Required && field.Reason == "" || a.Nullable() && !b.Nullable() {
			p.fail(declOf(f.From).Name, "%s is optional here and required in the other revision", a.Wire)
		}
		if _, ok := row(a.Wire, offers); ok && !f.Up {
			field.Offers = true
		}
		body.Fields = append(body.Fields, field)
	}
	for _, b := range to.Fields {
		if member(from, b.Wire) != nil {
			continue
		}
		if r, ok := row(b.Wire, carry); ok {
			body.Fields = append(body.Fields, Field{To: b, Carry: true, Reason: r.reason})
			continue
		}
		if _, ok := row(b.Wire, assume); ok && f.Up {
			body.Fields = append(body.Fields, Field{To: b})
			body.Reserved = append(body.Reserved, b.Wire)
			continue
		}
		if b.Required {
			p.fail(declOf(f.To).Name, "%s is required, but %s does not have it", b.Wire, declOf(f.From).Name)
		}
		body.Reserved = append(body.Reserved, b.Wire)
	}
	return body
}

func member(o *ir.Object, name string) *ir.Field {
	i := slices.IndexFunc(o.Fields, func(f *ir.Field) bool { return f.Wire == name })
	if i < 0 {
		return nil
	}
	return o.Fields[i]
}

// union pairs the variants of a union with their counterparts.
func (p *pairing) union(f *Func, from *ir.Union) Body {
	body := &Union{}
	for _, v := range from.Variants {
		body.Cases = append(body.Cases, p.variant(f, v))
	}
	return body
}

func (p *pairing) variant(f *Func, v *ir.Variant) Case {
	union := declOf(f.From)
	other := p.counterpart(v.Decl, f.Up)
	if other != nil && p.allows(f.To, other) {
		return Case{Variant: v, Func: p.function(&ir.Ref{Decl: v.Decl}, &ir.Ref{Decl: other}, f.Up, union.Name)}
	}
	if ir.TypeString(plainType(f.To)) == ir.TypeString(v.Decl.Type) {
		return Case{Variant: v, Scalar: true}
	}
	r, ok := p.tables.variant(p.step.Newer.ID, union.Name, v.Decl.Name)
	if !ok {
		p.fail(union.Name, "%s has neither a counterpart nor a row in the table", v.Decl.Name)
		return Case{}
	}
	c := Case{Variant: v, Policy: r.restate, Reason: r.reason}
	switch {
	case r.as == "":
	case r.restate == "":
		c.Func = p.function(&ir.Ref{Decl: v.Decl}, &ir.Ref{Decl: p.to(f.Up).Lookup(r.as)}, f.Up, union.Name)
	case r.as == union.Name:
		c.Func, c.Restated = f, union
	default:
		c.Restated = p.step.Newer.Lookup(r.as)
		c.Func = p.function(&ir.Ref{Decl: c.Restated}, &ir.Ref{Decl: p.counterpart(c.Restated, false)}, false, union.Name)
	}
	return c
}

// allows reports whether a declaration is the target type or one of its variants.
func (p *pairing) allows(to ir.Type, d *ir.Decl) bool {
	if declOf(to) == d {
		return true
	}
	u, ok := ir.Resolve(to).(*ir.Union)
	return ok && slices.ContainsFunc(u.Variants, func(v *ir.Variant) bool { return v.Decl == d })
}
