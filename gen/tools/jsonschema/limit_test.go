package jsonschema_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// TestLimit checks how bounds are written: as in JSON, with an exponent only if they are long, and never two
// different ones alike.
func TestLimit(t *testing.T) {
	for text, want := range map[string]string{
		"100": "100", "1000000": "1000000", "1e6": "1000000", "0.0000002": "0.0000002", "-2.50": "-2.5", "9007199254740992": "9007199254740992",
		"0.10000000000000000001": "0.10000000000000000001", "1e300": "1e+300", "2e-30": "2e-30", "1000000000000000000000001": "1000000000000000000000001",
	} {
		if got := (jsonschema.Limit{At: jsonschema.Rational(text)}).String(); got != want {
			t.Errorf("%s is written as %s, want %s", text, got, want)
		}
	}
}
