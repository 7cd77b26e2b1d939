package check

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// sharedPrefix is the prefix of the functions of definitions that several groups have.
const sharedPrefix = "checkShared"

// definition identifies a definition by what it says: its text, and those of all definitions that it refers to.
type definition [sha256.Size]byte

// share finds the definitions that several groups have, and names their functions.
func (e *emitter) share(groups []Group) {
	owners := map[definition]int{}
	schemas := map[definition]*jsonschema.Schema{}
	var order []definition
	for _, group := range groups {
		seen := map[definition]bool{}
		for _, root := range group.Roots {
			reached := root.Schema.Reach()
			if slices.ContainsFunc(reached, func(s *jsonschema.Schema) bool { return !covered(s) }) {
				continue // the whole root is checked by the fallback
			}
			for _, s := range reached {
				if s.Target == nil {
					continue
				}
				target := follow(s.Target)
				if id := e.definition(target); !seen[id] {
					seen[id] = true
					if owners[id]++; owners[id] == 1 {
						schemas[id] = target
						order = append(order, id)
					}
				}
			}
		}
	}
	for _, id := range order {
		s := schemas[id]
		if owners[id] > 1 && !anything(s) && !nothing(s) && !simple(s) {
			name := e.unique(e.within(sharedPrefix, s.Pointer[strings.LastIndexByte(s.Pointer, '/')+1:]))
			e.shared[id] = name
			e.sharedSchemas = append(e.sharedSchemas, pending{name, s})
		}
	}
}

// definition returns the identity of a definition.
func (e *emitter) definition(s *jsonschema.Schema) definition {
	if id, ok := e.definitions[s]; ok {
		return id
	}
	lines := []string{fmt.Sprintf("%v %s", s.Draft, s.Source)}
	for _, inner := range s.Reach() {
		if inner.Target != nil {
			lines = append(lines, fmt.Sprintf("%s %x", inner.Ref, sha256.Sum256([]byte(inner.Target.Source))))
		}
	}
	slices.Sort(lines[1:])
	id := definition(sha256.Sum256([]byte(strings.Join(slices.Compact(lines), "\n"))))
	e.definitions[s] = id
	return id
}

// sharedName returns the function of a definition that several groups have, or "".
func (e *emitter) sharedName(s *jsonschema.Schema) string {
	if _, ok := s.Definition(); !ok || len(e.shared) == 0 {
		return ""
	}
	return e.shared[e.definition(s)]
}
