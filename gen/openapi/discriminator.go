package openapi

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// alternatives writes the branches of oneOf or anyOf. Each branch of a request also has the values that select
// it by the discriminator, unless it names them itself. Answers of real APIs do not keep to
// discriminators, so that nothing is added for them.
func (w *writer) alternatives(name string, value node) {
	discriminator := w.n.get("discriminator")
	property := discriminator.text("propertyName")
	if w.response || property == "" || value.kind() != wire.KindArray {
		w.schemas(name, value)
		return
	}
	text := []byte{'['}
	for branch := range value.elements {
		converted := w.convert(branch)
		values := selecting(discriminator.get("mapping"), branch)
		p, declared := w.declared(branch, property, 0)
		if ref := branch.text("$ref"); values == nil && declared {
			if name, ok := strings.CutPrefix(ref, schemas); ok { // without a mapping, its name selects a schema
				values = []string{wire.PointerName(name)}
			}
		}
		if len(values) > 0 && !p.get("enum").exists() && !p.get("const").exists() {
			converted = withValues(converted, property, values)
		}
		text = append(wire.AppendComma(text), converted...)
	}
	w.add(name, wire.Raw(append(text, ']')))
}

// schemas begins the references to the schemas with a name.
const schemas = "#/components/schemas/"

// selecting returns the values that a mapping has for a branch, which is a reference. A mapping has references
// or names of schemas.
func selecting(mapping, branch node) []string {
	ref, ok := branch.get("$ref").raw.Str()
	if !ok {
		return nil
	}
	var values []string
	for value, to := range mapping.members {
		if to, _ := to.raw.Str(); to == ref || to != "" && ref == schemas+to {
			values = append(values, value)
		}
	}
	return values
}

// declared returns the schema of a property, which a branch of an allOf may have.
func (c *converter) declared(n node, property string, depth int) (node, bool) {
	n, ok := c.resolve(n)
	if !ok || depth > 20 {
		return node{}, false
	}
	if p := c.child(n.get("properties"), property); p.exists() {
		return p, true
	}
	for branch := range n.get("allOf").elements {
		if p, ok := c.declared(branch, property, depth+1); ok {
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
