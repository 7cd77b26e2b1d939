package wire

import (
	"iter"
	"slices"
	"strconv"
	"unsafe"
)

// Entry is a member of an object.
type Entry[T any] struct {
	Name  string
	Value T
}

// Map is an object whose members all have values of one type, in their order. Names are unique.
// A nil Map is absent and an empty one is {}.
//
// The methods search linearly. For many lookups in a large Map, maps.Collect(m.All()) makes a Go
// map.
type Map[T any] []Entry[T]

// Member is a member of an object with the text of its value.
type Member = Entry[Raw]

// Members are members of an object in their order, for example those that a type has no field
// for.
type Members = Map[Raw]

// Get returns the value of the member called name.
func (m Map[T]) Get(name string) (value T, ok bool) {
	if i := m.index(name); i >= 0 {
		return m[i].Value, true
	}
	return value, false
}

// Set sets the value of the member called name. It appends the member if m does not have it.
func (m *Map[T]) Set(name string, value T) {
	if i := m.index(name); i >= 0 {
		(*m)[i].Value = value
		return
	}
	*m = append(*m, Entry[T]{name, value})
}

// With returns m with the value of the member called name, as Set leaves it. It makes a Map of several members in
// one expression: wire.Map[string](nil).With("a", "1").With("b", "2").
func (m Map[T]) With(name string, value T) Map[T] {
	m = slices.Clip(m)
	if m.index(name) >= 0 {
		m = slices.Clone(m)
	}
	m.Set(name, value)
	return m
}

// Delete removes the member called name, if m has it.
func (m *Map[T]) Delete(name string) {
	if i := m.index(name); i >= 0 {
		*m = slices.Delete(*m, i, i+1)
	}
}

// Len returns the number of members.
func (m Map[T]) Len() int { return len(m) }

// All yields the names and values of the members in their order.
func (m Map[T]) All() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for i := range m {
			if !yield(m[i].Name, m[i].Value) {
				return
			}
		}
	}
}

func (m Map[T]) index(name string) int {
	for i := range m {
		if m[i].Name == name {
			return i
		}
	}
	return -1
}

// Entry appends a member with the name that r is at, and returns a pointer to its value, which
// the caller decodes from r. After an error of r, Entry appends nothing.
func (m *Map[T]) Entry(r *Reader) *T {
	if r.err != nil {
		return new(T)
	}
	e := extend(r, (*[]Entry[T])(m))
	*e = Entry[T]{Name: r.Name()}
	return &e.Value
}

// Check returns an error if m has a duplicate name or a name that is in taken. Encoders call it,
// because a program can make a Map with duplicate names.
func (m Map[T]) Check(taken ...string) error {
	var seen map[string]struct{}
	if len(m) > fewNames {
		seen = make(map[string]struct{}, len(m))
	}
	for i := range m {
		name := m[i].Name
		duplicate := slices.Contains(taken, name)
		if seen == nil {
			duplicate = duplicate || m[:i].index(name) >= 0
		} else if _, ok := seen[name]; ok {
			duplicate = true
		} else {
			seen[name] = struct{}{}
		}
		if duplicate {
			return encodingError("duplicate member " + strconv.Quote(shown(name)))
		}
	}
	return nil
}

// appendMembers appends the members to the object whose text dst ends in, each with a comma as
// [AppendName] does. A duplicate name is an error, and so is one that is in taken, the names of
// the members written before.
func appendMembers(dst []byte, m Members, taken ...string) ([]byte, error) {
	if err := m.Check(taken...); err != nil {
		return dst, err
	}
	for i := range m {
		var err error
		if dst, err = appendMember(dst, m[i].Name, m[i].Value); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func appendMember(dst []byte, name string, value Raw) ([]byte, error) {
	dst, err := AppendKey(dst, name)
	if err != nil {
		return dst, err
	}
	dst, err = value.AppendJSON(dst)
	return dst, In(err, name)
}

// ReadAll reads an array whose elements a function reads.
func ReadAll[T any](r *Reader, read func(*Reader) T) []T {
	all := []T{}
	for r.BeginArray(); r.Element(); {
		*extend(r, &all) = read(r)
	}
	return all
}

// ReadDecoded reads an array whose elements decode themselves.
func ReadDecoded[T any, P interface {
	*T
	Decoder
}](r *Reader) []T {
	all := []T{}
	for r.BeginArray(); r.Element(); {
		_ = P(extend(r, &all)).DecodeJSON(r) // r keeps the error
	}
	return all
}

// ReadPointer reads a value that decodes itself, and returns a pointer to it.
func ReadPointer[T any, P interface {
	*T
	Decoder
}](r *Reader) *T {
	v := new(T)
	_ = P(v).DecodeJSON(r) // r keeps the error
	return v
}

// ReadNullable reads a value, or null as the zero value.
func ReadNullable[T any](r *Reader, read func(*Reader) T) (v T) {
	if !r.ReadNull() {
		v = read(r)
	}
	return v
}

// ReadOptional reads the value of a member that may be null.
func ReadOptional[T any](r *Reader, read func(*Reader) T) Optional[T] {
	if r.ReadNull() {
		return Null[T]()
	}
	return Some(read(r))
}

// ValuePointer writes a member whose value encodes itself, if p is not nil.
func ValuePointer[T any, P interface {
	*T
	Appender
}](w *Writer, name string, p *T) {
	if p != nil {
		w.Value(name, P(p))
	}
}

// PutStrings writes an array of strings.
func PutStrings[S ~string](w *Writer, all []S) {
	putArray(w, all, func(s *S) { w.PutString(string(*s)) })
}

// PutAll writes an array whose elements encode themselves, see [Writer.Put].
func PutAll[A Appender](w *Writer, all []A) {
	putArray(w, all, func(v *A) { w.Put(*v) })
}

// PutEach is [PutAll] for elements that their pointers encode.
func PutEach[T any, P interface {
	*T
	Appender
}](w *Writer, all []T) {
	putArray(w, all, func(v *T) { w.Put(P(v)) })
}

// putArray writes an array whose elements a function writes.
func putArray[T any](w *Writer, all []T, put func(*T)) {
	w.BeginArray()
	for i := range all {
		w.Element()
		put(&all[i])
	}
	w.EndArray()
}

// few is the initial capacity of an array. Most arrays of messages are short.
const few = 4

// extend appends a zero element to *s and returns a pointer to it, so that it can be decoded in
// place.
func extend[T any](r *Reader, s *[]T) *T {
	n := len(*s)
	if n == cap(*s) {
		longer := make([]T, n, n+r.room(n, int(unsafe.Sizeof(*new(T)))))
		copy(longer, *s)
		*s = longer
	}
	*s = (*s)[:n+1]
	return &(*s)[n]
}

// room returns the number of elements to allocate after n elements of a size, which the compiler knows. It
// estimates how many follow from the average length of their text, so that a long list is not copied often. The
// result is bounded by the number of elements before or, in an array that is most of the text, by the memory that
// the rest of the text takes.
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
		if r.lenient.lenience&LeaveOut == 0 {
			_ = read(extend(r, &list), r) // r keeps the error
			continue
		}
		before := r.position()
		r.trying++ // errors of elements do not need a pointer yet
		_ = read(extend(r, &list), r)
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
