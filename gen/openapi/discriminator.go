package openapi

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// alternatives writes the branches of oneOf or anyOf. Each branch of a request also has the values that select
// it by the mapping of the discriminator, unless it names them itself. Answers of real APIs do not keep to
// mappings, so that nothing is added for them.
func (w *writer) alternatives(name string, value node) {
	discriminator := w.n.get("discriminator")
	property := discriminator.text("propertyName")
	if w.response || property == "" || !discriminator.get("mapping").exists() || value.kind() != wire.KindArray {
		w.schemas(name, value)
		return
	}
	text := []byte{'['}
	for branch := range value.elements {
		converted := w.convert(branch)
		if values := selecting(discriminator.get("mapping"), branch); len(values) > 0 && !w.limits(branch, property, 0) {
			converted = withValues(converted, property, values)
		}
		text = append(wire.AppendComma(text), converted...)
	}
	w.add(name, wire.Raw(append(text, ']')))
}

// selecting returns the values that a mapping has for a branch, which is a reference. A mapping has references
// or names of schemas.
func selecting(mapping, branch node) []string {
	ref, ok := branch.get("$ref").raw.Str()
	if !ok {
		return nil
	}
	var values []string
	for value, to := range mapping.members {
		if to, _ := to.raw.Str(); to == ref || to != "" && ref == "#/components/schemas/"+to {
			values = append(values, value)
		}
	}
	return values
}

// limits reports whether a schema lists the values of a property.
func (c *converter) limits(n node, property string, depth int) bool {
	n, ok := c.resolve(n)
	if !ok || depth > 20 {
		return false
	}
	if p := c.child(n.get("properties"), property); p.get("enum").exists() || p.get("const").exists() {
		return true
	}
	return slices.ContainsFunc(slices.Collect(n.get("allOf").elements), func(branch node) bool { return c.limits(branch, property, depth+1) })
}

// withValues returns a schema that allows only some values of a property.
func withValues(schema wire.Raw, property string, values []string) wire.Raw {
	if schema.Kind() != wire.KindObject || strings.Contains(string(schema), `"properties":`) {
		return schema
	}
	allowed := wire.Raw(`{"const":` + quoted(values[0]) + `}`)
	if len(values) > 1 {
		allowed = `{"enum":` + list(values) + `}`
	}
	limited, err := wire.Object(schema).With("properties", wire.Raw(append(append(wire.AppendName([]byte{'{'}, property), allowed...), '}')))
	if err != nil {
		return schema
	}
	return wire.Raw(limited)
}
