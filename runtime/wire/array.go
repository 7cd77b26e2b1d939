package wire

// Push appends a decoded element. It makes room for a few at once, as most
// arrays of messages are short and grow through one, two and four elements
// otherwise.
func Push[T any](s []T, v T) []T {
	if cap(s) == 0 {
		s = make([]T, 0, 4)
	}
	return append(s, v)
}
