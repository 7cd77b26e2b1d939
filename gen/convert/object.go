package convert

import (
	"fmt"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/spec"
)

// Missing is the reason for dropping a member that a revision does not have.
func Missing(r *ir.Revision) string { return "revision " + r.ID + " does not define it" }

// Foreign is the reason for dropping a member that only the revision converted to has.
func Foreign(r *ir.Revision) string { return "only revision " + r.ID + " defines it" }

// objects decides how objects of two types are converted. It returns false if one of the types is not an
// object.
func (p *pairing) objects(from, to ir.Type, up bool, at place) (*Shape, bool) {
	key := shapeKey{from: declOf(from), to: declOf(to)}
	f, t := ir.Resolve(from), ir.Resolve(to)
	switch t := t.(type) {
	case *ir.Object:
		object := p.newerDecl(from, to, up)
		switch f := f.(type) {
		case *ir.Object:
			return p.shape(key, direction(up)+object.Name, func(s *Shape) { p.object(s, f, t, object.Name, up) }), true
		case *ir.Open:
			if !up {
				return p.check(to, up), true
			}
			return p.shape(key, "upOpen"+object.Name, func(s *Shape) { p.object(s, &ir.Object{}, t, object.Name, up) }), true
		case *ir.Map:
			return p.shape(key, direction(up)+object.Name, func(s *Shape) {
				for _, field := range t.Fields {
					one := &ir.Field{Wire: field.Wire, Type: f.Elem}
					s.Members = append(s.Members, p.member(one, field, object.Name, up))
				}
			}), true
		}
	case *ir.Map:
		switch f := f.(type) {
		case *ir.Map:
			return p.each(from, to, f.Elem, t.Elem, ir.Count{}, up, at.below("{}")), true
		case *ir.Open:
			if _, ok := ir.Resolve(t.Elem).(*ir.Any); !ok {
				p.gap(up, at, "values that are not "+typeName(t.Elem)+" are refused")
			}
			return p.check(to, up), true
		case *ir.Object:
			return p.shape(key, direction(up)+p.newerDecl(from, to, up).Name, func(s *Shape) {
				for _, field := range f.Fields {
					below := p.value(field.Type, t.Elem, up, at.below("."+field.Wire))
					s.Members = append(s.Members, Member{Name: field.Wire, Shape: below})
				}
				s.Each = p.check(t.Elem, up)
			}), true
		}
	case *ir.Open:
		switch f := f.(type) {
		case *ir.Map, *ir.Open:
			return nil, true
		case *ir.Object:
			return p.toOpen(key, f, up), true
		}
	}
	return nil, false
}

// toOpen converts an object with members into an open object. On the way down, the members
// that only the newer revision gives a meaning are dropped. On the way up, rows decide.
func (p *pairing) toOpen(key shapeKey, o *ir.Object, up bool) *Shape {
	return p.shape(key, direction(up)+key.from.Name, func(s *Shape) {
		for _, f := range o.Fields {
			m := Member{Name: f.Wire}
			if !up || p.row(key.from.Name, f.Wire, func(r *spec.MemberRow) bool { return drops(r) || handled(r) || refuses(r) }) != nil {
				p.removed(&m, f, key.from.Name, up)
			}
			s.Members = append(s.Members, m)
		}
	})
}

// object pairs the members of two objects. Rows name them by the declaration of the newer
// revision.
func (p *pairing) object(s *Shape, a, b *ir.Object, object string, up bool) {
	for _, f := range a.Fields {
		s.Members = append(s.Members, p.member(f, p.same(f, b, object, up), object, up))
	}
	for _, f := range b.Fields {
		switch same := p.same(f, a, object, !up); {
		case same == nil:
			s.Members = append(s.Members, p.added(f, object, up))
		case a.Field(f.Wire) == nil:
			// The member that is renamed gets this name.
			s.Members = append(s.Members, Member{Name: f.Wire, Drop: Foreign(p.to(up))})
		}
	}
	if !a.Closed {
		s.Known = known(b)
	}
	switch {
	case b.Additional == nil || sameOthers(a.Additional, b.Additional, map[[2]*ir.Decl]bool{}):
	case a.Additional == nil:
		s.Each = p.check(b.Additional, up)
	default:
		s.Each = p.value(a.Additional, b.Additional, up, p.definition(object).below("{}"))
	}
}

// same returns the field of the other object for the same member, or nil. Up is the direction from the
// field to the other object.
func (p *pairing) same(f *ir.Field, other *ir.Object, object string, up bool) *ir.Field {
	if r := p.tables.renamed(p.newer.ID, object, f.Wire, up); r != nil {
		name := r.Older
		if up {
			name = r.Member
		}
		same := other.Field(name)
		if same != nil {
			p.tables.use(&r.StepRow)
		}
		return same
	}
	if p.tables.renamed(p.newer.ID, object, f.Wire, !up) != nil {
		return nil // the name is that of another member there
	}
	return other.Field(f.Wire)
}

// known returns the names of the members of a closed object, or nil.
func known(o *ir.Object) []string {
	if !o.Closed {
		return nil
	}
	names := []string{}
	for _, f := range o.Fields {
		names = append(names, f.Wire)
	}
	return names
}

// memberOf returns the place of a member.
func (p *pairing) memberOf(object, member string) place {
	return place{path: object + "." + member, row: p.rowFor("members", "object", object, "member", member)}
}

// row returns the row of a member that satisfies a condition, or nil.
func (p *pairing) row(object, member string, is func(*spec.MemberRow) bool) *spec.MemberRow {
	return p.tables.member(p.newer.ID, object, member, is)
}

// member decides how a member of an object is converted; t is nil if the other revision does not
// have it.
func (p *pairing) member(f, t *ir.Field, object string, up bool) Member {
	m, name := Member{Name: f.Wire}, f.Wire // rows have the name in the newer revision
	if t != nil && t.Wire != f.Wire {
		m.As = t.Wire
		if up {
			name = t.Wire
		}
	}
	if r := p.row(object, name, rewrites(up)); r != nil {
		p.tables.use(&r.StepRow)
		m.Rewrite = r.Rewrite
	}
	if t == nil {
		p.removed(&m, f, object, up)
		return m
	}
	at := p.memberOf(object, name)
	m.Shape = p.field(f, t, up, at)
	if m.Rewrite != "" {
		p.cover(up, at)
	}
	if r := p.row(object, name, leavesOut(up)); r != nil && m.Shape != nil {
		p.tables.use(&r.StepRow)
		m.Shape = p.leaveOut(m.Shape, up)
	}
	lacks := t.Required && (!f.Required || f.Default != "" && f.Default != t.Default)
	if lacks && t.Default != "" {
		m.Default, lacks = t.Default, false
	}
	if f.Nullable() && !t.Nullable() && !t.Required {
		m.LeaveOut = m.Shape != nil
		p.cover(up, at)
	}
	p.fill(&m, f, t, lacks, object, name, up)
	return m
}

// field decides how the value of a member is converted, which may be a constant.
func (p *pairing) field(f, t *ir.Field, up bool, at place) *Shape {
	switch {
	case t.Const == nil && f.Const == nil:
		return p.value(f.Type, t.Type, up, at)
	case t.Const == nil && ir.Misfit(t.Type, wire.Raw(jsonOf(f.Const)), true) == "", t.Const == f.Const:
		return nil
	case t.Const == nil, f.Const != nil:
		p.gap(up, at, "another constant: every value is refused")
		return p.refuse(at.reason(unbridged), up)
	}
	p.gap(up, at, fmt.Sprintf("a value that is not %s is refused", jsonOf(t.Const)))
	return p.limited(&Limits{Values: []string{jsonOf(t.Const)}}, up, at)
}

// fill applies the rows for a member that may be missing, or whose value cannot always be
// converted.
func (p *pairing) fill(m *Member, f, t *ir.Field, lacks bool, object, name string, up bool) {
	at := p.memberOf(object, name)
	cover := func(r *spec.MemberRow) {
		p.tables.use(&r.StepRow)
		p.cover(up, at)
	}
	if r := p.row(object, name, hasSession); r != nil && lacks {
		if p.isFact(r, t) {
			m.Fact, lacks = r.Session, false
		}
		cover(r)
	}
	if r := p.row(object, name, hasValue); r != nil && (lacks || m.Shape != nil) && (p.tables.fits(r, f) || m.Shape == nil && p.tables.fits(r, t)) {
		m.Default, m.LeaveOut, m.Reason = string(*r.Value), m.Shape != nil, r.Reason
		if t.Required && m.Shape != nil {
			m.Require = r.Reason // if the value cannot be converted either
		}
		lacks = false
		cover(r)
	}
	if r := p.row(object, name, drops); r != nil && m.Shape != nil && !t.Required {
		m.LeaveOut, m.Reason = true, r.Reason
		cover(r)
	}
	if r := p.row(object, name, refuses); r != nil && (lacks || m.Shape != nil) {
		m.Reason = r.Reason
		if lacks {
			m.Require, lacks = r.Reason, false
		}
		cover(r)
	}
	if lacks {
		p.gap(up, at, "required: an object without it is refused")
		m.Require = required
	}
}

// required is the reason for refusing an object that lacks a member.
const required = "not bridged, because the other revision requires the member and no row of convert.yaml has a value for it"

// removed decides how a member is converted that only the revision converted from has.
func (p *pairing) removed(m *Member, f *ir.Field, object string, up bool) {
	if r := p.row(object, f.Wire, carries); r != nil {
		p.tables.use(&r.StepRow)
		return
	}
	m.Drop = Missing(p.to(up))
	if f.Const != nil && f.Required {
		m.Implied = jsonOf(f.Const) // the other direction adds it
	}
	if r := p.row(object, f.Wire, func(r *spec.MemberRow) bool { return handled(r) || hasSession(r) }); r != nil {
		p.tables.use(&r.StepRow)
		m.Handled = true
	}
	if r := p.row(object, f.Wire, hasValue); r != nil && p.tables.fits(r, f) {
		p.tables.use(&r.StepRow)
		m.Implied = string(*r.Value)
	}
	if r := p.row(object, f.Wire, drops); r != nil {
		p.tables.use(&r.StepRow)
		m.Drop = r.Reason
	}
	// A row for a required member is for the objects of the other revision, which lack it.
	if r := p.row(object, f.Wire, refuses); r != nil && !m.Handled && !f.Required {
		p.tables.use(&r.StepRow)
		m.Drop, m.Shape = "", p.refuse(r.Reason, up)
	}
}

// added decides which value a member gets that only the revision converted to has.
func (p *pairing) added(f *ir.Field, object string, up bool) Member {
	m := Member{Name: f.Wire}
	if r := p.row(object, f.Wire, carries); r != nil {
		p.tables.use(&r.StepRow)
		p.carry(&m, f, r.Reason, up)
		return m
	}
	if r := p.row(object, f.Wire, rewrites(up)); r != nil {
		p.tables.use(&r.StepRow)
		m.Rewrite, m.Always = r.Rewrite, true
		return m
	}
	if f.Const != nil && f.Required {
		m.Default, m.Const = jsonOf(f.Const), true
		return m
	}
	m.Drop = Foreign(p.to(up))
	if f.Default != "" {
		m.Default = f.Default
	}
	if r := p.row(object, f.Wire, hasSession); r != nil && p.isFact(r, f) {
		p.tables.use(&r.StepRow)
		m.Fact = r.Session
		if f.Required {
			m.Require = r.Reason
		}
		return m
	}
	if r := p.row(object, f.Wire, hasValue); r != nil && p.tables.fits(r, f) {
		p.tables.use(&r.StepRow)
		m.Default = string(*r.Value)
	}
	if !f.Required || m.Default != "" {
		return m
	}
	m.Require = required
	if r := p.row(object, f.Wire, refuses); r != nil {
		p.tables.use(&r.StepRow)
		m.Require = r.Reason
	} else {
		p.gap(up, p.memberOf(object, f.Wire), "required: every object is refused")
	}
	return m
}

// carry keeps a member that only one of the schemas names.
func (p *pairing) carry(m *Member, f *ir.Field, reason string, up bool) {
	switch {
	case f.Const != nil:
		m.Default, m.Const = jsonOf(f.Const), true
	case f.Required:
		m.Require, m.Reason = reason, reason
		fallthrough
	default:
		m.Shape, m.LeaveOut = p.check(f.Type, up), !f.Required
	}
}
