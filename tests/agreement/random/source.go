package random

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/gen/ir"
)

// Source generates cases for the declarations of one revision.
type Source struct {
	rng *rand.Rand
	rev *ir.Revision
	// members are member names of the revision, for use in wrong places.
	members []string
	heights map[*ir.Decl]int
	samples *sampler

	// room is the number of nodes that the current value may still have, and density the
	// probability of each optional member.
	room    int
	density float64
	wordy   bool
	// exact says that the place keeps the tokens of numbers unchanged.
	exact bool
}

// New returns a source for a revision.
func New(rev *ir.Revision, seed uint64) *Source {
	s := &Source{rng: rand.New(rand.NewPCG(seed, 0x6d637067656e)), rev: rev, samples: newSampler(rev)}
	s.heights = s.measure()
	seen := map[string]bool{}
	for _, d := range rev.Decls {
		for _, f := range fields(d.Type) {
			if !seen[f.Wire] {
				seen[f.Wire] = true
				s.members = append(s.members, f.Wire)
			}
		}
	}
	return s
}

// Case is a JSON text with a description of how it was made.
type Case struct {
	Text string
	Tree *Value
	// Mutations describe the changes of a valid value. It is empty for a valid value.
	Mutations []string
	// Strays are the classes of special treatment that the value may belong to.
	Strays []string
}

// Case returns the next case for a declaration: usually a mutation of a valid value, otherwise
// a valid value.
func (s *Source) Case(d *ir.Decl) Case {
	if !s.Possible(&ir.Ref{Decl: d}) {
		c := Case{Tree: s.any(4), Mutations: []string{"impossible"}}
		c.Text = s.Text(c.Tree)
		return c
	}
	c := Case{Tree: s.Valid(d)}
	switch n := s.rng.IntN(100); {
	case n < 40:
	case n < 43:
		s.stray(&c)
	case n < 85:
		s.mutate(&c)
	default:
		s.mutate(&c)
		s.mutate(&c)
	}
	c.Text = s.Text(c.Tree)
	return c
}

// Text renders a value with random white space, escapes and member order. All parsers read the
// text alike: it has no duplicate members, lone surrogates or invalid UTF-8.
func (s *Source) Text(v *Value) string {
	w := writer{rng: s.rng, spaced: s.chance(0.2)}
	w.value(v)
	return string(w.dst)
}

// Valid returns a value that the declaration's schema accepts. The declaration must be
// possible.
func (s *Source) Valid(d *ir.Decl) *Value {
	s.room = pick(s, []int{8, 25, 60, 120})
	s.density = pick(s, []float64{0.1, 0.5, 0.95})
	s.wordy = s.chance(0.2)
	return s.value(&ir.Ref{Decl: d}, nil)
}

func (s *Source) chance(p float64) bool { return s.rng.Float64() < p }

func pick[T any](s *Source, list []T) T { return list[s.rng.IntN(len(list))] }

// value returns a valid value of a type. choices are the enclosing unions.
func (s *Source) value(t ir.Type, choices []Choice) *Value {
	s.room--
	var v *Value
	switch t := t.(type) {
	case *ir.Ref:
		if t.Decl.Rules != nil {
			v = typed(pick(s, s.samples.decl(t.Decl)), t.Decl.Type)
			v.Choices = choices
			return v
		}
		u, ok := t.Decl.Type.(*ir.Union)
		if !ok {
			s.room++
			return s.value(t.Decl.Type, choices)
		}
		s.room++
		variant := s.variant(u)
		return s.value(&ir.Ref{Decl: variant.Decl}, append(slices.Clip(choices), Choice{t.Decl, variant}))
	case *ir.Object:
		v = s.object(t)
	case *ir.Map:
		v = s.mapping(t)
	case *ir.Array:
		v = s.array(t)
	case *ir.Enum:
		v = scalar(ir.KindString, pick(s, t.Values).Wire)
	case *ir.String:
		v = scalar(ir.KindString, s.word(t))
	case *ir.Integer:
		v = scalar(ir.KindNumber, s.integer(t.Bounds))
	case *ir.Number:
		v = scalar(ir.KindNumber, s.number(t.Bounds))
	case *ir.Boolean:
		v = s.boolean()
	case *ir.Nullable:
		if s.chance(0.7) && s.Possible(t.Elem) {
			return s.value(t.Elem, nil)
		}
		return scalar(ir.KindNull, "null")
	case *ir.Scalar:
		v = s.scalar(t.Kinds)
	case *ir.Open:
		s.exact = true
		v = s.anyObject(2)
		s.exact = false
	default:
		s.exact = true
		v = s.any(3)
		s.exact = false
	}
	v.Type, v.Choices = t, choices
	return v
}

func (s *Source) object(o *ir.Object) *Value {
	members := make([]*Value, len(o.Fields))
	for _, i := range s.rng.Perm(len(o.Fields)) { // Shuffle, so that the last field is not always the one without room.
		f := o.Fields[i]
		if f.Required || s.room > 0 && s.Possible(f.Base()) && s.chance(s.density) {
			members[i] = s.member(f)
		}
	}
	v := &Value{Kind: ir.KindObject}
	for i, value := range members {
		if value != nil {
			v.Members = append(v.Members, Member{o.Fields[i].Wire, value})
		}
	}
	if s.chance(0.15) && !o.Closed {
		for range 1 + s.rng.IntN(2) {
			s.addUnknown(v, o)
		}
	}
	if s.chance(0.5) {
		s.rng.Shuffle(len(v.Members), func(i, j int) { v.Members[i], v.Members[j] = v.Members[j], v.Members[i] })
	}
	return v
}

func (s *Source) member(f *ir.Field) *Value {
	var v *Value
	switch c := f.Const.(type) {
	case string:
		v = scalar(ir.KindString, c)
		v.Type = f.Base()
	case int64:
		v = scalar(ir.KindNumber, s.spell(strconv.FormatInt(c, 10)))
		v.Type = f.Base()
	default:
		if f.Nullable() && (s.chance(0.3) || !s.Possible(f.Base())) {
			v = scalar(ir.KindNull, "null")
			v.Type = f.Base()
			break
		}
		v = s.value(f.Base(), nil)
	}
	v.Field = f
	return v
}

// addUnknown adds a member that the object does not declare.
func (s *Source) addUnknown(v *Value, o *ir.Object) {
	name := s.unknownName()
	switch {
	case field(o, name) != nil || v.index(name) >= 0:
	case o.Additional == nil:
		v.Members = append(v.Members, Member{name, s.any(2)})
	case s.Possible(o.Additional):
		v.Members = append(v.Members, Member{name, s.value(o.Additional, nil)})
	}
}

func (s *Source) mapping(t *ir.Map) *Value {
	v := &Value{Kind: ir.KindObject}
	for range s.length(ir.Count{}, t.Elem) {
		v.set(s.unknownName(), s.value(t.Elem, nil))
	}
	return v
}

func (s *Source) array(t *ir.Array) *Value {
	v := &Value{Kind: ir.KindArray}
	for range s.length(t.Length, t.Elem) {
		v.Elements = append(v.Elements, s.value(t.Elem, nil))
	}
	return v
}

// length returns a number of elements or members for a type within limits.
func (s *Source) length(limits ir.Count, of ir.Type) int {
	if s.room <= 0 || !s.Possible(of) {
		return limits.Min
	}
	n := s.rng.IntN(4)
	if limits.Max > 0 && s.chance(0.05) {
		n = limits.Max
	}
	if limits.Max > 0 {
		n = min(n, limits.Max)
	}
	return max(n, limits.Min)
}

// word returns a string of a type.
func (s *Source) word(t *ir.String) string {
	if bare := (ir.String{Format: t.Format}); *t != bare {
		return pick(s, s.samples.text(*t))
	}
	return s.formatted(t.Format)
}

// fields returns the fields of an object type, or nil for other types.
func fields(t ir.Type) []*ir.Field {
	if o, ok := ir.Resolve(t).(*ir.Object); ok {
		return o.Fields
	}
	return nil
}

func field(o *ir.Object, name string) *ir.Field {
	for _, f := range o.Fields {
		if f.Wire == name {
			return f
		}
	}
	return nil
}
