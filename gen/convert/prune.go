package convert

import "slices"

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
		if s.Each == nil { // which would convert the members that are not listed
			s.Members = slices.DeleteFunc(s.Members, func(m Member) bool { return !m.hasEffect() && m.Shape == nil })
		}
		for i, m := range s.Members {
			if m.Shape == nil { // LeaveOut and Reason are about the shape
				s.Members[i].LeaveOut, s.Members[i].Reason = false, ""
			}
		}
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
	return c.Kind != o.Kind && c.Kind != "" && o.Kind != "" || slices.ContainsFunc(c.When, func(a Condition) bool {
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
	return s.Otherwise != "" || s.LeaveOut || s.Limits != nil || s.Known != nil || s.Rules != nil ||
		slices.ContainsFunc(s.below(), func(below **Shape) bool { return effects[*below] }) ||
		slices.ContainsFunc(s.Members, Member.hasEffect) || slices.ContainsFunc(s.Cases, Case.hasEffect)
}

// hasEffect reports whether a member changes in more than its value.
func (m Member) hasEffect() bool {
	return m.As != "" || m.Rewrite != "" || m.Drop != "" || m.Require != "" || m.Default != "" || m.Fact != ""
}

// hasEffect reports whether a variant changes in more than its shape.
func (c Case) hasEffect() bool { return c.Rewrite != "" || c.Refuse != "" || c.Replace != "" }
