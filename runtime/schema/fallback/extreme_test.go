package fallback

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestExtreme checks which numbers are too large or too small, and that texts of strings are not taken for numbers.
func TestExtreme(t *testing.T) {
	for text, want := range map[wire.Raw]string{
		``: "", `1e999`: "", `[1e0000000]`: "", `"1e99999"`: "", `"\"1e99999"`: "", `{"1e9999":"x"}`: "",
		`1E+0001000`: "1E+0001000", `["\\",-1.5e-12345]`: "-1.5e-12345", `{"a\\":1e5000}`: "1e5000", `["\u00e9\"",0.1E9999]`: "0.1E9999",
	} {
		if got, ok := extreme(text); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %t, want %q", text, got, ok, want)
		}
	}
}
