package jsonschema

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// GoName is the member of a schema, or of a tool, with a Go identifier. It is for the generator:
// clients do not get it.
const GoName = "x-go-name"

// WithoutGoNames returns a schema without the Go identifiers in it.
func WithoutGoNames(schema wire.Raw) wire.Raw {
	if schema.Kind() != wire.KindObject || !strings.Contains(string(schema), GoName) {
		return schema
	}
	text := []byte{'{'}
	for name, value := range wire.Object(schema).All() {
		switch {
		case name == GoName:
			continue
		case HoldsNamed(name) && value.Kind() == wire.KindObject:
			members := []byte{'{'}
			for name, member := range wire.Object(value).All() {
				members = append(wire.AppendName(members, name), WithoutGoNames(member)...)
			}
			value = wire.Raw(append(members, '}'))
		case HoldsList(name) && value.Kind() == wire.KindArray:
			elements := []byte{'['}
			for _, element := range value.Elements() {
				elements = append(wire.AppendComma(elements), WithoutGoNames(element)...)
			}
			value = wire.Raw(append(elements, ']'))
		case HoldsSchema(name):
			value = WithoutGoNames(value)
		}
		text = append(wire.AppendName(text, name), value...)
	}
	return wire.Raw(append(text, '}'))
}
