package wire

import "unsafe"

// The Pointer methods read a scalar into memory of its own and return where it
// is: optional members are held so. A few of one type share an allocation, as
// they share the memory of the message, and so do short arrays of strings, and strings
// that had escapes.

// slabs are the memory that optional scalars are handed out from.
type slabs struct {
	strings []string
	ints    []int64
	floats  []float64
	bools   []bool
	texts   []byte // of strings that had escapes
	many    int    // as how many such strings texts was made for
}

// ReadStringPointer is [Reader.ReadString] into new memory.
func (r *Reader) ReadStringPointer() *string { return hold(&r.slabs.strings, r.ReadString()) }

// ReadInt64Pointer is [Reader.ReadInt64] into new memory.
func (r *Reader) ReadInt64Pointer() *int64 { return hold(&r.slabs.ints, r.ReadInt64()) }

// ReadFloat64Pointer is [Reader.ReadFloat64] into new memory.
func (r *Reader) ReadFloat64Pointer() *float64 { return hold(&r.slabs.floats, r.ReadFloat64()) }

// ReadBoolPointer is [Reader.ReadBool] into new memory.
func (r *Reader) ReadBoolPointer() *bool { return hold(&r.slabs.bools, r.ReadBool()) }

// maxSlab is how many elements a slab has at most. Slabs grow from one element, for most
// messages have none or one.
const maxSlab = 16

// maxTexts is how long a slab of texts is at most, but for one text.
const maxTexts = 4 << 10

// hold puts v into the next free element of a slab.
func hold[T any](slab *[]T, v T) *T {
	if n := cap(*slab); len(*slab) == n {
		*slab = make([]T, 0, min(max(1, 2*n), maxSlab))
	}
	*slab = append(*slab, v)
	return &(*slab)[len(*slab)-1]
}

// holdText is hold for the text of a string that is not in the message as it is.
func (s *slabs) holdText(text []byte) string {
	if len(text) > cap(s.texts)-len(s.texts) {
		s.many = min(max(1, 2*s.many), maxSlab)
		s.texts = make([]byte, 0, max(len(text), min(s.many*len(text), maxTexts)))
	}
	n := len(s.texts)
	s.texts = append(s.texts, text...)
	return unsafe.String(&s.texts[n], len(text))
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
