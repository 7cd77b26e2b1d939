package jsonschema

import (
	"cmp"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Limit is an end of a range of numbers. Without a number, the range has no end there, and Upper
// has no meaning.
type Limit struct {
	At *big.Rat
	// Open limits exclude the number.
	Open bool
	// Upper limits allow more the greater they are.
	Upper bool
}

// Span is a range of numbers.
type Span struct{ Low, High Limit }

// AtLeast returns the range of the numbers from n on.
func AtLeast(n int64) Span { return Span{Low: Limit{At: big.NewRat(n, 1)}} }

// AtMost returns the range of the numbers up to n.
func AtMost(n int64) Span { return Span{High: Limit{At: big.NewRat(n, 1), Upper: true}} }

// And returns the numbers that are in both spans.
func (s Span) And(other Span) Span {
	return Span{s.Low.Tighter(other.Low), s.High.Tighter(other.High)}
}

// Empty reports whether no number is in the span.
func (s Span) Empty() bool {
	if s.Low.At == nil || s.High.At == nil {
		return false
	}
	c := s.Low.At.Cmp(s.High.At)
	return c > 0 || c == 0 && (s.Low.Open || s.High.Open)
}

// Contains reports whether a number is in the span.
func (s Span) Contains(n int) bool {
	return !s.And(AtLeast(int64(n))).And(AtMost(int64(n))).Empty()
}

// Limited reports whether the span has an end.
func (s Span) Limited() bool { return s.Low.At != nil || s.High.At != nil }

// sign is 1 for a limit that allows more the greater it is, and -1 for others.
func (l Limit) sign() int {
	if l.Upper {
		return 1
	}
	return -1
}

// longestNumber is the length from which on numbers are written with an exponent.
const longestNumber = 21

// String returns the number of a limit as in JSON, with an exponent only if it is long.
func (l Limit) String() string {
	if l.At == nil {
		return "none"
	}
	text := string(Decimal(l.At))
	if len(text) > longestNumber {
		f, _ := l.At.Float64()
		short := strconv.FormatFloat(f, 'g', -1, 64)
		if r := Rational(short); r != nil && r.Cmp(l.At) == 0 {
			text = short
		}
	}
	if l.Open {
		text += " (exclusive)"
	}
	return text
}

// Within returns the numbers within a limit.
func (l Limit) Within() Span {
	if l.Upper {
		return Span{High: l}
	}
	return Span{Low: l}
}

// Beyond returns the numbers that are not within a limit.
func (l Limit) Beyond() Span {
	if l.At == nil {
		return Span{}
	}
	return Limit{l.At, !l.Open, !l.Upper}.Within()
}

// Stricter reports whether the limit allows less than another one.
func (l Limit) Stricter(than Limit) bool {
	if l.At == nil || than.At == nil {
		return l.At != nil
	}
	c := than.At.Cmp(l.At) * l.sign()
	return c > 0 || c == 0 && l.Open && !than.Open
}

// Tighter returns the limit that allows less.
func (l Limit) Tighter(other Limit) Limit {
	if other.Stricter(l) {
		return other
	}
	return l
}

// Reach returns the first whole number within a limit, up to a million, or 0 if there is none.
func (l Limit) Reach() int {
	if l.At == nil {
		return 0
	}
	if n := l.First(big.NewRat(1, 1)); n.IsInt64() {
		return int(min(n.Int64(), 1e6))
	}
	return 1e6
}

// Ends returns the least and the greatest count of a range, up to a million.
func (s Span) Ends() (least, most int) {
	if s.High.At == nil {
		return s.Low.Reach(), 1e6
	}
	return s.Low.Reach(), s.High.Reach()
}

// Onto returns the limit of the multiples of step that are within the limit.
func (l Limit) Onto(step *big.Rat) Limit {
	if l.At == nil || step == nil {
		return l
	}
	return Limit{new(big.Rat).Mul(new(big.Rat).SetInt(l.First(step)), step), false, l.Upper}
}

// First returns n for the multiple n*step that is the nearest to the limit, within it.
func (l Limit) First(step *big.Rat) *big.Int {
	q := new(big.Rat).Quo(l.At, step)
	n := new(big.Int).Div(q.Num(), q.Denom()) // rounds down
	if !l.Upper && !q.IsInt() {
		n.Add(n, big.NewInt(1))
	}
	if l.Open && q.IsInt() {
		n.Sub(n, big.NewInt(int64(l.sign())))
	}
	return n
}

// Counts returns the range of counts between two limits, of which each may be nil.
func Counts(least, most *int64) Span {
	var s Span
	if least != nil && *least > 0 {
		s = AtLeast(*least)
	}
	if most != nil {
		s = s.And(AtMost(*most))
	}
	return s
}

// Common returns the least common multiple of two steps, of which each may be nil.
func Common(x, y *big.Rat) *big.Rat {
	if x == nil || y == nil {
		return cmp.Or(x, y)
	}
	// lcm(a/b, c/d) = lcm(a, c) / gcd(b, d), where both fractions are in lowest terms.
	product := new(big.Int).Mul(x.Num(), y.Num())
	least := new(big.Int).Div(product, new(big.Int).GCD(nil, nil, x.Num(), y.Num()))
	return new(big.Rat).SetFrac(least, new(big.Int).GCD(nil, nil, x.Denom(), y.Denom()))
}

// Divides reports whether every multiple of y is a multiple of x.
func Divides(x, y *big.Rat) bool {
	switch {
	case x == nil:
		return true
	case y == nil:
		return false
	}
	return new(big.Rat).Quo(y, x).IsInt()
}

// Decimal writes a number with all of its digits.
func Decimal(r *big.Rat) json.Number {
	digits, _ := r.FloatPrec() // schemas have no other numbers than decimal ones
	return json.Number(r.FloatString(digits))
}

// hugeExponent reports whether a number has too many digits to be written out.
func hugeExponent(text string) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	n, err := strconv.Atoi(exponent)
	return exponent != "" && (err != nil || n > 400 || n < -400)
}

// Rational parses a number. It returns nil for other texts and for numbers with huge exponents.
func Rational(text string) *big.Rat {
	if text == "" || hugeExponent(text) {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}
