package openapi

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// alternatives writes the branches of oneOf or anyOf.
func (w *writer) alternatives(name string, value node) {
	if value.kind() != wire.KindArray {
		w.schemas(name, value)
		return
	}
	text := []byte{'['}
	for branch := range value.elements {
		text = append(wire.AppendComma(text), w.selected(w.convert(branch), branch, branch.text("$ref"))...)
	}
	w.add(name, wire.Raw(append(text, ']')))
}

// selected returns a converted branch, which a reference leads to. That of a request also has the values that select
// it by the discriminator, unless it names them itself. Answers of real APIs do not keep to
// discriminators, so that nothing is added for them.
func (w *writer) selected(converted wire.Raw, branch node, ref string) wire.Raw {
	property, mapping := w.n.discriminator()
	if w.response || property == "" {
		return converted
	}
	values := selecting(mapping, ref)
	p, declared := w.declared(branch, property)
	if within, name := path.Split(ref); values == nil && declared && slices.Contains(schemas, within) {
		values = []string{wire.PointerName(name)} // without a mapping, its name selects a schema
	}
	if len(values) == 0 || p.get("enum").exists() || p.get("const").exists() {
		return converted
	}
	return withValues(converted, property, values)
}

// schemas begin the references to the schemas with a name, since OpenAPI 3.0 and in 2.0.
var schemas = []string{"#/components/schemas/", "#/definitions/"}

// discriminator returns the property that selects an alternative, or "", and the mapping of its values. In OpenAPI 2.0,
// the discriminator is the name of the property.
func (n node) discriminator() (property string, mapping node) {
	d := n.get("discriminator")
	if name, ok := d.raw.Str(); ok {
		return name, mapping
	}
	return d.text("propertyName"), d.get("mapping")
}

// heirs returns the schemas of the document that extend a schema with a discriminator by allOf, at any depth. A value of
// the schema is one of them, or one of its own.
func (d *documents) heirs(n node) []node {
	if property, _ := n.discriminator(); property == "" || n.plain || n.get("oneOf").exists() || n.get("anyOf").exists() {
		return nil
	}
	if d.extended == nil {
		faults := len(d.faults)
		d.extended = map[place][]node{}
		for _, container := range schemas {
			for _, s := range d.at(strings.TrimSuffix(container[1:], "/")).members {
				heir, _ := d.resolve(s)
				for branch := range heir.get("allOf").elements {
					if of, ok := d.resolve(branch); ok && of.place() != branch.place() {
						d.extended[of.place()] = append(d.extended[of.place()], s)
					}
				}
			}
		}
		d.faults = d.faults[:faults] // of schemas that may not be used
	}
	var all []node
	seen := map[place]bool{}
	var add func(of node)
	add = func(of node) {
		for _, s := range d.extended[of.place()] {
			if !seen[s.place()] {
				seen[s.place()] = true
				all = append(all, s)
				heir, _ := d.resolve(s)
				add(heir)
			}
		}
	}
	add(n)
	return all
}

// family returns the union of the heirs of a schema and of the schema itself.
func (w *writer) family(heirs []node) wire.Raw {
	text := []byte{'['}
	for _, s := range append(heirs, w.n) {
		of, _ := w.resolve(s)
		of.plain = w.heirs(of) != nil
		text = append(wire.AppendComma(text), w.selected(`{"$ref":`+jsonschema.Text("#/$defs/"+w.nameOf(of))+`}`, s, "#"+s.pointer)...)
	}
	w.strings("title")
	w.strings("description")
	w.add("anyOf", wire.Raw(append(text, ']')))
	return w.end()
}

// selecting returns the values that a mapping has for a reference. A mapping has references or names of schemas.
func selecting(mapping node, ref string) []string {
	var values []string
	for value, to := range mapping.members {
		if to, _ := to.raw.Str(); to != "" && (to == ref || slices.Contains(schemas, strings.TrimSuffix(ref, to))) {
			values = append(values, value)
		}
	}
	return values
}

// declared returns the schema of a property, which a branch of an allOf may have.
func (c *converter) declared(n node, property string) (node, bool) {
	for part := range c.parts(n, "allOf") {
		if p := c.child(part.get("properties"), property); p.exists() {
			return p, true
		}
	}
	return node{}, false
}

// withValues returns a schema that allows only some values of a property.
func withValues(schema wire.Raw, property string, values []string) wire.Raw {
	if schema.Kind() != wire.KindObject || strings.Contains(string(schema), `"properties":`) {
		return schema
	}
	allowed := `{"const":` + jsonschema.Text(values[0]) + `}`
	if len(values) > 1 {
		allowed = `{"enum":` + jsonschema.Texts(values) + `}`
	}
	return jsonschema.With(schema, "properties", wire.Raw(append(append(wire.AppendName([]byte{'{'}, property), allowed...), '}')))
}
