package wire

import (
	"slices"
	"strings"
)

// What is in this file is for maps of objects, such as the properties of a schema: the
// maps that messages have most.

// ReadObjects reads an object whose members are objects.
func (r *Reader) ReadObjects() map[string]Object {
	m := map[string]Object{}
	var met uint64 // the bits of the names
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		bit := nameBit(name)
		if met&bit != 0 {
			if _, ok := m[name]; ok {
				r.Duplicate()
			}
		}
		met |= bit
		m[name] = r.ReadObject()
	}
	return m
}

// nameBit returns a bit of a name: most names of an object have different ones. It is less
// than that of plainName, and takes no scan of the name.
func nameBit(name string) uint64 {
	n := len(name)
	if n == 0 {
		return 1
	}
	x := uint64(n)<<16 + uint64(name[n-1])<<8 + uint64(name[0])
	return 1 << (x * 0x9e3779b97f4a7c15 >> 58)
}

// AppendObjects appends an object whose members are those of m, by their names.
func AppendObjects(dst []byte, m map[string]Object) ([]byte, error) {
	type member struct {
		name  string
		value Object
	}
	var few [8]member
	members := few[:0]
	if len(m) > len(few) {
		members = make([]member, 0, len(m))
	}
	for name, value := range m {
		members = append(members, member{name, value})
	}
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	dst = append(dst, '{')
	for i, x := range members {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = AppendString(dst, x.name); err != nil {
			return dst, In(err, x.name)
		}
		if dst, err = AppendObject(append(dst, ':'), x.value); err != nil {
			return dst, In(err, x.name)
		}
	}
	return append(dst, '}'), nil
}
