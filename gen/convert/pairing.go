package convert

import (
	"encoding/json"
	"slices"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// pairing is the state of pairing two revisions.
type pairing struct {
	older, newer *ir.Revision
	tables       *tables
	shapes       map[shapeKey]*Shape
	defined      []defined
	effects      map[*Shape]bool // the shapes with an effect
	errs         []error
}

// shapeKey identifies a shape: by the declarations it converts, where nil stands for a type
// that is not a declaration, or by the shape of its elements.
type shapeKey struct {
	from, to *ir.Decl
	each     *Shape
	leaveOut bool
	check    bool
}

// defined is a pair of declarations that values are converted between.
type defined struct {
	older, newer *ir.Decl
	up, down     *Shape
	upOK, downOK bool
}

func newPairing(older, newer *ir.Revision, t *tables) *pairing {
	return &pairing{older: older, newer: newer, tables: t, shapes: map[shapeKey]*Shape{}}
}

// to returns the revision that values are converted to.
func (p *pairing) to(up bool) *ir.Revision {
	if up {
		return p.newer
	}
	return p.older
}

// counterpart returns the declaration's counterpart in the other revision, or nil.
func (p *pairing) counterpart(d *ir.Decl, up bool) *ir.Decl {
	if name, ok := p.tables.rename(p.newer.ID, d.Name, up); ok {
		return p.to(up).Lookup(name)
	}
	if p.tables.claimed(p.newer.ID, d.Name, up) {
		return nil
	}
	return p.to(up).Lookup(d.Name)
}

// define decides how the values of two declarations are converted.
func (p *pairing) define(older, newer *ir.Decl) {
	if slices.ContainsFunc(p.defined, func(d defined) bool { return d.older == older && d.newer == newer }) {
		return
	}
	d := defined{older: older, newer: newer}
	d.up, d.upOK = p.value(&ir.Ref{Decl: older}, &ir.Ref{Decl: newer}, true, older.Name)
	d.down, d.downOK = p.value(&ir.Ref{Decl: newer}, &ir.Ref{Decl: older}, false, newer.Name)
	p.defined = append(p.defined, d)
}

// shape returns the shape for a key. On first use, it creates one with a name and calls
// fill.
func (p *pairing) shape(key shapeKey, up bool, name string, fill func(*Shape) bool) (*Shape, bool) {
	if s, ok := p.shapes[key]; ok {
		return s, true
	}
	s := &Shape{Name: direction(up) + name}
	p.shapes[key] = s // before it is filled, because it may refer to itself
	return s, fill(s)
}

func direction(up bool) string {
	if up {
		return "up"
	}
	return "down"
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

// value decides how a value is converted: by a shape, or not at all if the shape is nil. It
// returns false after reporting an error.
func (p *pairing) value(from, to ir.Type, up bool, place string) (*Shape, bool) {
	from, to = plainType(from), plainType(to)
	if declOf(from) != nil || declOf(to) != nil {
		return p.declared(from, to, up, place)
	}
	switch f := from.(type) {
	case *ir.Array:
		if t, ok := to.(*ir.Array); ok && (t.MaxItems == 0 || f.MaxItems != 0 && f.MaxItems <= t.MaxItems) {
			return p.each(f.Elem, t.Elem, up, place+"[]")
		}
	case *ir.Map:
		if t, ok := to.(*ir.Map); ok {
			return p.each(f.Elem, t.Elem, up, place+"{}")
		}
	default:
		// Compare the types as text, including kinds, formats and bounds.
		if ir.TypeString(from) == ir.TypeString(to) {
			return nil, true
		}
	}
	p.fail(place, "cannot convert %s to %s", ir.TypeString(from), ir.TypeString(to))
	return nil, false
}

// each decides about the elements of an array or the values of a map.
func (p *pairing) each(from, to ir.Type, up bool, place string) (*Shape, bool) {
	elem, ok := p.value(from, to, up, place)
	if elem == nil {
		return nil, ok
	}
	return p.elements(elem, false), ok
}

// elements returns the shape of an array or a map whose elements have a shape.
func (p *pairing) elements(elem *Shape, leaveOut bool) *Shape {
	name := elem.Name + "Each"
	if leaveOut {
		name += "OrNone"
	}
	s, _ := p.shape(shapeKey{each: elem, leaveOut: leaveOut}, false, "", func(s *Shape) bool {
		s.Name, s.Each, s.LeaveOut = name, elem, leaveOut
		return true
	})
	return s
}

// declared decides about types of which at least one is declared.
func (p *pairing) declared(from, to ir.Type, up bool, place string) (*Shape, bool) {
	f, t := ir.Resolve(from), ir.Resolve(to)
	switch t := t.(type) {
	case *ir.Enum:
		f, ok := f.(*ir.Enum)
		if !ok || slices.ContainsFunc(f.Values, func(v ir.EnumValue) bool {
			return !slices.ContainsFunc(t.Values, func(w ir.EnumValue) bool { return w.Wire == v.Wire })
		}) {
			p.fail(place, "not every value is valid for %s", declOf(to).Name)
			return nil, false
		}
		return nil, true
	case *ir.String:
		if ir.TypeString(f) == ir.TypeString(t) {
			return nil, true
		}
	case *ir.Object:
		switch f := f.(type) {
		case *ir.Object:
			return p.object(from, to, f, t, up)
		case *ir.Union:
			return p.union(from, to, f, up)
		case *ir.Open:
			return p.fromOpen(from, to, t, up)
		}
	case *ir.Union:
		switch f := f.(type) {
		case *ir.Union:
			return p.union(from, to, f, up)
		case *ir.Object:
			for _, v := range t.Variants {
				if p.counterpart(declOf(from), up) == v.Decl {
					return p.value(from, &ir.Ref{Decl: v.Decl}, up, place)
				}
			}
		case *ir.Scalar:
			for _, v := range t.Variants {
				if ir.TypeString(v.Decl.Type) == ir.TypeString(f) {
					return nil, true
				}
			}
		}
	case *ir.Open:
		if f, ok := f.(*ir.Object); ok {
			return p.toOpen(from, to, f, up)
		}
	case *ir.Array:
		if f, ok := f.(*ir.Array); ok {
			return p.each(f.Elem, t.Elem, up, place+"[]")
		}
	case *ir.Scalar:
		if f, ok := f.(*ir.Union); ok {
			return p.union(from, to, f, up)
		}
	}
	p.fail(place, "cannot convert %s to %s", typeName(from), typeName(to))
	return nil, false
}

func typeName(t ir.Type) string {
	if d := declOf(t); d != nil {
		return d.Name
	}
	return ir.TypeString(t)
}

// missing is why a member is dropped that the other revision does not have.
func (p *pairing) missing(up bool) string { return Missing(p.to(up)) }

// Missing is why a member is dropped that a revision does not have.
func Missing(r *ir.Revision) string { return "revision " + r.ID + " does not define it" }

// Foreign is why a member is dropped that only the revision converted to has.
func Foreign(r *ir.Revision) string { return "only revision " + r.ID + " defines it" }

// toOpen converts an object with members into an open object. On the way down, the members
// that only the newer revision gives a meaning are dropped.
func (p *pairing) toOpen(from, to ir.Type, o *ir.Object, up bool) (*Shape, bool) {
	if up {
		return nil, true
	}
	return p.shape(shapeKey{from: declOf(from), to: declOf(to)}, up, declOf(from).Name, func(s *Shape) bool {
		for _, f := range o.Fields {
			s.Members = append(s.Members, Member{Name: f.Wire, Drop: p.missing(up)})
		}
		return true
	})
}

// fromOpen converts an open object into an object with members. On the way up, no member
// of the open object can be meant for one of these. On the way down, members must have the
// right kinds.
func (p *pairing) fromOpen(from, to ir.Type, o *ir.Object, up bool) (*Shape, bool) {
	for _, f := range o.Fields {
		if f.Required {
			p.fail(declOf(to).Name, "%s is required, but the other revision has an open object", f.Wire)
		}
	}
	if !up {
		return p.check(declOf(to), up), true
	}
	return p.shape(shapeKey{from: declOf(from), to: declOf(to)}, up, "Open"+declOf(to).Name, func(s *Shape) bool {
		for _, f := range o.Fields {
			s.Members = append(s.Members, Member{Name: f.Wire, Drop: Foreign(p.newer)})
		}
		return true
	})
}

// check returns a shape that drops the members that do not have the kinds of a declaration.
func (p *pairing) check(d *ir.Decl, up bool) *Shape {
	o, ok := d.Type.(*ir.Object)
	if !ok {
		return nil
	}
	s, _ := p.shape(shapeKey{to: d, check: true}, up, "Open"+d.Name, func(s *Shape) bool {
		for _, f := range o.Fields {
			m := Member{Name: f.Wire}
			m.Kinds, m.Integer = kinds(f.Type)
			if below := declOf(f.Type); below != nil {
				m.Shape = p.check(below, up)
			}
			s.Members = append(s.Members, m)
		}
		return true
	})
	return s
}

// kinds returns the kinds of JSON values that a type has, or nil for all.
func kinds(t ir.Type) (list []ir.Kind, integer bool) {
	switch t := ir.Resolve(t).(type) {
	case *ir.String, *ir.Enum:
		return []ir.Kind{ir.KindString}, false
	case *ir.Integer:
		return []ir.Kind{ir.KindNumber}, true
	case *ir.Number:
		return []ir.Kind{ir.KindNumber}, false
	case *ir.Boolean:
		return []ir.Kind{ir.KindBoolean}, false
	case *ir.Object, *ir.Open, *ir.Map:
		return []ir.Kind{ir.KindObject}, false
	case *ir.Array:
		return []ir.Kind{ir.KindArray}, false
	case *ir.Scalar:
		for _, k := range []struct {
			in   bool
			kind ir.Kind
		}{
			{t.Kinds.Text, ir.KindString}, {t.Kinds.Integer || t.Kinds.Number, ir.KindNumber},
			{t.Kinds.Boolean, ir.KindBoolean}, {t.Kinds.Null, ir.KindNull},
		} {
			if k.in {
				list = append(list, k.kind)
			}
		}
		return list, t.Kinds.Integer && !t.Kinds.Number
	}
	return nil, false
}

// object pairs the members of two objects.
func (p *pairing) object(from, to ir.Type, a, b *ir.Object, up bool) (*Shape, bool) {
	newer := declOf(to)
	if !up {
		newer = declOf(from)
	}
	return p.shape(shapeKey{from: declOf(from), to: declOf(to)}, up, newer.Name, func(s *Shape) bool {
		for _, f := range a.Fields {
			s.Members = append(s.Members, p.member(f, member(b, f.Wire), newer.Name, declOf(from).Name, up))
		}
		for _, f := range b.Fields {
			if member(a, f.Wire) == nil {
				s.Members = append(s.Members, p.added(f, newer.Name, declOf(from).Name, declOf(to).Name, up))
			}
		}
		return true
	})
}

// member decides about a member of an object; to is nil if the other revision does not have
// it. Newer and from name the object's declarations.
func (p *pairing) member(from, to *ir.Field, newer, place string, up bool) Member {
	m := Member{Name: from.Wire}
	row := func(do treatment) (memberRow, bool) { return p.tables.member(p.newer.ID, newer, from.Wire, do) }
	if r, ok := row(rewrite); ok && !up {
		m.Rewrite = r.policy
	}
	if to == nil {
		if _, carried := row(carry); !carried {
			m.Drop = p.missing(up)
		}
		return m
	}
	if from.Const != to.Const {
		p.fail(place, "%s has another constant in the other revision", from.Wire)
	}
	if r, ok := row(require); ok && !up {
		m.Require = r.reason
	}
	if to.Required && !from.Required && m.Require == "" || from.Nullable() && !to.Nullable() {
		p.fail(place, "%s is optional here and required in the other revision", from.Wire)
	}
	m.Shape, _ = p.value(from.Type, to.Type, up, place+"."+from.Wire)
	if _, ok := row(leaveOut); ok && !up && m.Shape != nil {
		m.Shape = p.elements(m.Shape.Each, true)
	}
	return m
}

// added decides about a member that only the revision converted to has.
func (p *pairing) added(f *ir.Field, newer, from, to string, up bool) Member {
	m := Member{Name: f.Wire}
	if r, ok := p.tables.member(p.newer.ID, newer, f.Wire, carry); ok {
		m.Kinds, m.Integer = kinds(f.Type)
		switch {
		case f.Const != nil:
			m.Kinds, m.Default, m.Const = nil, jsonOf(f.Const), true
		case f.Required:
			m.Require = r.reason
		}
		return m
	}
	m.Drop = Foreign(p.to(up))
	if _, ok := p.tables.member(p.newer.ID, newer, f.Wire, assume); ok && up {
		m.Default = "{}"
	} else if f.Required {
		p.fail(to, "%s is required, but %s does not have it", f.Wire, from)
	}
	return m
}

func member(o *ir.Object, name string) *ir.Field {
	i := slices.IndexFunc(o.Fields, func(f *ir.Field) bool { return f.Wire == name })
	if i < 0 {
		return nil
	}
	return o.Fields[i]
}

// jsonOf returns the JSON of a string or an int64.
func jsonOf(constant any) string {
	text, err := json.Marshal(constant)
	if err != nil {
		panic(err)
	}
	return string(text)
}
