package wire

import "strings"

// Optional scalars are held by pointers. Scalars of one type that a Reader decodes share an
// allocation, and so do short arrays of strings and strings that had escapes. They share the
// memory of the message anyway, so this does not keep more memory alive.

// slabs is the memory that such values are taken from.
type slabs struct {
	strings []string
	ints    []int64
	floats  []float64
	bools   []bool
	texts   strings.Builder // strings that had escapes
	grown   int             // the number of strings that texts had room for
}

// maxSlab is the maximum length of a slab. Slabs begin with one element, because most messages
// need none or one.
const maxSlab = 16

// maxTexts is the maximum size of a slab of strings, in bytes. A longer string has its own.
const maxTexts = 4 << 10

// ReadStringPointer is [Reader.ReadString] with a pointer to the result.
func (r *Reader) ReadStringPointer() *string { return hold(&r.slabs.strings, r.ReadString()) }

// ReadInt64Pointer is [Reader.ReadInt64] with a pointer to the result.
func (r *Reader) ReadInt64Pointer() *int64 { return hold(&r.slabs.ints, r.ReadInt64()) }

// ReadFloat64Pointer is [Reader.ReadFloat64] with a pointer to the result.
func (r *Reader) ReadFloat64Pointer() *float64 { return hold(&r.slabs.floats, r.ReadFloat64()) }

// ReadBoolPointer is [Reader.ReadBool] with a pointer to the result.
func (r *Reader) ReadBoolPointer() *bool { return hold(&r.slabs.bools, r.ReadBool()) }

// hold puts v into the next free element of a slab.
func hold[T any](slab *[]T, v T) *T {
	if n := cap(*slab); len(*slab) == n {
		*slab = make([]T, 0, min(max(1, 2*n), maxSlab))
	}
	*slab = append(*slab, v)
	return &(*slab)[len(*slab)-1]
}

// text returns a copy of text. The copies share the memory of a strings.Builder.
func (s *slabs) text(text []byte) string {
	if len(text) > s.texts.Cap()-s.texts.Len() {
		s.grown = min(max(1, 2*s.grown), maxSlab)
		s.texts = strings.Builder{}
		s.texts.Grow(max(len(text), min(s.grown*len(text), maxTexts)))
	}
	n := s.texts.Len()
	s.texts.Write(text)
	return s.texts.String()[n:]
}
