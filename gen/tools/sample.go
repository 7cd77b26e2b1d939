package tools

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Samples returns values that satisfy a schema: one with nothing but what the
// schema demands first, one with all that it describes next, and a few with
// other alternatives of its unions last, none twice. They are the same every
// time.
//
// Every one has been judged by a validator of JSON Schema; where no value was
// found there is none. That is so of a schema that nothing satisfies, and may
// be so of one whose rules only a search would satisfy.
func Samples(s *Schema) []wire.Raw {
	j := newJudge(s, false)
	var all []wire.Raw
	for _, way := range []sampler{{}, {full: true}, {full: true, turn: 1}, {full: true, turn: 2}} {
		way.judge, way.budget = j, sampleBudget
		v, ok := way.value([]*Schema{s})
		same := func(other wire.Raw) bool { return wire.Equal(v, other) }
		if ok && !slices.ContainsFunc(all, same) && (way.turn == 0 || way.turn < way.alternatives) {
			all = append(all, v)
		}
	}
	return all
}

// sampleBudget bounds the values that are judged, and the alternatives that are tried,
// on the way to a sample.
const sampleBudget = 20000

// How often a schema may be within itself in a sample: with all its members, and
// at all.
const (
	fullDepth = 0
	maxDepth  = 3
)

// sampler makes one sample.
type sampler struct {
	judge *judge
	// full is set where optional members are wanted.
	full bool
	// turn selects among the values that would do as well.
	turn int
	// alternatives is the largest number of them that a union has which was met.
	alternatives int
	budget       int
	// within are the schemas of the values around the one that is made.
	within []*Schema
}

// value makes a value that satisfies all of some schemas.
func (g *sampler) value(all []*Schema) (found wire.Raw, ok bool) {
	depth, full, turn := len(g.within), g.full, g.turn
	defer func() { g.within, g.full, g.turn = g.within[:depth], full, turn }()
	for _, s := range all {
		if s.Target != nil {
			s = s.Target
		}
		switch n := count(g.within, s); {
		case n > maxDepth:
			return "", false
		case n > fullDepth:
			g.full, g.turn = false, 0
		}
	}
	for _, s := range all {
		if s.Target != nil {
			s = s.Target
		}
		g.within = append(g.within, s)
	}
	g.expand(all, nil, nil, func(flat []*Schema) bool {
		for v := range g.candidates(flat) {
			if g.spent() {
				return true
			}
			if g.judge.accepts(all, v) {
				found, ok = v, true
				return true
			}
		}
		return false
	})
	return found, ok
}

// spent reports whether the budget is, of which it takes one.
func (g *sampler) spent() bool {
	g.budget--
	return g.budget < 0
}

func count(all []*Schema, s *Schema) int {
	n := 0
	for _, other := range all {
		if other == s {
			n++
		}
	}
	return n
}

// expand calls try with the schemas that apply to a value beside the given ones:
// those they refer to, those of allOf, and of every anyOf, oneOf and if one
// alternative. It goes on with other alternatives until try is content.
func (g *sampler) expand(todo, flat []*Schema, open [][][]*Schema, try func(flat []*Schema) bool) bool {
	flat, open = slices.Clip(flat), slices.Clip(open)
	todo = slices.Clone(todo)
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if slices.Contains(flat, s) {
			continue
		}
		flat = append(flat, s)
		if target := s.target(); target != nil {
			todo = append(todo, target)
		}
		todo = append(todo, s.AllOf...)
		for _, union := range [][]*Schema{s.AnyOf, s.OneOf} {
			var alternatives [][]*Schema
			for _, alternative := range union {
				alternatives = append(alternatives, []*Schema{alternative})
			}
			if len(alternatives) > 0 {
				open = append(open, g.turned(alternatives))
			}
		}
		if s.If != nil {
			open = append(open, g.turned([][]*Schema{present(s.If, s.Then), present(s.Else)}))
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

// target is the schema that a reference leads to, or nil.
func (s *Schema) target() *Schema {
	if s.Target == nil && len(s.DynamicRef) > 1 && s.DynamicRef[0] == '#' {
		return s.resource.anchors[s.DynamicRef[1:]]
	}
	return s.Target
}

func present(all ...*Schema) []*Schema {
	return slices.DeleteFunc(all, func(s *Schema) bool { return s == nil })
}

// turned puts the alternative first whose turn it is.
func (g *sampler) turned(all [][]*Schema) [][]*Schema {
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
