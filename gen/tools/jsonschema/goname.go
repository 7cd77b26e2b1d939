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
	inner := Within("", schema, func(_ string, s wire.Raw) wire.Raw { return WithoutGo(s) })
	return wire.Raw(wire.Object(inner).Without(GoName, GoBigInteger))
}
