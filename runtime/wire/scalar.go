package wire

import (
	"strconv"
	"strings"
)

// Scalar is a string, a number, a boolean or null. It is comparable with == and so usable as a map
// key. It holds a string unescaped and a number as its exact token: 1 and "1" differ, 1 and 1.0
// differ (see [Scalar.Canonical]), and 9007199254740993 is not rounded. The zero Scalar stands for
// an absent value.
type Scalar struct {
	kind Kind
	text string // of a string its meaning, of a number or boolean its token
}

// StringScalar returns the scalar of a string.
func StringScalar(s string) Scalar { return Scalar{KindString, s} }

// IntScalar returns the scalar of an integer.
func IntScalar(i int64) Scalar { return Scalar{KindNumber, strconv.FormatInt(i, 10)} }

// FloatScalar returns the scalar of a number in the form of [AppendFloat64]. For NaN and
// infinities, which have no JSON text, it returns the zero Scalar.
func FloatScalar(f float64) Scalar {
	token, err := AppendFloat64(nil, f)
	if err != nil {
		return Scalar{}
	}
	return Scalar{KindNumber, string(token)}
}

// BoolScalar returns the scalar of a boolean.
func BoolScalar(b bool) Scalar { return Scalar{KindBool, strconv.FormatBool(b)} }

// NullScalar returns the scalar null. It is not the zero Scalar.
func NullScalar() Scalar { return Scalar{KindNull, ""} }

// Kind returns the scalar's kind, which is zero for the zero Scalar.
func (s Scalar) Kind() Kind { return s.kind }

// IsZero reports whether s is absent.
func (s Scalar) IsZero() bool { return s == Scalar{} }

// Str returns the string if s is one.
func (s Scalar) Str() (string, bool) {
	if s.kind != KindString {
		return "", false
	}
	return s.text, true
}

// Int64 returns the integer if s is one that fits an int64. 1.0 and 1e3 are integers.
func (s Scalar) Int64() (int64, bool) {
	if s.kind != KindNumber {
		return 0, false
	}
	v, _, ok := parseInt64(s.text)
	return v, ok
}

// Float64 returns the float64 nearest to s. If s is not a number or is too large, ok is false.
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

// Bool returns the boolean if s is one.
func (s Scalar) Bool() (value, ok bool) {
	ok = s.kind == KindBool
	return ok && s.text == "true", ok
}

// Is reports whether the kind of s is in a set.
func (s Scalar) Is(set Kind) bool { return set.has(s.kind, Raw(s.text)) }

// Canonical returns s in a form in which equal integers are equal with ==. An integer that fits an
// int64 becomes plain digits: 1.0 becomes 1, and 1e3 becomes 1000. Other scalars remain as they
// are.
func (s Scalar) Canonical() Scalar {
	if v, ok := s.Int64(); ok {
		return IntScalar(v)
	}
	return s
}

// Clone returns a copy that shares no memory with the text that s was read from.
func (s Scalar) Clone() Scalar { return Scalar{s.kind, strings.Clone(s.text)} }

// String returns the scalar's JSON token, or "" for the zero Scalar.
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

// DecodeJSON implements [Value]. It accepts any scalar.
func (s *Scalar) DecodeJSON(r *Reader) error {
	*s = r.ReadScalar(scalars)
	return r.Err()
}

// MarshalJSON implements the interface of encoding/json.
func (s Scalar) MarshalJSON() ([]byte, error) { return Marshal(s) }

// UnmarshalJSON implements the interface of encoding/json.
func (s *Scalar) UnmarshalJSON(data []byte) error { return Unmarshal(data, s) }

// ID is a string or an integer, such as the id of a request or a progress token. It is comparable with == and
// usable as the key of a map, though not of one that encoding/json writes: names in JSON are strings, so 1 and "1"
// would be the same. The zero ID stands for an absent value.
type ID struct{ Scalar }

const stringOrInteger = KindString | KindInteger

// StringID returns the ID of a string.
func StringID(s string) ID { return ID{StringScalar(s)} }

// IntID returns the ID of an integer.
func IntID(i int64) ID { return ID{IntScalar(i)} }

// ReadID reads a string or an integer.
func (r *Reader) ReadID() ID { return ID{r.ReadScalar(stringOrInteger)} }

// DecodeJSON implements [Value].
func (x *ID) DecodeJSON(r *Reader) error {
	*x = r.ReadID()
	return r.Err()
}

// Check implements [Checker].
func (x ID) Check(c *Collector) {
	if !x.Is(stringOrInteger) {
		c.Report("must be %s", stringOrInteger)
	}
}

// UnmarshalJSON implements the interface of encoding/json.
func (x *ID) UnmarshalJSON(data []byte) error { return Unmarshal(data, x) }
