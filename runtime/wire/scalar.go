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

// ScalarOf returns the scalar of a string, a number or a boolean. A float64 has the form of [AppendFloat64]. For NaN
// and infinities, which have no JSON text, it returns the zero Scalar.
func ScalarOf[T string | int | int64 | float64 | bool](v T) Scalar {
	switch v := any(v).(type) {
	case string:
		return Scalar{KindString, v}
	case int:
		return Scalar{KindNumber, strconv.Itoa(v)}
	case int64:
		return Scalar{KindNumber, strconv.FormatInt(v, 10)}
	case bool:
		return Scalar{KindBool, strconv.FormatBool(v)}
	case float64:
		if token, err := AppendFloat64(nil, v); err == nil {
			return Scalar{KindNumber, string(token)}
		}
	}
	return Scalar{}
}

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
		return ScalarOf(v)
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

// IDOf returns the ID of a string or an integer.
func IDOf[T string | int | int64](v T) ID { return ID{ScalarOf(v)} }

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
