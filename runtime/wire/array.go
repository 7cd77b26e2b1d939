package wire

import "unsafe"

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
		longer := make([]T, n, n+r.room(n, int(unsafe.Sizeof(*new(T)))))
		copy(longer, *s)
		*s = longer
	}
	*s = (*s)[:n+1]
	return &(*s)[n]
}

// room returns for how many elements of a size to make room after n: for as many as
// the rest of the text can have, and some, if they are as long as those before, but not
// for many times more than there have been. In an array that is most of the text, as a
// list in a result is, they may be as many as take no more memory than that rest does.
func (r *Reader) room(n, size int) int {
	if n == 0 {
		return few
	}
	rest := len(r.src) - r.pos
	left, most := rest/(r.pos/n+1), 3*n
	if r.depth <= 2 {
		most = max(most, rest/max(size, 1))
	}
	return min(max(left+left/8+1, n/2), most)
}
