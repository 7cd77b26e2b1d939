package wire

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
)

func isDigit(c byte) bool { return c-'0' <= 9 }

// skipDigits returns the offset of the first byte of src at or after i that is not a digit.
func skipDigits(src string, i int) int {
	for i < len(src) && isDigit(src[i]) {
		i++
	}
	return i
}

// scanNumber scans the number that begins at src[i], which is '-' or a digit. If it is
// malformed, ok is false and end is where a digit is missing.
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

// parseSmall returns the value of the number that src[i:] begins with if it is a plain integer of
// at most 18 digits. For all others, and for malformed numbers, ok is false.
func parseSmall(src string, i int) (v int64, end int, ok bool) {
	v, end, ok = parseDigits(src, i)
	return v, end, ok && (end == len(src) || src[end] != '.' && src[end]|0x20 != 'e')
}

// parseDigits reads the integer part of the number at src[i], if it has at most 18 digits, and
// returns the offset after it.
func parseDigits(src string, i int) (v int64, end int, ok bool) {
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
	if neg {
		v = -v
	}
	return v, i, 0 < n && n <= 18 && (n == 1 || src[start] != '0')
}

// parseInt64 returns the exact value of a number token. It reports whether the number is an
// integer, and whether it is one that fits an int64.
func parseInt64(token string) (v int64, integral, ok bool) {
	if v, end, ok := parseSmall(token, 0); ok && end == len(token) {
		return v, true, true
	}
	d := parseDecimal(Raw(token))
	exp := d.exp()
	if exp < 0 {
		return 0, false, false
	}
	if int64(len(d.digits))+exp > 19 {
		return 0, true, false
	}
	digits := d.digits + strings.Repeat("0", int(exp))
	if d.negative {
		digits = "-" + digits
	}
	v, err := strconv.ParseInt(cmp.Or(digits, "0"), 10, 64)
	if err != nil {
		return 0, true, false
	}
	return v, true, true
}

// IsInteger reports whether x, a well-formed number, has no fraction: 1, 1.0 and 1e400 are
// integers.
func (x Raw) IsInteger() bool {
	if _, end, ok := parseSmall(string(x), 0); ok && end == len(x) {
		return true
	}
	return parseDecimal(x).exp() >= 0
}

// IsMultiple reports whether x, a well-formed number, is an exact integer multiple of another one.
func (x Raw) IsMultiple(unit Raw) bool {
	if unit == "1" {
		return x.IsInteger()
	}
	if a, err := strconv.ParseInt(string(x), 10, 64); err == nil {
		if b, err := strconv.ParseInt(string(unit), 10, 64); err == nil && b != 0 {
			return a%b == 0
		}
	}
	d, u := parseDecimal(x), parseDecimal(unit)
	if d.digits == "" {
		return true
	}
	// d = a·10^m and u = b·10^n, where neither a nor b ends in a zero. Their quotient is
	// a·10^(m-n)/b. For m < n it is not an integer, because 10 does not divide a.
	shift := d.exp() - u.exp()
	if u.digits == "" || shift < 0 {
		return false
	}
	b, _ := new(big.Int).SetString(u.digits, 10)
	// Only the factors 2 and 5 of 10^shift matter, and b has at most BitLen of each.
	shift = min(shift, int64(b.BitLen()))
	rest := remainder(d.digits, b)
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

// Count returns the value of a keyword such as minLength. It returns false unless x is an integer of at least 0,
// such as 2 or 2.0. For a number above math.MaxInt64 it returns math.MaxInt64, because no value has so many of
// anything.
func (x Raw) Count() (n int64, ok bool) {
	if x.Kind() != KindNumber || !x.IsInteger() || CompareNumbers(x, "0") < 0 {
		return 0, false
	}
	r := NewStringReader(string(x))
	if n = r.ReadInt64(); r.Err() != nil {
		n = math.MaxInt64
	}
	return n, true
}

// decimal is the exact value of a JSON number: ±digits × 10^exp.
type decimal struct {
	negative bool
	digits   string // without leading and trailing zeros; "" for zero

	exponent string // of the token, without a plus sign
	shift    int    // added to the exponent
}

// parseDecimal returns the value of a well-formed number.
func parseDecimal(number Raw) decimal {
	var d decimal
	token, negative := strings.CutPrefix(string(number), "-")
	if i := strings.IndexAny(token, "eE"); i >= 0 {
		d.exponent = strings.TrimPrefix(token[i+1:], "+")
		token = token[:i]
	}
	digits, fraction, _ := strings.Cut(token, ".")
	if fraction != "" {
		digits += fraction
	}
	d.digits = strings.TrimRight(digits, "0")
	d.shift = len(digits) - len(d.digits) - len(fraction)
	d.digits = strings.TrimLeft(d.digits, "0")
	if d.digits == "" {
		return decimal{}
	}
	d.negative = negative
	return d
}

// hugeExp is a power of ten that the digits of a token cannot compensate.
const hugeExp = 1 << 48

// exp returns the power of ten. It is only approximate beyond ±2^48.
func (d decimal) exp() int64 {
	digits, negative := strings.CutPrefix(d.exponent, "-")
	n := int64(0)
	for i := range len(digits) {
		n = min(n*10+int64(digits[i]-'0'), hugeExp)
	}
	if negative {
		n = -n
	}
	return n + int64(d.shift)
}

// sign returns -1, 0 or +1.
func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// integerPart returns a well-formed number without its fraction, and whether it has none. It
// returns false for a number that has an exponent or more than 18 digits before the fraction.
func integerPart(number string) (v int64, whole, ok bool) {
	v, end, ok := parseDigits(number, 0)
	for i := end; i < len(number); i++ {
		ok = ok && number[i]|0x20 != 'e'
	}
	return v, end == len(number), ok
}

// CompareNumbers compares the exact values of two well-formed numbers. It returns -1, 0 or +1 if
// a is less than, equal to or greater than b.
func CompareNumbers(a, b Raw) int {
	// Most numbers differ in their integer parts, which have the same order.
	v, wholeA, okA := integerPart(string(a))
	w, wholeB, okB := integerPart(string(b))
	if okA && okB && (v != w || wholeA && wholeB) {
		return cmp.Compare(v, w)
	}
	x, y := parseDecimal(a), parseDecimal(b)
	sign := x.sign()
	if sign != y.sign() || sign == 0 {
		return cmp.Compare(sign, y.sign())
	}
	// Compare 0.digits × 10^n. The digits have no trailing zeros, so a prefix is less.
	return sign * cmp.Or(compareIntegers(x.magnitude(), y.magnitude()), strings.Compare(x.digits, y.digits))
}

// magnitude returns n of 0.digits × 10^n, however long the exponent is.
func (d decimal) magnitude() string {
	const unit, length = 1e18, 18
	exponent, negative := strings.CutPrefix(d.exponent, "-")
	exponent = strings.TrimLeft(exponent, "0")
	n := int64(d.shift + len(d.digits))
	if negative {
		n = -n
	}
	// Only the last digits are added as a number. A carry changes those before them.
	cut := max(0, len(exponent)-length)
	last, _ := strconv.ParseInt("0"+exponent[cut:], 10, 64)
	n += last
	if cut == 0 {
		if negative {
			n = -n
		}
		return strconv.FormatInt(n, 10)
	}
	first := []byte("0" + exponent[:cut])
	from, to, step, i := byte('9'), byte('0'), 0, len(first)-1
	if n >= unit {
		step = 1
	} else if n < 0 {
		from, to, step = '0', '9', -1
	}
	for ; step != 0 && first[i] == from; i-- {
		first[i] = to
	}
	first[i] += byte(step)
	last = n - int64(step)*unit
	exponent = strings.TrimLeft(string(first)+strconv.FormatInt(unit+last, 10)[1:], "0")
	if negative {
		return "-" + exponent
	}
	return exponent
}

// compareIntegers compares two integers in digits without zeros before them.
func compareIntegers(x, y string) int {
	a, negative := strings.CutPrefix(x, "-")
	b, also := strings.CutPrefix(y, "-")
	switch {
	case negative && !also:
		return -1
	case also && !negative:
		return 1
	case negative:
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// Integer is an integer of any size. Types that are generated from a JSON Schema have it where
// the schema allows integers beyond an int64. Two Integers are equal with == if their values are,
// however they were written: 1000, 1e3 and 1000.0 are one Integer. The zero value is 0.
type Integer struct {
	text string // the normal form, or "" for 0
}

// longestPlain is the number of digits up to which an Integer is written without an exponent.
const longestPlain = 1000

// IntegerOf returns the Integer of an int64.
func IntegerOf(i int64) Integer {
	if i == 0 {
		return Integer{}
	}
	return Integer{strconv.FormatInt(i, 10)}
}

// Int64 returns the integer as an int64. If it does not fit, ok is false and v is the int64
// nearest to it, which serves for counts and limits.
func (x Integer) Int64() (v int64, ok bool) {
	switch v, _, ok = parseInt64(x.String()); {
	case ok:
		return v, true
	case x.text[0] == '-':
		return math.MinInt64, false
	}
	return math.MaxInt64, false
}

// String returns the digits of x, which math/big reads. An integer of more than 1,000 digits has
// an exponent in place of its last zeros.
func (x Integer) String() string { return cmp.Or(x.text, "0") }

// AppendJSON implements [Appender].
func (x Integer) AppendJSON(dst []byte) ([]byte, error) { return append(dst, x.String()...), nil }

// DecodeJSON implements [Value].
func (x *Integer) DecodeJSON(r *Reader) error {
	*x = r.ReadInteger()
	return r.Err()
}

// MarshalJSON implements the interface of encoding/json.
func (x Integer) MarshalJSON() ([]byte, error) { return Marshal(x) }

// UnmarshalJSON implements the interface of encoding/json.
func (x *Integer) UnmarshalJSON(data []byte) error { return Unmarshal(data, x) }

// ReadInteger reads a number that is an integer in any notation and of any size.
func (r *Reader) ReadInteger() Integer {
	if r.err != nil {
		return Integer{}
	}
	token := r.number("an integer")
	if token == "" {
		return Integer{}
	}
	if !Raw(token).IsInteger() {
		r.failToken(token, "expected an integer, found "+shown(token))
		return Integer{}
	}
	return Integer{normalInteger(token)}
}

// normalInteger returns the normal form of a number that is an integer: plain digits, or for a
// long one the digits up to the last that is not 0, and an exponent. It is "" for 0.
func normalInteger(token string) string {
	if v, end, ok := parseSmall(token, 0); ok && end == len(token) && v != 0 {
		return token
	}
	d := parseDecimal(Raw(token))
	exp := d.exp()
	if exp >= hugeExp/2 {
		return strings.Clone(token) // exp is not exact
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	if int64(len(d.digits))+exp <= longestPlain || exp == 0 {
		return sign + d.digits + strings.Repeat("0", int(exp))
	}
	return sign + d.digits + "e" + strconv.FormatInt(exp, 10)
}
