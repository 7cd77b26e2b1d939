package convert

import (
	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/spec"
)

// check returns the shape by which any JSON value becomes a value of a type, or nil if every
// value is one. Optional members that are not valid are left out; other values are refused.
func (p *pairing) check(to ir.Type, up bool) *Shape {
	return p.obey(p.checkType(to, up), nil, to, up, place{})
}

// checkType is check by the type alone.
func (p *pairing) checkType(to ir.Type, up bool) *Shape {
	t := ir.Resolve(to)
	if _, ok := t.(*ir.Any); ok {
		return nil
	}
	if isLeaf(t) {
		return p.limited(leafOf(t), up, place{})
	}
	key, name := shapeKey{to: declOf(to), does: direction(up) + " check"}, direction(up)+"Open"
	if key.to != nil {
		name += key.to.Name
	} else {
		key.does += ir.TypeString(to)
	}
	return p.shape(key, name, func(s *Shape) {
		switch t := t.(type) {
		case *ir.Object:
			if !t.Loose {
				s.Limits = &Limits{Kinds: []ir.Kind{ir.KindObject}}
			}
			for _, f := range t.Fields {
				s.Members = append(s.Members, p.checkMember(f, up))
			}
			s.Known = known(t)
			if t.Additional != nil {
				s.Each = p.check(t.Additional, up)
			}
		case *ir.Open:
			s.Limits = &Limits{Kinds: []ir.Kind{ir.KindObject}}
		case *ir.Map:
			s.Limits, s.Each = &Limits{Kinds: []ir.Kind{ir.KindObject}}, p.check(t.Elem, up)
		case *ir.Array:
			s.Limits, s.Each = &Limits{Kinds: []ir.Kind{ir.KindArray}, Length: t.Length}, p.check(t.Elem, up)
		case *ir.Nullable:
			s.Cases = []Case{{Kind: ir.KindNull}, {Shape: p.check(t.Elem, up)}}
		case *ir.Union:
			variants := map[*ir.Variant]Case{}
			for _, v := range t.Variants {
				variants[v] = Case{Shape: p.check(&ir.Ref{Decl: v.Decl}, up)}
			}
			s.Cases, s.Otherwise = cases(t.Decision, Case{}, variants), "the other revision does not define this variant"
		}
	})
}

func (p *pairing) checkMember(f *ir.Field, up bool) Member {
	m := Member{Name: f.Wire, Shape: p.check(f.Type, up), LeaveOut: !f.Required}
	if f.Const != nil {
		m.Shape = p.limited(&Limits{Values: []string{jsonOf(f.Const)}}, up, place{})
	}
	switch {
	case f.Default != "":
		m.Default = f.Default
	case f.Required:
		m.Require = "the other revision requires the member"
	}
	return m
}

// isFact reports whether the type of a member is that of the fact that a row names, and
// records an error if it is not.
func (p *pairing) isFact(r *spec.MemberRow, f *ir.Field) bool {
	definition := convert.KnownFacts()[r.Session]
	d := declOf(f.Type)
	_, text := ir.Resolve(f.Type).(*ir.String)
	if definition == "" && text || d != nil && d.Name == definition {
		return true
	}
	if definition == "" {
		definition = "a string"
	}
	p.tables.fail(&r.StepRow, "%s.%s is of type %s, and %s is %s", r.Object, r.Member, typeName(f.Type), r.Session, definition)
	return false
}
