package schema

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// reader derives the core of a schema.json. A core accepts at least the values of its schema.
type reader struct {
	revision  string
	root      *jsonschema.Schema
	container string
	// names has the definitions, cores their cores, and queue the definitions that have none yet.
	names map[*jsonschema.Schema]string
	cores map[string]*Schema
	queue []*jsonschema.Schema
	// more is the set of pointers of the schemas whose core accepts more values.
	more  map[string]bool
	depth int // of the current schema
	errs  []*Error
}

// maxDepth limits the nesting of schemas. The official schemas have up to 6 levels. Code for
// thousands of levels could neither be formatted nor compiled.
const maxDepth = 100

func newReader(revision string, root *jsonschema.Schema) *reader {
	return &reader{revision: revision, root: root, names: map[*jsonschema.Schema]string{}, cores: map[string]*Schema{}, more: map[string]bool{}}
}

func (r *reader) fail(pointer, format string, args ...any) {
	r.errs = append(r.errs, &Error{r.revision, pointer, fmt.Sprintf(format, args...)})
}

// definitions returns the cores of the definitions of the file, sorted by name, or nil if it has none.
func (r *reader) definitions() []Definition {
	for _, name := range []string{"$defs", "definitions"} {
		raw, ok := wire.Object(r.root.Source).Get(name)
		switch {
		case !ok || raw.Kind() != wire.KindObject || wire.Object(raw).Len() == 0:
		case r.container != "":
			r.fail(Child("", name), "is left out: there are definitions in both %q and %q", r.container, name)
		default:
			r.container = name
		}
	}
	if r.container == "" {
		return nil
	}
	raw, _ := wire.Object(r.root.Source).Get(r.container)
	for name := range wire.Object(raw).All() {
		if s := r.root.At(Child("", r.container, name)); s != nil {
			r.define(s, name)
		}
	}
	for len(r.queue) > 0 {
		s := r.queue[0]
		r.queue = r.queue[1:]
		r.cores[r.names[s]] = r.schema(s, false)
	}
	var all []Definition
	for _, name := range slices.Sorted(maps.Keys(r.cores)) {
		all = append(all, Definition{name, r.cores[name]})
	}
	return all
}

func (r *reader) define(s *jsonschema.Schema, name string) {
	for _, taken := r.cores[name]; taken; _, taken = r.cores[name] {
		name += "_"
	}
	r.names[s], r.cores[name] = name, nil
	r.queue = append(r.queue, s)
}

// definition returns the name of the definition that a reference leads to. A schema in a
// definition is called by the names on the way to it: "A/b" for /$defs/A/$defs/b and for
// /$defs/A/properties/b.
func (r *reader) definition(target *jsonschema.Schema) (name string, ok bool) {
	if name, ok := r.names[target]; ok {
		return name, true
	}
	way, ok := strings.CutPrefix(target.Pointer, "/"+r.container+"/")
	if !ok {
		return "", false
	}
	var names []string
	for i, segment := range strings.Split(way, "/") {
		if i%2 == 0 || !slices.Contains([]string{"$defs", "definitions", "properties"}, segment) {
			names = append(names, wire.PointerName(segment))
		}
	}
	r.define(target, strings.Join(names, "/"))
	return r.names[target], true
}

// schema returns the core of a schema. Member is set for the schema of an object's member, which
// is the only place of a const.
func (r *reader) schema(s *jsonschema.Schema, member bool) *Schema {
	core := &Schema{}
	if r.depth++; r.depth > maxDepth {
		r.fail(s.Pointer, "schemas nested more than %d levels deep are not supported", maxDepth)
		r.lacks(s, true)
	} else if parts := r.parts(s, member); len(parts) == 1 {
		core = parts[0]
	} else {
		core.AllOf = parts
	}
	r.depth--
	if s.Title != "" {
		core.Title = s.Title
	}
	if s.Description != "" {
		core.Description = s.Description
	}
	return core.of(s)
}

// of sets Pointer, Default, Deprecated and Loose of a core from its schema.
func (core *Schema) of(s *jsonschema.Schema) *Schema {
	core.Pointer, core.Default, core.Deprecated = s.Pointer, string(s.Default), s.Deprecated
	core.Loose = core.IsObject() && s.Types == nil
	return core
}

// lacks records that the core of a schema accepts more values than the schema, if so is true.
func (r *reader) lacks(s *jsonschema.Schema, so bool) {
	if so {
		r.more[s.Pointer] = true
	}
}

// parts returns the cores that together are the core of a schema.
func (r *reader) parts(s *jsonschema.Schema, member bool) []*Schema {
	var parts []*Schema
	add := func(core *Schema) {
		if core != nil && !core.IsAny() {
			parts = append(parts, core)
		}
	}
	r.lacks(s, never(s) || s.Meta || s.DynamicRef != "" || s.Not != nil || s.If != nil)
	if never(s) || s.Always != nil {
		return nil
	}
	if s.Target != nil {
		if name, ok := r.definition(s.Target); ok {
			add(&Schema{Ref: name})
		} else {
			r.lacks(s, true)
		}
	}
	for _, branch := range s.AllOf {
		add(r.schema(branch, false))
		r.lacks(s, r.more[branch.Pointer])
	}
	around := len(parts) > 0 || describesMembers(s)
	add(r.union(s, s.AnyOf, around))
	add(r.union(s, s.OneOf, around))
	r.lacks(s, !jsonschema.Disjoint(s.OneOf))
	own := &values{reader: r, s: s, member: member, alone: len(parts) == 0}
	add(own.core())
	return parts
}

// never reports whether a schema does not accept any value, like false and {"not": {}}.
func never(s *jsonschema.Schema) bool {
	if s.Always != nil {
		return !*s.Always
	}
	return s.Not != nil && (s.Not.Always != nil && *s.Not.Always || s.Not.Source.Kind() == wire.KindObject && wire.Object(s.Not.Source).Len() == 0)
}

// anything reports whether a schema has no keywords for values.
func anything(s *jsonschema.Schema) bool {
	if s.Always != nil {
		return *s.Always
	}
	for key := range wire.Object(s.Source).All() {
		if !annotates(key) {
			return false
		}
	}
	return true
}

// describesMembers reports whether a schema names members of objects.
func describesMembers(s *jsonschema.Schema) bool { return len(s.Properties)+len(s.Required) > 0 }

// union returns the core of a choice between schemas. It is nil if a branch accepts
// anything, or if the branches only restrict an object that is described around them.
func (r *reader) union(s *jsonschema.Schema, branches []*jsonschema.Schema, around bool) *Schema {
	if branches == nil {
		return nil
	}
	var cores []*Schema
	strings, scalars := &Schema{Types: []string{"string"}}, []string{}
	for _, branch := range branches {
		if never(branch) {
			continue
		}
		core := r.schema(branch, false)
		if core.IsAny() || anything(branch.Resolved()) || around && restricts(branch) {
			r.lacks(s, r.more[branch.Pointer] || restricts(branch) && !core.IsAny())
			return nil
		}
		cores = append(cores, core)
		strings = joinStrings(strings, core)
		scalars = joinScalars(scalars, core)
	}
	exact := !slices.ContainsFunc(branches, func(b *jsonschema.Schema) bool { return r.more[b.Pointer] })
	switch {
	case len(cores) == 0:
		r.lacks(s, true)
		return nil
	case len(cores) == 1:
		r.lacks(s, !exact)
		return cores[0]
	case strings != nil && exact:
		return strings
	case scalars != nil && exact:
		return &Schema{Types: scalars}
	}
	return &Schema{AnyOf: cores}
}

// restricts reports whether a schema only says which members are present, and nothing about their
// values.
func restricts(s *jsonschema.Schema) bool {
	return s.Target == nil && len(s.Properties)+len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0 && s.Enum == nil && s.Const == "" &&
		s.AdditionalProperties == nil && (s.Types == nil || slices.Equal(s.Types, []string{"object"}))
}

// joinStrings adds the values of an enum of strings to another one. It returns nil if there is
// another schema among them.
func joinStrings(into, core *Schema) *Schema {
	if into == nil || core.Enum == nil || !slices.Equal(core.Types, []string{"string"}) {
		return nil
	}
	for _, value := range core.Enum {
		if !slices.Contains(into.Enum, value) {
			into.Enum = append(into.Enum, value)
		}
	}
	return into
}

// joinScalars adds the types of a core to a list of scalar types. It returns nil if the core
// says anything else.
func joinScalars(into []string, core *Schema) []string {
	bare := Schema{Pointer: core.Pointer, Title: core.Title, Description: core.Description, Default: core.Default, Deprecated: core.Deprecated, Types: core.Types}
	if into == nil || core.Types == nil || !reflect.DeepEqual(*core, bare) {
		return nil
	}
	for _, t := range core.Types {
		if t == "object" || t == "array" {
			return nil
		}
		if !slices.Contains(into, t) {
			into = append(into, t)
		}
	}
	return into
}

// number returns a number as a float64, if that is exact. Beyond 2^53, a comparison of an integer with a float64 is
// not.
func number(raw wire.Raw) (float64, bool) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f <= -1<<53 || f >= 1<<53 {
		return 0, false
	}
	return f, wire.CompareNumbers(wire.Raw(strconv.FormatFloat(f, 'f', -1, 64)), raw) == 0
}
