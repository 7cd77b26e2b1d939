package convert

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// obey returns the shape that converts values by s and then refuses those that do not satisfy the
// schemas of the type converted to, which say more than the type. It returns s if there are no such
// schemas, or if they are the same in both revisions. From is nil for values of any type.
func (p *pairing) obey(s *Shape, from, to ir.Type, up bool, at place) *Shape {
	rules := rulesOf(to)
	if len(rules) == 0 || from != nil && p.sameRules(rulesOf(from), rules, up) {
		return s
	}
	if from != nil {
		p.gap(up, at, "a value that does not satisfy all keywords of the schema is refused")
	}
	reason := at.reason("")
	key := shapeKey{to: declOf(to), each: s, does: strings.Join(append(rules, direction(up), "rules", reason), " ")}
	return p.shape(key, direction(up)+declOf(to).Name+"Rules", func(checked *Shape) {
		checked.Rules, checked.Reason = rules, reason
		if s != nil {
			checked.Cases = []Case{{Shape: s}}
		}
	})
}

// rulesOf returns the schemas that values of a type must satisfy beside the type, by its declaration and
// those that this one is another name of.
func rulesOf(t ir.Type) []string {
	var all []string
	for {
		ref, ok := t.(*ir.Ref)
		if !ok {
			return all
		}
		all, t = append(all, ref.Decl.Rules...), ref.Decl.Type
	}
}

// sameRules reports whether schemas of the revision converted from, by their pointers, are equal to those
// of the other revision, with all that they refer to.
func (p *pairing) sameRules(from, to []string, up bool) bool {
	a, b := wire.Raw(p.to(!up).Schema), wire.Raw(p.to(up).Schema)
	return slices.EqualFunc(from, to, func(x, y string) bool { return sameSchemas{a, b, map[[2]string]bool{}}.at(x, y) })
}

// sameSchemas compares schemas of two documents. The pairs of pointers that it has seen are taken to be the
// same, because schemas may refer to themselves.
type sameSchemas struct {
	a, b wire.Raw
	seen map[[2]string]bool
}

// at compares the schemas at two JSON Pointers.
func (s sameSchemas) at(x, y string) bool {
	if s.seen[[2]string{x, y}] {
		return true
	}
	s.seen[[2]string{x, y}] = true
	v, ok := s.a.At(x)
	w, also := s.b.At(y)
	return ok && also && s.values(v, w)
}

func (s sameSchemas) values(v, w wire.Raw) bool {
	switch {
	case v.Kind() != w.Kind():
		return false
	case v.Kind() == wire.KindArray:
		return slices.EqualFunc(v.Elements(), w.Elements(), s.values)
	case v.Kind() != wire.KindObject:
		return wire.Equal(v, w)
	}
	for name, value := range wire.Object(v).All() {
		other, ok := wire.Object(w).Get(name)
		if !ok || !s.member(name, value, other) {
			return false
		}
	}
	return wire.Object(v).Len() == wire.Object(w).Len()
}

// member compares two values of a keyword. References are the same if what they refer to is.
func (s sameSchemas) member(name string, v, w wire.Raw) bool {
	x, isText := v.Str()
	y, also := w.Str()
	if name != "$ref" || !isText || !also {
		return s.values(v, w)
	}
	x, isLocal := strings.CutPrefix(x, "#")
	y, also = strings.CutPrefix(y, "#")
	return isLocal && also && s.at(x, y)
}
