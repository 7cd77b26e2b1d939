package wire

import "sync"

// CodecV1 is referred to by generated code, so that code generated for another
// version of this package does not compile.
const CodecV1 = true

// MaxDepth is how deep arrays and objects may be nested: a text with this many
// levels is read, one with more is refused.
const MaxDepth = 1000

// Kind is the kind of a JSON value. Its value is the first byte of the kind's
// text, with '0' for all numbers and 't' for both booleans.
type Kind byte

// The kinds of values. KindInvalid is the kind of what is no value.
const (
	KindInvalid Kind = 0
	KindNull    Kind = 'n'
	KindBool    Kind = 't'
	KindNumber  Kind = '0'
	KindString  Kind = '"'
	KindArray   Kind = '['
	KindObject  Kind = '{'
)

// String returns the kind with its article, as error messages have it: "a string".
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "a boolean"
	case KindNumber:
		return "a number"
	case KindString:
		return "a string"
	case KindArray:
		return "an array"
	case KindObject:
		return "an object"
	}
	return "no value"
}

// kindOf returns the kind of the value that begins with c.
func kindOf(c byte) Kind {
	switch c {
	case '"', '{', '[', 'n', 't':
		return Kind(c)
	case 'f':
		return KindBool
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return KindNumber
	}
	return KindInvalid
}

// Appender is what can be written as one JSON value.
type Appender interface {
	// AppendJSON appends the value's text to dst and returns the longer slice.
	// What it appends holds no insignificant white space.
	// On an error the slice's content past len(dst) is unspecified.
	AppendJSON(dst []byte) ([]byte, error)
}

// Value is what can be written as, and read from, one JSON value.
type Value interface {
	Appender
	// DecodeJSON reads exactly one value from r and does not look at what
	// follows. It returns r.Err(). It must not keep r.
	DecodeJSON(r *Reader) error
}

// Validator is a value with rules that decoding does not enforce.
type Validator interface {
	// Validate returns nil or a [*ValidationError] with every broken rule.
	Validate() error
}

// Validate returns v.Validate() when v is a [Validator], else nil.
func Validate(v any) error {
	if v, ok := v.(Validator); ok {
		return v.Validate()
	}
	return nil
}

// maxPooled is the capacity past which a buffer is not kept for the next call.
const maxPooled = 1 << 16

// The pools hold scratch memory only, which no caller can see: a Reader handed
// to an interface method would otherwise be allocated for each call.
var (
	readers = sync.Pool{New: func() any { return new(Reader) }}
	buffers = sync.Pool{New: func() any { return new([]byte) }}
)

// Marshal returns the text of v.
func Marshal(v Appender) ([]byte, error) {
	buf := buffers.Get().(*[]byte)
	text, err := v.AppendJSON((*buf)[:0])
	switch {
	case err != nil:
		text = nil
	case cap(text) <= maxPooled:
		*buf = text
		text = append(make([]byte, 0, len(text)), text...)
	}
	buffers.Put(buf)
	return text, err
}

// Unmarshal decodes data, which must hold one value and otherwise only white
// space, into v. It copies data once; v does not refer to data afterwards.
func Unmarshal(data []byte, v Value) error {
	return UnmarshalString(string(data), v)
}

// UnmarshalString is [Unmarshal] without the copy: strings and raws in v share
// the memory of s.
func UnmarshalString(s string, v Value) error {
	r := readers.Get().(*Reader)
	r.src = s
	return r.unmarshal(v)
}

// UnmarshalChecked is [UnmarshalString] for a text that a [Reader] has read before, as
// one value or as a part of one: what v skips or keeps as it is written is not checked a
// second time. It is right only for those who know where the text comes from, since a
// Raw can be made of any string; of a malformed one v may keep a part that is malformed.
func UnmarshalChecked(text Raw, v Value) error {
	r := readers.Get().(*Reader)
	r.src, r.checked = string(text), true
	return r.unmarshal(v)
}

func (r *Reader) decode(v Value) error {
	err := v.DecodeJSON(r)
	if err == nil {
		r.End()
		err = r.Err()
	}
	return err
}

// unmarshal decodes the text into v and puts r, which is from the pool, back there.
func (r *Reader) unmarshal(v Value) error {
	err := r.decode(v)
	r.renew("", false)
	readers.Put(r)
	return err
}
