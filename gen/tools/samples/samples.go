// Package samples makes values that satisfy a JSON Schema, and values that do not. A validator
// checks each of them. It is deterministic.
package samples

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Of returns a few different values that satisfy a schema: first one with only the required
// members, then one with all members that the schema describes, then values with other
// variants of its unions. It returns nil for a schema that no value satisfies, and may return
// nil for one whose rules take a search to satisfy.
func Of(s *jsonschema.Schema) []wire.Raw {
	v := newValidator(s, jsonschema.AssertedFormats)
	return v.samples([]*jsonschema.Schema{s}, defaultBudget, true)
}

// Samples returns values that satisfy all of some schemas of the document, as [Of] does. It
// validates at most budget values for each. The values are of the types that encoding/json
// decodes with UseNumber.
func (v *Validator) Samples(all []*jsonschema.Schema, budget int) []any {
	if !v.usable {
		return nil
	}
	var values []any
	for _, raw := range v.samples(all, budget, false) {
		dec := json.NewDecoder(strings.NewReader(string(raw)))
		dec.UseNumber()
		var value any
		if dec.Decode(&value) == nil {
			values = append(values, value)
		}
	}
	return values
}

// samples returns different values that satisfy all of some schemas. With perVariant it makes
// no more of them than the largest union has variants.
func (v *Validator) samples(all []*jsonschema.Schema, budget int, perVariant bool) []wire.Raw {
	var values []wire.Raw
	for _, way := range []sampler{{}, {full: true}, {full: true, turn: 1}, {full: true, turn: 2}} {
		way.validator, way.budget = v, budget
		value, ok := way.value(all)
		same := func(other wire.Raw) bool { return wire.Equal(value, other) }
		if ok && !slices.ContainsFunc(values, same) && (!perVariant || way.turn == 0 || way.turn < way.alternatives) {
			values = append(values, value)
		}
	}
	return values
}

// defaultBudget limits how many values are validated and how many alternatives are tried for
// one sample.
const defaultBudget = 20000

// How often a schema may be nested in itself in a sample: with all its members, and at all.
const (
	fullDepth = 0
	maxDepth  = 3
)

// sampler makes one sample.
type sampler struct {
	validator *Validator
	// full asks for optional members.
	full bool
	// turn selects among equally good values.
	turn int
	// alternatives is the size of the largest union so far.
	alternatives int
	budget       int
	// within holds the schemas of the enclosing values.
	within []*jsonschema.Schema
}

// value returns a value that satisfies all of some schemas.
func (g *sampler) value(all []*jsonschema.Schema) (found wire.Raw, ok bool) {
	depth, full, turn := len(g.within), g.full, g.turn
	defer func() { g.within, g.full, g.turn = g.within[:depth], full, turn }()
	for _, s := range all {
		s = cmp.Or(s.Target, s)
		switch n := count(g.within[:depth], s); {
		case n > maxDepth:
			return "", false
		case n > fullDepth:
			g.full, g.turn = false, 0
		}
		g.within = append(g.within, s)
	}
	g.expand(all, nil, nil, func(flat []*jsonschema.Schema) bool {
		return g.candidates(flat, func(v wire.Raw) bool {
			if g.spent() {
				return true
			}
			if g.validator.accepts(all, v) {
				found, ok = v, true
			}
			return ok
		})
	})
	return found, ok
}

// spent takes one step from the budget, and reports whether none was left.
func (g *sampler) spent() bool {
	g.budget--
	return g.budget < 0
}

func count(all []*jsonschema.Schema, s *jsonschema.Schema) int {
	n := 0
	for _, other := range all {
		if other == s {
			n++
		}
	}
	return n
}

// expand calls try with all schemas that apply to a value: the given ones, the ones they refer
// to, those of allOf, and one alternative of every anyOf, oneOf and if. It tries other
// alternatives until try returns true.
func (g *sampler) expand(todo, flat []*jsonschema.Schema, open [][][]*jsonschema.Schema, try func(flat []*jsonschema.Schema) bool) bool {
	flat, open = slices.Clip(flat), slices.Clip(open)
	todo = slices.Clone(todo)
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if slices.Contains(flat, s) {
			continue
		}
		flat = append(flat, s)
		todo = append(todo, s.InPlace()...)
		for _, union := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
			var alternatives [][]*jsonschema.Schema
			for _, alternative := range union {
				alternatives = append(alternatives, []*jsonschema.Schema{alternative})
			}
			if len(alternatives) > 0 {
				open = append(open, g.turned(alternatives))
			}
		}
		if s.If != nil {
			open = append(open, g.turned([][]*jsonschema.Schema{present(s.If, s.Then), present(s.Else)}))
		}
	}
	if g.spent() {
		return true
	}
	if len(open) == 0 {
		return try(flat)
	}
	for _, alternative := range open[0] {
		if g.expand(alternative, flat, open[1:], try) {
			return true
		}
	}
	return false
}

func present(all ...*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(all, func(s *jsonschema.Schema) bool { return s == nil })
}

// turned rotates alternatives by the turn.
func (g *sampler) turned(all [][]*jsonschema.Schema) [][]*jsonschema.Schema {
	g.alternatives = max(g.alternatives, len(all))
	return rotate(all, g.turn)
}

func rotate[T any](all []T, n int) []T {
	if len(all) == 0 {
		return nil
	}
	n %= len(all)
	return append(slices.Clone(all[n:]), all[:n]...)
}
