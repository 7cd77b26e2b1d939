package lower

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/schema"
)

// checkRefs fails on definitions that are made of themselves: to know what such
// a one is, one would have to know it already. Members and elements may lead
// back. The passes that follow references rely on it.
func (l *lowerer) checkRefs() {
	for _, def := range l.doc.Definitions {
		if way := l.wayTo(def.Name, def.Schema, nil); way != nil {
			if l.lenient {
				// The file's own text says what it is, as far as it is anything.
				*def.Schema = schema.Schema{Pointer: def.Schema.Pointer}
				l.doc.Keep(def.Schema)
				continue
			}
			l.fail(def.Schema, "the definition is made of itself: %s", strings.Join(slices.Concat([]string{def.Name}, way), " -> "))
		}
	}
}

// wayTo returns the references by which a schema leads to a definition without
// going into members or elements, nil when it does not. It follows none of
// those seen.
func (l *lowerer) wayTo(name string, s *schema.Schema, seen map[string]bool) []string {
	if seen == nil {
		seen = map[string]bool{}
	}
	switch {
	case s.Ref == name:
		return []string{name}
	case s.Ref != "":
		if seen[s.Ref] {
			return nil
		}
		seen[s.Ref] = true
		if way := l.wayTo(name, l.doc.Lookup(s.Ref), seen); way != nil {
			return slices.Concat([]string{s.Ref}, way)
		}
	}
	for _, branch := range slices.Concat(s.AnyOf, s.AllOf) {
		if way := l.wayTo(name, branch, seen); way != nil {
			return way
		}
	}
	return nil
}
