package wire

import "slices"

// few is how many elements an array has room for at first: most arrays of messages
// are short, and grow through one, two and four elements otherwise.
const few = 4

// Push appends a decoded element.
func Push[T any](s []T, v T) []T {
	if cap(s) == 0 {
		s = make([]T, 0, few)
	}
	return append(s, v)
}

// Extend makes s longer by an element, and returns where that is, so that it can be
// decoded in its place from r.
func Extend[T any](r *Reader, s *[]T) *T {
	n := len(*s)
	if n == cap(*s) {
		longer := make([]T, n, n+r.room(n))
		copy(longer, *s)
		*s = longer
	}
	*s = (*s)[:n+1]
	return &(*s)[n]
}

// room returns for how many elements to make room after n: for as many as the rest
// of the text can have, if they are as long as those before, but not for many times
// more than there have been.
func (r *Reader) room(n int) int {
	if n == 0 {
		return few
	}
	left := (len(r.src) - r.pos) / (r.pos/n + 1)
	return min(max(left+1, n/2), 3*n)
}

// Names returns the names of a map's members, sorted. A few take no memory where the
// caller does not keep them.
func Names[T any](m map[string]T) []string {
	var few [8]string
	return sortedNames(few[:0], m)
}

func sortedNames[T any](names []string, m map[string]T) []string {
	if len(m) > cap(names) {
		names = make([]string, 0, len(m))
	}
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
