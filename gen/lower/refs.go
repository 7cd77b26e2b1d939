package lower

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/schema"
)

// checkRefs fails if a definition consists of itself, through references and combinations
// alone. Members and elements may refer back. The passes that follow references rely on this
// check.
func (l *lowerer) checkRefs() {
	for _, def := range l.doc.Definitions {
		if way := l.wayTo(def.Name, def.Schema, nil); way != nil {
			if l.lenient {
				// A comparison uses the source text instead.
				*def.Schema = schema.Schema{Pointer: def.Schema.Pointer}
				l.doc.Keep(def.Schema)
				continue
			}
			l.fail(def.Schema, "the definition consists of itself: %s", strings.Join(slices.Concat([]string{def.Name}, way), " -> "))
		}
	}
}

// wayTo returns the references that lead from a schema to a definition, members and elements
// apart, or nil. It does not follow the references in seen.
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
