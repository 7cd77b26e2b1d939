package wire

import "sync"

// CodecV1 is referenced by generated code, so that code generated for another version of this
// package does not compile.
const CodecV1 = true

// MaxDepth is the maximum nesting of arrays and objects. Deeper text is an error.
const MaxDepth = 1000

// Kind is the kind of a JSON value. It is the first byte of the value's text, except that it is
// '0' for all numbers and 't' for both booleans.
type Kind byte

// The kinds of values. KindInvalid means that there is no value.
const (
	KindInvalid Kind = 0
	KindNull    Kind = 'n'
	KindBool    Kind = 't'
	KindNumber  Kind = '0'
	KindString  Kind = '"'
	KindArray   Kind = '['
	KindObject  Kind = '{'
)

// String returns the kind in the form of error messages: "a string".
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

// Appender is a value that can be encoded.
type Appender interface {
	// AppendJSON appends the value's text, without insignificant white space, to dst and returns
	// the extended slice. On an error, the content of the slice after len(dst) is unspecified.
	AppendJSON(dst []byte) ([]byte, error)
}

// Decoder is a value that can be decoded.
type Decoder interface {
	// DecodeJSON reads exactly one value from r, and nothing after it. It returns r.Err(). It
	// must not keep r.
	DecodeJSON(r *Reader) error
}

// Value is a value that can be encoded and decoded.
type Value interface {
	Appender
	Decoder
}

// New returns a new value of a type whose pointer is a [Value].
func New[T any, P interface {
	*T
	Value
}]() Value {
	return P(new(T))
}

// Checker is a value whose schema has rules that decoding does not check.
type Checker interface {
	// Check reports each value that the schema does not allow.
	Check(c *Collector)
}

// Validate returns a [*ValidationError] with all problems that v reports if it is a [Checker]. Otherwise, and if
// there are none, it returns nil.
func Validate(v any) error {
	checker, ok := v.(Checker)
	if !ok {
		return nil
	}
	c := collectors.Get().(*Collector)
	checker.Check(c)
	err := c.Err()
	*c = Collector{}
	collectors.Put(c)
	return err
}

// maxPooled is the maximum capacity of a buffer that is kept for the next call.
const maxPooled = 1 << 16

// The pools hold scratch memory that no caller can see. A Reader is passed to an interface method, so
// each use would allocate one: a tools/call in process would take 22 allocations and 2.3 kB instead of 20
// and 1.6 kB. Without the buffers, which need not grow, it would take 26 and 1.9 kB. A Collector is passed to
// an interface method, too.
var (
	readers = sync.Pool{New: func() any { return new(Reader) }}
	buffers = sync.Pool{New: func() any { return new([]byte) }}

	collectors = sync.Pool{New: func() any { return new(Collector) }}
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

// MarshalString is [Marshal] for a caller that needs a string, such as a [Raw].
func MarshalString(v Appender) (string, error) {
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	text, err := v.AppendJSON((*buf)[:0])
	if err != nil {
		return "", err
	}
	if cap(text) <= maxPooled {
		*buf = text
	}
	return string(text), nil
}

// Unmarshal decodes data, which must be one value with optional white space around it, into v. It
// copies data, so v does not refer to it.
func Unmarshal(data []byte, v Decoder) error {
	return UnmarshalString(string(data), v)
}

// UnmarshalStrict is [Unmarshal] for a v whose decoder relies on a text that has been checked: it reads all of data
// before it decodes it, so repeated members are an error.
func UnmarshalStrict(data []byte, v Decoder) error {
	r := readers.Get().(*Reader)
	r.src = string(data)
	text := r.ReadRaw()
	if r.End(); r.Err() != nil {
		return r.unmarshal(v)
	}
	r.renew(string(text), true)
	return r.unmarshal(v)
}

// UnmarshalString is [Unmarshal] without the copy: strings and raws in v share the memory of s.
func UnmarshalString(s string, v Decoder) error {
	r := readers.Get().(*Reader)
	r.src = s
	return r.unmarshal(v)
}

// UnmarshalChecked is [UnmarshalString] for a text that a [Reader] has read before, as one value or
// as a part of one. It does not check the parts again that v skips or keeps as text. Use it only
// if the text is known to come from a Reader: from malformed text, v may keep malformed parts.
func UnmarshalChecked(text Raw, v Decoder) error {
	r := readers.Get().(*Reader)
	r.src, r.checked = string(text), true
	return r.unmarshal(v)
}

func (r *Reader) decode(v Decoder) error {
	err := v.DecodeJSON(r)
	if err == nil {
		r.End()
		err = r.Err()
	}
	return err
}

// unmarshal decodes the text into v and returns r to the pool.
func (r *Reader) unmarshal(v Decoder) error {
	err := r.decode(v)
	r.renew("", false)
	readers.Put(r)
	return err
}
