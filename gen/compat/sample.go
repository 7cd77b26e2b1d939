package compat

import (
	"math"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// largest is how long strings and arrays are made to show a limit.
const largest = 1000

// maker makes values of shapes.
type maker struct {
	busy map[*Alt]bool
	// smallest are the smallest values of alternatives that were made.
	smallest map[*Alt]any
}

func newMaker() *maker { return &maker{map[*Alt]bool{}, map[*Alt]any{}} }

// minimal makes the shortest value of a shape it can think of; false if there
// is none.
func (m *maker) minimal(s *Shape) (any, bool) {
	var best any
	found := false
	for _, a := range s.Alts {
		if v, ok := m.alt(a); ok && (!found || shorter(v, best)) {
			best, found = v, true
		}
	}
	return best, found
}

func shorter(a, b any) bool { return len(render(a)) < len(render(b)) }

func (m *maker) alt(a *Alt) (any, bool) {
	if v, ok := m.smallest[a]; ok {
		return v, true
	}
	if m.busy[a] {
		return nil, false
	}
	m.busy[a] = true
	defer delete(m.busy, a)
	v, ok := m.make(a)
	if ok {
		m.smallest[a] = v
	}
	return v, ok
}

func (m *maker) make(a *Alt) (any, bool) {
	if a.Values != nil {
		var best any
		found := false
		for _, text := range a.Values {
			if v := parse(text); a.accepts(v) && (!found || shorter(v, best)) {
				best, found = v, true
			}
		}
		return best, found
	}
	switch a.Kind {
	case kindAny:
		return "", true
	case kindNull:
		return nil, true
	case kindBoolean:
		return false, true
	case kindNumber:
		return a.number()
	case kindString:
		return a.string()
	case kindArray:
		return m.list(a, lowest(a.Array.Length))
	}
	return m.object(a)
}

func lowest(s span) int {
	if s.Min == nil {
		return 0
	}
	return int(*s.Min)
}

func (a *Alt) number() (any, bool) {
	for _, f := range a.Number.Range.probes() {
		if v := num(f); a.accepts(v) {
			return v, true
		}
	}
	return nil, false
}

// probes are numbers in and around a span, zero first.
func (s span) probes() []float64 {
	list := []float64{0, 1, -1, 0.5}
	for _, bound := range []*float64{s.Min, s.Max} {
		if bound != nil {
			list = append(list, *bound, *bound+1, *bound-1, math.Floor(*bound), math.Ceil(*bound), *bound+0.5, *bound-0.5)
		}
	}
	if s.Min != nil && s.Max != nil {
		list = append(list, (*s.Min+*s.Max)/2)
	}
	return list
}

func (a *Alt) string() (any, bool) {
	t := a.Text
	if t == nil {
		t = &text{}
	}
	s := formats[t.Format]
	if t.Pattern != "" {
		s = match(t.Pattern)
	}
	if n := lowest(t.Length) - utf8.RuneCountInString(s); n > 0 && n <= largest && t.Format == "" {
		s += strings.Repeat("x", n)
	}
	return s, a.accepts(s)
}

// match makes a string that a regular expression matches, as well as it can.
func match(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	var walk func(re *syntax.Regexp)
	walk = func(re *syntax.Regexp) {
		switch re.Op {
		case syntax.OpLiteral:
			b.WriteString(string(re.Rune))
		case syntax.OpCharClass:
			if len(re.Rune) > 0 {
				b.WriteRune(max(re.Rune[0], min(re.Rune[1], 'a')))
			}
		case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
			b.WriteByte('x')
		case syntax.OpCapture, syntax.OpPlus:
			walk(re.Sub[0])
		case syntax.OpRepeat:
			for range re.Min {
				walk(re.Sub[0])
			}
		case syntax.OpConcat:
			for _, sub := range re.Sub {
				walk(sub)
			}
		case syntax.OpAlternate:
			walk(re.Sub[0])
		}
	}
	walk(re)
	return b.String()
}

// list makes an array of n elements.
func (m *maker) list(a *Alt, n int) (any, bool) {
	list := []any{}
	if n == 0 {
		return list, true
	}
	item, ok := any(""), true
	if a.Array.Items != nil {
		item, ok = m.minimal(a.Array.Items)
	}
	if !ok || !fits(item, n) {
		return nil, false
	}
	for i := range n {
		v := item
		if a.Array.Unique && i > 0 {
			v = num(float64(i))
			if a.Array.Items != nil && !a.Array.Items.accepts(v) {
				v = "x" + strconv.Itoa(i)
			}
			if a.Array.Items != nil && !a.Array.Items.accepts(v) {
				return nil, false
			}
		}
		list = append(list, v)
	}
	return list, true
}

// fits reports whether n of a value are not too much to show.
func fits(v any, n int) bool { return n <= largest && n*len(render(v)) <= 64*largest }

func (m *maker) object(a *Alt) (any, bool) {
	object := map[string]any{}
	for _, member := range a.Object.Members {
		if !member.Required {
			continue
		}
		v, ok := m.minimal(member.Shape)
		if !ok {
			return nil, false
		}
		object[member.Name] = v
	}
	if missing := lowest(a.Object.Size) - len(object); missing > 0 {
		v, ok := any(""), !a.Object.Closed
		if ok && a.Object.Rest != nil {
			v, ok = m.minimal(a.Object.Rest)
		}
		if !ok || !fits(v, missing) {
			return nil, false
		}
		for i := range missing {
			object["x"+strconv.Itoa(i)] = v
		}
	}
	return object, a.Object.accepts(object)
}

// samples makes various values of an alternative, the shortest first.
func (m *maker) samples(a *Alt) []any {
	var list []any
	add := func(v any) {
		if a.accepts(v) && !slices.ContainsFunc(list, func(have any) bool { return render(have) == render(v) }) {
			list = append(list, v)
		}
	}
	minimal, ok := m.alt(a)
	if !ok {
		return nil
	}
	if a.Kind == kindArray {
		if one, ok := m.list(a, lowest(a.Array.Length)+1); ok {
			add(one) // an empty array tells less
		}
		if a.Array.Items != nil {
			for _, item := range a.Array.Items.Alts {
				if v, ok := m.alt(item); ok {
					add([]any{v})
				}
			}
		}
	}
	add(minimal)
	for _, text := range a.Values {
		add(parse(text))
	}
	switch a.Kind {
	case kindAny:
		for _, v := range []any{num(0), num(0.5), false, nil, []any{}, map[string]any{}} {
			add(v)
		}
	case kindBoolean:
		add(true)
	case kindNumber:
		for _, f := range a.Number.Range.probes() {
			add(num(f))
		}
	case kindString:
		add("")
		add("x")
	case kindObject:
		m.members(a, minimal, add)
	}
	return list
}

// members adds what an object is with each of its optional members, and with
// all of them.
func (m *maker) members(a *Alt, minimal any, add func(v any)) {
	full := map[string]any{}
	base, _ := minimal.(map[string]any)
	for name, v := range base {
		full[name] = v
	}
	for _, member := range a.Object.Members {
		if _, there := base[member.Name]; there {
			continue
		}
		if v, ok := m.minimal(member.Shape); ok {
			add(with(base, member.Name, v))
			full[member.Name] = v
		}
	}
	add(full)
}

// with returns an object with one member more.
func with(object map[string]any, name string, v any) map[string]any {
	more := make(map[string]any, len(object)+1)
	for have, value := range object {
		more[have] = value
	}
	more[name] = v
	return more
}

// all makes samples of every alternative.
func (m *maker) all(s *Shape) []any {
	var list []any
	for _, a := range s.Alts {
		list = append(list, m.samples(a)...)
	}
	return list
}

// common makes a value that both shapes accept, or one of the first.
func (m *maker) common(of, also *Shape) (any, bool) {
	if also == nil {
		return m.minimal(of)
	}
	for _, from := range []*Shape{of, also} {
		if v, ok := m.minimal(from); ok && of.accepts(v) && also.accepts(v) {
			return v, true
		}
	}
	for _, v := range append(m.all(of), m.all(also)...) {
		if of.accepts(v) && also.accepts(v) {
			return v, true
		}
	}
	return m.minimal(of)
}

// refused are the values that a shape does not accept.
func (s *Shape) refused(values []any) []any {
	var list []any
	for _, v := range values {
		if !s.accepts(v) {
			list = append(list, v)
		}
	}
	return list
}

// few keeps the shortest values, of which enough are tried.
func few(values []any) []any {
	slices.SortStableFunc(values, func(a, b any) int { return len(render(a)) - len(render(b)) })
	return values[:min(len(values), 4)]
}
