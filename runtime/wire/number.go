package wire

import (
	"cmp"
	"math"
	"strconv"
)

func isDigit(c byte) bool { return c-'0' <= 9 }

// skipDigits returns the offset of the first byte of src at or after i that is no digit.
func skipDigits(src string, i int) int {
	for i < len(src) && isDigit(src[i]) {
		i++
	}
	return i
}

// scanNumber scans the number that begins at src[i], which is '-' or a digit.
// Where it is malformed, ok is false and end is where a digit should have been.
func scanNumber(src string, i int) (end int, ok bool) {
	if src[i] == '-' {
		i++
	}
	switch {
	case i >= len(src) || !isDigit(src[i]):
		return i, false
	case src[i] == '0':
		i++
	default:
		i = skipDigits(src, i+1)
	}
	if i < len(src) && src[i] == '.' {
		i++
		end := skipDigits(src, i)
		if end == i {
			return i, false
		}
		i = end
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		i++
		if i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		end := skipDigits(src, i)
		if end == i {
			return i, false
		}
		i = end
	}
	return i, true
}

// noDigit says that at src[i] there should have been a digit.
func noDigit(src string, i int) string { return "expected a digit, found " + found(src, i) }

// parseSmall returns the value of the number that src[i:] begins with when it is
// written as a plain integer of at most 18 digits; ok is false for all others,
// malformed ones included.
func parseSmall(src string, i int) (v int64, end int, ok bool) {
	neg := src[i] == '-'
	if neg {
		i++
	}
	start := i
	for i < len(src) && isDigit(src[i]) {
		v = v*10 + int64(src[i]-'0') // may overflow; such numbers are refused below
		i++
	}
	n := i - start
	if n == 0 || n > 18 || n > 1 && src[start] == '0' ||
		i < len(src) && (src[i] == '.' || src[i]|0x20 == 'e') {
		return 0, i, false
	}
	if neg {
		v = -v
	}
	return v, i, true
}

// plain is a number without an exponent of at most 18 digits: value / 10^places.
type plain struct {
	value  int64
	places int
}

// parsePlain takes such a number token apart; ok is false for all others.
func parsePlain(token string) (p plain, ok bool) {
	digits := token
	if token[0] == '-' {
		digits = token[1:]
	}
	if len(digits) > 19 {
		return plain{}, false
	}
	point := len(digits)
	for i := range len(digits) {
		switch c := digits[i]; {
		case isDigit(c):
			p.value = p.value*10 + int64(c-'0')
		case c == '.':
			point = i + 1
		default:
			return plain{}, false
		}
	}
	p.places = len(digits) - point
	if len(digits) != len(token) {
		p.value = -p.value
	}
	return p, len(digits) < 19 || point < len(digits)
}

// comparePlain compares two numbers as compareDecimals does, unless they are too far apart.
func comparePlain(x, y plain) (c int, ok bool) {
	xs, xOK := x.scaled(y.places - x.places)
	ys, yOK := y.scaled(x.places - y.places)
	return cmp.Compare(xs, ys), xOK && yOK
}

// scaled is the value times 10^n, if an int64 holds it.
func (p plain) scaled(n int) (v int64, ok bool) {
	v = p.value
	for ; n > 0; n-- {
		if v > math.MaxInt64/10 || v < math.MinInt64/10 {
			return 0, false
		}
		v *= 10
	}
	return v, true
}

// parseInt64 returns the value of a number token, exactly. integral tells
// whether it is an integer at all, ok whether it is one that an int64 holds.
func parseInt64(token string) (v int64, integral, ok bool) {
	if v, end, ok := parseSmall(token, 0); ok && end == len(token) {
		return v, true, true
	}
	d := parseDecimal(token)
	if !d.integral() {
		return 0, false, false
	}
	u, ok := d.uint64()
	switch {
	case !ok:
		return 0, true, false
	case d.neg && u <= 1<<63:
		return -int64(u), true, true
	case !d.neg && u <= math.MaxInt64:
		return int64(u), true, true
	}
	return 0, true, false
}

// parseFloat returns the float64 nearest to a number token; ok is false when it
// is too large for one.
func parseFloat(token string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(token, 64)
	return f, err == nil
}

// A decimal is a number token taken apart without loss:
//
//	value = ± 0.digits × 10^scale × 10^exponent
//
// where digits, the point left out, begins and ends with a digit that is not 0.
// Zero has no digits.
type decimal struct {
	neg      bool
	digits   string // of the token, perhaps with a '.' among them
	scale    int    // from the place of the point
	exponent string // digits after the e
	expNeg   bool
}

// parseDecimal takes a number token apart that scanNumber has passed.
func parseDecimal(token string) decimal {
	var d decimal
	if token[0] == '-' {
		d.neg = true
		token = token[1:]
	}
	for i := range len(token) {
		if token[i]|0x20 == 'e' {
			d.exponent = token[i+1:]
			token = token[:i]
			break
		}
	}
	if d.exponent != "" && !isDigit(d.exponent[0]) {
		d.expNeg = d.exponent[0] == '-'
		d.exponent = d.exponent[1:]
	}
	point := skipDigits(token, 0)
	lo, hi := 0, len(token)
	for hi > 0 && (token[hi-1] == '0' || token[hi-1] == '.') {
		hi--
	}
	for lo < hi && (token[lo] == '0' || token[lo] == '.') {
		lo++
	}
	if lo >= hi {
		return decimal{}
	}
	d.digits = token[lo:hi]
	d.scale = point - lo
	if lo > point {
		d.scale++ // the point stands between, and is no digit
	}
	return d
}

// large is a power of ten that the length of no token makes up for.
const large = 1 << 48

// exp10 returns the power of ten of 0.digits, or about ±large where it is larger.
func (d decimal) exp10() int64 {
	e := int64(0)
	for i := range len(d.exponent) {
		e = min(e*10+int64(d.exponent[i]-'0'), large)
	}
	if d.expNeg {
		e = -e
	}
	return e + int64(d.scale)
}

// count returns how many digits d has.
func (d decimal) count() int {
	n := len(d.digits)
	for i := range n {
		if d.digits[i] == '.' {
			return n - 1
		}
	}
	return n
}

// integral reports whether d is an integer.
func (d decimal) integral() bool {
	return d.digits == "" || d.exp10() >= int64(d.count())
}

// uint64 returns the magnitude of an integral d, when it fits.
func (d decimal) uint64() (uint64, bool) {
	if d.digits == "" {
		return 0, true
	}
	n := d.exp10()
	if n > 19 { // of 20 digits only some fit, none of them an int64
		return 0, false
	}
	var u uint64
	for i := range len(d.digits) {
		if d.digits[i] != '.' {
			u = u*10 + uint64(d.digits[i]-'0')
			n--
		}
	}
	for range n {
		u *= 10
	}
	return u, true
}

// equalNumbers reports whether two number tokens have the same value.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	x, y := parseDecimal(a), parseDecimal(b)
	return x.neg == y.neg && compareExp10(x, y) == 0 && compareDigits(x.digits, y.digits) == 0
}

// expDigit returns the signed i-th of n digits of the exponent, zeros put before it.
func (d decimal) expDigit(i, n int) int64 {
	i -= n - len(d.exponent)
	if i < 0 {
		return 0
	}
	v := int64(d.exponent[i] - '0')
	if d.expNeg {
		return -v
	}
	return v
}

// sign returns -1, 0 or +1.
func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// compareDecimals returns -1, 0 or +1 as x is less than, equal to or greater than y.
func compareDecimals(x, y decimal) int {
	sign := x.sign()
	switch other := y.sign(); {
	case sign < other:
		return -1
	case sign > other:
		return 1
	case sign == 0:
		return 0
	}
	if c := compareExp10(x, y); c != 0 {
		return sign * c
	}
	return sign * compareDigits(x.digits, y.digits)
}

// compareDigits compares 0.a and 0.b.
func compareDigits(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == '.':
			i++
		case b[j] == '.':
			j++
		case a[i] < b[j]:
			return -1
		case a[i] > b[j]:
			return 1
		default:
			i++
			j++
		}
	}
	switch { // neither ends in a point or a zero
	case i < len(a):
		return 1
	case j < len(b):
		return -1
	}
	return 0
}

// compareExp10 compares the powers of ten exactly, however long the exponents
// are: it takes the difference of the exponents digit by digit from the top,
// which, once large, the digits that follow cannot make small again.
func compareExp10(x, y decimal) int {
	n := max(len(x.exponent), len(y.exponent))
	diff := int64(0)
	for i := range n {
		diff = diff*10 + x.expDigit(i, n) - y.expDigit(i, n)
		switch {
		case diff > large:
			return 1
		case diff < -large:
			return -1
		}
	}
	switch diff += int64(x.scale) - int64(y.scale); {
	case diff < 0:
		return -1
	case diff > 0:
		return 1
	}
	return 0
}

// IsInteger reports whether a raw that is a well-formed number has no fraction:
// 1, 1.0 and 1e400 are integers.
func (x Raw) IsInteger() bool {
	if _, end, ok := parseSmall(string(x), 0); ok && end == len(x) {
		return true
	}
	return parseDecimal(string(x)).integral()
}

// CompareNumbers compares two raws that are well-formed numbers by their exact
// values: it returns -1, 0 or +1 as a is less than, equal to or greater than b.
func CompareNumbers(a, b Raw) int {
	if x, ok := parsePlain(string(a)); ok {
		if y, ok := parsePlain(string(b)); ok {
			if c, ok := comparePlain(x, y); ok {
				return c
			}
		}
	}
	return compareDecimals(parseDecimal(string(a)), parseDecimal(string(b)))
}
