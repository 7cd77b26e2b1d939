package jsonschema

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// IsIntegral reports whether a number has no fraction, as 2, 2.0 and 20e-1.
func IsIntegral(number wire.Raw) bool {
	in := wire.NewStringReader(string(number))
	return in.ReadScalar(wire.ScalarNumber).Is(wire.ScalarInteger)
}

// IsPositive reports whether a number is greater than 0, however small it is.
func IsPositive(number wire.Raw) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(string(number)), "e")
	return mantissa[0] != '-' && strings.ContainsAny(mantissa, "123456789")
}

// IsHeld reports whether a Go value can hold a number: an int64 if integral is set and the
// number has no fraction, and a float64 otherwise. The limit of an integer may have a
// fraction.
func IsHeld(number wire.Raw, integral bool) bool {
	in := wire.NewStringReader(string(number))
	if integral && IsIntegral(number) {
		in.ReadInt64()
	} else {
		in.ReadFloat64()
	}
	return in.Err() == nil
}
