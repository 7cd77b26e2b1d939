package wire

import (
	"strconv"
	"strings"
)

// Scalar is a string, a number, a boolean or null, comparable with == and so
// usable as a map key. A string is held unescaped, a number as its exact token:
// 1 and "1" differ, and so do 1 and 1.0 (see [Scalar.Canonical]), and
// 9007199254740993 survives. The zero Scalar stands for an absent value.
type Scalar struct {
	kind Kind
	text string // string: its meaning; number, boolean: its token; null: ""
}

// ScalarSet is a set of sorts of scalars.
type ScalarSet uint8

// The sorts of scalars. An integer is a number without a fraction, of any size
// and however it is written; every integer is a number too.
const (
	ScalarString ScalarSet = 1 << iota
	ScalarInteger
	ScalarNumber
	ScalarBool
	ScalarNull

	scalarAny = ScalarString | ScalarNumber | ScalarBool | ScalarNull
)

// scalarSetOf returns the sorts that a value of a kind may be of.
func scalarSetOf(k Kind) ScalarSet {
	switch k {
	case KindString:
		return ScalarString
	case KindNumber:
		return ScalarNumber | ScalarInteger
	case KindBool:
		return ScalarBool
	case KindNull:
		return ScalarNull
	}
	return 0
}

// String returns the set as error messages have it: "a string or an integer".
func (s ScalarSet) String() string {
	var names []string
	for _, sort := range []struct {
		set  ScalarSet
		name string
	}{
		{ScalarString, "a string"}, {ScalarInteger, "an integer"}, {ScalarNumber, "a number"},
		{ScalarBool, "a boolean"}, {ScalarNull, "null"},
	} {
		if s&sort.set != 0 {
			names = append(names, sort.name)
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, " or ")
}

// StringScalar returns the scalar of a string.
func StringScalar(s string) Scalar { return Scalar{KindString, s} }

// IntScalar returns the scalar of an integer.
func IntScalar(i int64) Scalar { return Scalar{KindNumber, strconv.FormatInt(i, 10)} }

// FloatScalar returns the scalar of a number, written as by [AppendFloat64]. NaN and
// infinities, for which there is no JSON, give the zero Scalar.
func FloatScalar(f float64) Scalar {
	token, err := AppendFloat64(nil, f)
	if err != nil {
		return Scalar{}
	}
	return Scalar{KindNumber, string(token)}
}

// BoolScalar returns the scalar of a boolean.
func BoolScalar(b bool) Scalar { return Scalar{KindBool, strconv.FormatBool(b)} }

// NullScalar returns the scalar null, which is not the zero Scalar.
func NullScalar() Scalar { return Scalar{KindNull, ""} }

// Kind returns the scalar's kind, KindInvalid for the zero Scalar.
func (s Scalar) Kind() Kind { return s.kind }

// IsZero reports whether s is the zero Scalar: absent.
func (s Scalar) IsZero() bool { return s == Scalar{} }

// Str returns the string that s is.
func (s Scalar) Str() (string, bool) {
	if s.kind != KindString {
		return "", false
	}
	return s.text, true
}

// Int64 returns the integer that s is, when an int64 holds it. 1.0 and 1e3 are integers.
func (s Scalar) Int64() (int64, bool) {
	if s.kind != KindNumber {
		return 0, false
	}
	v, _, ok := parseInt64(s.text)
	return v, ok
}

// Float64 returns the float64 nearest to the number that s is; ok is false when
// it is too large for one.
func (s Scalar) Float64() (f float64, ok bool) {
	if s.kind != KindNumber {
		return 0, false
	}
	f, err := strconv.ParseFloat(s.text, 64)
	if err != nil {
		return 0, false
	}
	return f, true
}

// Bool returns the boolean that s is.
func (s Scalar) Bool() (value, ok bool) {
	ok = s.kind == KindBool
	return ok && s.text == "true", ok
}

// Is reports whether s is of one of the sorts in set.
func (s Scalar) Is(set ScalarSet) bool {
	if set&ScalarNumber == 0 && set&ScalarInteger != 0 && s.kind == KindNumber {
		return Raw(s.text).IsInteger()
	}
	return set&scalarSetOf(s.kind) != 0
}

// Canonical returns s in a form in which equal integers are equal with ==: a
// number that an int64 holds is written in plain digits, 1.0 as 1 and 1e3 as
// 1000. Other scalars stay as they are.
func (s Scalar) Canonical() Scalar {
	if v, ok := s.Int64(); ok {
		return IntScalar(v)
	}
	return s
}

// String returns the scalar's JSON token, "" for the zero Scalar.
func (s Scalar) String() string {
	switch s.kind {
	case KindString:
		dst, err := AppendString(nil, s.text)
		if err != nil {
			dst, _ = AppendString(nil, strings.ToValidUTF8(s.text, "\uFFFD"))
		}
		return string(dst)
	case KindNull:
		return "null"
	}
	return s.text
}

// AppendJSON implements [Appender]. The zero Scalar is an error.
func (s Scalar) AppendJSON(dst []byte) ([]byte, error) {
	switch s.kind {
	case KindString:
		return AppendString(dst, s.text)
	case KindNumber, KindBool:
		return append(dst, s.text...), nil
	case KindNull:
		return append(dst, "null"...), nil
	}
	return dst, encodingError("expected a scalar, found nothing")
}

// DecodeJSON implements [Value]; any scalar will do.
func (s *Scalar) DecodeJSON(r *Reader) error {
	*s = r.ReadScalar(scalarAny)
	return r.Err()
}

// MarshalJSON returns the scalar's token. It makes s known to the standard library.
func (s Scalar) MarshalJSON() ([]byte, error) { return Marshal(s) }

// UnmarshalJSON sets s to the scalar that data is. It makes s known to the standard library.
func (s *Scalar) UnmarshalJSON(data []byte) error { return Unmarshal(data, s) }
