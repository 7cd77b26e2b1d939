package wire

import (
	"slices"
	"strconv"
)

// Member is a name/value pair of an object.
type Member struct {
	Name  string
	Value Raw
}

// Members are members of an object in their order: those that a type has no
// field for. No name stands twice in them.
type Members []Member

// Get returns the value of the member called name.
func (m Members) Get(name string) (Raw, bool) {
	if i := m.index(name); i >= 0 {
		return m[i].Value, true
	}
	return "", false
}

// Set gives the member called name a value, appending it when there is none.
func (m *Members) Set(name string, value Raw) {
	if i := m.index(name); i >= 0 {
		(*m)[i].Value = value
		return
	}
	*m = append(*m, Member{name, value})
}

// Delete removes the member called name, if there is one.
func (m *Members) Delete(name string) {
	if i := m.index(name); i >= 0 {
		*m = slices.Delete(*m, i, i+1)
	}
}

func (m Members) index(name string) int {
	for i := range m {
		if m[i].Name == name {
			return i
		}
	}
	return -1
}

// memberIndex is the set of names of a large object's Members, kept while the
// Reader is in that object.
type memberIndex struct {
	depth int // of the object
	count int // how many members are in the set
	names nameTable
}

// Decode reads the value of the member that r is at, and appends the member. A
// name that is in m already is an error.
func (m *Members) Decode(r *Reader) {
	if r.err != nil {
		return
	}
	member := Member{Name: r.Name()}
	if !r.checked && r.knows(*m, member.Name) {
		r.Duplicate()
		return
	}
	member.Value = r.ReadRaw()
	switch {
	case r.err != nil:
	case len(*m) < fewNames:
		*m = append(*m, member)
	default:
		*Extend(r, (*[]Member)(m)) = member
	}
}

// knows reports whether name is in m, and counts on it being appended to m if not.
func (r *Reader) knows(m Members, name string) bool {
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

// Append appends the members to the object whose text dst ends in, each with a
// comma as by [AppendName]. A name that stands twice, or is one of taken, the
// names of the members written already, is an error.
func (m Members) Append(dst []byte, taken ...string) ([]byte, error) {
	if len(m) == 0 {
		return dst, nil
	}
	if name, ok := m.clash(taken); ok {
		return dst, encodingError("duplicate member " + strconv.Quote(shown(name)))
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
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',')
	}
	dst, err := AppendString(dst, name)
	if err != nil {
		return dst, encodingError("invalid UTF-8 in the member name " + strconv.Quote(shown(name)))
	}
	dst, err = AppendRaw(append(dst, ':'), value)
	return dst, In(err, name)
}

// clash returns a name that stands twice in m or is one of taken.
func (m Members) clash(taken []string) (string, bool) {
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
