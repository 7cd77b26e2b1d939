package wire_test

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestInteger(t *testing.T) {
	digits := strings.Repeat("9", 1001)
	for _, test := range []struct {
		text, want string
		small      int64
		fits       bool
	}{
		{"0", "0", 0, true},
		{"-0", "0", 0, true},
		{"-17", "-17", -17, true},
		{"1.0", "1", 1, true},
		{"1e3", "1000", 1000, true},
		{"2.50e1", "25", 25, true},
		{"9223372036854775807", "9223372036854775807", math.MaxInt64, true},
		{"-9223372036854775808", "-9223372036854775808", math.MinInt64, true},
		{"9223372036854775808", "9223372036854775808", math.MaxInt64, false},
		{"-9223372036854775809", "-9223372036854775809", math.MinInt64, false},
		{"1e30", "1" + strings.Repeat("0", 30), math.MaxInt64, false},
		{"-1.5e20", "-150000000000000000000", math.MinInt64, false},
		{"18446744073709551615.000", "18446744073709551615", math.MaxInt64, false},
		{"1e999", "1" + strings.Repeat("0", 999), math.MaxInt64, false},
		{"1e1000", "1e1000", math.MaxInt64, false},
		{"10.0e0999", "1e1000", math.MaxInt64, false},
		{"-1200e4000", "-12e4002", math.MinInt64, false},
		{digits, digits, math.MaxInt64, false},
		{"1e99999999999999999999", "1e99999999999999999999", math.MaxInt64, false},
	} {
		var x wire.Integer
		if err := wire.UnmarshalString(test.text, &x); err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if got := x.String(); got != test.want {
			t.Errorf("%s: String %s, want %s", test.text, got, test.want)
		}
		if v, ok := x.Int64(); v != test.small || ok != test.fits {
			t.Errorf("%s: Int64 %d, %t", test.text, v, ok)
		}
		text, err := json.Marshal(x)
		if err != nil || string(text) != test.want {
			t.Errorf("%s: written as %s, %v", test.text, text, err)
		}
		var again wire.Integer
		if err := json.Unmarshal(text, &again); err != nil || again != x {
			t.Errorf("%s: read again as %v, %v", test.text, again, err)
		}
		if wire.CompareNumbers(wire.Raw(test.text), wire.Raw(x.String())) != 0 {
			t.Errorf("%s: the value of %s differs", test.text, x)
		}
	}
	if wire.IntegerOf(-5).String() != "-5" || (wire.Integer{}) != wire.IntegerOf(0) {
		t.Error("IntegerOf")
	}
	if b, ok := new(big.Int).SetString(wire.IntegerOf(math.MinInt64).String(), 10); !ok || b.Int64() != math.MinInt64 {
		t.Error(b)
	}
}

func TestIntegerErrors(t *testing.T) {
	for text, want := range map[string]string{
		"1.5": `expected an integer, found 1.5`, "1e-1": `expected an integer, found 1e-1`, `"1"`: `expected an integer, found a string`,
		"null": `expected an integer, found null`, "": `expected a value, found the end of the text`, "1e": `expected a digit, found the end of the text`,
		"9223372036854775808.5": "expected an integer, found 9223372036854775808.5",
	} {
		var x wire.Integer
		err := wire.UnmarshalString(text, &x)
		if err == nil || !strings.Contains(err.Error(), want) || x != (wire.Integer{}) {
			t.Errorf("%s: %v, %v, want %s", text, x, err, want)
		}
	}
}
