package schema

import (
	"math/big"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Minimum reports a number less than bound.
func (c *Checker) Minimum(v Value, bound wire.Raw) {
	if v.kind == wire.KindNumber && wire.CompareNumbers(v.text, bound) < 0 && c.wanted() {
		c.report("must be at least " + string(bound) + ", found " + found(v))
	}
}

// Maximum reports a number greater than bound.
func (c *Checker) Maximum(v Value, bound wire.Raw) {
	if v.kind == wire.KindNumber && wire.CompareNumbers(v.text, bound) > 0 && c.wanted() {
		c.report("must be at most " + string(bound) + ", found " + found(v))
	}
}

// ExclusiveMinimum reports a number that is not greater than bound.
func (c *Checker) ExclusiveMinimum(v Value, bound wire.Raw) {
	if v.kind == wire.KindNumber && wire.CompareNumbers(v.text, bound) <= 0 && c.wanted() {
		c.report("must be greater than " + string(bound) + ", found " + found(v))
	}
}

// ExclusiveMaximum reports a number that is not less than bound.
func (c *Checker) ExclusiveMaximum(v Value, bound wire.Raw) {
	if v.kind == wire.KindNumber && wire.CompareNumbers(v.text, bound) >= 0 && c.wanted() {
		c.report("must be less than " + string(bound) + ", found " + found(v))
	}
}

// MultipleOf reports a number that is not an integer multiple of unit, which is greater
// than 0.
func (c *Checker) MultipleOf(v Value, unit wire.Raw) {
	if v.kind == wire.KindNumber && !isMultiple(v.text, unit) && c.wanted() {
		c.report("must be a multiple of " + string(unit) + ", found " + found(v))
	}
}

// isMultiple reports whether number is an exact integer multiple of unit.
func isMultiple(number, unit wire.Raw) bool {
	if unit == "1" {
		return number.IsInteger()
	}
	if a, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		if b, err := strconv.ParseInt(string(unit), 10, 64); err == nil && b != 0 {
			return a%b == 0
		}
	}
	x, y := wire.ParseDecimal(number), wire.ParseDecimal(unit)
	if x.Digits == "" {
		return true
	}
	// x = a·10^m and y = b·10^n, where neither a nor b ends in a zero. Their quotient is
	// a·10^(m-n)/b. For m < n it is not an integer, because 10 does not divide a.
	shift := x.Exp() - y.Exp()
	if y.Digits == "" || shift < 0 {
		return false
	}
	b, _ := new(big.Int).SetString(y.Digits, 10)
	// Only the factors 2 and 5 of 10^shift matter, and b has at most BitLen of each.
	shift = min(shift, int64(b.BitLen()))
	rest := remainder(x.Digits, b)
	rest.Mul(rest, new(big.Int).Exp(big.NewInt(10), big.NewInt(shift), b))
	return rest.Mod(rest, b).Sign() == 0
}

// remainder returns the remainder of digits divided by b. It takes time proportional to the
// number of digits, unlike parsing them as one number.
func remainder(digits string, b *big.Int) *big.Int {
	const chunk = 18
	rest, part, power := new(big.Int), new(big.Int), big.NewInt(1e18)
	for len(digits) > 0 {
		n := min(chunk, len(digits))
		if n < chunk {
			power.Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
		}
		part.SetString(digits[:n], 10)
		rest.Mul(rest, power)
		rest.Mod(rest.Add(rest, part), b)
		digits = digits[n:]
	}
	return rest
}
