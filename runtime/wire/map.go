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
// the caller decodes from r. A name that m has already is an error of r. After an error of r,
// Entry appends nothing.
func (m *Map[T]) Entry(r *Reader) *T {
	name := r.Name()
	if r.err == nil && !r.checked && hasName(r, *m, name) {
		r.Duplicate()
	}
	if r.err != nil {
		return new(T)
	}
	e := Extend(r, (*[]Entry[T])(m))
	*e = Entry[T]{Name: name}
	return &e.Value
}

// nameSet holds the names of a large Map while the Reader is in its object.
type nameSet struct {
	depth int // of the object
	names map[string]struct{}
}

// hasName reports whether m has a member called name. If not, it expects that the member is
// appended.
func hasName[T any](r *Reader, m Map[T], name string) bool {
	if len(m) <= fewNames {
		return m.index(name) >= 0
	}
	n := len(r.nameSets)
	if n == 0 || r.nameSets[n-1].depth != r.depth {
		r.nameSets = append(r.nameSets, nameSet{depth: r.depth})
		n++
	}
	set := &r.nameSets[n-1]
	if len(set.names) != len(m) { // new, or it belongs to another Map of the object
		set.names = make(map[string]struct{}, 2*len(m))
		for i := range m {
			set.names[m[i].Name] = struct{}{}
		}
	}
	if _, ok := set.names[name]; ok {
		return true
	}
	set.names[name] = struct{}{}
	return false
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

// AppendMembers appends the members to the object whose text dst ends in, each with a comma as
// [AppendName] does. A duplicate name is an error, and so is one that is in taken, the names of
// the members written before.
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

func appendMember(dst []byte, name string, value Raw) ([]byte, error) {
	dst, err := AppendKey(dst, name)
	if err != nil {
		return dst, err
	}
	dst, err = AppendRaw(dst, value)
	return dst, In(err, name)
}
