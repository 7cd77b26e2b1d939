package schema

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// attach sets the sources of schemas. A combination needs its source if one of its branches
// does.
func (d *Document) attach(more map[string]bool) {
	d.Walk(func(s *Schema) {
		if more[s.Pointer] {
			d.Keep(s)
		}
	})
	for changed := true; changed; {
		changed = false
		d.Walk(func(s *Schema) {
			if s.Source == "" && d.madeOfMore(s) {
				d.Keep(s)
				changed = changed || s.Source != ""
			}
		})
	}
}

// madeOfMore reports whether a schema combines schemas with a source in a way that the document
// cannot represent: as branches of an allOf, or as unions in a union.
func (d *Document) madeOfMore(s *Schema) bool {
	more := func(list []*Schema, only func(*Schema) bool) bool {
		return slices.ContainsFunc(list, func(branch *Schema) bool {
			branch = d.behind(branch)
			return branch != nil && branch.Source != "" && only(branch)
		})
	}
	return more(s.AllOf, func(*Schema) bool { return true }) ||
		more(s.AnyOf, func(b *Schema) bool { return b.AnyOf != nil || b.AllOf != nil })
}

// Keep sets the Source of a schema of a lenient document, because its other fields do not
// represent it completely.
func (d *Document) Keep(s *Schema) {
	if s.Source == "" {
		s.Source, _ = d.source.At(s.Pointer)
	}
}

// Walk calls f for every schema of the document. It calls f for a schema before its subschemas.
func (d *Document) Walk(f func(*Schema)) {
	for _, def := range d.Definitions {
		walk(def.Schema, func(s *Schema) bool {
			f(s)
			return true
		})
	}
}

// walk calls f for a schema and, unless f returns false, for its subschemas.
func walk(s *Schema, f func(*Schema) bool) {
	if s == nil || !f(s) {
		return
	}
	for _, p := range s.Properties {
		walk(p.Schema, f)
	}
	walk(s.Additional, f)
	walk(s.Items, f)
	for _, branch := range slices.Concat(s.AnyOf, s.AllOf) {
		walk(branch, f)
	}
}

// injection is a member that was added: one like the schema at a pointer, or an open object if
// like is "".
type injection struct{ pointer, like string }

// Inject records a member that is added to the document, for JSON. It is like the schema at the
// pointer like, or an open object if that is "".
func (d *Document) Inject(property *Schema, like string) {
	d.injected = append(d.injected, injection{property.Pointer, like})
}

// JSON returns the text of the document, with the members that were added.
func (d *Document) JSON() ([]byte, error) {
	text := d.source
	for _, p := range d.injected {
		cut := strings.LastIndexByte(p.pointer, '/')
		parent, ok := strings.CutSuffix(p.pointer[:max(cut, 0)], "/properties")
		around, _ := text.At(parent)
		if others, _ := wire.Object(around).Get("additionalProperties"); !ok || around.Kind() != wire.KindObject || others == "false" {
			continue
		}
		properties, _ := wire.Object(around).Get("properties")
		if properties.Kind() != wire.KindObject {
			properties = "{}"
		}
		name, like := wire.PointerName(p.pointer[cut+1:]), wire.Raw(`{"type":"object"}`)
		if p.like != "" {
			like = `{"$ref":` + jsonschema.Text("#"+p.like) + `}`
		}
		if _, there := wire.Object(properties).Get(name); !there {
			text = jsonschema.Replaced(text, map[string]wire.Raw{parent: jsonschema.With(around, "properties", jsonschema.With(properties, name, like))})
		}
	}
	return formatted(text)
}

// Replace replaces the source text of a lenient document.
func (d *Document) Replace(text wire.Raw) { d.source, d.injected = text, nil }
