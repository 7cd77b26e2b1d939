package convert

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
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
	reason := ""
	if at.is != nil {
		reason = at.is.Reason
	}
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
	a, b := p.document(!up), p.document(up)
	return slices.EqualFunc(from, to, func(x, y string) bool { return sameSchemas{a, b, map[[2]string]bool{}}.at(x, y) })
}

// document returns the decoded schema.json of the revision that values are converted to.
func (p *pairing) document(up bool) any {
	r := p.to(up)
	if _, ok := p.documents[r]; !ok {
		var document any
		if err := json.Unmarshal([]byte(r.Schema), &document); err != nil {
			document = nil // a revision without a text; its rules are the same as no others
		}
		p.documents[r] = document
	}
	return p.documents[r]
}

// sameSchemas compares schemas of two documents. The pairs of pointers that it has seen are taken to be the
// same, because schemas may refer to themselves.
type sameSchemas struct {
	a, b any
	seen map[[2]string]bool
}

// at compares the schemas at two JSON Pointers.
func (s sameSchemas) at(x, y string) bool {
	if s.seen[[2]string{x, y}] {
		return true
	}
	s.seen[[2]string{x, y}] = true
	v, ok := lookup(s.a, x)
	w, also := lookup(s.b, y)
	return ok && also && s.values(v, w)
}

func (s sameSchemas) values(v, w any) bool {
	switch v := v.(type) {
	case map[string]any:
		w, ok := w.(map[string]any)
		if !ok || len(v) != len(w) {
			return false
		}
		for name, value := range v {
			other, ok := w[name]
			if !ok || !s.member(name, value, other) {
				return false
			}
		}
		return true
	case []any:
		w, ok := w.([]any)
		return ok && slices.EqualFunc(v, w, s.values)
	}
	return v == w
}

// member compares two values of a keyword. References are the same if what they refer to is.
func (s sameSchemas) member(name string, v, w any) bool {
	x, isText := v.(string)
	y, also := w.(string)
	if name != "$ref" || !isText || !also {
		return s.values(v, w)
	}
	x, isLocal := strings.CutPrefix(x, "#")
	y, also = strings.CutPrefix(y, "#")
	return isLocal && also && s.at(x, y)
}

// lookup returns the value at a JSON Pointer.
func lookup(v any, pointer string) (any, bool) {
	if pointer == "" {
		return v, true
	}
	for _, name := range strings.Split(pointer[1:], "/") {
		name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
		switch at := v.(type) {
		case map[string]any:
			below, ok := at[name]
			if !ok {
				return nil, false
			}
			v = below
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}
