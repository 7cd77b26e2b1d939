package diff

import (
	"cmp"
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
	// shapes has the shapes by the schemas at their place, sets the sets by the schemas that these add up to.
	shapes map[string]*Shape
	sets   map[string]*set
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
	return &schemaBuilder{engine: e, shapes: map[string]*Shape{}, sets: map[string]*set{}}
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
	w := &way{todo: list, kinds: kindAny}
	if !b.engine.expand(w) {
		return &set{}
	}
	flat := w.constraints()
	key := name + b.engine.key(slices.SortedFunc(slices.Values(flat), func(x, y *jsonschema.Schema) int { return strings.Compare(x.Pointer, y.Pointer) }))
	if have, ok := b.sets[key]; ok {
		return have
	}
	s := &set{}
	if len(flat) == 0 {
		s.list = []*Alt{{way: *w}}
	}
	b.sets[key] = s
	if len(flat) > 0 {
		s.fill = func() []*Alt { return b.alts(w, name, where) }
	}
	return s
}

// constraints returns the schemas of a way that have constraints of their own.
func (w *way) constraints() []*jsonschema.Schema {
	return slices.DeleteFunc(slices.Clone(w.all), func(s *jsonschema.Schema) bool { return !constrains(s) })
}

// aboutOf returns the descriptive members of schemas at one place.
func aboutOf(list []*jsonschema.Schema) about {
	var a about
	var described []*jsonschema.Schema
	for _, s := range list {
		described = reach(described, s, func(s *jsonschema.Schema) []*jsonschema.Schema {
			return slices.Concat([]*jsonschema.Schema{s.Target}, s.AllOf, s.AnyOf, s.OneOf)
		})
		a.Title = cmp.Or(a.Title, s.Title)
		if a.Default == "" {
			a.Default = canonical(s.Default)
		}
	}
	var texts []string
	for _, s := range described {
		texts = append(texts, s.Description)
	}
	a.Description = strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "\n")
	return a
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
	return *s.Limits != (jsonschema.Limits{}) || s.Types != nil || s.Enum != nil || s.Const != "" || s.Format != "" || len(s.AnyOf)+len(s.OneOf) > 0 ||
		s.Not != nil || s.If != nil && (s.Then != nil || s.Else != nil) || s.Meta || s.DynamicRef != "" ||
		s.Items != nil || s.PrefixItems != nil || s.Contains != nil || s.UnevaluatedItems != nil || s.AdditionalProperties != nil || s.PropertyNames != nil ||
		s.UnevaluatedProperties != nil || len(s.Properties)+len(s.PatternProperties)+len(s.Required)+len(s.DependentRequired)+len(s.DependentSchemas) > 0
}

// alts returns the alternatives of a conjunction. Those without a place of their own get that of a declaration, and its
// name, unless they are several: a union leaves the names to its variants.
func (b *schemaBuilder) alts(w *way, name string, where Place) []*Alt {
	ways, tried := []*way{}, 0
	if !b.choose(w, &ways, &tried) {
		return []*Alt{{Where: where, way: *w, conditional: true}}
	}
	var alts []*Alt
	for _, w := range ways {
		alts = append(alts, b.forms(w)...)
	}
	b.made += len(alts)
	if i := slices.IndexFunc(alts, func(a *Alt) bool { return a.kinds == kindAny }); i >= 0 {
		alts = alts[i : i+1]
	} else {
		alts = join(alts)
	}
	for _, a := range alts {
		if name != "" && a.Where == (Place{}) {
			if a.Where = where; len(alts) == 1 && (a.kinds == kindObject || a.kinds == kindArray) {
				a.Name = name
			}
		}
	}
	return alts
}

// choose adds the ways to satisfy a conjunction to a list: one for each choice of branches of its unions. It returns
// false if there are too many.
func (b *schemaBuilder) choose(w *way, ways *[]*way, tried *int) bool {
	if *tried++; *tried > mostBranchings || b.made > mostAlts {
		return false
	}
	i := slices.IndexFunc(w.unions, func(u *union) bool { return u.keyword != "" })
	if i < 0 {
		*ways = append(*ways, w)
		return true
	}
	u := w.unions[i]
	left := *w
	left.unions = slices.Delete(slices.Clone(w.unions), i, i+1)
	for _, branch := range u.choice {
		next := left.with(branch)
		next.at, next.within = branch.accept[0], u.within
		if b.engine.expand(&next) && !b.choose(&next, ways, tried) {
			return false
		}
	}
	return true
}

// forms returns the alternatives of schemas without branches, one for each JSON type that they
// allow.
func (b *schemaBuilder) forms(w *way) []*Alt {
	kinds, _ := kindsOf(w.all)
	if kinds == kindAny && len(w.refused) == 0 && !slices.ContainsFunc(w.all, func(s *jsonschema.Schema) bool { return constrains(plain(s)) }) {
		return []*Alt{{way: way{kinds: kindAny}}}
	}
	var where Place
	var name, of string
	if w.at != nil {
		where, name = b.place(w.at)
		if to := alias(w.at); to != w.at {
			of = to.Pointer
		}
	}
	var alts []*Alt
	for _, k := range allKinds {
		if kinds&k == 0 {
			continue
		}
		a := &Alt{of: of, Where: where, way: *w}
		a.kinds, a.accept, a.refuse = k, w.constraints(), w.refused
		if k == kindObject || k == kindArray {
			a.Name = name
		}
		a.form.fill(w.all, k)
		possible := !a.Empty()
		switch k {
		case kindArray:
			a.Array, possible = b.array(w, &a.form)
		case kindObject:
			a.Object, possible = b.object(w, &a.form)
		}
		if possible && b.values(a) && b.possible(a) {
			alts = append(alts, a)
		}
	}
	return alts
}

// plain returns a schema without the parts that a way has besides it.
func plain(s *jsonschema.Schema) *jsonschema.Schema {
	bare := s.Clone()
	bare.AnyOf, bare.OneOf, bare.AllOf, bare.Target = nil, nil, nil, nil
	return bare
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
func (b *schemaBuilder) values(a *Alt) bool {
	of, listed := constants(a.all)
	switch {
	case of != nil:
	case a.kinds == kindBoolean:
		listed = []wire.Raw{"false", "true"}
	case a.kinds == kindNull:
		listed = []wire.Raw{"null"}
	default:
		return true
	}
	// The validator compares a value with each listed one, so it judges only by other keywords.
	rest := slices.DeleteFunc(slices.Clone(a.accept), func(s *jsonschema.Schema) bool { return s == of && lists(s) })
	a.Values = []string{}
	seen := map[string]bool{}
	for _, raw := range listed {
		v := parse(string(raw))
		text := exactly(v)
		if !seen[text] && jsonschema.KindsOfDecoded(v) == a.kinds && b.engine.satisfies(v, rest...) {
			a.Values = append(a.Values, text)
		}
		seen[text] = true
	}
	if a.kinds == kindBoolean || a.kinds == kindNull {
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
	a.conditional = len(a.refused) > 0
	for i := range keywords {
		if k := &keywords[i]; k.shows != nil && k.name != "oneOf" { // a.refused has what oneOf does not show
			a.conditional = a.conditional || slices.ContainsFunc(k.breaking(a), func(b *branch) bool { return !k.shows(a, b) })
		}
	}
	if !a.conditional {
		return true
	}
	return b.engine.finder(nil).search(a.way).is != none
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
