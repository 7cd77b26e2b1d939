package wire

import (
	"iter"
	"slices"
	"strconv"
)

// Entry is a member of an object.
type Entry[T any] struct {
	Name  string
	Value T
}

// Map is an object whose members all have values of one type, in their order. No name
// stands twice in it. A nil Map is absent and an empty one is {}.
//
// The methods look through the entries one by one. For many lookups in a large Map,
// maps.Collect(m.All()) makes a Go map.
type Map[T any] []Entry[T]

// Member is a member of an object with the text of its value.
type Member = Entry[Raw]

// Members are members of an object in their order: those that a type has no field for.
type Members = Map[Raw]

// Get returns the value of the member called name.
func (m Map[T]) Get(name string) (value T, ok bool) {
	if i := m.index(name); i >= 0 {
		return m[i].Value, true
	}
	return value, false
}

// Set sets the value of the member called name. It appends the member if m has none of
// that name.
func (m *Map[T]) Set(name string, value T) {
	if i := m.index(name); i >= 0 {
		(*m)[i].Value = value
		return
	}
	*m = append(*m, Entry[T]{name, value})
}

// Delete removes the member called name, if m has one.
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

// memberIndex is the set of names of a large Map, kept while the Reader is in its object.
type memberIndex struct {
	depth int // of the object
	count int // how many members are in the set
	names nameTable
}

// Entry appends a member with the name that r is at and returns where its value is to be
// decoded from r. A name that is in m already is an error of r. After an error of r, Entry
// appends nothing.
func (m *Map[T]) Entry(r *Reader) *T {
	name := r.Name()
	if r.err == nil && !r.checked && knows(r, *m, name) {
		r.Duplicate()
	}
	if r.err != nil {
		return new(T)
	}
	e := Extend(r, (*[]Entry[T])(m))
	*e = Entry[T]{Name: name}
	return &e.Value
}

// knows reports whether name is in m, and counts on it being appended to m if not.
func knows[T any](r *Reader, m Map[T], name string) bool {
	if len(m) <= fewNames {
		return m.index(name) >= 0
	}
	n := len(r.indexes)
	if n == 0 || r.indexes[n-1].depth != r.depth {
		r.indexes = append(r.indexes, memberIndex{depth: r.depth})
		n++
	}
	x := &r.indexes[n-1]
	nameOf := func(i int) string {
		if i == len(m) {
			return name
		}
		return m[i].Name
	}
	if x.count != len(m) || !x.names.fits(len(m)+1) {
		x.names.reset(2 * len(m))
		for i := range m {
			x.names.add(i, nameOf)
		}
	}
	x.count = len(m) + 1
	return !x.names.add(len(m), nameOf)
}

// Check returns an error if a name stands twice in m or is one of taken. Code that writes
// a Map calls it, because a Map made by hand can be wrong.
func (m Map[T]) Check(taken ...string) error {
	if name, ok := m.clash(taken); ok {
		return encodingError("duplicate member " + strconv.Quote(shown(name)))
	}
	return nil
}

// AppendMembers appends the members to the object whose text dst ends in, each with a
// comma as by [AppendName]. A name that stands twice, or is one of taken, the names of
// the members written already, is an error.
func AppendMembers(dst []byte, m Members, taken ...string) ([]byte, error) {
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

// appendMember appends a member whose name and value come from outside.
func appendMember(dst []byte, name string, value Raw) ([]byte, error) {
	dst, err := AppendKey(dst, name)
	if err != nil {
		return dst, err
	}
	dst, err = AppendRaw(dst, value)
	return dst, In(err, name)
}

// clash returns a name that stands twice in m or is one of taken.
func (m Map[T]) clash(taken []string) (string, bool) {
	if len(m) <= fewNames {
		for i := range m {
			if name := m[i].Name; m[:i].index(name) >= 0 || slices.Contains(taken, name) {
				return name, true
			}
		}
		return "", false
	}
	var names nameTable
	names.reset(len(m) + len(taken))
	nameOf := func(i int) string {
		if i < len(taken) {
			return taken[i]
		}
		return m[i-len(taken)].Name
	}
	for i := range len(taken) + len(m) {
		if !names.add(i, nameOf) && i >= len(taken) {
			return nameOf(i), true
		}
	}
	return "", false
}
