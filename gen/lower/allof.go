package lower

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/schema"
)

// mergeAllOfs replaces each allOf of the document by one schema. That schema accepts at least the
// same values. If it accepts more, it has a Source.
func (l *lowerer) mergeAllOfs() {
	l.doc.Walk(func(s *schema.Schema) {
		l.mergeOnce(s)
	})
}

// mergeOnce merges an allOf, unless it is being merged already.
func (l *lowerer) mergeOnce(s *schema.Schema) {
	if s.AllOf != nil && !l.merging[s] {
		l.merging[s] = true
		*s = *l.merge(s)
	}
}

// merge returns the branches of an allOf as one schema.
func (l *lowerer) merge(s *schema.Schema) *schema.Schema {
	lost := l.lost
	l.lost = false
	var parts []*schema.Schema
	for _, branch := range s.AllOf {
		l.target(branch)
		switch {
		case branch.IsAny():
		case branch.Ref == "" && branch.Types == nil && branch.AnyOf == nil && branch.AllOf == nil:
			l.lost = true // it has a Source only
		default:
			parts = append(parts, branch)
		}
	}
	merged := &schema.Schema{}
	for _, p := range parts {
		merged = l.narrower(merged, p)
	}
	copied := *merged
	copied.Pointer, copied.Also = s.Pointer, s.Also
	copied.Title, copied.Description = cmp.Or(s.Title, merged.Title), cmp.Or(s.Description, merged.Description)
	copied.Default, copied.Deprecated = cmp.Or(s.Default, merged.Default), s.Deprecated || merged.Deprecated
	if copied.Source = s.Source; l.lost || merged.Source != "" {
		l.doc.Keep(&copied)
	}
	l.lost = lost
	return &copied
}

// target returns the schema that a reference leads to, or the schema itself. If that is an allOf,
// it merges it first.
func (l *lowerer) target(s *schema.Schema) *schema.Schema {
	for {
		l.mergeOnce(s)
		if s.Ref == "" {
			return s
		}
		s = l.doc.Lookup(s.Ref)
	}
}

// distribute returns the union whose variants each have the members of an object, too.
func (l *lowerer) distribute(object, union *schema.Schema) *schema.Schema {
	out := &schema.Schema{Pointer: union.Pointer}
	for _, branch := range l.target(union).AnyOf {
		switch {
		case l.target(branch).AnyOf != nil:
			out.AnyOf = append(out.AnyOf, l.distribute(object, branch).AnyOf...)
			continue
		case !l.isPlainObject(branch):
			l.lost = true // no object is a value of this branch
			continue
		}
		variant := l.narrower(object, branch)
		if variant != branch {
			copied := *variant
			copied.Pointer, copied.Also = branch.Pointer, append([]string{object.Pointer}, object.Also...)
			copied.Title, copied.Description = cmp.Or(branch.Title, branch.Ref), cmp.Or(branch.Description, l.target(branch).Description)
			variant = &copied
		}
		out.AnyOf = append(out.AnyOf, variant)
	}
	return out
}

// mergeInto adds the members of an object, a reference to one, or an allOf.
func (l *lowerer) mergeInto(into, s *schema.Schema) {
	switch {
	case s.Ref != "":
		l.mergeInto(into, l.target(s))
	case s.AllOf != nil:
		for _, branch := range s.AllOf {
			l.mergeInto(into, branch)
		}
	case s.IsObject():
		into.Required = append(into.Required, s.Required...)
		slices.Sort(into.Required)
		into.Required = slices.Compact(into.Required)
		for _, p := range s.Properties {
			l.mergeProperty(into, p)
		}
		into.Loose = into.Loose && s.Loose
		l.lost = l.lost || s.Closed || !s.Open()
	}
	l.lost = l.lost || s.Source != ""
}

func (l *lowerer) mergeProperty(into *schema.Schema, p schema.Property) {
	i, found := slices.BinarySearchFunc(into.Properties, p.Name, func(have schema.Property, name string) int {
		return strings.Compare(have.Name, name)
	})
	if !found {
		into.Properties = slices.Insert(into.Properties, i, p)
		return
	}
	into.Properties[i].Schema = l.narrower(into.Properties[i].Schema, p.Schema)
}

// narrower returns a schema with the constraints of both. It returns one of the two if that one has
// all of them, so that a reference remains a reference.
func (l *lowerer) narrower(a, b *schema.Schema) *schema.Schema {
	switch {
	case schema.Equal(a, b) || b.IsAny() || l.isBareObject(b) && l.isObject(a):
		return a
	case a.IsAny() || l.isBareObject(a) && l.isObject(b):
		return b
	case l.isPlainObject(a) && l.target(b).AnyOf != nil:
		return l.distribute(a, b)
	case l.isPlainObject(b) && l.target(a).AnyOf != nil:
		return l.distribute(b, a)
	case l.isPlainObject(a) && l.isPlainObject(b):
		merged := l.mergedObject(b, a, b)
		for _, one := range []*schema.Schema{b, a} {
			if schema.Equal(l.mergedObject(b, one), merged) {
				return one
			}
		}
		return merged
	case len(a.Types) == 1 && slices.Equal(a.Types, b.Types) && a.Enum == nil && b.Enum == nil:
		return l.narrowerValue(a, b)
	}
	l.lost = true
	switch {
	case l.isObject(a) && l.isObject(b):
		return &schema.Schema{Pointer: b.Pointer, Types: []string{"object"}}
	case a.Enum != nil || b.Types == nil && b.Ref == "" && b.AnyOf == nil:
		return a
	}
	return b
}

// mergedObject returns an object with the members of all parts, at the place of a schema.
func (l *lowerer) mergedObject(at *schema.Schema, parts ...*schema.Schema) *schema.Schema {
	merged := &schema.Schema{Pointer: at.Pointer, Description: at.Description, Types: []string{"object"}, Loose: true}
	before := l.lost
	l.lost = false
	for _, part := range parts {
		l.mergeInto(merged, part)
		for _, pointer := range append([]string{part.Pointer}, part.Also...) {
			if pointer != at.Pointer && len(parts) > 1 {
				merged.Also = append(merged.Also, pointer)
			}
		}
	}
	if l.lost {
		merged.Source = "true"
	}
	l.lost = before || l.lost && len(parts) > 1
	return merged
}

// isObject reports whether all values of a schema are objects.
func (l *lowerer) isObject(s *schema.Schema) bool {
	s = l.target(s)
	return s.IsObject() && !s.Loose || s.AnyOf != nil && !slices.ContainsFunc(s.AnyOf, func(b *schema.Schema) bool { return !l.isObject(b) })
}

// isBareObject reports whether a schema only says that its values are objects.
func (l *lowerer) isBareObject(s *schema.Schema) bool {
	return s.IsObject() && !l.isStruct(s) && s.Open() && !s.Loose && s.Source == ""
}

// isPlainObject reports whether a schema is an object, a reference to one, or an allOf.
func (l *lowerer) isPlainObject(s *schema.Schema) bool {
	s = l.target(s)
	return s.AllOf != nil || s.IsObject()
}

// narrowerValue merges two schemas that have the same type and are not objects.
func (l *lowerer) narrowerValue(a, b *schema.Schema) *schema.Schema {
	merged := *b
	if merged.Const = cmp.Or(b.Const, a.Const); a.Const != nil && merged.Const != a.Const {
		l.lost = true
		l.failName(b.Pointer, "allOf has two constants for one member (see %s)", a.Pointer)
	}
	merged.Format, merged.Pattern = cmp.Or(b.Format, a.Format), cmp.Or(b.Pattern, a.Pattern)
	l.lost = l.lost || a.Source != "" || b.Source != "" || a.Format != "" && merged.Format != a.Format || a.Pattern != "" && merged.Pattern != a.Pattern
	merged.Minimum, merged.MinOpen = tighter(a.Minimum, b.Minimum, a.MinOpen, b.MinOpen, 1)
	merged.Maximum, merged.MaxOpen = tighter(a.Maximum, b.Maximum, a.MaxOpen, b.MaxOpen, -1)
	merged.MinLength, merged.MinItems = max(a.MinLength, b.MinLength), max(a.MinItems, b.MinItems)
	merged.MaxLength, merged.MaxItems = least(a.MaxLength, b.MaxLength), least(a.MaxItems, b.MaxItems)
	switch {
	case merged.Items == nil:
		merged.Items = a.Items
	case a.Items != nil:
		merged.Items = l.narrower(a.Items, merged.Items)
	}
	return &merged
}

// tighter returns the tighter one of two limits. The sign is 1 for lower limits and -1 for upper
// ones.
func tighter(a, b *float64, aOpen, bOpen bool, sign float64) (*float64, bool) {
	switch {
	case a == nil || b != nil && *b*sign > *a*sign:
		return b, bOpen
	case b != nil && *a == *b:
		return a, aOpen || bOpen
	}
	return a, aOpen
}

// least returns the smaller one of two limits, of which 0 means none.
func least(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
