package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// annotates reports whether a keyword says nothing about values.
func annotates(keyword string) bool {
	k := jsonschema.KeywordOf(keyword)
	return k != nil && k.Kinds == 0
}

// inRoot lists the keywords that the whole file may have beside its definitions.
var inRoot = []string{"$schema", "$id", "$comment", "title", "description", "$defs", "definitions"}

// known fails for each keyword that the reader does not know, and for patterns that are not
// regular expressions. A lenient reader ignores the keywords of extensions, which begin with "x-".
func (r *reader) known(lenient bool) {
	all := r.root.All()
	for _, pointer := range slices.Sorted(maps.Keys(all)) {
		s := all[pointer]
		if s.Source.Kind() != wire.KindObject {
			continue
		}
		if s.Draft != jsonschema.Draft7 && s.Draft != jsonschema.Draft202012 {
			r.fail(Child(pointer, "$schema"), "unsupported draft %q: schemas of MCP are of %s or %s", s.Draft, jsonschema.Draft7, jsonschema.Draft202012)
			continue
		}
		for key := range wire.Object(s.Source).All() {
			k := jsonschema.KeywordOf(key)
			older, newer := k != nil && k.In(jsonschema.Draft7), k != nil && k.In(jsonschema.Draft202012)
			switch {
			case k == nil && lenient && strings.HasPrefix(key, "x-"):
			case !older && !newer:
				r.fail(Child(pointer, key), "unknown keyword %q", key)
			case pointer == "" && !slices.Contains(inRoot, key):
				r.fail(Child(pointer, key), "keyword %q is supported in definitions only", key)
			case !k.In(s.Draft):
				draft := jsonschema.Draft202012
				if older {
					draft = jsonschema.Draft7
				}
				r.fail(Child(pointer, key), "unknown keyword %q: it is one of %s, and this schema is in %s", key, draft, s.Draft)
			}
		}
		if s.Pattern != nil {
			r.pattern(Child(pointer, "pattern"), *s.Pattern)
		}
		for _, p := range s.PatternProperties {
			r.pattern(Child(pointer, "patternProperties", p.Name), p.Name)
		}
	}
}

func (r *reader) pattern(pointer, pattern string) {
	if _, err := ecma.Compile(pattern); err != nil {
		r.fail(pointer, "is not a regular expression: %v", err)
	}
}
