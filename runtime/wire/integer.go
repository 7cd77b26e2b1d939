package wire

import (
	"fmt"
	"strconv"
	"strings"
)

// Integer is an integer of any size. Types that are generated from a JSON Schema have it where
// the schema allows integers beyond an int64. Two Integers are equal with == if their values are,
// however they were written: 1000, 1e3 and 1000.0 are one Integer. The zero value is 0.
type Integer struct {
	small int64
	large string // the normal form of a value beyond an int64, otherwise ""
}

// longestPlain is the number of digits up to which an Integer is written without an exponent.
const longestPlain = 1000

// IntegerOf returns the Integer of an int64.
func IntegerOf(i int64) Integer { return Integer{small: i} }

// ParseInteger reads the text of a JSON number that has no fraction, in any notation: "12",
// "1e30" and "2.50e1".
func ParseInteger(text string) (Integer, error) {
	var i Integer
	if err := UnmarshalString(text, &i); err != nil {
		return Integer{}, fmt.Errorf("%q is not an integer", text)
	}
	return i, nil
}

// Int64 returns the integer as an int64. If it does not fit, ok is false and v is the int64
// nearest to it, which serves for counts and limits.
func (x Integer) Int64() (v int64, ok bool) {
	switch {
	case x.large == "":
		return x.small, true
	case x.large[0] == '-':
		return -1 << 63, false
	}
	return 1<<63 - 1, false
}

// String returns the digits of x, which math/big reads. An integer of more than 1,000 digits has
// an exponent in place of its last zeros.
func (x Integer) String() string {
	if x.large == "" {
		return strconv.FormatInt(x.small, 10)
	}
	return x.large
}

// AppendJSON implements [Appender].
func (x Integer) AppendJSON(dst []byte) ([]byte, error) {
	if x.large == "" {
		return AppendInt64(dst, x.small), nil
	}
	return append(dst, x.large...), nil
}

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
	i := skipSpace(r.src, r.pos)
	if i < len(r.src) {
		if v, end, ok := parseSmall(r.src, i); ok {
			r.pos = end
			return Integer{small: v}
		}
	}
	token := r.number("an integer")
	if token == "" {
		return Integer{}
	}
	v, integral, ok := parseInt64(token)
	switch {
	case !integral:
		r.failToken(token, "expected an integer, found "+shown(token))
		return Integer{}
	case ok:
		return Integer{small: v}
	}
	return Integer{large: normalInteger(token)}
}

// normalInteger returns the normal form of a number that is an integer: plain digits, or for a
// long one the digits up to the last that is not 0, and an exponent.
func normalInteger(token string) string {
	d := ParseDecimal(Raw(token))
	exp := d.Exp()
	if exp >= hugeExp/2 {
		return strings.Clone(token) // Exp is not exact
	}
	sign := ""
	if d.Negative {
		sign = "-"
	}
	if int64(len(d.Digits))+exp <= longestPlain || exp == 0 {
		return sign + d.Digits + strings.Repeat("0", int(exp))
	}
	return sign + d.Digits + "e" + strconv.FormatInt(exp, 10)
}
