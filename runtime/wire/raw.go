package wire

import "strings"

// Raw is the source text of one JSON value. It is immutable, so it can share the memory of the
// text that it was read from. "" stands for an absent value.
//
// A Raw from a Reader is well formed. One that a program makes is checked when it is written.
type Raw string

// Kind returns the kind of the value, judged by its first byte.
func (x Raw) Kind() Kind {
	i := skipSpace(string(x), 0)
	if i == len(x) {
		return KindInvalid
	}
	return kindOf(x[i])
}

// Str returns the meaning of a well-formed string without white space around it. For any other
// text, ok is false.
func (x Raw) Str() (s string, ok bool) {
	if len(x) < 2 || x[0] != '"' {
		return "", false
	}
	end, escaped, ok := scanString(string(x), 0)
	switch {
	case !ok || end != len(x):
		return "", false
	case escaped:
		return unquote(string(x[1 : end-1])), true
	}
	return string(x[1 : end-1]), true
}

// Elements returns the elements of an array, and nil for any other value. In malformed text, it
// returns the elements before the first error.
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

// AppendJSON implements [Appender] with [AppendRaw].
func (x Raw) AppendJSON(dst []byte) ([]byte, error) { return AppendRaw(dst, x) }

// DecodeJSON implements [Value].
func (x *Raw) DecodeJSON(r *Reader) error {
	*x = r.ReadRaw()
	return r.Err()
}

// MarshalJSON implements the interface of encoding/json.
func (x Raw) MarshalJSON() ([]byte, error) { return Marshal(x) }

// UnmarshalJSON implements the interface of encoding/json.
func (x *Raw) UnmarshalJSON(data []byte) error { return Unmarshal(data, x) }
