package diff

import (
	"math/big"
	"strconv"
)

// limit is an end of a range of numbers. Without a number, the range has no end there, and upper
// has no meaning.
type limit struct {
	at   *big.Rat
	open bool
	// upper limits allow more the greater they are.
	upper bool
}

// span is a range of numbers.
type span struct{ Low, High limit }

func atLeast(n int64) span { return span{Low: limit{at: big.NewRat(n, 1)}} }

func atMost(n int64) span { return span{High: limit{at: big.NewRat(n, 1), upper: true}} }

// and returns the numbers that are in both spans.
func (s span) and(other span) span {
	return span{s.Low.tighter(other.Low), s.High.tighter(other.High)}
}

// empty reports whether no number is in the span.
func (s span) empty() bool {
	if s.Low.at == nil || s.High.at == nil {
		return false
	}
	c := s.Low.at.Cmp(s.High.at)
	return c > 0 || c == 0 && (s.Low.open || s.High.open)
}

func (s span) contains(n int) bool {
	return !s.and(atLeast(int64(n))).and(atMost(int64(n))).empty()
}

func (s span) limited() bool { return s.Low.at != nil || s.High.at != nil }

// sign is 1 for a limit that allows more the greater it is, and -1 for others.
func (l limit) sign() int {
	if l.upper {
		return 1
	}
	return -1
}

// longestNumber is the length from which on numbers are written with an exponent.
const longestNumber = 21

func (l limit) String() string {
	if l.at == nil {
		return "none"
	}
	text := string(decimal(l.at))
	if len(text) > longestNumber {
		f, _ := l.at.Float64()
		short := strconv.FormatFloat(f, 'g', -1, 64)
		if r := rational(short); r != nil && r.Cmp(l.at) == 0 {
			text = short
		}
	}
	if l.open {
		text += " (exclusive)"
	}
	return text
}

// within returns the numbers within a limit, and beyond those that are not.
func (l limit) within() span {
	if l.upper {
		return span{High: l}
	}
	return span{Low: l}
}

func (l limit) beyond() span {
	if l.at == nil {
		return span{}
	}
	return limit{l.at, !l.open, !l.upper}.within()
}

// stricter reports whether the limit allows less than another one.
func (l limit) stricter(than limit) bool {
	if l.at == nil || than.at == nil {
		return l.at != nil
	}
	c := than.at.Cmp(l.at) * l.sign()
	return c > 0 || c == 0 && l.open && !than.open
}

// tighter returns the limit that allows less.
func (l limit) tighter(other limit) limit {
	if other.stricter(l) {
		return other
	}
	return l
}

// reach returns the first whole number within a limit, up to a million, or 0 if there is none.
func (l limit) reach() int {
	if l.at == nil {
		return 0
	}
	if n := l.first(big.NewRat(1, 1)); n.IsInt64() {
		return int(min(n.Int64(), 1e6))
	}
	return 1e6
}

// ends returns the least and the greatest count of a range, up to a million.
func (s span) ends() (least, most int) {
	if s.High.at == nil {
		return s.Low.reach(), 1e6
	}
	return s.Low.reach(), s.High.reach()
}

// onto returns the limit of the multiples of step that are within the limit.
func (l limit) onto(step *big.Rat) limit {
	if l.at == nil || step == nil {
		return l
	}
	return limit{new(big.Rat).Mul(new(big.Rat).SetInt(l.first(step)), step), false, l.upper}
}

// first returns n for the multiple n*step that is the nearest to the limit, within it.
func (l limit) first(step *big.Rat) *big.Int {
	q := new(big.Rat).Quo(l.at, step)
	n := new(big.Int).Div(q.Num(), q.Denom()) // rounds down
	if !l.upper && !q.IsInt() {
		n.Add(n, big.NewInt(1))
	}
	if l.open && q.IsInt() {
		n.Sub(n, big.NewInt(int64(l.sign())))
	}
	return n
}

// countSpan returns the range of counts between two limits, of which each may be nil.
func countSpan(least, most *int64) span {
	var s span
	if least != nil && *least > 0 {
		s = atLeast(*least)
	}
	if most != nil {
		s = s.and(atMost(*most))
	}
	return s
}

// common returns the least common multiple.
func common(x, y *big.Rat) *big.Rat {
	if x == nil {
		return y
	}
	// lcm(a/b, c/d) = lcm(a, c) / gcd(b, d), the fractions being in lowest terms.
	product := new(big.Int).Mul(x.Num(), y.Num())
	least := new(big.Int).Div(product, new(big.Int).GCD(nil, nil, x.Num(), y.Num()))
	return new(big.Rat).SetFrac(least, new(big.Int).GCD(nil, nil, x.Denom(), y.Denom()))
}

// divides reports whether every multiple of y is a multiple of x.
func divides(x, y *big.Rat) bool {
	switch {
	case x == nil:
		return true
	case y == nil:
		return false
	}
	return new(big.Rat).Quo(y, x).IsInt()
}
