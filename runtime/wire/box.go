package wire

import "unsafe"

// Codec decodes and checks the values of a type that is not a [Value], for a [Box].
type Codec[T any] interface {
	// Decode reads a value. An error is the Reader's.
	Decode(r *Reader) T
	// Check reports each value that the schema does not allow. The value itself is not missing.
	Check(c *Collector, v T)
}

// isNil reports whether v is nil or holds a nil pointer: a variant that is missing.
func isNil(v Appender) bool {
	return v == nil || (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] == nil
}

// Box holds a value of a union, which is an interface, or of another type that is not a [Value],
// and makes it one. The zero Box holds no value, which is null for encoding/json and an error
// otherwise.
type Box[T Appender, C Codec[T]] struct {
	V T
}

// AppendJSON implements [Appender].
func (b Box[T, C]) AppendJSON(dst []byte) ([]byte, error) {
	if isNil(b.V) {
		return dst, ErrMissing
	}
	return b.V.AppendJSON(dst)
}

// DecodeJSON implements [Value].
func (b *Box[T, C]) DecodeJSON(r *Reader) error {
	var codec C
	b.V = codec.Decode(r)
	return r.Err()
}

// Check implements [Checker].
func (b Box[T, C]) Check(c *Collector) {
	if isNil(b.V) {
		c.Report("is missing")
		return
	}
	var codec C
	codec.Check(c, b.V)
}

// MarshalJSON implements the interface of encoding/json.
func (b Box[T, C]) MarshalJSON() ([]byte, error) {
	if isNil(b.V) {
		return []byte("null"), nil
	}
	return Marshal(b.V)
}

// UnmarshalJSON implements the interface of encoding/json. If null is not a value of the
// union, it leaves b unchanged for null, as encoding/json does.
func (b *Box[T, C]) UnmarshalJSON(text []byte) error {
	before := *b
	err := Unmarshal(text, b)
	if err != nil && string(text) == "null" {
		*b = before
		return nil
	}
	return err
}

// ReadBox reads a value as its box does. The box itself is not used.
func ReadBox[T Appender, C Codec[T]](r *Reader, _ Box[T, C]) T {
	var codec C
	return codec.Decode(r)
}

// ReadBoxes is [ReadList] for values that have a box.
func ReadBoxes[T Appender, C Codec[T]](r *Reader, _ Box[T, C]) []T {
	return ReadList(r, func(element *T, r *Reader) error {
		var codec C
		*element = codec.Decode(r)
		return nil
	})
}

// UnmarshalBox is [Unmarshal] for a value that has a box, which it returns.
func UnmarshalBox[T Appender, C Codec[T]](text []byte, box Box[T, C]) (T, error) {
	err := Unmarshal(text, &box)
	return box.V, err
}
