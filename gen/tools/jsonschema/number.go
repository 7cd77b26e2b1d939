package jsonschema

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// IsPositive reports whether a number is greater than 0, however small it is.
func IsPositive(number wire.Raw) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(string(number)), "e")
	return mantissa[0] != '-' && strings.ContainsAny(mantissa, "123456789")
}

// IsHeld reports whether a number is within the range of a float64.
func IsHeld(number wire.Raw) bool {
	in := wire.NewStringReader(string(number))
	in.ReadFloat64()
	return in.Err() == nil
}
