package random

import (
	"math"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// endless is the height of a declaration without finite values.
const endless = math.MaxInt32

// measure computes the smallest nesting depth of a valid value for each declaration. It repeats
// until nothing changes; a declaration that requires itself stays endless.
func (s *Source) measure() map[*ir.Decl]int {
	rev := s.rev
	found := map[*ir.Decl]int{}
	for _, d := range rev.Decls {
		found[d] = endless
	}
	for again := true; again; {
		again = false
		for _, d := range rev.Decls {
			h := endless
			if d.Rules == nil {
				h = height(d.Type, found)
			} else if len(s.samples.decl(d)) > 0 {
				h = 1
			}
			if h < found[d] {
				found[d], again = h, true
			}
		}
	}
	return found
}

func height(t ir.Type, found map[*ir.Decl]int) int {
	switch t := t.(type) {
	case *ir.Ref:
		return found[t.Decl]
	case *ir.Array:
		if t.Length.Min > 0 {
			return height(t.Elem, found)
		}
	case *ir.Union:
		least := endless
		for _, v := range t.Variants {
			least = min(least, found[v.Decl])
		}
		return least
	case *ir.Object:
		most := 0
		for _, f := range t.Fields {
			if f.Required && !f.Nullable() {
				most = max(most, height(f.Base(), found))
			}
		}
		if most == endless {
			return endless
		}
		return most + 1
	}
	return 1
}

// Possible reports whether a type has finite valid values. A type that requires itself has
// none.
func (s *Source) Possible(t ir.Type) bool { return height(t, s.heights) < endless }

// variant returns a random possible variant, or the flattest one if no room is left.
func (s *Source) variant(u *ir.Union) *ir.Variant {
	var possible []*ir.Variant
	flattest := u.Variants[0]
	for _, v := range u.Variants {
		if s.heights[v.Decl] < endless {
			possible = append(possible, v)
		}
		if s.heights[v.Decl] < s.heights[flattest.Decl] {
			flattest = v
		}
	}
	if s.room <= 0 || len(possible) == 0 {
		return flattest
	}
	return pick(s, possible)
}
