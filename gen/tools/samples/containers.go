package samples

import (
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tooMany is a length that no sample has.
const tooMany = 1000

// arrays is candidates for arrays.
func (g *sampler) arrays(flat []*jsonschema.Schema, try func(v wire.Raw) bool) bool {
	least, most := lengths(flat, func(s *jsonschema.Schema) (least, most *int64) { return s.MinItems, s.MaxItems })
	var contained []*jsonschema.Schema // one for each required contained element
	wanted := 0
	for _, s := range flat {
		wanted = max(wanted, len(s.PrefixItems), 1)
		if s.Contains != nil {
			n := int64(1)
			if s.MinContains != nil {
				n = *s.MinContains
			}
			for ; n > 0 && len(contained) < tooMany; n-- {
				contained = append(contained, s.Contains)
			}
		}
	}
	least = max(least, len(contained))
	if least > tooMany {
		return false
	}
	n := least
	if g.full {
		n = max(n, wanted)
	}
	for _, length := range slices.Compact([]int{min(n, most), least, max(least, wanted)}) {
		for _, first := range slices.Compact([]int{0, length - len(contained)}) {
			if v, ok := g.array(flat, length, least, first, contained); ok && try(v) {
				return true
			}
		}
	}
	return false
}

// array makes an array of the given length, or a shorter one of at least length least. The
// schemas in contained apply to the elements from index first on.
func (g *sampler) array(flat []*jsonschema.Schema, length, least, first int, contained []*jsonschema.Schema) (wire.Raw, bool) {
	unique := slices.ContainsFunc(flat, func(s *jsonschema.Schema) bool { return s.UniqueItems })
	var all []wire.Raw
	for i := range length {
		var element []*jsonschema.Schema
		for _, s := range flat {
			if own := s.Element(i); own != nil {
				element = append(element, own)
			}
		}
		if at := i - first; at >= 0 && at < len(contained) {
			element = append(element, contained[at])
		}
		v, ok := g.another(element, all, unique)
		if !ok && i < least {
			return "", false
		}
		if !ok {
			break
		}
		all = append(all, v)
	}
	return wire.ArrayOf(all), true
}

// another makes a value. If unique is set, it differs from all values in others.
func (g *sampler) another(schemas []*jsonschema.Schema, others []wire.Raw, unique bool) (wire.Raw, bool) {
	turn := g.turn
	defer func() { g.turn = turn }()
	for range len(others) + 3 {
		v, ok := g.value(schemas)
		if !unique || !ok {
			return v, ok
		}
		if !slices.ContainsFunc(others, func(other wire.Raw) bool { return wire.Equal(v, other) }) {
			return v, true
		}
		g.turn++
	}
	return "", false
}

// objects is candidates for objects.
func (g *sampler) objects(flat []*jsonschema.Schema, try func(v wire.Raw) bool) bool {
	required, optional := g.names(flat)
	least, _ := lengths(flat, func(s *jsonschema.Schema) (least, most *int64) { return s.MinProperties, s.MaxProperties })
	if least > tooMany {
		return false
	}
	everything := append(slices.Clone(required), optional...)
	everything = append(everything, g.furtherNames(flat, everything, max(least-len(everything), 0), g.full)...)
	enough := everything[:max(min(least, len(everything)), len(required))]
	attempts := [][]string{enough, everything}
	if g.full {
		attempts = [][]string{everything}
	}
	for _, names := range attempts {
		if v, ok := g.object(flat, names, required); ok && try(v) {
			return true
		}
	}
	// Some members may exclude each other, so add them one by one.
	names := required
	best, ok := g.object(flat, names, required)
	if !ok {
		return false
	}
	for _, name := range everything[len(required):] {
		with := append(slices.Clip(names), name)
		if v, ok := g.object(flat, with, required); ok && g.budget > 0 {
			g.budget--
			if g.validator.accepts(flat, v) {
				names, best = with, v
			}
		}
	}
	return try(best)
}

// names returns the names of the required and of the optional members in the order of the
// schemas.
func (g *sampler) names(flat []*jsonschema.Schema) (required, optional []string) {
	add := func(name string) {
		if !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	for _, s := range flat {
		for _, name := range s.Required {
			add(name)
		}
	}
	for i := 0; i < len(required); i++ {
		for _, s := range flat {
			for _, d := range s.DependentRequired {
				if d.Name == required[i] {
					for _, name := range d.Required {
						add(name)
					}
				}
			}
		}
	}
	for _, s := range flat {
		for _, p := range s.Properties {
			if !slices.Contains(required, p.Name) && !slices.Contains(optional, p.Name) {
				optional = append(optional, p.Name)
			}
		}
	}
	return required, optional
}

// furtherNames returns additional names: as many as needed, and on request one for each pattern
// that the schemas describe.
func (g *sampler) furtherNames(flat []*jsonschema.Schema, there []string, needed int, wanted bool) []string {
	var all []string
	add := func(name string) {
		if !slices.Contains(all, name) && !slices.Contains(there, name) {
			all = append(all, name)
		}
	}
	var rules []*jsonschema.Schema // of names
	rest := false                  // a schema describes other members
	for _, s := range flat {
		if s.PropertyNames != nil {
			rules = append(rules, s.PropertyNames)
		}
		rest = rest || s.AdditionalProperties != nil && s.AdditionalProperties.Always == nil
		if wanted {
			for _, p := range s.PatternProperties {
				if matches := matching(p.Name, 0, g.turn); len(matches) > 0 {
					add(matches[0])
				}
			}
		}
	}
	if wanted && rest {
		needed = max(needed, len(all)+1)
	}
	turn := g.turn
	defer func() { g.turn = turn }()
	for range 3*needed + 3 {
		if len(all) >= needed {
			break
		}
		if rules == nil {
			add("key" + strconv.Itoa(g.turn+1))
		} else if v, ok := g.value(rules); ok {
			if name, ok := v.Str(); ok {
				add(name)
			}
		}
		g.turn++
	}
	return all
}

// object makes an object with the given members. It omits an optional member if it finds no
// value for it.
func (g *sampler) object(flat []*jsonschema.Schema, names, required []string) (wire.Raw, bool) {
	flat = g.dependent(flat, names)
	if flat == nil {
		return "", false
	}
	text := []byte{'{'}
	for _, name := range inOrder(flat, names) {
		v, ok := g.value(membersOf(flat, name))
		if !ok && slices.Contains(required, name) {
			return "", false
		}
		if ok {
			text = append(wire.AppendName(text, name), v...)
		}
	}
	return wire.Raw(append(text, '}')), true
}

// dependent adds the schemas that apply to an object because a member is present.
func (g *sampler) dependent(flat []*jsonschema.Schema, names []string) []*jsonschema.Schema {
	var more []*jsonschema.Schema
	for _, s := range flat {
		for _, p := range s.DependentSchemas {
			if slices.Contains(names, p.Name) && !slices.Contains(flat, p.Schema) {
				more = append(more, p.Schema)
			}
		}
	}
	if more == nil {
		return flat
	}
	var found []*jsonschema.Schema
	g.expand(more, flat, nil, func(flat []*jsonschema.Schema) bool {
		found = flat
		return true
	})
	return found
}

// inOrder sorts names in the order of the schemas' properties. Other names come last.
func inOrder(flat []*jsonschema.Schema, names []string) []string {
	rank := map[string]int{}
	for _, s := range flat {
		for _, p := range s.Properties {
			if _, ok := rank[p.Name]; !ok {
				rank[p.Name] = len(rank) - 1<<20
			}
		}
	}
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return rank[a] - rank[b] })
	return names
}

// membersOf returns the schemas that apply to a member of an object.
func membersOf(flat []*jsonschema.Schema, name string) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	for _, s := range flat {
		own := s.Property(name)
		described := own != nil
		if described {
			all = append(all, own)
		}
		for _, p := range s.PatternProperties {
			if jsonschema.Matches(p.Name, name) {
				all, described = append(all, p.Schema), true
			}
		}
		if !described && s.AdditionalProperties != nil {
			all = append(all, s.AdditionalProperties)
		}
	}
	return all
}
