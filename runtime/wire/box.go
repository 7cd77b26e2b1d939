package wire

// Box makes a [Value] and [Validator] of what is none by itself: a union, which
// is an interface, or an alias.
type Box[T any] struct {
	V T

	decode func(*Reader) T
	append func([]byte, T) ([]byte, error)
	check  func(*Checker, T)
}

// NewBox returns an empty box for values of T, which decode reads, append
// writes and check validates; check may be nil.
func NewBox[T any](decode func(*Reader) T, append func([]byte, T) ([]byte, error), check func(*Checker, T)) *Box[T] {
	return &Box[T]{decode: decode, append: append, check: check}
}

// AppendJSON implements [Appender].
func (b *Box[T]) AppendJSON(dst []byte) ([]byte, error) { return b.append(dst, b.V) }

// DecodeJSON implements [Value].
func (b *Box[T]) DecodeJSON(r *Reader) error {
	b.V = b.decode(r)
	return r.Err()
}

// Validate implements [Validator].
func (b *Box[T]) Validate() error {
	if b.check == nil {
		return nil
	}
	var c Checker
	b.check(&c, b.V)
	return c.Err()
}
