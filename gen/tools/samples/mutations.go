package samples

import (
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Mutation is a change of a sample that violates a schema in exactly one place.
type Mutation struct {
	// Pointer is the JSON Pointer of the violation: the object that lacks a member, or the value of a
	// wrong type.
	Pointer string
	// Wrong is the value of a wrong type. If it is "", Member is the name of the missing member.
	Member string
	Wrong  wire.Raw

	value func() wire.Raw
}

// Value returns the changed sample.
func (m Mutation) Value() wire.Raw { return m.value() }

// Mutations returns changes of a valid sample that violate its schema: for each object one that removes
// each required member, and for each value one that puts a value of a type that the schema does not
// allow in its place. It does not change values within alternatives, because the place of the violation then
// depends on how a validator selects the alternative.
//
// A JSON Schema validator refuses every mutation for this reason and at this place. A sample of hundreds of
// kilobytes has more such places than can be tried; the first ones are.
func Mutations(s *jsonschema.Schema, sample wire.Raw) []Mutation {
	m := &mutator{validator: newValidator(s, jsonschema.AssertedFormats), left: mutationBytes / max(len(sample), 1)}
	m.dynamic = slices.ContainsFunc(slices.Collect(maps.Values(s.Root().All())), func(s *jsonschema.Schema) bool { return s.DynamicRef != "" })
	itself := func(v wire.Raw) wire.Raw { return v }
	m.visit(place{schemas: []*jsonschema.Schema{s}, value: sample, put: itself, judge: judge{schemas: []*jsonschema.Schema{s}, value: itself}})
	return m.all
}

// maxElements limits the number of elements of an array that are mutated.
const maxElements = 4

// mutationBytes limits the work: each value that is made from a sample costs the length of the sample.
const mutationBytes = 16 << 20

type mutator struct {
	validator *Validator
	all       []Mutation
	left      int  // how many values may still be made
	dynamic   bool // the meaning of a reference depends on the schemas around it
}

// place is a value within the sample.
type place struct {
	pointer string
	schemas []*jsonschema.Schema
	value   wire.Raw
	// put returns the sample with another value in this place.
	put   func(v wire.Raw) wire.Raw
	judge judge
}

// judge is the smallest part of the sample that shows whether another value in a place is valid, so that the work for
// a place depends on its own size and not on that of the sample.
type judge struct {
	pointer string
	schemas []*jsonschema.Schema
	// value returns the part with another value in the place.
	value func(v wire.Raw) wire.Raw
}

// inner returns a place within p, whose value is valid under flat. with returns the value of p with another value in
// the inner place.
func (m *mutator) inner(p place, flat []*jsonschema.Schema, name string, schemas []*jsonschema.Schema, v wire.Raw, with func(v wire.Raw) wire.Raw) place {
	in := place{
		pointer: wire.ChildPointer(p.pointer, name),
		schemas: schemas,
		value:   v,
		put:     func(v wire.Raw) wire.Raw { return p.put(with(v)) },
	}
	if m.dynamic || slices.ContainsFunc(flat, looksInside) {
		in.judge = judge{p.judge.pointer, p.judge.schemas, func(v wire.Raw) wire.Raw { return p.judge.value(with(v)) }}
	} else {
		in.judge = judge{in.pointer, schemas, func(v wire.Raw) wire.Raw { return v }}
	}
	return in
}

// looksInside reports whether a schema has keywords, such as anyOf and enum, that may judge members or elements of
// a value besides the schemas of each.
func looksInside(s *jsonschema.Schema) bool {
	return s.AnyOf != nil || s.OneOf != nil || s.Not != nil || s.If != nil || s.Then != nil || s.Else != nil || s.DependentSchemas != nil ||
		s.Enum != nil || s.Const != "" || s.Contains != nil || s.UniqueItems || s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil
}

func (m *mutator) visit(p place) {
	if m.left < 0 {
		return
	}
	flat, plain := flatten(p.schemas)
	if p.pointer != "" {
		m.wrongType(p)
	}
	if !plain {
		return
	}
	switch p.value.Kind() {
	case wire.KindObject:
		m.object(p, flat)
	case wire.KindArray:
		m.array(p, flat)
	}
}

// flatten returns the schemas that apply to the same value as the given ones. plain reports
// whether a violation within the value is reported there: if no alternative matches, or no
// element matches contains, the value as a whole is invalid.
func flatten(all []*jsonschema.Schema) (flat []*jsonschema.Schema, plain bool) {
	plain = true
	todo := slices.Clone(all)
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if slices.Contains(flat, s) {
			continue
		}
		flat = append(flat, s)
		todo = append(todo, s.InPlace()...)
		if s.AnyOf != nil || s.OneOf != nil || s.Contains != nil {
			plain = false
		}
	}
	return flat, plain
}

// wrongType puts a value of a type that is not allowed in place.
func (m *mutator) wrongType(p place) {
	for _, v := range []wire.Raw{`"text"`, "7", "1.5", "true", "[]", "{}", "null"} {
		if (v.Kind() != p.value.Kind() || v == "1.5") && m.add(p, Mutation{Wrong: v}, v) {
			return
		}
	}
}

func (m *mutator) object(p place, flat []*jsonschema.Schema) {
	var done []string
	for _, s := range flat {
		for _, name := range s.Required {
			if !slices.Contains(done, name) {
				done = append(done, name)
				m.add(p, Mutation{Member: name}, without(p.value, name))
			}
		}
	}
	for name, v := range wire.Object(p.value).All() {
		schemas := membersOf(flat, name)
		if len(schemas) == 0 {
			continue
		}
		m.visit(m.inner(p, flat, name, schemas, v, func(v wire.Raw) wire.Raw {
			return jsonschema.With(p.value, name, v)
		}))
	}
}

func (m *mutator) array(p place, flat []*jsonschema.Schema) {
	all := p.value.Elements()
	for i, v := range all[:min(len(all), maxElements)] {
		var schemas []*jsonschema.Schema
		for _, s := range flat {
			if own := s.Element(i); own != nil {
				schemas = append(schemas, own)
			}
		}
		if len(schemas) == 0 {
			continue
		}
		m.visit(m.inner(p, flat, strconv.Itoa(i), schemas, v, func(v wire.Raw) wire.Raw {
			changed := slices.Clone(all)
			changed[i] = v
			return wire.ArrayOf(changed)
		}))
	}
}

// add keeps a mutation, which puts v in a place, if a validator refuses it for the right reason: v is missing the
// named member, or has a wrong type if no member is named.
func (m *mutator) add(p place, c Mutation, v wire.Raw) bool {
	if m.left--; m.left < 0 || !m.refused(p, v, c.Member) {
		return false
	}
	c.Pointer, c.value = p.pointer, func() wire.Raw { return p.put(v) }
	m.all = append(m.all, c)
	return true
}

// refused reports whether a value is refused because of its place alone.
func (m *mutator) refused(p place, v wire.Raw, missing string) bool {
	found := false
	for _, problem := range m.validator.problems(p.judge.schemas, p.judge.value(v)) {
		at := p.judge.pointer
		for _, segment := range problem.InstanceLocation {
			at = wire.ChildPointer(at, segment)
		}
		if at != p.pointer {
			return false
		}
		switch k := problem.ErrorKind.(type) {
		case *kind.Required:
			found = found || slices.Contains(k.Missing, missing)
		default:
			found = found || missing == ""
		}
	}
	return found
}

// without returns an object without a member.
func without(o wire.Raw, name string) wire.Raw { return wire.Raw(wire.Object(o).Without(name)) }
