package wire

import (
	"strconv"
	"strings"
)

// A Reader reads one text from beginning to end, value by value. The text is checked as a whole before anything of it
// is read, so the methods that read only have to find out whether the values fit.
//
// To read an array or object, open it and move from one element or member to the next. Each value
// must be read before the next move:
//
//	for r.BeginObject(); r.Member(); {
//		switch r.Name() {
//		case "text":
//			x.Text = r.ReadString()
//		default:
//			*x.Extra.Entry(r) = r.ReadRaw()
//		}
//	}
//
// After the first error every method does nothing and returns a zero value.
type Reader struct {
	src   string
	pos   int
	depth int  // number of open containers
	fresh bool // the container has just been opened, so no comma comes next

	nameAt, nameEnd int    // offsets of the quotes of the current member's name
	unquoted        string // the name if it has escapes, otherwise ""

	known span // a long value whose end need not be searched for: the longest member, or the whole text

	trying int // number of nested calls of Try
	spent  int // number of bytes that are read again

	lenient leniently

	slabs   slabs  // of the Pointer methods
	scratch []byte // for strings with escapes

	spaced bool // scan has met white space inside a value

	err     *Error
	about   int     // offset of the value that err is about, or err's offset
	pointee pointee // what err's pointer refers to
	located bool    // err has its pointer
}

// NewStringReader returns a Reader of src, which must be one value with optional white space around it. It checks all of
// src: grammar, UTF-8, surrogates, duplicate names and depth. Strings that it reads share the memory of src.
func NewStringReader(src string) *Reader {
	r := &Reader{src: src}
	r.check()
	return r
}

// check checks the whole text and returns where its value is.
func (r *Reader) check() (value span) {
	start := skipSpace(r.src, 0)
	end := r.scan(r.src, start, 0)
	if end < 0 {
		return span{}
	}
	if rest := skipSpace(r.src, end); rest < len(r.src) {
		r.failFound(rest, "the end of the text")
	}
	return span{start, end}
}

// Reader returns a Reader of a value that is known to be well formed, such as a part of a message. It does not check
// the text. Reading another text gives errors and parts that may be malformed, but does no other harm.
func (x Raw) Reader() *Reader { return &Reader{src: string(x)} }

// Err returns the first error, an [*Error], or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	if !r.located && r.trying == 0 {
		r.located = true
		r.locate()
	}
	return r.err
}

// Offset returns the number of bytes read. It has no meaning after an error.
func (r *Reader) Offset() int { return r.pos }

// End fails unless only white space remains.
func (r *Reader) End() {
	if r.err != nil {
		return
	}
	r.pos = skipSpace(r.src, r.pos)
	if r.pos < len(r.src) {
		r.failFound(r.pos, "the end of the text")
	}
}

// Kind returns the kind of the value that comes next. If none does, it fails and returns 0.
func (r *Reader) Kind() Kind {
	if r.err != nil {
		return 0
	}
	r.pos = skipSpace(r.src, r.pos)
	if r.pos < len(r.src) {
		if k := kindOf[r.src[r.pos]]; k != 0 {
			return k
		}
	}
	r.failFound(r.pos, "a value")
	return 0
}

// BeginObject opens an object and reports whether there was one to open.
func (r *Reader) BeginObject() bool { return r.begin('{', "an object") }

// BeginArray opens an array and reports whether there was one to open.
func (r *Reader) BeginArray() bool { return r.begin('[', "an array") }

func (r *Reader) begin(open byte, want string) bool {
	if r.err != nil {
		return false
	}
	i := skipSpace(r.src, r.pos)
	if i >= len(r.src) || r.src[i] != open {
		r.failKind(i, want)
		return false
	}
	if r.depth == MaxDepth {
		r.failDepth(i)
		return false
	}
	r.depth++
	r.pos = i + 1
	r.fresh = true
	return true
}

// next moves to what follows in the open container, or closes it and returns false.
func (r *Reader) next(closing byte) bool {
	if r.err != nil {
		return false
	}
	src, i := r.src, skipSpace(r.src, r.pos)
	switch {
	case i < len(src) && src[i] == closing:
		r.pos = i + 1
		r.depth--
		r.fresh = false
		return false
	case r.fresh:
		r.fresh = false
	case i < len(src) && src[i] == ',':
		i = skipSpace(src, i+1)
	default:
		r.failFound(i, "',' or "+strconv.QuoteRune(rune(closing)))
		return false
	}
	r.pos = i
	return true
}

// Member moves to the next member of the open object, so that its value comes next. After the last
// member, it closes the object and returns false.
func (r *Reader) Member() bool {
	if !r.next('}') {
		return false
	}
	src, i := r.src, r.pos
	end, escaped := stringEnd(src, i)
	if end < 0 {
		r.failFound(i, "a member name")
		return false
	}
	r.nameAt, r.nameEnd, r.unquoted = i, end-1, ""
	if escaped {
		r.unquoted = unquote(src[i+1 : end-1])
	}
	if end < len(src) && src[end] != ':' {
		end = skipSpace(src, end)
	}
	if end >= len(src) || src[end] != ':' {
		r.failFound(end, "':'")
		return false
	}
	r.pos = end + 1
	return true
}

// Name returns the name of the current member, unescaped. Call it before the value is read.
func (r *Reader) Name() string {
	if r.unquoted != "" || r.nameEnd == 0 {
		return r.unquoted
	}
	return r.src[r.nameAt+1 : r.nameEnd]
}

// Element reports whether another element of the open array comes next. After the last element,
// it closes the array.
func (r *Reader) Element() bool { return r.next(']') }

// ReadRaw reads a value of any kind and returns its source text.
func (r *Reader) ReadRaw() Raw {
	if r.err != nil {
		return ""
	}
	start := skipSpace(r.src, r.pos)
	end := r.known.end
	if start != r.known.start || end == 0 {
		end = skipValue(r.src, start)
	}
	if end < 0 {
		r.failFound(start, "a value")
		r.pos = len(r.src) // all of it may have been searched
		return ""
	}
	r.pos = end
	return Raw(r.src[start:end])
}

// ReadObject is [Reader.ReadRaw] for a value that must be an object.
func (r *Reader) ReadObject() Object {
	if r.err != nil {
		return ""
	}
	if !r.nextIs('{') {
		r.failKind(skipSpace(r.src, r.pos), "an object")
		return ""
	}
	return Object(r.ReadRaw())
}

// Skip reads a value and drops it.
func (r *Reader) Skip() { r.ReadRaw() }

// Mark is a place in the text of a [Reader].
type Mark struct {
	pos, depth int
	fresh      bool
}

// Mark returns the current place.
func (r *Reader) Mark() Mark { return Mark{r.pos, r.depth, r.fresh} }

// Reset goes to a place where the Reader has been. It does not undo an error.
func (r *Reader) Reset(m Mark) { r.pos, r.depth, r.fresh = m.pos, m.depth, m.fresh }

// Depth returns the number of open arrays and objects.
func (r *Reader) Depth() int { return r.depth }

// NameAt returns the offset of the current member's name: that of its opening quote.
func (r *Reader) NameAt() int { return r.nameAt }

// ResetToName goes back to the name of the current member, so that it can be read as a value.
// Call [Reader.Reset] afterwards.
func (r *Reader) ResetToName() { r.pos = r.nameAt }

// NameFrom returns the member name whose opening quote is at an offset of the text, unescaped.
func (r *Reader) NameFrom(offset int) string {
	end := skipString(r.src, offset)
	if end < 0 {
		return ""
	}
	name, _ := Raw(r.src[offset:end]).Str()
	return name
}

// Renew makes r a Reader of a value that is known to be well formed, as [Raw.Reader] does. It reuses memory of r.
func (r *Reader) Renew(text Raw) {
	scratch := r.scratch
	if cap(scratch) > maxPooled {
		scratch = nil
	}
	*r = Reader{src: string(text), scratch: scratch}
}

// trust makes a new r a Reader of a value that is known to be well formed, and knows its end.
func (r *Reader) trust(text Raw) {
	r.src, r.known.end = string(text), len(strings.TrimRight(string(text), " \t\r\n"))
}

// ReadString reads a string and returns it unescaped.
func (r *Reader) ReadString() string {
	if r.err != nil {
		return ""
	}
	i := skipSpace(r.src, r.pos)
	end, escaped := stringEnd(r.src, i)
	if end < 0 {
		r.failKind(i, "a string")
		return ""
	}
	r.pos = end
	if !escaped {
		return r.src[i+1 : end-1]
	}
	r.scratch = appendUnquoted(r.scratch[:0], r.src[i+1:end-1])
	return r.slabs.text(r.scratch)
}

// ReadConstString reads a string that should be want, and returns it. Validate reports any other
// string. A struct's zero value stands for the constant, so the empty string is an error: it
// could not be told from the constant.
func (r *Reader) ReadConstString(want string) string {
	s := r.ReadString()
	switch {
	case s == want:
		return want // does not share the memory of the message
	case s == "" && r.err == nil:
		r.fail(r.pos-len(`""`), "must be "+strconv.Quote(want))
	}
	return s
}

// ReadConstInt64 is [Reader.ReadConstString] for an integer; zero is an error.
func (r *Reader) ReadConstInt64(want int64) int64 {
	start := skipSpace(r.src, r.pos)
	i := r.ReadInt64()
	if i == 0 && want != 0 && r.err == nil {
		r.fail(start, "must be "+strconv.FormatInt(want, 10))
	}
	return i
}

// number reads a number and returns its token, or "" on an error.
func (r *Reader) number(want string) string {
	i := skipSpace(r.src, r.pos)
	if i >= len(r.src) || kindOf[r.src[i]] != KindNumber {
		r.failKind(i, want)
		return ""
	}
	end, ok := scanNumber(r.src, i)
	if !ok {
		r.failFound(end, "a digit")
		return ""
	}
	r.pos = end
	return r.src[i:end]
}

// ReadInt64 reads a number that is an integer in any notation, such as 1.0 and 1e3. An integer
// that does not fit an int64 is an error, which names the bound.
func (r *Reader) ReadInt64() int64 {
	if r.err != nil {
		return 0
	}
	i := skipSpace(r.src, r.pos)
	if i < len(r.src) {
		if v, end, ok := parseSmall(r.src, i); ok {
			r.pos = end
			return v
		}
	}
	token := r.number("an integer")
	if token == "" {
		return 0
	}
	v, integral, ok := parseInt64(token)
	switch {
	case !integral:
		r.failToken(token, "expected an integer, found "+shown(token))
	case !ok:
		bound := "at most 9223372036854775807"
		if token[0] == '-' {
			bound = "at least -9223372036854775808"
		}
		r.failToken(token, "must be "+bound+", found "+shown(token))
	}
	return v
}

// ReadFloat64 reads a number. A number that is too large for a float64 is an error.
func (r *Reader) ReadFloat64() float64 {
	if r.err != nil {
		return 0
	}
	token := r.number("a number")
	if token == "" {
		return 0
	}
	f, err := strconv.ParseFloat(token, 64)
	if err != nil {
		r.failToken(token, "number out of range: "+shown(token))
		return 0
	}
	return f
}

// ReadBool reads a boolean.
func (r *Reader) ReadBool() bool {
	if r.err != nil {
		return false
	}
	i := skipSpace(r.src, r.pos)
	if end := scanLiteral(r.src, i, "true"); end > 0 {
		r.pos = end
		return true
	}
	if end := scanLiteral(r.src, i, "false"); end > 0 {
		r.pos = end
		return false
	}
	r.failKind(i, "a boolean")
	return false
}

// ReadNull reads null if it comes next, and reports whether it did. It leaves any other value
// unread.
func (r *Reader) ReadNull() bool {
	if r.err != nil {
		return false
	}
	end := scanLiteral(r.src, skipSpace(r.src, r.pos), "null")
	if end < 0 {
		return false
	}
	r.pos = end
	return true
}

// ReadScalar reads a scalar whose kind is in a set. It keeps the token of a number.
func (r *Reader) ReadScalar(allowed Kind) Scalar {
	if r.err != nil {
		return Scalar{}
	}
	i := skipSpace(r.src, r.pos)
	var kind Kind
	if i < len(r.src) {
		kind = kindOf[r.src[i]]
	}
	if allowed&kind&scalars == 0 && (kind != KindNumber || allowed&KindInteger == 0) {
		r.failKind(i, allowed.String())
		return Scalar{}
	}
	var s Scalar
	switch kind {
	case KindString:
		s = Scalar{KindString, r.ReadString()}
	case KindNumber:
		s = Scalar{KindNumber, r.number("a number")}
		if r.err == nil && !s.Is(allowed) {
			r.failToken(s.text, "expected "+allowed.String()+", found "+shown(s.text))
		}
	case KindBool:
		s = ScalarOf(r.ReadBool())
	default:
		if !r.ReadNull() {
			r.failFound(i, "null")
		}
		s = NullScalar()
	}
	if r.err != nil {
		return Scalar{}
	}
	return s
}

// slabs is the memory of optional scalars, which pointers hold, of short arrays of strings and of strings that had
// escapes. Those of one type share an allocation. They share the memory of the message anyway, so this does not
// keep more memory alive.
type slabs struct {
	strings []string
	ints    []int64
	floats  []float64
	bools   []bool
	texts   strings.Builder // strings that had escapes
	grown   int             // the number of strings that texts had room for
}

// maxSlab is the maximum length of a slab. Slabs begin with one element, because most messages
// need none or one.
const maxSlab = 16

// maxTexts is the maximum size of a slab of strings, in bytes. A longer string has its own.
const maxTexts = 4 << 10

// ReadStringPointer is [Reader.ReadString] with a pointer to the result.
func (r *Reader) ReadStringPointer() *string { return hold(&r.slabs.strings, r.ReadString()) }

// ReadInt64Pointer is [Reader.ReadInt64] with a pointer to the result.
func (r *Reader) ReadInt64Pointer() *int64 { return hold(&r.slabs.ints, r.ReadInt64()) }

// ReadFloat64Pointer is [Reader.ReadFloat64] with a pointer to the result.
func (r *Reader) ReadFloat64Pointer() *float64 { return hold(&r.slabs.floats, r.ReadFloat64()) }

// ReadBoolPointer is [Reader.ReadBool] with a pointer to the result.
func (r *Reader) ReadBoolPointer() *bool { return hold(&r.slabs.bools, r.ReadBool()) }

// hold puts v into the next free element of a slab.
func hold[T any](slab *[]T, v T) *T {
	if n := cap(*slab); len(*slab) == n {
		*slab = make([]T, 0, min(max(1, 2*n), maxSlab))
	}
	*slab = append(*slab, v)
	return &(*slab)[len(*slab)-1]
}

// text returns a copy of text. The copies share the memory of a strings.Builder.
func (s *slabs) text(text []byte) string {
	if len(text) > s.texts.Cap()-s.texts.Len() {
		s.grown = min(max(1, 2*s.grown), maxSlab)
		s.texts = strings.Builder{}
		s.texts.Grow(max(len(text), min(s.grown*len(text), maxTexts)))
	}
	n := s.texts.Len()
	s.texts.Write(text)
	return s.texts.String()[n:]
}

// Lenience is a set of deviations from a type that a [Reader] accepts. The zero Lenience is
// strict.
type Lenience uint8

const (
	// AbsentNulls accepts null where it is not allowed: for an optional member it means that the
	// member is absent, and for a required list that the list is empty.
	AbsentNulls Lenience = 1 << iota
	// LeaveOut leaves elements that cannot be decoded out of a list.
	LeaveOut
)

// Deviation is a part of a text that a lenient [Reader] accepted although it does not fit the
// type.
type Deviation struct {
	// Pointer is the JSON Pointer (RFC 6901) of the value that does not fit.
	Pointer string
	// Problem describes what is wrong with the value and how it was read.
	Problem string
	// LeftOut means that the value is an element that was left out of a list. Otherwise the
	// value is a null that was read as an absent member or an empty list.
	LeftOut bool
}

// String returns the place and the problem in one line.
func (d Deviation) String() string { return d.Pointer + ": " + d.Problem }

// maxDeviations limits how many deviations of a text are kept.
const maxDeviations = 1000

// deviation is a Deviation whose pointer is not known yet.
type deviation struct {
	err     *Error // of an element that was left out; nil for a null
	about   int
	pointee pointee
	list    bool // the null stands for a list
}

// leniently is the part of a Reader that lenient reading needs.
type leniently struct {
	lenience   Lenience
	deviations []deviation
	omitted    int // number of deviations that were not kept
}

// UnmarshalLenient is [UnmarshalChecked] with lenience. It returns the deviations that it
// accepted, in the order of the text: the first thousand, and the number of those that follow.
// On an error it returns none.
func UnmarshalLenient(text Raw, v Decoder, l Lenience) (accepted []Deviation, more int, err error) {
	r := readers.Get().(*Reader)
	r.trust(text)
	r.lenient.lenience = l
	err = r.decode(v)
	if err == nil && len(r.lenient.deviations) > 0 {
		accepted, more = r.deviations(), r.lenient.omitted
	}
	r.Renew("")
	readers.Put(r)
	return accepted, more, err
}

// Present reports whether an optional member that must not be null has a value to read: a lenient Reader reads null as
// an absent member.
func (r *Reader) Present() bool { return r.lenient.lenience == 0 || !r.absentNull(false) }

// absentNull reads null if it comes next and is accepted as an absent member or an empty list.
func (r *Reader) absentNull(list bool) bool {
	if r.lenient.lenience&AbsentNulls == 0 || !r.ReadNull() {
		return false
	}
	r.deviate(deviation{about: r.pos - len("null"), list: list})
	return true
}

func (r *Reader) deviate(d deviation) {
	if len(r.lenient.deviations) == maxDeviations {
		r.lenient.omitted++
		return
	}
	r.lenient.deviations = append(r.lenient.deviations, d)
}

// leaveOut moves after the element at a position, which could not be decoded. It returns false
// if the element has no end.
func (r *Reader) leaveOut(before position) bool {
	end := skipValue(r.src, before.pos)
	if end <= before.pos {
		return false
	}
	d := deviation{err: r.err, about: r.about, pointee: r.pointee}
	r.restore(before) // which drops the deviations inside the element
	r.pos, r.fresh = end, false
	r.deviate(d)
	return true
}

// deviations returns the deviations with their pointers. It reads the text again up to the last
// one.
func (r *Reader) deviations() []Deviation {
	all := r.lenient.deviations
	for i := range all { // few, and nearly in order
		for ; i > 0 && all[i].about < all[i-1].about; i-- {
			all[i], all[i-1] = all[i-1], all[i]
		}
	}
	found := make([]Deviation, len(all))
	t := tracer{src: r.src}
	for i, d := range all {
		pointer, _ := t.pointer(d.about, d.pointee)
		found[i] = Deviation{Pointer: pointer, Problem: d.problem(), LeftOut: d.err != nil}
	}
	return found
}

func (d deviation) problem() string {
	switch {
	case d.err != nil:
		return "the element is left out: " + d.err.Problem
	case d.list:
		return "null is read as an empty list"
	}
	return "null is read as an absent member"
}
