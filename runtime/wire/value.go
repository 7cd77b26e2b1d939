package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// GeneratedV1 is true while the packages that generated code calls are compatible with what mcpgen has generated for
// their first version: this package, runtime, and the packages below it. Generated code refers to it, so that a
// mismatch does not compile.
const GeneratedV1 = true

// MaxDepth is the maximum nesting of arrays and objects. Deeper text is an error.
const MaxDepth = 1000

// Kind is the kind of a JSON value, or a set of kinds. The zero Kind means that there is no value.
type Kind uint8

// The kinds of values. An integer is a number without a fraction, of any size and in any notation, such as 1, 1.0 and
// 1e400. KindInteger occurs in sets only: the kind of an integer is KindNumber, and so a set of numbers has all integers.
const (
	KindNull Kind = 1 << iota
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
	KindInteger

	// KindAny is the set of all kinds.
	KindAny = scalars | KindArray | KindObject | KindInteger

	scalars = KindNull | KindBool | KindNumber | KindString
)

// Has reports whether the kind of a well-formed value is in the set.
func (k Kind) Has(x Raw) bool { return k.has(x.Kind(), x) }

// has reports whether a set has a value of a kind. Text is that of a number.
func (k Kind) has(kind Kind, text Raw) bool {
	return k&kind != 0 || kind == KindNumber && k&KindInteger != 0 && text.IsInteger()
}

// String returns the kinds in the form of error messages: "a string, a number or null".
func (k Kind) String() string {
	var words []string
	for _, row := range []struct {
		kind Kind
		name string
	}{
		{KindObject, "an object"}, {KindArray, "an array"}, {KindString, "a string"}, {KindNumber, "a number"},
		{KindInteger, "an integer"}, {KindBool, "a boolean"}, {KindNull, "null"},
	} {
		if k&row.kind != 0 && (row.kind != KindInteger || k&KindNumber == 0) {
			words = append(words, row.name)
		}
	}
	switch last := len(words) - 1; last {
	case -1:
		return "no value"
	case 0:
		return words[0]
	default:
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
}

// kindOf has the kind of the value that begins with a byte.
var kindOf = [256]Kind{
	'"': KindString, '{': KindObject, '[': KindArray, 'n': KindNull, 't': KindBool, 'f': KindBool,
	'-': KindNumber, '0': KindNumber, '1': KindNumber, '2': KindNumber, '3': KindNumber, '4': KindNumber,
	'5': KindNumber, '6': KindNumber, '7': KindNumber, '8': KindNumber, '9': KindNumber,
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
// an interface method, too: each check would allocate 256 bytes more, and a call without a session 2.3 kB, not 2.1.
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

// UnmarshalString is [Unmarshal] without the copy: strings and raws in v share the memory of s.
func UnmarshalString(s string, v Decoder) error {
	r := readers.Get().(*Reader)
	r.src = s
	r.check()
	return r.unmarshal(v)
}

// UnmarshalChecked is [UnmarshalString] for a value that is known to be well formed, which it does not check; see
// [Raw.Reader].
func UnmarshalChecked(text Raw, v Decoder) error {
	r := readers.Get().(*Reader)
	r.trust(text)
	return r.unmarshal(v)
}

// Parse checks a text, which must be one value with optional white space around it, and returns the value.
func Parse(text string) (Raw, error) {
	r := Reader{src: text}
	value := r.check()
	if r.err != nil {
		return "", r.Err()
	}
	return Raw(text[value.start:value.end]), nil
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
	r.Renew("")
	readers.Put(r)
	return err
}

// Codec decodes and checks the values of a type that is not a [Value], for a [Box].
type Codec[T any] interface {
	// Decode reads a value. An error is the Reader's.
	Decode(r *Reader) T
	// Check reports each value that the schema does not allow. The value itself is not missing.
	Check(c *Collector, v T)
}

// String returns a value as a JSON text for people to read. For one that cannot be encoded, it returns why.
func String(v Appender) string {
	text, err := MarshalString(v)
	if err != nil {
		return "!(" + err.Error() + ")"
	}
	return text
}

// Must decodes a value from a JSON text that is part of a program, such as the schema of a tool. It panics if the text
// is not valid.
func Must[T any, P interface {
	*T
	Value
}](text string) T {
	var v T
	if err := UnmarshalString(text, P(&v)); err != nil {
		panic(err)
	}
	return v
}

// IsNil reports whether v is nil or holds a nil pointer: a variant that is missing. It reads the pointer, which is
// the second word of an interface, because the code that handles a call does not use package reflect.
func IsNil(v Appender) bool {
	return v == nil || (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] == nil
}

// Box holds a value of a union, which is an interface, or of another type that is not a [Value],
// and makes it one. The zero Box holds no value, which is null for encoding/json and an error
// otherwise.
type Box[T Appender, C Codec[T]] struct {
	V T
}

// AppendJSON implements [Appender].
func (b Box[T, C]) AppendJSON(dst []byte) ([]byte, error) {
	if IsNil(b.V) {
		return dst, ErrMissing
	}
	return b.V.AppendJSON(dst)
}

// DecodeJSON implements [Value].
func (b *Box[T, C]) DecodeJSON(r *Reader) error {
	var codec C
	b.V = codec.Decode(r)
	return r.Err()
}

// Check implements [Checker].
func (b Box[T, C]) Check(c *Collector) {
	if IsNil(b.V) {
		c.Report("is missing")
		return
	}
	var codec C
	codec.Check(c, b.V)
}

// MarshalJSON implements the interface of encoding/json.
func (b Box[T, C]) MarshalJSON() ([]byte, error) {
	if IsNil(b.V) {
		return []byte("null"), nil
	}
	return Marshal(b.V)
}

// UnmarshalJSON implements the interface of encoding/json. If null is not a value of the
// union, it leaves b unchanged for null, as encoding/json does.
func (b *Box[T, C]) UnmarshalJSON(text []byte) error {
	before := *b
	err := Unmarshal(text, b)
	if err != nil && string(text) == "null" {
		*b = before
		return nil
	}
	return err
}

// Read reads a value as the box does. The box itself is not used.
func (Box[T, C]) Read(r *Reader) T {
	var codec C
	return codec.Decode(r)
}

// ReadList is the function [ReadList] for values that have the box, which is not used.
func (Box[T, C]) ReadList(r *Reader) []T {
	return ReadList(r, func(element *T, r *Reader) error {
		var codec C
		*element = codec.Decode(r)
		return nil
	})
}

// Unmarshal is the function [Unmarshal] for a value that has the box. It returns the value and leaves the box as it is.
func (b Box[T, C]) Unmarshal(text []byte) (T, error) {
	err := Unmarshal(text, &b)
	return b.V, err
}

// Optional is the value of a member that may be absent, null or a T. The zero Optional is absent.
// It has no JSON text of its own, because encoders omit an absent member.
type Optional[T any] struct {
	value *T
	null  bool
}

// Some returns an Optional with the value v.
func Some[T any](v T) Optional[T] { return Optional[T]{value: &v} }

// Null returns the Optional that is null.
func Null[T any]() Optional[T] { return Optional[T]{null: true} }

// IsZero reports whether the member is absent.
func (o Optional[T]) IsZero() bool { return o.value == nil && !o.null }

// IsNull reports whether the member is null.
func (o Optional[T]) IsNull() bool { return o.null }

// Get returns the value. If the member is absent or null, ok is false.
func (o Optional[T]) Get() (value T, ok bool) {
	if o.value == nil {
		return value, false
	}
	return *o.value, true
}

// Pointer returns a pointer to the value, or nil if the member is absent or null.
func (o Optional[T]) Pointer() *T { return o.value }

// Set sets the member to v.
func (o *Optional[T]) Set(v T) { *o = Some(v) }

// SetNull sets the member to null.
func (o *Optional[T]) SetNull() { *o = Null[T]() }

// Clear makes the member absent.
func (o *Optional[T]) Clear() { *o = Optional[T]{} }

// Equal reports whether a and b are the same JSON value. White space, the order of members and
// the spelling of strings and numbers do not matter. Numbers are compared by their exact values:
// 1, 1.0 and 10e-1 are equal, 0.1 and 0.10000000000000001 are not. Malformed text is equal only
// to the same text.
func Equal(a, b Raw) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	if a.isPlain() && b.isPlain() { // the most frequent case, such as the tag of a union
		return false
	}
	x, ok := a.scalar()
	if y, also := b.scalar(); ok && also {
		return x == y || a.Kind() == KindNumber && CompareNumbers(Raw(x.text), Raw(y.text)) == 0
	}
	v, ok := a.Sum()
	w, also := b.Sum()
	return ok && also && v == w
}

// isPlain reports whether x is a string of ASCII characters without escapes, and has no white space around it.
func (x Raw) isPlain() bool {
	if !strings.HasPrefix(string(x), `"`) {
		return false
	}
	end, plain := plainString(string(x), 0)
	return plain && end == len(x)
}

// scalar returns the scalar that x is, or false.
func (x Raw) scalar() (Scalar, bool) {
	if k := x.Kind(); k == KindObject || k == KindArray {
		return Scalar{}, false
	}
	x, err := Parse(string(x))
	if err != nil {
		return Scalar{}, false
	}
	return x.Reader().ReadScalar(scalars), true
}

// Sum returns the SHA-256 digest of a value. Texts that are equal by [Equal] have the same digest. For malformed
// text, ok is false.
func (x Raw) Sum() (sum [sha256.Size]byte, ok bool) {
	x, err := Parse(string(x))
	if err != nil {
		return sum, false
	}
	var d digester
	d.value(x.Reader())
	return sha256.Sum256(d.buf), true
}

// digester appends values to buf, each in a form whose end is known: the text of a scalar with its length,
// and the digest of a container. Each byte is therefore hashed once, however deep the nesting is.
type digester struct{ buf []byte }

// digestMarks has the byte that stands for a kind. The bytes must remain, because digests are part of sealed states,
// which outlive the process and its version.
var digestMarks = [...]byte{
	KindNull: 'n', KindBool: 't', KindNumber: '0', KindString: '"', KindArray: '[', KindObject: '{',
}

func (d *digester) text(s string) {
	d.buf = binary.AppendUvarint(d.buf, uint64(len(s)))
	d.buf = append(d.buf, s...)
}

func (d *digester) value(r *Reader) {
	kind := r.Kind()
	d.buf = append(d.buf, digestMarks[kind])
	switch kind {
	case KindObject:
		d.object(r)
	case KindArray:
		start := len(d.buf)
		for r.BeginArray(); r.Element(); {
			d.value(r)
		}
		d.fold(start)
	case KindNumber:
		d.text(normalNumber(string(r.ReadRaw())))
	default:
		d.text(r.ReadScalar(scalars).String())
	}
}

// object appends an object whose members are sorted by name.
func (d *digester) object(r *Reader) {
	start := len(d.buf)
	names := make([]string, 0, 8)
	ends := append(make([]int, 0, 9), start) // of the members in d.buf, after where the first begins
	for r.BeginObject(); r.Member(); {
		name := r.Name()
		d.text(name)
		d.value(r)
		names, ends = append(names, name), append(ends, len(d.buf))
	}
	if !slices.IsSorted(names) {
		text := slices.Clone(d.buf[start:]) // not what comes before, which would take quadratic time
		place := make(map[string]int, len(names))
		for i, name := range names {
			place[name] = i
		}
		slices.Sort(names)
		d.buf = d.buf[:start]
		for _, name := range names {
			i := place[name]
			d.buf = append(d.buf, text[ends[i]-start:ends[i+1]-start]...)
		}
	}
	d.fold(start)
}

// fold replaces what was appended after start by its digest.
func (d *digester) fold(start int) {
	sum := sha256.Sum256(d.buf[start:])
	d.buf = append(d.buf[:start], sum[:]...)
}

// normalNumber returns the text that all tokens of a number have in common.
func normalNumber(token string) string {
	if v, _, ok := parseInt64(token); ok {
		return ScalarOf(v).text
	}
	d := parseDecimal(Raw(token))
	text := d.digits + "e" + d.magnitude()
	if d.negative {
		text = "-" + text
	}
	return text
}
