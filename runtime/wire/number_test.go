package wire_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func readInt64(token string) (int64, error) {
	r := wire.NewStringReader(token)
	v := r.ReadInt64()
	r.End()
	return v, r.Err()
}

func TestReadInt64(t *testing.T) {
	tests := []struct {
		token   string
		want    int64
		problem string
	}{
		{"0", 0, ""},
		{"-0", 0, ""},
		{"7", 7, ""},
		{"-12", -12, ""},
		{"1.0", 1, ""},
		{"1.50e1", 15, ""},
		{"1e3", 1000, ""},
		{"1E+3", 1000, ""},
		{"10e-1", 1, ""},
		{"0.001e3", 1, ""},
		{"100000e-5", 1, ""},
		{"0e999999999999999999999", 0, ""},
		{"0.0e-99999999999999999999", 0, ""},
		{"-0.000", 0, ""},
		{"9007199254740993", 9007199254740993, ""},
		{"999999999999999999", 999999999999999999, ""},
		{"1000000000000000000", 1000000000000000000, ""},
		{"9223372036854775807", math.MaxInt64, ""},
		{"-9223372036854775808", math.MinInt64, ""},
		{"9223372036854775807.0", math.MaxInt64, ""},
		{"922337203685477580.7e1", math.MaxInt64, ""},
		{"-9.223372036854775808e18", math.MinInt64, ""},
		{"0.0000000000000000009223372036854775807e36", 0, "expected an integer, found 0.0000000000000000009223372036854775807e..."},
		{"9223372036854775808", 0, "must be at most 9223372036854775807, found 9223372036854775808"},
		{"-9223372036854775809", 0, "must be at least -9223372036854775808, found -9223372036854775809"},
		{"18446744073709551616", 0, "must be at most 9223372036854775807, found 18446744073709551616"},
		{"27670116110564327423", 0, "must be at most 9223372036854775807, found 27670116110564327423"},
		{"1e19", 0, "must be at most 9223372036854775807, found 1e19"},
		{"-1e19", 0, "must be at least -9223372036854775808, found -1e19"},
		{"1e99999999999999999999", 0, "must be at most 9223372036854775807, found 1e99999999999999999999"},
		{strings.Repeat("9", 50), 0, "must be at most 9223372036854775807, found " + strings.Repeat("9", 40) + "..."},
		{"1.5", 0, "expected an integer, found 1.5"},
		{"-0.1", 0, "expected an integer, found -0.1"},
		{"1e-1", 0, "expected an integer, found 1e-1"},
		{"1e-99999999999999999999", 0, "expected an integer, found 1e-99999999999999999999"},
		{"12345678901234567890.1", 0, "expected an integer, found 12345678901234567890.1"},
		{`"1"`, 0, "expected an integer, found a string"},
		{"null", 0, "expected an integer, found null"},
		{"true", 0, "expected an integer, found a boolean"},
		{"[1]", 0, "expected an integer, found an array"},
		{"", 0, "expected a value, found the end of the text"},
		{"01", 0, "expected the end of the text, found '1'"},
		{"-", 0, "expected a digit, found the end of the text"},
		{"1.", 0, "expected a digit, found the end of the text"},
		{"1e", 0, "expected a digit, found the end of the text"},
		{"+1", 0, "expected a value, found '+'"},
	}
	for _, tt := range tests {
		got, err := readInt64(tt.token)
		switch {
		case tt.problem == "" && err != nil:
			t.Errorf("%s: %v", tt.token, err)
		case tt.problem == "" && got != tt.want:
			t.Errorf("%s: got %d, want %d", tt.token, got, tt.want)
		case tt.problem != "" && (err == nil || err.(*wire.Error).Problem != tt.problem):
			t.Errorf("%s: got %d, %v, want %s", tt.token, got, err, tt.problem)
		}
	}
}

func TestReadFloat64(t *testing.T) {
	tests := []struct {
		token string
		want  float64
	}{
		{"0", 0}, {"-0", math.Copysign(0, -1)}, {"1", 1}, {"-1.5", -1.5}, {"1e3", 1000}, {"0.1", 0.1},
		{"5e-324", 5e-324}, {"1e-999", 0}, {"1.7976931348623157e308", math.MaxFloat64}, {"9007199254740993", 9007199254740992},
	}
	for _, tt := range tests {
		r := wire.NewStringReader(tt.token)
		if got := r.ReadFloat64(); math.Float64bits(got) != math.Float64bits(tt.want) || r.Err() != nil {
			t.Errorf("%s: got %v, %v, want %v", tt.token, got, r.Err(), tt.want)
		}
	}
	for token, want := range map[string]string{
		"1e999":   "wire: at byte 0: number out of range: 1e999",
		" -1e999": "wire: at byte 1: number out of range: -1e999",
		`"1"`:     "wire: at byte 0: expected a number, found a string",
		"1.e":     "wire: at byte 2: expected a digit, found 'e'",
	} {
		r := wire.NewStringReader(token)
		if got := r.ReadFloat64(); got != 0 || r.Err() == nil || r.Err().Error() != want {
			t.Errorf("%s: got %v, %v, want %s", token, got, r.Err(), want)
		}
	}
}

// FuzzNumber checks numbers against math/big.
func FuzzNumber(f *testing.F) {
	for _, tt := range goodTexts() {
		if isNumber(tt.text) {
			f.Add(tt.text, "1")
			f.Add("10e-1", tt.text)
		}
	}
	f.Add("1.0", "1")
	f.Add("123.4500", "1.2345e2")
	f.Add("1e10000000000000000000000000001", "10e10000000000000000000000000000")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !isNumber(a) || !isNumber(b) {
			return
		}
		if wire.Equal(wire.Raw(a), wire.Raw(b)) != wire.Equal(wire.Raw(b), wire.Raw(a)) {
			t.Errorf("Equal(%s, %s) depends on the order", a, b)
		}
		x, y := exact(a), exact(b)
		if x == nil || y == nil {
			return
		}
		if got, want := wire.Equal(wire.Raw(a), wire.Raw(b)), x.Cmp(y) == 0; got != want {
			t.Errorf("Equal(%s, %s) = %v", a, b, got)
		}
		got, err := readInt64(a)
		want := x.IsInt() && x.Num().IsInt64()
		if (err == nil) != want || want && x.Num().Int64() != got {
			t.Errorf("ReadInt64 of %s = %d, %v, want %v", a, got, err, x)
		}
		r := wire.NewStringReader(a)
		s := r.ReadScalar(wire.KindInteger)
		if (r.Err() == nil) != x.IsInt() {
			t.Errorf("ReadScalar of the integer %s: %v", a, r.Err())
		}
		if c := s.Canonical(); want && c != wire.ScalarOf(x.Num().Int64()) {
			t.Errorf("Canonical of %s = %v", a, c)
		}
		r = wire.NewStringReader(a)
		if got := r.ReadFloat64(); r.Err() == nil {
			text, err := wire.AppendFloat64(nil, got)
			if err != nil {
				t.Fatal(err)
			}
			back, err := strconv.ParseFloat(string(text), 64)
			if err != nil || math.Float64bits(back) != math.Float64bits(got) {
				t.Errorf("%s: read as %v, written as %s, which is %v", a, got, text, back)
			}
			if !isNumber(string(text)) {
				t.Errorf("%s: written as %s, which is no JSON", a, text)
			}
		}
	})
}

func isNumber(text string) bool {
	r := wire.NewStringReader(text)
	r.ReadScalar(wire.KindNumber)
	r.End()
	return r.Err() == nil && text == strings.TrimSpace(text)
}

// exact returns the value of a number, nil when it is too long to be computed.
func exact(token string) *big.Rat {
	if i := strings.IndexAny(token, "eE"); i >= 0 {
		if e, err := strconv.Atoi(token[i+1:]); err != nil || e > 2000 || e < -2000 {
			return nil
		}
	}
	x, ok := new(big.Rat).SetString(token)
	if !ok {
		return nil
	}
	return x
}
