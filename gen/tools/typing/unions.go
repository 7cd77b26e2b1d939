package typing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/unions"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// candidate is a possible variant of a union.
type candidate struct {
	kind kindSet
	// alternatives are the alternatives that the variant covers.
	alternatives disj
	// suffix is appended to the name of the union for the name of the variant's type.
	suffix string
	// variant represents the candidate in the decision.
	variant *ir.Variant
}

// mixed returns the type of values of several kinds, at least one of which is an array or
// object.
func (t *typer) mixed(d disj, kinds kindSet, at spot) ir.Type {
	if union := t.unionOf(d, kinds, at); union != nil {
		return union
	}
	return t.raw(at, "has alternatives that cannot be distinguished")
}

// unionOf returns the union of the values of several kinds, or nil if its variants cannot be
// distinguished.
func (t *typer) unionOf(d disj, kinds kindSet, at spot) *ir.Ref {
	key := fmt.Sprintf("%s?%d", d.key(), kinds)
	if decl := t.declared[key]; decl != nil {
		return &ir.Ref{Decl: decl}
	}
	candidates, decision, lenient := t.candidates(d, kinds)
	if decision == nil {
		return nil
	}
	return t.declare(key, d, at, func(decl *ir.Decl, at spot) {
		u := &ir.Union{Decision: decision, Lenient: lenient}
		decl.Type = u
		t.nameCandidates(candidates)
		for _, c := range candidates {
			if last := len(at.trail) - 1; last >= 0 && c.suffix == at.trail[last] {
				c.suffix = "Base" // the schema of an API that the other variants extend
			}
			c.variant.Decl, c.variant.Boxed = t.variantDecl(c, at.named(c.suffix))
			if !slices.ContainsFunc(u.Variants, func(v *ir.Variant) bool { return v.Decl == c.variant.Decl }) {
				u.Variants = append(u.Variants, c.variant)
				c.variant.Decl.Unions = append(c.variant.Decl.Unions, decl)
			}
		}
	})
}

// candidates groups the alternatives into variants and returns the decision between them, or
// nil if there is none.
func (t *typer) candidates(d disj, kinds kindSet) (all []*candidate, decision ir.Decision, lenient bool) {
	if kinds&isObject != 0 {
		all, lenient = t.objectCandidates(d.of(isObject))
	}
	for _, rest := range []struct {
		kind   kindSet
		suffix string
		stands ir.Type
	}{
		{isArray, "List", &ir.Array{Elem: &ir.Any{}}}, {isString, "String", &ir.String{}},
		{isNumber, "Number", &ir.Number{}}, {isBoolean, "Boolean", &ir.Boolean{}},
	} {
		if kinds&rest.kind != 0 {
			all = append(all, newCandidate(rest.kind, d.of(rest.kind), rest.suffix, rest.stands))
		}
	}
	var variants []*ir.Variant
	for _, c := range all {
		variants = append(variants, c.variant)
	}
	told := true
	decider := unions.Decider{Fail: func(_, _, _ *ir.Variant, _ string) { told = false }}
	decision = decider.Decide(variants)
	switch {
	case told:
		return all, decision, lenient
	case kinds == isObject:
		return nil, nil, false
	}
	// Objects that cannot be distinguished form one variant.
	objects := newCandidate(isObject, d.of(isObject), "Object", &ir.Object{})
	all = append([]*candidate{objects}, slices.DeleteFunc(all, func(c *candidate) bool { return c.kind == isObject })...)
	variants = nil
	for _, c := range all {
		variants = append(variants, c.variant)
	}
	return all, decider.Decide(variants), false
}

// newCandidate returns a candidate. Its type in the decision has only the properties that
// decisions use.
func newCandidate(kind kindSet, alternatives disj, suffix string, stands ir.Type) *candidate {
	return &candidate{kind, alternatives, suffix, &ir.Variant{Decl: &ir.Decl{Name: alternatives.key(), Type: stands}}}
}

// objectCandidates makes a candidate of each alternative that names members. If one of them names
// none, objects that match no variant are allowed.
func (t *typer) objectCandidates(d disj) (all []*candidate, lenient bool) {
	shapes := shapesOf(d)
	if !separate(shapes) {
		return []*candidate{newCandidate(isObject, d, "Object", &ir.Object{})}, false
	}
	for i, c := range d {
		s := shapes[i]
		if len(s.names) == 0 {
			lenient = true
			continue
		}
		all = append(all, newCandidate(isObject, disj{c}, "", s.outline()))
	}
	return all, lenient
}

// outline returns the properties of a struct that distinguish it from others: its members, which of
// them are required, and which have listed values.
func (s *shape) outline() *ir.Object {
	o := &ir.Object{}
	for _, name := range s.names {
		f := &ir.Field{Wire: name, Required: s.required[name], Type: &ir.Any{}}
		d := expand(s.declared[name])
		if f.Const = d.constant(); f.Const == nil && d.kinds() == isString {
			if values, finite := d.values(isString); finite {
				enum := &ir.Enum{}
				for _, v := range values {
					text, _ := v.Str()
					enum.Values = append(enum.Values, ir.EnumValue{Wire: text})
				}
				f.Type = enum
			}
		}
		o.Fields = append(o.Fields, f)
	}
	return o
}

// nameCandidates gives the variants that are objects their suffixes, see [unions.Names]. A
// variant without a name gets a number.
func (t *typer) nameCandidates(all []*candidate) {
	var objects []*candidate
	var schemas []conj
	for _, c := range all {
		if c.kind == isObject && c.suffix == "" {
			objects = append(objects, c)
			schemas = append(schemas, c.alternatives[0])
		}
	}
	variants := make([]unions.Naming, len(objects))
	for i, c := range objects {
		variants[i].Object, _ = c.variant.Decl.Type.(*ir.Object)
		for _, s := range schemas[i] {
			if len(objects) > 1 && !slices.ContainsFunc(schemas, func(other conj) bool { return !slices.Contains(other, s) }) {
				continue // belongs to all variants
			}
			definition, _ := s.Definition()
			variants[i].Title = cmp.Or(variants[i].Title, strings.TrimSpace(s.Title))
			variants[i].Definition = cmp.Or(variants[i].Definition, definition)
		}
		if s := t.definitionOf(objects[i].alternatives); s != nil {
			variants[i].Definition, _ = s.Definition()
		}
	}
	taken := map[string]bool{}
	for i, name := range unions.Names(variants) {
		suffix := t.identifier(name)
		if name == "" || taken[suffix] {
			suffix = fmt.Sprintf("Option%d", i+1)
		}
		taken[suffix] = true
		objects[i].suffix = suffix
	}
}

// variantDecl declares the type of a variant.
func (t *typer) variantDecl(c *candidate, at spot) (decl *ir.Decl, boxed bool) {
	own := t.ofKind(c.alternatives, c.kind, at)
	if ref, ok := own.(*ir.Ref); ok {
		switch ref.Decl.Type.(type) {
		case *ir.Object:
			return ref.Decl, true
		case *ir.Enum:
			return ref.Decl, false
		}
	}
	decl, _ = t.newDecl(at)
	decl.Type = own
	if _, ok := own.(*ir.Time); ok {
		decl.Type = &ir.String{Format: "date-time"} // a type of its own would lack the methods of time.Time
	}
	return decl, false
}

// titleOf returns the title of the oneOf branch that has the given constant.
func (d disj) titleOf(v wire.Raw) string {
	for _, c := range d {
		for _, s := range c {
			if s.Const != "" && wire.Equal(s.Const, v) {
				return cmp.Or(s.Description, s.Title)
			}
		}
	}
	return ""
}
