package convert

import (
	"bytes"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// differing names the members by which the objects of a definition differ between two revisions. Objects that
// have none of them are the same in both, except for what the runtime adds. Nil stands for a definition for
// which that is not so. Without it, a call without a session takes a twentieth longer.
type differing []string

// keeps reports whether a value is certain to be the same in both revisions.
func (names differing) keeps(v wire.Appender) bool {
	known, ok := v.(runtime.KnownMembers)
	return ok && names != nil && !slices.ContainsFunc(names, known.MayHave)
}

// addedToResults is what the runtime adds to complete results of stateless requests.
const addedToResults = `"resultType":"complete"`

// differing compares a definition in two revisions, without facts about a session.
func (t *Table) differing(from, to int, definition string) differing {
	var c Conversion
	names, text := differing{}, wire.Raw("{}") // text is the object without members
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
				names = append(names, m.Name)
			}
		}
		if text, err = step.Convert(&c, d, from < to, text); err != nil || len(c.losses) > 0 {
			return nil
		}
		from = toward(from, to)
	}
	if text != "{}" && (!alone || text != "{"+addedToResults+"}") {
		return nil
	}
	return names
}

// differences has the definitions that were compared with those of a revision so far.
type differences struct {
	known atomic.Pointer[map[string]differing]
}

// of returns the differences of a definition. Two goroutines may both find them.
func (k *differences) of(t *Table, from, to int, definition string) differing {
	known := k.known.Load()
	if known != nil {
		if names, ok := (*known)[definition]; ok {
			return names
		}
	}
	names := t.differing(from, to, definition)
	next := map[string]differing{definition: names}
	if known != nil {
		maps.Copy(next, *known)
	}
	k.known.Store(&next)
	return names
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
	return s.plain() && len(text) >= 2 && text[0] == '{' && !bytes.Contains(text, []byte(escaped)) &&
		!slices.ContainsFunc(s.Members, func(m Member) bool { return bytes.Contains(text, []byte(m.Name)) })
}
