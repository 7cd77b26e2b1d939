package wire

// Optional is the value of a member that may be absent, null or a T. The zero Optional is absent.
// It has no JSON text of its own, because encoders omit an absent member.
type Optional[T any] struct {
	value *T
	null  bool
}

// Some returns an Optional with the value v.
func Some[T any](v T) Optional[T] { return Optional[T]{value: &v} }

// Null returns the Optional that is null.
func Null[T any]() Optional[T] { return Optional[T]{null: true} }

// IsZero reports whether the member is absent.
func (o Optional[T]) IsZero() bool { return o.value == nil && !o.null }

// IsNull reports whether the member is null.
func (o Optional[T]) IsNull() bool { return o.null }

// Get returns the value. If the member is absent or null, ok is false.
func (o Optional[T]) Get() (value T, ok bool) {
	if o.value == nil {
		return value, false
	}
	return *o.value, true
}

// Pointer returns a pointer to the value, or nil if the member is absent or null.
func (o Optional[T]) Pointer() *T { return o.value }

// Set sets the member to v.
func (o *Optional[T]) Set(v T) { *o = Some(v) }

// SetNull sets the member to null.
func (o *Optional[T]) SetNull() { *o = Null[T]() }

// Clear makes the member absent.
func (o *Optional[T]) Clear() { *o = Optional[T]{} }
