package wire

// Optional is the value of a member that may be absent, null or a T. The zero
// Optional is absent. It has no text of its own: whoever writes the object
// leaves an absent member out.
type Optional[T any] struct {
	value *T
	null  bool
}

// Some returns the Optional that is v.
func Some[T any](v T) Optional[T] { return Optional[T]{value: &v} }

// Null returns the Optional that is null.
func Null[T any]() Optional[T] { return Optional[T]{null: true} }

// IsZero reports whether the member is absent.
func (o Optional[T]) IsZero() bool { return o.value == nil && !o.null }

// IsNull reports whether the member is null.
func (o Optional[T]) IsNull() bool { return o.null }

// Get returns the value, and whether there is one: the member is neither absent
// nor null.
func (o Optional[T]) Get() (T, bool) {
	if o.value == nil {
		var zero T
		return zero, false
	}
	return *o.value, true
}

// Pointer returns where the value is, nil when the member is absent or null.
func (o Optional[T]) Pointer() *T { return o.value }

// Set makes the member v.
func (o *Optional[T]) Set(v T) { *o = Some(v) }

// SetNull makes the member null.
func (o *Optional[T]) SetNull() { *o = Null[T]() }

// Clear makes the member absent.
func (o *Optional[T]) Clear() { *o = Optional[T]{} }
