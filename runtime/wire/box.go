package wire

// Codec decodes and checks the values of a type that is not a [Value], for a [Box].
type Codec[T any] interface {
	// Decode reads a value. An error is the Reader's.
	Decode(r *Reader) T
	// Check reports what Validate reports.
	Check(c *Collector, v T)
}

// Box holds a value of a union, which is an interface, or of another type that is not a [Value],
// and makes it one. The zero Box holds no value, which is null for encoding/json and an error
// otherwise.
type Box[T Appender, C Codec[T]] struct {
	V T
}

// AppendJSON implements [Appender].
func (b Box[T, C]) AppendJSON(dst []byte) ([]byte, error) {
	if any(b.V) == nil {
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

// Validate implements [Validator].
func (b Box[T, C]) Validate() error {
	var codec C
	var c Collector
	codec.Check(&c, b.V)
	return c.Err()
}

// MarshalJSON implements the interface of encoding/json.
func (b Box[T, C]) MarshalJSON() ([]byte, error) {
	if any(b.V) == nil {
		return []byte("null"), nil
	}
	return Marshal(b.V)
}

// UnmarshalJSON implements the interface of encoding/json. It does not change b for null.
func (b *Box[T, C]) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	return Unmarshal(text, b)
}
