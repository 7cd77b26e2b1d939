package schema_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// number returns a random number with digits that often coincide with those of another.
func number(r *rand.Rand) string {
	s := ""
	if r.IntN(3) == 0 {
		s = "-"
	}
	whole := fmt.Sprint(r.IntN(1000))
	for range r.IntN(3) * 5 {
		whole += fmt.Sprint(r.IntN(100))
	}
	if whole[0] == '0' {
		whole = "0"
	}
	s += whole
	if r.IntN(2) == 0 {
		s += fmt.Sprintf(".%0*d", 1+r.IntN(5), r.IntN(100))
	}
	if r.IntN(3) == 0 {
		s += fmt.Sprintf("e%d", r.IntN(13)-6)
	}
	return s
}

func rat(t *testing.T, s string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		t.Fatal(s)
	}
	return x
}

// TestNumbers compares the rules about numbers with the arithmetic of math/big.
func TestNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		a, b := number(r), number(r)
		if r.IntN(10) == 0 {
			b = a
		}
		x, y := rat(t, a), rat(t, b)
		if got, want := wire.CompareNumbers(wire.Raw(a), wire.Raw(b)), x.Cmp(y); got != want {
			t.Fatalf("%s compared with %s: %d, want %d", a, b, got, want)
		}
		if y.Sign() <= 0 {
			continue
		}
		multiple := value(func(c *schema.Checker, v schema.Value) { c.MultipleOf(v, wire.Raw(b)) })
		if r.IntN(2) == 0 {
			a = new(big.Rat).Mul(y, new(big.Rat).SetInt64(r.Int64N(1000))).FloatString(12)
			x = rat(t, a)
		}
		if got, want := schema.Check(wire.Raw(a), multiple) == nil, new(big.Rat).Quo(x, y).IsInt(); got != want {
			t.Fatalf("%s is a multiple of %s: %v, want %v", a, b, got, want)
		}
	}
}

// TestHugeNumbers tests numbers that must not be expanded to all their digits.
func TestHugeNumbers(t *testing.T) {
	for _, test := range []struct {
		number, unit wire.Raw
		want         bool
	}{
		{"1e999999999999999999999999", "7", false},
		{"7e999999999999999999999999", "7", true},
		{"1e999999999999999999999999", "1024", true},
		{"1e-999999999999999999999999", "1", false},
		{"3", "1e-999999999999999999999999", true},
		{"3", "1e400", false},
		{"0e5", "1e400", true},
		{"1e400", "123456789012345678901234567890", false},
		{"123456789012345678901234567890e40", "123456789012345678901234567890", true},
	} {
		multiple := value(func(c *schema.Checker, v schema.Value) { c.MultipleOf(v, test.unit) })
		if got := schema.Check(test.number, multiple) == nil; got != test.want {
			t.Errorf("%s is a multiple of %s: %v", test.number, test.unit, got)
		}
	}
	for _, test := range []struct {
		a, b wire.Raw
		want int
	}{
		{"1e999999999999999999999999", "1e999999999999999999999998", 1},
		{"-1e999999999999999999999999", "1", -1},
		{"1e-999999999999999999999999", "0", 1},
		{"10e999999999999999999999998", "1e999999999999999999999999", 0},
		{"9007199254740993", "9007199254740992.9999", 1},
		{"-0.0", "0", 0},
	} {
		if got := wire.CompareNumbers(test.a, test.b); got != test.want {
			t.Errorf("%s compared with %s: %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
