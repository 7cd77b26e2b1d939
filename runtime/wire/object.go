package wire

import (
	"iter"
	"slices"
	"strings"
)

// Object is a [Raw] that is an object. It keeps the order of members and the text of numbers. ""
// stands for an absent object, which methods treat as one without members.
//
// Methods that look up members check no more of the text than they need. They ignore what
// follows the first error.
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

// Kind returns KindObject, or KindInvalid if o is absent or not an object.
func (o Object) Kind() Kind {
	if k := Raw(o).Kind(); k == KindObject {
		return k
	}
	return KindInvalid
}

// find returns a Reader at the value of the first member called name. It does not check the text.
func (o Object) find(name string) (r Reader, ok bool) {
	if o == "" {
		return Reader{}, false
	}
	r = Reader{src: string(o), checked: true, trying: 1}
	ok = r.find(name)
	return r, ok
}

// Get returns the value of the member called name.
func (o Object) Get(name string) (Raw, bool) {
	r, ok := o.find(name)
	if !ok {
		return "", false
	}
	value := r.ReadRaw()
	return value, value != ""
}

// GetString returns the value of the member called name, unescaped. It returns "" if there is no
// such member or its value is not a string.
func (o Object) GetString(name string) string {
	r, ok := o.find(name)
	if !ok {
		return ""
	}
	return r.ReadString()
}

// GetScalar returns the value of the member called name. It returns false if there is no such member or
// its value is an array or object.
func (o Object) GetScalar(name string) (Scalar, bool) {
	r, ok := o.find(name)
	if !ok {
		return Scalar{}, false
	}
	s := r.ReadScalar(scalarAny)
	return s, r.err == nil
}

// All yields the members in their order.
func (o Object) All() iter.Seq2[string, Raw] {
	return func(yield func(string, Raw) bool) {
		if o == "" {
			return
		}
		r := Reader{src: string(o), checked: true, trying: 1}
		for r.BeginObject(); r.Member(); {
			name := r.Name()
			if value := r.ReadRaw(); value == "" || !yield(name, value) {
				return
			}
		}
	}
}

// Members returns the members of o. They share the memory of o.
func (o Object) Members() Members {
	var members Members
	for name, value := range o.All() {
		members = append(members, Member{Name: name, Value: value})
	}
	return members
}

// Len returns the number of members.
func (o Object) Len() int {
	n := 0
	for range o.All() {
		n++
	}
	return n
}

// With returns o with the value of the member called name replaced, or with such a member
// appended. It treats an absent o as {}.
func (o Object) With(name string, value Raw) (Object, error) {
	if o == "" {
		o = "{}"
	}
	text, err := AppendObject(nil, o)
	if err != nil {
		return "", err
	}
	src := string(text)
	r, ok := Object(src).find(name)
	if !ok {
		dst, err := appendMember(text[:len(text)-1], name, value)
		if err != nil {
			return "", err
		}
		return Object(append(dst, '}')), nil
	}
	start := r.pos
	r.Skip()
	dst, err := AppendRaw([]byte(src[:start]), value)
	if err != nil {
		return "", In(err, name)
	}
	return Object(append(dst, src[r.pos:]...)), nil
}

// Without returns o without the members called names.
func (o Object) Without(names ...string) Object {
	dst := []byte{'{'}
	r := Reader{src: string(o), checked: true, trying: 1}
	for r.BeginObject(); r.Member(); {
		keep, start := !slices.Contains(names, r.Name()), r.nameAt
		r.Skip()
		if keep && r.err == nil {
			dst = append(AppendComma(dst), r.src[start:r.pos]...)
		}
	}
	return Object(append(dst, '}'))
}

// Clone returns a copy of o, as [Raw.Clone] does.
func (o Object) Clone() Object { return Object(strings.Clone(string(o))) }

// AppendJSON implements [Appender] with [AppendObject].
func (o Object) AppendJSON(dst []byte) ([]byte, error) { return AppendObject(dst, o) }

// DecodeJSON implements [Value].
func (o *Object) DecodeJSON(r *Reader) error {
	*o = r.ReadObject()
	return r.Err()
}

// MarshalJSON implements the interface of encoding/json.
func (o Object) MarshalJSON() ([]byte, error) { return Marshal(o) }

// UnmarshalJSON implements the interface of encoding/json.
func (o *Object) UnmarshalJSON(data []byte) error { return Unmarshal(data, o) }
