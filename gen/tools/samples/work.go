package samples

import (
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// mostVisits limits how many schemas a validation applies, each to a part of the value.
const mostVisits = 20_000

// shallow is the depth up to which no value takes too many visits.
const shallow = 2

// deeper reports whether a value has more levels of objects and arrays.
func deeper(v any, levels int) bool {
	below := func(v any) bool { return deeper(v, levels-1) }
	switch v := v.(type) {
	case map[string]any:
		return levels == 0 || slices.ContainsFunc(slices.Collect(maps.Values(v)), below)
	case []any:
		return levels == 0 || slices.ContainsFunc(v, below)
	}
	return false
}

// part is a part of a value, with how many visits each schema that was applied to it takes.
type part struct {
	members  map[string]*part
	elements []*part
	visits   map[*jsonschema.Schema]int
}

// partOf returns a value as parts.
func partOf(v any) *part {
	p := &part{visits: map[*jsonschema.Schema]int{}}
	switch v := v.(type) {
	case map[string]any:
		p.members = map[string]*part{}
		for name, member := range v {
			p.members[name] = partOf(member)
		}
	case []any:
		for _, element := range v {
			p.elements = append(p.elements, partOf(element))
		}
	}
	return p
}

// visit returns how many visits a schema takes, up to more than mostVisits. A validator tries each branch of a union
// for each part, so unions that lead to each other take a number of visits that grows exponentially with the depth.
func (p *part) visit(s *jsonschema.Schema) int {
	if s == nil || s.Always != nil {
		return 0
	}
	if have, ok := p.visits[s]; ok {
		return have
	}
	p.visits[s] = 1 // for a schema that leads back to itself at the same place
	sum := 1
	add := func(at *part, inner *jsonschema.Schema) { sum = min(sum+at.visit(inner), mostVisits+1) }
	for _, same := range append(s.SameValue(), s.Referenced()) {
		add(p, same)
	}
	for name, member := range p.members {
		if inner := s.Property(name); inner != nil {
			add(member, inner)
			continue
		}
		for _, pattern := range s.PatternProperties {
			add(member, pattern.Schema)
		}
		add(member, s.AdditionalProperties)
	}
	for i, element := range p.elements {
		add(element, s.Element(i))
		add(element, s.Contains)
	}
	p.visits[s] = sum
	return sum
}
