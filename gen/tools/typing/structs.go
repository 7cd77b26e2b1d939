package typing

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/names"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// shape is the description of an object's members by one alternative.
type shape struct {
	// names holds the names of the declared members in their order, declared the schemas of each,
	// and required the members that must be present.
	names    []string
	declared map[string]disj
	required map[string]bool
	// conditional has the members that are declared only under a condition.
	conditional []jsonschema.Property
	// others is the description of members without a name here.
	others disj
}

// shapeOf collects the members that a conj describes.
func shapeOf(c conj) *shape {
	s := &shape{declared: map[string]disj{}, required: map[string]bool{}, others: disj{{}}}
	for _, part := range c {
		for _, p := range part.Properties {
			s.declare(p.Name, p.Schema)
		}
		for _, branch := range []*jsonschema.Schema{part.Then, part.Else} {
			if branch != nil {
				s.conditional = append(s.conditional, branch.Properties...)
			}
		}
		for _, dependent := range part.DependentSchemas {
			s.conditional = append(s.conditional, dependent.Schema.Properties...)
		}
		s.others = s.others.both(othersOf(part))
	}
	for _, part := range c {
		for _, name := range part.Required {
			if _, ok := s.declared[name]; !ok {
				s.names = append(s.names, name)
				s.declared[name] = s.others
			}
			s.required[name] = true
		}
	}
	s.conditional = slices.DeleteFunc(s.conditional, func(p jsonschema.Property) bool { return s.declared[p.Name] != nil })
	s.others = expand(s.others)
	return s
}

func (s *shape) declare(name string, schema *jsonschema.Schema) {
	if _, ok := s.declared[name]; !ok {
		s.names = append(s.names, name)
		s.declared[name] = disj{{}}
	}
	s.declared[name] = s.declared[name].both(disj{{schema}})
}

// others returns the description of the members that a schema does not name.
func othersOf(s *jsonschema.Schema) disj {
	rest := disj{{}}
	if s.AdditionalProperties != nil {
		rest = disj{{s.AdditionalProperties}}
	}
	for _, p := range s.PatternProperties {
		if p.Name == "" || p.Name == ".*" || p.Name == "^.*$" { // every name matches
			return disj{{p.Schema}}
		}
		rest = append(rest, conj{p.Schema})
	}
	return rest
}

// open reports whether members without a name may have any value.
func (s *shape) open() bool {
	return slices.ContainsFunc(s.others, func(c conj) bool { return len(c) == 0 })
}

// like reports whether two shapes declare the same members in the same way, so that they differ
// only in which members are required.
func (s *shape) like(other *shape) bool {
	if len(s.names) != len(other.names) || s.others.key() != other.others.key() {
		return false
	}
	for name, d := range s.declared {
		if o, ok := other.declared[name]; !ok || expand(d).key() != expand(o).key() {
			return false
		}
	}
	return true
}

// object returns the type of the objects among the alternatives: a map or an open object if no
// member is named, a union of structs if they can be distinguished, and otherwise one struct with
// all members.
func (t *typer) object(d disj, at spot) ir.Type {
	shapes := shapesOf(d)
	if !slices.ContainsFunc(shapes, func(s *shape) bool { return len(s.names) > 0 }) {
		return t.dictionary(d, shapes, at)
	}
	if separate(shapes) {
		if union := t.unionOf(d, isObject, at); union != nil {
			return union
		}
	}
	return t.structOf(d, at)
}

func shapesOf(d disj) []*shape {
	shapes := make([]*shape, len(d))
	for i, c := range d {
		shapes[i] = shapeOf(c)
	}
	return shapes
}

// separate reports whether the alternatives are objects of several sorts.
func separate(shapes []*shape) bool {
	structs := slices.DeleteFunc(slices.Clone(shapes), func(s *shape) bool { return len(s.names) == 0 })
	return slices.ContainsFunc(structs, func(s *shape) bool { return !s.like(structs[0]) })
}

// dictionary returns the type of objects no member of which has a name.
func (t *typer) dictionary(d disj, shapes []*shape, at spot) ir.Type {
	var others disj
	for i, s := range shapes {
		if s.open() {
			if slices.ContainsFunc(d[i], func(s *jsonschema.Schema) bool { return s.PatternProperties != nil }) {
				t.remark(&t.pkg.Untyped, at, "has patternProperties beside members of any type")
			}
			return &ir.Open{}
		}
		others = append(others, s.others...)
	}
	if others = others.distinct(); len(others) == 0 {
		return &ir.Open{} // and always empty
	}
	return t.itself(d.key()+"{}", at, func() ir.Type { return &ir.Map{Elem: t.typeOf(others, at.value())} })
}

// structOf returns the struct with the members of all alternatives.
func (t *typer) structOf(d disj, at spot) *ir.Ref {
	return t.declare(d.key(), d, at, func(decl *ir.Decl, at spot) { t.fill(decl, d, at) })
}

// fill makes a declaration the struct with the members of all alternatives.
func (t *typer) fill(decl *ir.Decl, d disj, at spot) {
	o := &ir.Object{}
	decl.Type = o
	shapes := shapesOf(d)
	var names []string
	open := false
	var others disj
	var conditional []jsonschema.Property
	for _, s := range shapes {
		conditional = append(conditional, s.conditional...)
		for _, name := range s.names {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		open = open || s.open()
		others = append(others, s.others...)
	}
	for _, p := range conditional {
		if open && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
	}
	others = others.distinct()
	reserved := slices.Clone(structNames)
	if d.mayBeLoose() {
		reserved = append(reserved, "Other")
	}
	if !open && len(others) > 0 {
		reserved = append(reserved, "Additional")
	}
	identifiers, ok := t.members(decl, names, given(shapes), reserved)
	if !ok {
		return
	}
	for i, name := range names {
		if f := t.field(decl, name, identifiers[i], shapes, conditional, at, identifiers); f != nil {
			o.Fields = append(o.Fields, f)
		}
	}
	if !open && len(others) > 0 {
		o.Additional = t.typeOf(others, at.value())
		if _, isAny := o.Additional.(*ir.Any); isAny {
			o.Additional = nil
		}
	}
	// A value that does not fit a soft field is kept like a member that has none.
	o.Closed = !open && len(others) == 0 && !slices.ContainsFunc(o.Fields, func(f *ir.Field) bool { return f.Soft })
	o.SortFields()
}

// given returns the Go names that the schemas of members give them.
func given(shapes []*shape) map[string]*jsonschema.Schema {
	given := map[string]*jsonschema.Schema{}
	for _, s := range shapes {
		for name, d := range s.declared {
			for _, c := range d {
				for _, schema := range c {
					if schema.GoName != "" && given[name] == nil {
						given[name] = schema
					}
				}
			}
		}
	}
	return given
}

// members returns the Go names of the members of a struct.
func (t *typer) members(decl *ir.Decl, wires []string, given map[string]*jsonschema.Schema, reserved []string) (identifiers []string, ok bool) {
	taken := slices.Clone(reserved)
	var others []string
	for _, name := range wires {
		schema := given[name]
		if schema == nil {
			others = append(others, name)
			continue
		}
		if !names.IsExported(schema.GoName) || slices.Contains(taken, schema.GoName) {
			t.failf(schema.Pointer+"/"+jsonschema.GoName, "%q cannot be the Go name of the member %q: it must be an exported identifier that nothing else in %s has", schema.GoName, name, decl.Name)
			return nil, false
		}
		taken = append(taken, schema.GoName)
	}
	found, clash := t.names.Distinct(others, func(name string) bool { return slices.Contains(taken, name) }, "Member")
	if clash != nil {
		t.failf(decl.Pointer, "members %q and %q would have one Go name, %s; %s gives one of them another", others[clash[0]], others[clash[1]], found[clash[0]], jsonschema.GoName)
		return nil, false
	}
	for _, name := range wires {
		if schema := given[name]; schema != nil {
			identifiers = append(identifiers, schema.GoName)
		} else {
			identifiers, found = append(identifiers, found[0]), found[1:]
		}
	}
	return identifiers, true
}

// structNames are the names that structs use besides those of the members.
var structNames = []string{"Extra", "AppendJSON", "DecodeJSON", "MarshalJSON", "UnmarshalJSON", "Validate"}

// field makes the field of a member, or returns nil for a member that can never be present.
func (t *typer) field(decl *ir.Decl, name, goName string, shapes []*shape, conditional []jsonschema.Property, at spot, siblings []string) *ir.Field {
	f := &ir.Field{Wire: name, Go: goName, Required: true}
	var all disj
	for _, s := range shapes {
		declared, ok := s.declared[name]
		switch {
		case ok:
			all = append(all, declared...)
		case s.open():
			f.Soft = true
		default:
			all = append(all, s.others...)
		}
		f.Required = f.Required && s.required[name]
	}
	for _, p := range conditional {
		if p.Name == name {
			all = append(all, conj{p.Schema})
			f.Soft = true
		}
	}
	f.Required = f.Required && !f.Soft
	d := expand(all)
	f.Pointer = pointerOf(all, at.pointer)
	here := at.member(name, goName, f.Pointer, siblings)
	if len(d) == 0 {
		t.remark(&t.pkg.Notes, here, "allows no value, so it has no field")
		return nil
	}
	if f.Const = d.constant(); f.Const != nil {
		f.Type = &ir.String{}
		if _, isText := f.Const.(string); !isText {
			f.Type = &ir.Integer{}
		}
	} else {
		f.Type = t.typeOf(all, here)
	}
	if _, isAny := f.Type.(*ir.Any); isAny {
		f.Soft = false
	}
	f.Doc = t.fieldDoc(f, all, d)
	if ref, ok := f.Base().(*ir.Ref); ok {
		o := t.origins[ref.Decl]
		o.member = o.member || o.definition == "" && strings.HasPrefix(f.Doc, ref.Decl.Doc)
	}
	if t.apply && !f.Required {
		t.fields = append(t.fields, defaulted{f, decl, here, all})
	}
	return f
}

// pointerOf returns the pointer of the first schema in a list.
func pointerOf(all disj, otherwise string) string {
	for _, c := range all {
		for _, s := range c {
			return s.Pointer
		}
	}
	return otherwise
}
