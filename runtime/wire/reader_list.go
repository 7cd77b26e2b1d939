package wire

import "unsafe"

// few is the initial capacity of an array. Most arrays of messages are short.
const few = 4

// Push appends a decoded element.
func Push[T any](s []T, v T) []T {
	if cap(s) == 0 {
		s = make([]T, 0, few)
	}
	return append(s, v)
}

// Extend appends a zero element to *s and returns a pointer to it, so that it can be decoded in
// place.
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

// room returns the number of elements to allocate after n elements of a size, which the compiler knows. It estimates how
// many follow from the average length of their text, so that a long list is not copied often.
// The result is bounded by the number of elements before or, in an array that is most of the
// text, by the memory that the rest of the text takes.
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

// ReadList reads an array whose elements are decoded by a method of T. A lenient Reader leaves
// out elements that cannot be decoded.
func ReadList[T any](r *Reader, read func(*T, *Reader) error) []T {
	list := []T{}
	if r.lenient.lenience != 0 && r.absentNull(true) {
		return list
	}
	for r.BeginArray(); r.Element(); {
		if !r.leavesOut() {
			_ = read(Extend(r, &list), r) // r keeps the error
			continue
		}
		before := r.position()
		r.trying++ // errors of elements do not need a pointer yet
		_ = read(Extend(r, &list), r)
		r.trying--
		if r.err != nil && r.leaveOut(before) {
			last := len(list) - 1
			clear(list[last:])
			list = list[:last]
		}
	}
	return list
}

// ReadStrings reads an array of strings.
func (r *Reader) ReadStrings() []string {
	if r.lenient.lenience != 0 && r.absentNull(true) {
		return []string{}
	}
	slab := r.slabs.strings
	start := len(slab)
	for r.BeginArray(); r.Element(); {
		if n := cap(slab); len(slab) == n {
			read := slab[start:]
			slab = make([]string, len(read), max(few, 2*len(read), min(2*n, maxSlab)))
			copy(slab, read)
			start = 0
		}
		slab = append(slab, r.ReadString())
	}
	if len(slab) == start {
		return []string{}
	}
	r.slabs.strings = slab
	return slab[start:len(slab):len(slab)]
}
