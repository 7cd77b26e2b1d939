package lower

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
)

// allOf lowers an allOf to one object. If a lenient run cannot merge the branches, it keeps
// the source text of the schema.
func (l *lowerer) allOf(s *schema.Schema, at place) *ir.Object {
	before := len(l.notes)
	merged := l.mergeAllOf(s)
	if len(l.notes) > before {
		l.notes = l.notes[:before]
		l.doc.Keep(s)
	}
	return l.object(merged, at)
}

// mergeAllOf merges the branches of an allOf into one object.
func (l *lowerer) mergeAllOf(s *schema.Schema) *schema.Schema {
	merged := &schema.Schema{Pointer: s.Pointer, Description: s.Description, Types: []string{"object"}}
	for _, branch := range s.AllOf {
		l.mergeInto(merged, branch)
	}
	return merged
}

func (l *lowerer) mergeInto(into, s *schema.Schema) {
	switch {
	case s.Ref != "":
		l.mergeInto(into, l.doc.Lookup(s.Ref))
	case s.AllOf != nil:
		for _, branch := range s.AllOf {
			l.mergeInto(into, branch)
		}
	case s.IsAny():
	case s.IsObject() && s.Open():
		into.Required = append(into.Required, s.Required...)
		slices.Sort(into.Required)
		into.Required = slices.Compact(into.Required)
		for _, p := range s.Properties {
			l.mergeProperty(into, p)
		}
	default:
		l.fail(s, "allOf can merge only objects without other constraints")
	}
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

// narrower returns a schema with the constraints of both. It returns one of the two if that
// has them all, so that a reference remains a reference.
func (l *lowerer) narrower(a, b *schema.Schema) *schema.Schema {
	switch {
	case schema.Equal(a, b) || b.IsAny():
		return a
	case a.IsAny():
		return b
	case l.isPlainObject(a) && l.isPlainObject(b):
		merged := &schema.Schema{Pointer: b.Pointer, Description: b.Description, Types: []string{"object"}}
		l.mergeInto(merged, a)
		l.mergeInto(merged, b)
		for _, one := range []*schema.Schema{b, a} {
			if alone := l.mergeAllOf(&schema.Schema{AllOf: []*schema.Schema{one}}); schema.Equal(alone, merged) {
				return one
			}
		}
		return merged
	case len(a.Types) == 1 && slices.Equal(a.Types, b.Types) && a.Enum == nil && b.Enum == nil:
		return l.narrowerValue(a, b)
	}
	l.fail(b, "allOf has two types for one member (see %s)", a.Pointer)
	return b
}

// isPlainObject reports whether a schema is an object, a reference to one, or an allOf.
func (l *lowerer) isPlainObject(s *schema.Schema) bool {
	if s.Ref != "" {
		return l.isPlainObject(l.doc.Lookup(s.Ref))
	}
	return s.AllOf != nil || s.IsObject()
}

// narrowerValue merges two schemas that have the same type and are not objects.
func (l *lowerer) narrowerValue(a, b *schema.Schema) *schema.Schema {
	merged := *b
	if merged.Const = cmp.Or(b.Const, a.Const); a.Const != nil && merged.Const != a.Const {
		l.fail(b, "allOf has two constants for one member (see %s)", a.Pointer)
	}
	if merged.Format = cmp.Or(b.Format, a.Format); a.Format != "" && merged.Format != a.Format {
		l.fail(b, "allOf has two formats for one member (see %s)", a.Pointer)
	}
	if merged.Minimum == nil || a.Minimum != nil && *a.Minimum > *merged.Minimum {
		merged.Minimum = a.Minimum
	}
	if merged.Maximum == nil || a.Maximum != nil && *a.Maximum < *merged.Maximum {
		merged.Maximum = a.Maximum
	}
	if merged.MaxItems == 0 || a.MaxItems != 0 && a.MaxItems < merged.MaxItems {
		merged.MaxItems = a.MaxItems
	}
	switch {
	case merged.Items == nil:
		merged.Items = a.Items
	case a.Items != nil:
		merged.Items = l.narrower(a.Items, merged.Items)
	}
	return &merged
}
