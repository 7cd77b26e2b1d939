package convert

import (
	"bytes"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// plain is the conversion of the objects of a definition that have none of the members that differ: all of
// them get the same members, if any. Nil is the conversion of a definition for which that is not so.
// Without it, a call without a session takes a twentieth longer.
type plain struct {
	names []string // of the members that differ
	added string   // the members that are added, with commas between them
	same  bool     // nothing is added, or only what the runtime adds
}

// applies reports whether text is certain to be such an object.
func (p *plain) applies(text []byte) bool {
	return p != nil && readable(text) &&
		!slices.ContainsFunc(p.names, func(name string) bool { return bytes.Contains(text, []byte(name)) })
}

// keeps reports whether a value is certain to be such an object and gets no members from the conversion.
func (p *plain) keeps(v wire.Appender) bool {
	if p == nil || !p.same {
		return false
	}
	known, ok := v.(runtime.KnownMembers)
	return ok && !slices.ContainsFunc(p.names, known.MayHave)
}

// addedToResults is what the runtime adds to complete results of stateless requests.
const addedToResults = `"resultType":"complete"`

// append converts the object at the end of dst.
func (p *plain) append(dst []byte) []byte {
	if p.added == "" {
		return dst
	}
	return append(append(wire.AppendComma(dst[:len(dst)-1]), p.added...), '}')
}

// plain returns the conversion of a definition between two revisions, without facts about a session.
func (t *Table) plain(from, to int, definition string) *plain {
	var c Conversion
	p, text := &plain{}, wire.Raw("{}") // text is the object without members
	alone := (&runtime.Binding{Methods: t.Revisions[to].Methods}).Stateless()
	for from != to {
		step, d, err := t.step(from, to, func(int) string { return definition })
		if err != nil {
			return nil
		}
		if rule := step.begin(&c, d, from < to); rule != Keep {
			s := &c.shapes[rule]
			if !s.plain() {
				return nil
			}
			for i := range s.Members {
				m := &s.Members[i]
				if m.Rewrite != nil && has(text, m.Name) { // it may depend on the rest of the object
					return nil
				}
				p.names = append(p.names, m.Name)
			}
		}
		if text, err = step.Convert(&c, d, from < to, text); err != nil || len(c.losses) > 0 {
			return nil
		}
		from = toward(from, to)
	}
	p.added = string(text[1 : len(text)-1])
	p.same = p.added == "" || alone && p.added == addedToResults
	return p
}

// plains are the conversions to a revision that were needed so far, by definition.
type plains struct {
	known atomic.Pointer[map[string]*plain]
}

// of returns the conversion of a definition. Two goroutines may both make it.
func (k *plains) of(t *Table, from, to int, definition string) *plain {
	known := k.known.Load()
	if known != nil {
		if p, ok := (*known)[definition]; ok {
			return p
		}
	}
	p := t.plain(from, to, definition)
	next := map[string]*plain{definition: p}
	if known != nil {
		maps.Copy(next, *known)
	}
	k.known.Store(&next)
	return p
}

// escaped is the beginning of every escape sequence that can stand for a character of a member's name.
const escaped = `\u00`

// plain reports whether the values of a shape can only differ in the members that it names.
func (s *Shape) plain() bool {
	return s.Known == nil && s.Each == Keep && s.Cases == nil && s.Checks == nil &&
		!slices.ContainsFunc(s.Members, func(m Member) bool { return m.Always })
}

// lackedBy reports whether text is certain to be an object without the members that the shape names.
func (s *Shape) lackedBy(text []byte) bool {
	if !s.plain() || !readable(text) {
		return false
	}
	return !slices.ContainsFunc(s.Members, func(m Member) bool { return bytes.Contains(text, []byte(m.Name)) })
}

// readable reports whether text is an object in which no name of a member is escaped.
func readable(text []byte) bool {
	return len(text) >= 2 && text[0] == '{' && !bytes.Contains(text, []byte(escaped))
}
