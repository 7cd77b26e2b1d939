package wire

// Extend is extend for tests.
func Extend[T any](r *Reader, s *[]T) *T { return extend(r, s) }

// AppendMembers is appendMembers for tests.
func AppendMembers(dst []byte, m Members, taken ...string) ([]byte, error) {
	return appendMembers(dst, m, taken...)
}
