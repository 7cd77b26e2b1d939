package lower

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/gen/schema"
)

// allOf lowers an allOf to one object. In a lenient run the file's own text says
// what cannot be merged.
func (l *lowerer) allOf(s *schema.Schema, at place) *ir.Object {
	before := len(l.notes)
	merged := l.mergeAllOf(s)
	if len(l.notes) > before {
		l.notes = l.notes[:before]
		l.doc.Keep(s)
	}
	return l.object(merged, at)
}

// mergeAllOf makes one object of the branches of an allOf.
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
		l.fail(s, "only plain objects can be merged by allOf")
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

// narrower returns the schema that says all that both say: where one of them
// does, that one, so that a reference stays one.
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
	l.fail(b, "allOf gives one member two types (see %s)", a.Pointer)
	return b
}

// isPlainObject reports whether a schema is an object, by itself, by reference
// or as a combination of objects.
func (l *lowerer) isPlainObject(s *schema.Schema) bool {
	if s.Ref != "" {
		return l.isPlainObject(l.doc.Lookup(s.Ref))
	}
	return s.AllOf != nil || s.IsObject()
}

// narrowerValue joins the constraints of two schemas of one type that is no object.
func (l *lowerer) narrowerValue(a, b *schema.Schema) *schema.Schema {
	merged := *b
	if merged.Const = cmp.Or(b.Const, a.Const); a.Const != nil && merged.Const != a.Const {
		l.fail(b, "allOf demands two values of one member (see %s)", a.Pointer)
	}
	if merged.Format = cmp.Or(b.Format, a.Format); a.Format != "" && merged.Format != a.Format {
		l.fail(b, "allOf demands two formats of one member (see %s)", a.Pointer)
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
