package openapi

import (
	"path"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/gen/authoring"
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
	_, values := w.mapped(w.n)
	for branch := range value.elements {
		text = append(wire.AppendComma(text), w.selected(w.convert(branch), branch, values)...)
	}
	w.add(name, wire.Raw(append(text, ']')))
}

// selected returns a converted branch. In a request, it adds the values of the discriminator that
// select the branch, unless the branch lists them itself. In an answer, it adds nothing, because
// real APIs do not keep to discriminators there.
func (w *writer) selected(converted wire.Raw, branch node, mapped map[place][]string) wire.Raw {
	property, _ := w.n.discriminator()
	of, ok := w.resolve(branch)
	if w.response || property == "" || !ok {
		return converted
	}
	if ref, at, ok := branch.reference(); ok && !isNamed(branch) {
		branch, _ = w.target(at, ref)
	}
	values := mapped[of.place()]
	p, declared := w.declared(of, property)
	if _, name := path.Split(branch.pointer); values == nil && declared && isNamed(branch) {
		values = []string{wire.PointerName(name)} // without a mapping, its name selects a schema
	}
	if len(values) == 0 || p.get("enum").exists() || p.get("const").exists() {
		return converted
	}
	return withValues(converted, property, values)
}

// schemas lists the prefixes of the pointers of named schemas: that of OpenAPI 3.0 and later, and
// that of 2.0.
var schemas = []string{"/components/schemas/", "/definitions/"}

// isNamed reports whether a schema is a named one: a component, or a definition in OpenAPI 2.0.
func isNamed(n node) bool {
	within, _ := path.Split(n.pointer)
	return slices.Contains(schemas, within)
}

// discriminator returns the property that selects an alternative, or "", and the mapping of its values. In OpenAPI 2.0,
// the discriminator is the name of the property.
func (n node) discriminator() (property string, mapping node) {
	d := n.get("discriminator")
	if name, ok := d.raw.Str(); ok {
		return name, mapping
	}
	return d.text("propertyName"), d.get("mapping")
}

// heirs returns the schemas that extend a schema with a discriminator by allOf, at any depth, and those that its
// mapping names. A value of the schema is valid for one of them or for the schema itself. heirs returns nil for
// a schema with oneOf or anyOf.
func (d *documents) heirs(n node) []node {
	if property, _ := n.discriminator(); property == "" || n.plain || n.get("oneOf").exists() || n.get("anyOf").exists() {
		return nil
	}
	for _, container := range d.containers(n) {
		d.survey(container)
	}
	var all []node
	seen := map[place]bool{n.place(): true}
	mapped, _ := d.mapped(n)
	for _, s := range slices.Concat(d.extended[n.place()], mapped) {
		if of, ok := d.resolve(s); ok && !seen[of.place()] {
			seen[of.place()] = true
			all = append(all, s)
		}
	}
	return all
}

// unites reports whether an alternative of the oneOf or anyOf of a schema extends the schema by allOf. Such an
// alternative inherits only the other keywords.
func (d *documents) unites(n node) bool {
	n.plain = false
	for _, keyword := range []string{"oneOf", "anyOf"} {
		for branch := range n.get(keyword).elements {
			for part := range d.parts(branch, "allOf") {
				if part.place() == n.place() {
					return true
				}
			}
		}
	}
	return false
}

// containers returns the objects whose members are named schemas: those of the first file, and the object that n is a
// member of, which may be in another file.
func (d *documents) containers(n node) []node {
	var all []node
	for _, within := range schemas {
		all = append(all, d.at(strings.TrimSuffix(within, "/")))
	}
	if end := strings.LastIndexByte(n.pointer, '/'); end >= 0 {
		raw, _ := n.doc.lookup(n.pointer[:end])
		all = append(all, node{doc: n.doc, pointer: n.pointer[:end], raw: raw})
	}
	return all
}

// survey adds to extended the members of an object that extend a schema with a discriminator by
// allOf.
func (d *documents) survey(container node) {
	if d.surveyed[container.place()] {
		return
	}
	d.surveyed[container.place()] = true
	defer d.forgive(len(d.faults), d.tooLong)
	for _, s := range container.members {
		of, _ := d.resolve(s)
		for part := range d.parts(of, "allOf") {
			if property, _ := part.discriminator(); property != "" && part.place() != of.place() {
				d.extended[part.place()] = append(d.extended[part.place()], s)
			}
		}
	}
}

// mapped returns the schemas to which the mapping of a discriminator leads, by name or by reference, and the
// values that select each.
func (d *documents) mapped(n node) (all []node, values map[place][]string) {
	defer d.forgive(len(d.faults), d.tooLong)
	_, mapping := n.discriminator()
	values = map[place][]string{}
	for value, to := range mapping.members {
		text, _ := to.raw.Str()
		if text == "" {
			continue
		}
		s, ok := d.named(n, text)
		if !ok {
			s, ok = d.target(to, text)
		}
		if !ok {
			continue
		}
		if s, ok = d.resolve(s); ok {
			all = append(all, s)
			values[s.place()] = append(values[s.place()], value)
		}
	}
	return all, values
}

// named returns the member with a name of an object that containers returns for n.
func (d *documents) named(n node, name string) (node, bool) {
	for _, container := range d.containers(n) {
		pointer := wire.ChildPointer(container.pointer, name)
		if raw, ok := container.doc.lookup(pointer); ok {
			return node{doc: container.doc, pointer: pointer, raw: raw}, true
		}
	}
	return node{}, false
}

// forgive keeps only the first faults. The others are of schemas that may not be used. The fault that the files
// are too long stays, because no other file is read after it.
func (d *documents) forgive(first int, tooLong *authoring.Problem) {
	d.faults = d.faults[:first]
	if d.tooLong != tooLong {
		d.faults = append(d.faults, d.tooLong)
	}
}

// family returns the union of the heirs of a schema and of the schema itself.
func (w *writer) family(heirs []node) wire.Raw {
	text := []byte{'['}
	_, values := w.mapped(w.n)
	for _, s := range append(heirs, w.n) {
		of, _ := w.resolve(s)
		of.plain = w.heirs(of) != nil
		text = append(wire.AppendComma(text), w.selected(`{"$ref":`+jsonschema.Text("#/$defs/"+w.nameOf(of))+`}`, s, values)...)
	}
	w.strings("title")
	w.strings("description")
	w.add("anyOf", wire.Raw(append(text, ']')))
	return w.end()
}

// declared returns the schema of a property, which n or a branch of its allOf has.
func (c *converter) declared(n node, property string) (node, bool) {
	for part := range c.parts(n, "allOf") {
		if p := c.child(part.get("properties"), property); p.exists() {
			return p, true
		}
	}
	return node{}, false
}

// withValues returns a schema that allows only some values of a property. It returns a schema that
// has properties as it is.
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
