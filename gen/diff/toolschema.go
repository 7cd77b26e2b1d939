package diff

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// schemaBuilder makes shapes from the schemas of one document. A shape is a conjunction of
// schemas. References and allOf only add schemas to it, so different ways to write a
// conjunction give the same shape.
type schemaBuilder struct {
	engine *engine
	// shapes has the shapes by the schemas at their place, sets the sets by the flattened
	// schemas.
	shapes map[string]*Shape
	sets   map[string]*set
	// formed has the alternatives by their schemas.
	formed map[string][]*Alt
	// names has the places of a revision's declarations or of a prompt's arguments, and is nil for the
	// schemas of tools. With it, shapes do not include descriptions.
	names names
	// made counts the alternatives.
	made int
}

// names knows how findings name the places of schemas, by the pointers of these.
type names interface {
	// place returns the place of the schema at a pointer, and the name of the declaration there, or "".
	place(pointer string) (at Place, name string)
	// member returns the place of a member whose schema is at a pointer. implied is true if the schema of the
	// object requires the member, but receivers do not.
	member(object, pointer, name string) (at Place, implied bool)
}

// place returns the place of a schema, and the name of its declaration.
func (b *schemaBuilder) place(s *jsonschema.Schema) (at Place, name string) {
	if b.names == nil {
		return Place{Pointer: s.Pointer}, ""
	}
	return b.names.place(alias(s).Pointer)
}

// alias returns the schema that a reference without other keywords leads to, or the schema
// itself.
func alias(s *jsonschema.Schema) *jsonschema.Schema {
	for range 100 { // references may form a cycle
		if s.Target == nil || !s.Draft.RefAlone() && wire.Object(s.Source).Len() > 1 {
			break
		}
		s = s.Target
	}
	return s
}

// Limits on the number of alternatives. A few schemas that refer to each other can have more
// than fit into memory. Beyond the limits a shape has one alternative, which only the
// validator can check.
const (
	mostAlts       = 20_000 // of a document
	mostBranchings = 600    // of a shape
)

func newSchemaBuilder(e *engine) *schemaBuilder {
	return &schemaBuilder{engine: e, shapes: map[string]*Shape{}, sets: map[string]*set{}, formed: map[string][]*Alt{}}
}

// shape returns the shape of the values that satisfy all schemas in list.
func (b *schemaBuilder) shape(list ...*jsonschema.Schema) *Shape {
	if len(list) == 0 {
		return anything(Place{})
	}
	key := b.engine.key(list)
	if have, ok := b.shapes[key]; ok {
		return have
	}
	where, name := b.place(list[0])
	s := &Shape{Where: where, About: aboutOf(list), from: list}
	if b.names != nil {
		s.About = about{Default: s.About.Default}
	}
	b.shapes[key] = s
	s.set = b.set(list, name, where)
	return s
}

// set returns the set of the values that satisfy all schemas in list. The declaration gives its
// name and place to an object or array.
func (b *schemaBuilder) set(list []*jsonschema.Schema, name string, where Place) *set {
	flat, possible := flatten(list)
	if !possible {
		return &set{accepts: func(any) bool { return false }}
	}
	key := name + b.engine.key(slices.SortedFunc(slices.Values(flat), func(x, y *jsonschema.Schema) int { return strings.Compare(x.Pointer, y.Pointer) }))
	if have, ok := b.sets[key]; ok {
		return have
	}
	s := &set{accepts: b.accepting(flat)}
	if len(flat) == 0 {
		s.list = []*Alt{{Kind: kindAny}}
	}
	b.sets[key] = s
	if len(flat) > 0 {
		s.fill = func() []*Alt { return named(b.alts(flat), name, where) }
	}
	return s
}

// named gives the name and the place of a declaration to its alternatives. A union leaves the names
// to its variants.
func named(list []*Alt, name string, where Place) []*Alt {
	if name == "" {
		return list
	}
	list = slices.Clone(list)
	for i, a := range list {
		if a.Where != (Place{}) {
			continue
		}
		own := *a
		if own.Where = where; len(list) == 1 && (a.Kind == kindObject || a.Kind == kindArray) {
			own.Name = name
		}
		list[i] = &own
	}
	return list
}

// accepting returns a function that validates values. Without a usable validator, it refuses all.
func (b *schemaBuilder) accepting(all []*jsonschema.Schema) func(v any) bool {
	return func(v any) bool {
		ok, _ := b.engine.accepts(v, all...)
		return ok
	}
}

// aboutOf returns the descriptive members of schemas at one place.
func aboutOf(list []*jsonschema.Schema) about {
	var a about
	seen := map[*jsonschema.Schema]bool{}
	var texts []string
	for _, s := range list {
		if text := describe(s, seen); text != "" {
			texts = append(texts, text)
		}
		if a.Title == "" {
			a.Title = s.Title
		}
		if a.Default == "" && s.Default != "" {
			a.Default = canonical(s.Default)
		}
	}
	a.Description = strings.Join(texts, "\n")
	return a
}

// describe returns the descriptions of a schema and its subschemas for the same value. It skips
// schemas that have been seen.
func describe(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) string {
	if s == nil || seen[s] {
		return ""
	}
	seen[s] = true
	var texts []string
	if s.Description != "" {
		texts = append(texts, s.Description)
	}
	for _, part := range slices.Concat([]*jsonschema.Schema{s.Target}, s.AllOf, s.AnyOf, s.OneOf) {
		if text := describe(part, seen); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// flatten returns the schemas in list with their references and allOf, as far as they have
// constraints of their own. possible is false if one of them is false.
func flatten(list []*jsonschema.Schema) (flat []*jsonschema.Schema, possible bool) {
	seen := map[*jsonschema.Schema]bool{}
	todo := slices.Clone(list)
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		if s.Always != nil {
			if !*s.Always {
				return nil, false
			}
			continue
		}
		if s.Target != nil {
			todo = append(todo, s.Target)
		}
		todo = append(todo, s.AllOf...)
		switch {
		case s.If == nil:
		case always(s.If):
			todo = append(todo, s.Then)
		case never(s.If):
			todo = append(todo, s.Else)
		}
		if inner := negated(s.Not); inner != nil {
			todo = append(todo, inner) // not not
		} else if s.Not != nil && always(s.Not) {
			return nil, false
		}
		if constrains(s) {
			flat = append(flat, s)
		}
	}
	return flat, true
}

// always reports whether a schema obviously accepts every value.
func always(s *jsonschema.Schema) bool {
	if s.Always != nil {
		return *s.Always
	}
	return !constrains(s) && s.Target == nil && s.AllOf == nil && s.Not == nil
}

// never reports whether a schema obviously accepts no value.
func never(s *jsonschema.Schema) bool {
	if s.Always != nil {
		return !*s.Always
	}
	return s.Not != nil && always(s.Not)
}

// negated returns X for a schema that is {"not": X} without other keywords, or nil.
func negated(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil || s.Always != nil || s.Not == nil {
		return nil
	}
	bare := s.Clone()
	bare.Not = nil
	if constrains(bare) || bare.Target != nil || bare.AllOf != nil {
		return nil
	}
	return s.Not
}

// constrains reports whether a schema has keywords of its own that refuse values.
func constrains(s *jsonschema.Schema) bool {
	return s.Types != nil || s.Enum != nil || s.Const != "" || len(s.AnyOf)+len(s.OneOf) > 0 || s.Not != nil ||
		s.If != nil && (s.Then != nil || s.Else != nil) || s.Meta || s.DynamicRef != "" || s.Format != "" || s.Pattern != nil ||
		s.Minimum != "" || s.Maximum != "" || s.ExclusiveMinimum != "" || s.ExclusiveMaximum != "" || s.MultipleOf != "" ||
		s.MinLength != nil || s.MaxLength != nil || constrainsArrays(s) || constrainsObjects(s)
}

func constrainsArrays(s *jsonschema.Schema) bool {
	return s.Items != nil || s.PrefixItems != nil || s.MinItems != nil || s.MaxItems != nil || s.UniqueItems || s.Contains != nil || s.UnevaluatedItems != nil
}

func constrainsObjects(s *jsonschema.Schema) bool {
	return len(s.Properties)+len(s.PatternProperties)+len(s.Required)+len(s.DependentRequired)+len(s.DependentSchemas) > 0 ||
		s.AdditionalProperties != nil || s.PropertyNames != nil || s.MinProperties != nil || s.MaxProperties != nil || s.UnevaluatedProperties != nil
}

// branching is a choice between several schemas.
type branching struct {
	of []*jsonschema.Schema
	// exclusive means that the other branches must not match.
	exclusive bool
	// within has the schemas whose branches lead here.
	within []*jsonschema.Schema
}

// chosen is one way to satisfy a conjunction: one branch of each union in it.
type chosen struct {
	all []*jsonschema.Schema
	// refused has the branches of oneOf that were not chosen.
	refused []*jsonschema.Schema
	// at is the branch that was chosen last, or nil.
	at *jsonschema.Schema
}

// alts returns the alternatives of a conjunction.
func (b *schemaBuilder) alts(flat []*jsonschema.Schema) []*Alt {
	ways, ok := b.expand(flat)
	if !ok {
		return []*Alt{{Kind: kindAny, all: flat, valid: b.accepting(flat), conditional: true}}
	}
	var alts []*Alt
	for _, way := range ways {
		key := b.engine.key(way.all) + " but" + b.engine.key(way.refused)
		made, ok := b.formed[key]
		if !ok {
			made = b.forms(way)
			b.formed[key] = made
		}
		alts = append(alts, made...)
	}
	b.made += len(alts)
	if i := slices.IndexFunc(alts, func(a *Alt) bool { return a.Kind == kindAny }); i >= 0 {
		return alts[i : i+1]
	}
	return join(alts)
}

// expand returns all ways to choose branches. It returns false if there are too many.
func (b *schemaBuilder) expand(flat []*jsonschema.Schema) ([]chosen, bool) {
	var ways []chosen
	tried := 0
	var choose func(way chosen, open []branching) bool
	choose = func(way chosen, open []branching) bool {
		if tried++; tried > mostBranchings || b.made > mostAlts {
			return false
		}
		if len(open) == 0 {
			ways = append(ways, way)
			return true
		}
		first, rest := open[0], open[1:]
		for i, branch := range first.of {
			more, possible := flatten([]*jsonschema.Schema{branch})
			if !possible || slices.ContainsFunc(more, func(s *jsonschema.Schema) bool { return slices.Contains(first.within, s) }) {
				continue // the union contains itself
			}
			next := chosen{slices.Clone(way.all), slices.Clone(way.refused), way.at}
			next.at = branch
			further := slices.Clone(rest)
			for _, s := range more {
				if !slices.Contains(next.all, s) {
					next.all = append(next.all, s)
					further = append(further, branchings(s, first.within)...)
				}
			}
			for j, other := range first.of {
				if j != i && first.exclusive && !jsonschema.Disjoint([]*jsonschema.Schema{branch, other}) {
					next.refused = append(next.refused, other) // the others refuse the values of the branch anyway
				}
			}
			if !choose(next, further) {
				return false
			}
		}
		return true
	}
	var open []branching
	for _, s := range flat {
		open = append(open, branchings(s, nil)...)
	}
	ok := choose(chosen{all: flat}, open)
	return ways, ok
}

func branchings(s *jsonschema.Schema, within []*jsonschema.Schema) []branching {
	within = append(slices.Clone(within), s)
	var list []branching
	if len(s.AnyOf) > 0 {
		list = append(list, branching{s.AnyOf, false, within})
	}
	if len(s.OneOf) > 0 {
		list = append(list, branching{s.OneOf, len(s.OneOf) > 1, within})
	}
	return list
}

// forms returns the alternatives of schemas without branches, one for each JSON type that they
// allow.
func (b *schemaBuilder) forms(way chosen) []*Alt {
	kinds, whole := kindsOf(way.all)
	if kinds == kindAny && len(way.refused) == 0 && !slices.ContainsFunc(way.all, func(s *jsonschema.Schema) bool {
		bare := s.Clone()
		bare.AnyOf, bare.OneOf = nil, nil
		return constrains(bare)
	}) {
		return []*Alt{{Kind: kindAny}}
	}
	var where Place
	var name, of string
	if way.at != nil {
		where, name = b.place(way.at)
		if to := alias(way.at); to != way.at {
			of = to.Pointer
		}
	}
	var alts []*Alt
	for _, k := range allKinds {
		if kinds&k == 0 {
			continue
		}
		a := &Alt{of: of, Where: where, Kind: k, all: way.all, refused: way.refused}
		if k == kindObject || k == kindArray {
			a.Name = name
		}
		a.valid = b.accepting(way.all)
		possible := true
		switch k {
		case kindNumber:
			a.Number, possible = numberOf(way.all, whole)
		case kindString:
			a.Text, possible = textOf(way.all)
		case kindArray:
			a.Array, possible = b.array(way.all)
		case kindObject:
			a.Object, possible = b.object(way.all)
		}
		if possible && b.values(a, way.all) && b.possible(a) {
			alts = append(alts, a)
		}
	}
	return alts
}

var allKinds = []kind{kindNull, kindBoolean, kindNumber, kindString, kindArray, kindObject}

// kindsOf returns the kinds that all schemas allow. whole means that numbers must be integers.
func kindsOf(all []*jsonschema.Schema) (kinds kind, whole bool) {
	kinds = kindAny
	for _, s := range all {
		if s.Types == nil {
			continue
		}
		allowed := kind(0)
		for _, name := range s.Types {
			allowed |= jsonschema.KindsOfType(name)
		}
		kinds &= allowed
		whole = whole || slices.Contains(s.Types, "integer") && !slices.Contains(s.Types, "number")
	}
	return kinds, whole
}

// values limits an alternative to the listed values. It returns false if none is left.
func (b *schemaBuilder) values(a *Alt, all []*jsonschema.Schema) bool {
	var of *jsonschema.Schema
	var listed []wire.Raw
	for _, s := range all {
		if own := s.Constants(); own != nil && (of == nil || len(own) < len(listed)) {
			of, listed = s, own
		}
	}
	switch {
	case of != nil:
	case a.Kind == kindBoolean:
		listed = []wire.Raw{"false", "true"}
	case a.Kind == kindNull:
		listed = []wire.Raw{"null"}
	default:
		return true
	}
	// The validator compares a value with each listed one, so it judges only by other keywords.
	rest := b.accepting(slices.DeleteFunc(slices.Clone(all), func(s *jsonschema.Schema) bool { return s == of && lists(s) }))
	a.Values = []string{}
	seen := map[string]bool{}
	for _, raw := range listed {
		v := parse(string(raw))
		text := exactly(v)
		if !seen[text] && kindOf(v) == a.Kind && rest(v) {
			a.Values = append(a.Values, text)
		}
		seen[text] = true
	}
	if a.Kind == kindBoolean || a.Kind == kindNull {
		slices.Sort(a.Values)
	}
	return len(a.Values) > 0
}

// possible reports whether an alternative may have a value. It marks one with conditions that the forms
// do not show.
func (b *schemaBuilder) possible(a *Alt) bool {
	if a.Values != nil {
		return true // each value has been checked
	}
	a.conditional = len(a.refused) > 0 || slices.ContainsFunc(keywords, func(k keyword) bool {
		return k.shows != nil && slices.ContainsFunc(b.engine.breaking(a, k.name), func(one *branch) bool { return !k.shows(a, one) })
	})
	if !a.conditional {
		return true
	}
	w := way{todo: a.all, refused: a.refused, settled: a.all, kinds: a.Kind}
	return b.engine.finder(nil).search(w, a.all, a.refused, nil).is != none
}

// lists reports whether a schema that lists values has no other keyword than their types.
func lists(s *jsonschema.Schema) bool {
	if s.Enum != nil && s.Const != "" {
		return false
	}
	bare := s.Clone()
	bare.Enum, bare.Const, bare.Types = nil, "", nil
	return !constrains(bare)
}
