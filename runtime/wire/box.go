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

// ReadBox decodes a value with the codec of its box and returns it. It is for code that uses a union
// of another package.
func ReadBox[T Appender, C Codec[T]](r *Reader, _ *Box[T, C]) T {
	var codec C
	return codec.Decode(r)
}
