package wire

import (
	"iter"
	"slices"
	"strings"
)

// Raw is the source text of one JSON value. Being immutable, it can share the
// memory of the text it was read from. "" stands for an absent value.
//
// A Raw from a Reader is well formed; one made by hand is checked when it is written.
type Raw string

// Kind returns the kind of the value by its first byte.
func (x Raw) Kind() Kind {
	i := skipSpace(string(x), 0)
	if i == len(x) {
		return KindInvalid
	}
	return kindOf(x[i])
}

// Elements returns the elements of an array, and nil for any other value. In malformed
// text it returns the elements before the mistake.
func (x Raw) Elements() []Raw {
	if x.Kind() != KindArray {
		return nil
	}
	var all []Raw
	r := NewStringReader(string(x))
	for r.BeginArray(); r.Element(); {
		element := r.ReadRaw()
		if r.Err() != nil {
			break
		}
		all = append(all, element)
	}
	return all
}

// Clone returns a copy of x that shares no memory with the message x was read from.
// What keeps a value beyond the call that brought it keeps a clone: a part of a message,
// however small, holds the memory of the whole.
func (x Raw) Clone() Raw { return Raw(strings.Clone(string(x))) }

// AppendJSON implements [Appender] by [AppendRaw].
func (x Raw) AppendJSON(dst []byte) ([]byte, error) { return AppendRaw(dst, x) }

// DecodeJSON implements [Value].
func (x *Raw) DecodeJSON(r *Reader) error {
	*x = r.ReadRaw()
	return r.Err()
}

// MarshalJSON returns the value's text. It makes x known to the standard library.
func (x Raw) MarshalJSON() ([]byte, error) { return Marshal(x) }

// UnmarshalJSON sets x to a copy of data. It makes x known to the standard library.
func (x *Raw) UnmarshalJSON(data []byte) error { return Unmarshal(data, x) }

// Object is a [Raw] that is an object. The order of members and the text of
// numbers stay as they were. "" stands for an absent object; the methods that
// look into it treat it as one without members.
type Object string

// NewObject returns the object with the given members, in their order. A duplicate name and a
// value that is not well formed are errors.
func NewObject(members ...Member) (Object, error) {
	dst, err := AppendMembers([]byte{'{'}, members)
	if err != nil {
		return "", err
	}
	return Object(append(dst, '}')), nil
}

// Kind returns KindObject, or KindInvalid when o is absent or no object.
func (o Object) Kind() Kind {
	if k := Raw(o).Kind(); k == KindObject {
		return k
	}
	return KindInvalid
}

// Get returns the value of the member called name.
func (o Object) Get(name string) (Raw, bool) {
	c, ok := openObject(string(o), 0)
	if !ok || !c.find(name) {
		return "", false
	}
	return c.value()
}

// GetString returns the value of the member called name, unescaped. It returns "" if there is no
// such member or its value is not a string.
func (o Object) GetString(name string) string {
	c, ok := openObject(string(o), 0)
	if !ok {
		return ""
	}
	s, _ := c.findString(name)
	return s
}

// All yields the members in their order. In malformed text it ends where that
// shows.
func (o Object) All() iter.Seq2[string, Raw] {
	return func(yield func(string, Raw) bool) {
		c, ok := openObject(string(o), 0)
		for ok && c.next() {
			value, good := c.value()
			ok = good && yield(c.name, value)
		}
	}
}

// Len returns how many members there are.
func (o Object) Len() int {
	n := 0
	c, ok := openObject(string(o), 0)
	for ok && c.next() {
		n++
	}
	return n
}

// With returns o with the value of the member called name replaced, or such a
// member appended. An absent o counts as {}.
func (o Object) With(name string, value Raw) (Object, error) {
	src := "{}"
	if o != "" {
		text, err := AppendObject(nil, o)
		if err != nil {
			return "", err
		}
		src = string(text)
	}
	c, _ := openObject(src, 0)
	var dst []byte
	var err error
	if c.find(name) {
		c.skip()
		dst, err = AppendRaw(append(dst, src[:c.pos]...), value)
		if err != nil {
			return "", In(err, name)
		}
		return Object(append(dst, src[c.end:]...)), nil
	}
	dst, err = appendMember(append(dst, strings.TrimSuffix(src, "}")...), name, value)
	if err != nil {
		return "", err
	}
	return Object(append(dst, '}')), nil
}

// Without returns o without the members called names.
func (o Object) Without(names ...string) Object {
	dst := []byte{'{'}
	c, ok := openObject(string(o), 0)
	for ok && c.next() {
		if ok = c.skip(); ok && !slices.Contains(names, c.name) {
			dst = append(AppendComma(dst), c.src[c.nameAt:c.end]...)
		}
	}
	return Object(append(dst, '}'))
}

// Members returns the members of o, which share its memory.
func (o Object) Members() Members {
	var members Members
	for name, value := range o.All() {
		members = append(members, Member{Name: name, Value: value})
	}
	return members
}

// Clone returns a copy of o, as [Raw.Clone] does.
func (o Object) Clone() Object { return Object(strings.Clone(string(o))) }

// AppendJSON implements [Appender] by [AppendObject].
func (o Object) AppendJSON(dst []byte) ([]byte, error) { return AppendObject(dst, o) }

// DecodeJSON implements [Value].
func (o *Object) DecodeJSON(r *Reader) error {
	*o = r.ReadObject()
	return r.Err()
}

// MarshalJSON returns the object's text. It makes o known to the standard library.
func (o Object) MarshalJSON() ([]byte, error) { return Marshal(o) }

// UnmarshalJSON sets o to a copy of data. It makes o known to the standard library.
func (o *Object) UnmarshalJSON(data []byte) error { return Unmarshal(data, o) }
