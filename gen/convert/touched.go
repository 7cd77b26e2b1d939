package convert

import (
	"encoding/json"
	"regexp"
	"slices"
)

// touch sets Touched of the shapes by which the params and results of methods are converted.
func (p *pairing) touch() {
	exchanged := p.older.Results()
	for _, m := range p.older.Methods {
		exchanged[m.Params] = true
	}
	for _, d := range p.defined {
		for _, s := range []*Shape{p.effective(d.up), p.effective(d.down)} {
			if names, ok := s.touched(false, nil); ok && s != nil && exchanged[d.older] && len(s.Cases) == 0 {
				s.Touched = slices.Concat([]string{}, names)
			}
		}
	}
}

// touched returns JSON strings. A value that contains none of them, at any depth, is changed by the shape at
// most by adding members. ok is false if there are no such strings. within means that the values are parts of
// others.
func (s *Shape) touched(within bool, seen []*Shape) (all []string, ok bool) {
	if s == nil || slices.Contains(seen, s) {
		return nil, true
	}
	if s.Limits != nil || s.Rules != nil || s.Known != nil || s.Otherwise != "" {
		return nil, false
	}
	seen = append(seen, s)
	add := func(below *Shape, whole bool, otherwise string) bool {
		names, ok := below.touched(true, seen)
		if whole || !ok {
			if !searchable.MatchString(otherwise) {
				return false
			}
			names = []string{otherwise}
		}
		all = append(all, names...)
		return true
	}
	for _, m := range s.Members {
		if m.Always || within && (m.Require != "" || m.Default != "" || m.Fact != "") || !add(m.Shape, m.hasEffect(), quoted(m.Name)) {
			return nil, false
		}
	}
	for _, c := range s.Cases {
		if !add(c.Shape, c.hasEffect(), c.sign()) {
			return nil, false
		}
	}
	if !add(s.Each, false, "") {
		return nil, false
	}
	slices.Sort(all)
	return slices.Compact(all), true
}

// sign returns a string that each value of the case has, or "".
func (c Case) sign() string {
	for _, when := range c.When {
		switch {
		case when.Absent || len(when.Path) == 0:
		case searchable.MatchString(when.Is):
			return when.Is
		default:
			return quoted(when.Path[len(when.Path)-1])
		}
	}
	return ""
}

// searchable matches the JSON strings that are always written alike, except with escapes of the form \u00XX.
var searchable = regexp.MustCompile(`^"[A-Za-z0-9_$.-]+"$`)

func quoted(name string) string {
	text, _ := json.Marshal(name) // a string is always encoded
	return string(text)
}
