package diff

import (
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type nodePair struct{ x, y *jsonschema.Schema }

// equal reports whether two schemas are written alike. It ignores references, annotations, and
// the order of lists whose order has no meaning.
func (p *prover) equal(x, y *jsonschema.Schema) bool {
	x, y = direct(x), direct(y)
	if x == y {
		return true
	}
	if x == nil || y == nil {
		return false
	}
	pair := nodePair{x, y}
	if have, ok := p.equals[pair]; ok {
		return have
	}
	p.equals[pair] = true // assume equality for recursive schemas
	ok := p.alike(x, y)
	if !ok {
		// Results found in the meantime may depend on the assumption.
		maps.DeleteFunc(p.equals, func(_ nodePair, equal bool) bool { return equal })
	}
	p.equals[pair] = ok
	return ok
}

// direct follows references that have no other keywords beside them.
func direct(s *jsonschema.Schema) *jsonschema.Schema {
	for range 100 {
		if s == nil || s.Always != nil || s.Target == nil || constrains(s) || s.AllOf != nil {
			break
		}
		s = s.Target
	}
	return s
}

func (p *prover) alike(x, y *jsonschema.Schema) bool {
	if x.Always != nil || y.Always != nil {
		return x.Always != nil && y.Always != nil && *x.Always == *y.Always
	}
	texts := func(list []string) []string {
		list = slices.Clone(list)
		slices.Sort(list)
		return slices.Compact(list)
	}
	values := func(list []wire.Raw) []string {
		var all []string
		for _, raw := range list {
			all = append(all, exactly(parse(string(raw))))
		}
		return texts(all)
	}
	if !slices.Equal(texts(x.Types), texts(y.Types)) || (x.Enum == nil) != (y.Enum == nil) || !slices.Equal(values(x.Enum), values(y.Enum)) {
		return false
	}
	for _, pair := range [][2]wire.Raw{{x.Const, y.Const}, {x.Minimum, y.Minimum}, {x.Maximum, y.Maximum},
		{x.ExclusiveMinimum, y.ExclusiveMinimum}, {x.ExclusiveMaximum, y.ExclusiveMaximum}, {x.MultipleOf, y.MultipleOf}} {
		if (pair[0] == "") != (pair[1] == "") || pair[0] != "" && exactly(parse(string(pair[0]))) != exactly(parse(string(pair[1]))) {
			return false
		}
	}
	for _, pair := range [][2]*int64{{x.MinLength, y.MinLength}, {x.MaxLength, y.MaxLength}, {x.MinItems, y.MinItems}, {x.MaxItems, y.MaxItems},
		{x.MinContains, y.MinContains}, {x.MaxContains, y.MaxContains}, {x.MinProperties, y.MinProperties}, {x.MaxProperties, y.MaxProperties}} {
		if (pair[0] == nil) != (pair[1] == nil) || pair[0] != nil && *pair[0] != *pair[1] {
			return false
		}
	}
	if x.Format != y.Format || x.UniqueItems != y.UniqueItems || x.Meta != y.Meta || x.DynamicRef != y.DynamicRef ||
		(x.Pattern == nil) != (y.Pattern == nil) || x.Pattern != nil && *x.Pattern != *y.Pattern || !slices.Equal(texts(x.Required), texts(y.Required)) {
		return false
	}
	needs := func(s *jsonschema.Schema) []string {
		var all []string
		for _, d := range s.DependentRequired {
			for _, name := range d.Required {
				all = append(all, exactly([]any{d.Name, name}))
			}
		}
		return texts(all)
	}
	return slices.Equal(needs(x), needs(y)) && p.alikeBelow(x, y)
}

func (p *prover) alikeBelow(x, y *jsonschema.Schema) bool {
	for _, pair := range [][2]*jsonschema.Schema{{x.Target, y.Target}, {x.Not, y.Not}, {x.If, y.If}, {x.Then, y.Then}, {x.Else, y.Else}, {x.Items, y.Items},
		{x.Contains, y.Contains}, {x.AdditionalProperties, y.AdditionalProperties}, {x.PropertyNames, y.PropertyNames},
		{x.UnevaluatedItems, y.UnevaluatedItems}, {x.UnevaluatedProperties, y.UnevaluatedProperties}} {
		if (pair[0] == nil) != (pair[1] == nil) || !p.equal(pair[0], pair[1]) {
			return false
		}
	}
	for _, pair := range [][2][]*jsonschema.Schema{{x.AllOf, y.AllOf}, {x.AnyOf, y.AnyOf}, {x.OneOf, y.OneOf}, {x.PrefixItems, y.PrefixItems}} {
		if len(pair[0]) != len(pair[1]) {
			return false
		}
		for i := range pair[0] {
			if !p.equal(pair[0][i], pair[1][i]) {
				return false
			}
		}
	}
	for _, pair := range [][2][]jsonschema.Property{{x.Properties, y.Properties}, {x.PatternProperties, y.PatternProperties}, {x.DependentSchemas, y.DependentSchemas}} {
		if len(pair[0]) != len(pair[1]) {
			return false
		}
		for _, own := range pair[0] {
			i := slices.IndexFunc(pair[1], func(other jsonschema.Property) bool { return other.Name == own.Name })
			if i < 0 || !p.equal(own.Schema, pair[1][i].Schema) {
				return false
			}
		}
	}
	return true
}
