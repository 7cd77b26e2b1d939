package wire

import (
	"iter"
	"slices"
	"strconv"
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
	dst, err := appendMembers([]byte{'{'}, members)
	if err != nil {
		return "", err
	}
	return Object(append(dst, '}')), nil
}

// Kind returns KindObject, or 0 if o is absent or not an object.
func (o Object) Kind() Kind {
	if k := Raw(o).Kind(); k == KindObject {
		return k
	}
	return 0
}

// find returns a Reader at the value of the first member called name. It does not check the text.
func (o Object) find(name string) (r Reader, ok bool) {
	if o == "" {
		return Reader{}, false
	}
	r = Reader{src: string(o), trying: 1}
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
	s := r.ReadScalar(scalars)
	return s, r.err == nil
}

// All yields the members in their order.
func (o Object) All() iter.Seq2[string, Raw] {
	return func(yield func(string, Raw) bool) {
		if o == "" {
			return
		}
		r := Reader{src: string(o), trying: 1}
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
	text, err := o.AppendJSON(nil)
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
	dst, err := value.AppendJSON([]byte(src[:start]))
	if err != nil {
		return "", In(err, name)
	}
	return Object(append(dst, src[r.pos:]...)), nil
}

// Without returns o without the members called names.
func (o Object) Without(names ...string) Object {
	dst := []byte{'{'}
	r := Reader{src: string(o), trying: 1}
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

// AppendJSON is [Raw.AppendJSON] for a value that must be an object.
func (o Object) AppendJSON(dst []byte) ([]byte, error) {
	src := string(o)
	i := skipSpace(src, 0)
	if i < len(src) && src[i] != '{' {
		return dst, encodingError("expected an object, found " + kindOf[src[i]].String())
	}
	return appendChecked(dst, src, "an object")
}

// DecodeJSON implements [Value].
func (o *Object) DecodeJSON(r *Reader) error {
	*o = r.ReadObject()
	return r.Err()
}

// MarshalJSON implements the interface of encoding/json.
func (o Object) MarshalJSON() ([]byte, error) { return Marshal(o) }

// UnmarshalJSON implements the interface of encoding/json.
func (o *Object) UnmarshalJSON(data []byte) error { return Unmarshal(data, o) }

// Raw is the source text of one JSON value. It is immutable, so it can share the memory of the
// text that it was read from. "" stands for an absent value.
//
// A Raw from a Reader is well formed. One that a program makes is checked when it is written.
type Raw string

// Kind returns the kind of the value, judged by its first byte.
func (x Raw) Kind() Kind {
	i := skipSpace(string(x), 0)
	if i == len(x) {
		return 0
	}
	return kindOf[x[i]]
}

// Str returns the meaning of a well-formed string without white space around it. For any other
// text, ok is false.
func (x Raw) Str() (s string, ok bool) {
	end, escaped := stringEnd(string(x), 0)
	switch {
	case end != len(x):
		return "", false
	case escaped:
		return unquote(string(x[1 : end-1])), true
	}
	return string(x[1 : end-1]), true
}

// ArrayOf returns the array of elements that are well formed.
func ArrayOf[T ~string](elements []T) Raw {
	text := []byte{'['}
	for _, e := range elements {
		text = append(AppendComma(text), e...)
	}
	return Raw(append(text, ']'))
}

// Elements returns the elements of an array, and nil for any other value. In malformed text, it ends
// where it finds no other element.
func (x Raw) Elements() []Raw {
	if x.Kind() != KindArray {
		return nil
	}
	var all []Raw
	r := Reader{src: string(x)}
	for r.BeginArray(); r.Element(); {
		element := r.ReadRaw()
		if r.err != nil {
			break
		}
		all = append(all, element)
	}
	return all
}

// Clone returns a copy of x that does not share the memory of the message that x was read from.
// Programs that keep a small part of a message should keep a clone, because the part holds the
// memory of the whole message.
func (x Raw) Clone() Raw { return Raw(strings.Clone(string(x))) }

// AppendJSON checks x as [Reader.ReadRaw] does and appends it without insignificant white space.
// An absent Raw is an error.
func (x Raw) AppendJSON(dst []byte) ([]byte, error) {
	return appendChecked(dst, string(x), "a value")
}

// DecodeJSON implements [Value].
func (x *Raw) DecodeJSON(r *Reader) error {
	*x = r.ReadRaw()
	return r.Err()
}

// MarshalJSON implements the interface of encoding/json.
func (x Raw) MarshalJSON() ([]byte, error) { return Marshal(x) }

// UnmarshalJSON implements the interface of encoding/json.
func (x *Raw) UnmarshalJSON(data []byte) error { return Unmarshal(data, x) }

// At returns the value at a JSON Pointer, which is "" for r itself.
func (r Raw) At(pointer string) (value Raw, ok bool) {
	for pointer != "" {
		token, rest, more := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
		if r, ok = r.Child(PointerName(token)); !ok || pointer[0] != '/' {
			return "", false
		}
		if pointer = ""; more {
			pointer = "/" + rest
		}
	}
	return r, true
}

// Child returns the member with a name, or the element with an index in decimal digits.
func (r Raw) Child(name string) (value Raw, ok bool) {
	switch r.Kind() {
	case KindObject:
		return Object(r).Get(name)
	case KindArray:
		i, err := strconv.ParseUint(name, 10, 31)
		if all := r.Elements(); err == nil && int(i) < len(all) && (len(name) == 1 || name[0] != '0') {
			return all[i], true
		}
	}
	return "", false
}
