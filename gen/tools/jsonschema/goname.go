package jsonschema

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The members that are for the generator. Clients do not get them.
const (
	// GoName is the member of a schema, or of a tool, with a Go identifier.
	GoName = "x-go-name"
	// GoBigInteger is the member of the schema of an integer that may be beyond an int64.
	GoBigInteger = "x-go-big-integer"
)

// ForGo reports whether a member is for the generator.
func ForGo(name string) bool { return name == GoName || name == GoBigInteger }

// WithoutGo returns a schema without the members that are for the generator.
func WithoutGo(schema wire.Raw) wire.Raw {
	if schema.Kind() != wire.KindObject || !strings.Contains(string(schema), "x-go-") {
		return schema
	}
	text := []byte{'{'}
	for name, value := range wire.Object(schema).All() {
		switch {
		case ForGo(name):
			continue
		case HoldsNamed(name) && value.Kind() == wire.KindObject:
			members := []byte{'{'}
			for name, member := range wire.Object(value).All() {
				members = append(wire.AppendName(members, name), WithoutGo(member)...)
			}
			value = wire.Raw(append(members, '}'))
		case HoldsList(name) && value.Kind() == wire.KindArray:
			elements := []byte{'['}
			for _, element := range value.Elements() {
				elements = append(wire.AppendComma(elements), WithoutGo(element)...)
			}
			value = wire.Raw(append(elements, ']'))
		case HoldsSchema(name):
			value = WithoutGo(value)
		}
		text = append(wire.AppendName(text, name), value...)
	}
	return wire.Raw(append(text, '}'))
}
