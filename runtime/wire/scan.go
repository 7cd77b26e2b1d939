package wire

import (
	"math/bits"
	"strings"
	"unsafe"
)

// scan checks the value of any kind that begins at src[i], inside depth open containers: grammar,
// UTF-8, surrogates, duplicate names and depth. Src is r.src. It returns the offset after the value,
// or -1 after an error, which it records as the methods that read values do.
func (r *Reader) scan(src string, i, depth int) int {
	if i >= len(src) {
		return r.failFound(i, "a value")
	}
	switch src[i] {
	case '"':
		end, plain := plainString(src, i)
		if !plain {
			var ok bool
			if end, _, ok = scanRest(src, end); !ok {
				return r.failString(i)
			}
		}
		return end
	case '{':
		return r.scanObject(src, i, depth+1)
	case '[':
		return r.scanArray(src, i, depth+1)
	case 't':
		return r.scanLiteral(src, i, "true")
	case 'f':
		return r.scanLiteral(src, i, "false")
	case 'n':
		return r.scanLiteral(src, i, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end, ok := scanNumber(src, i)
		if !ok {
			r.failFound(end, "a digit")
			return r.blame(i)
		}
		return end
	}
	return r.failFound(i, "a value")
}

func (r *Reader) scanLiteral(src string, i int, want string) int {
	end := scanLiteral(src, i, want)
	if end < 0 {
		n := 0
		for i+n < len(src) && src[i+n] == want[n] {
			n++
		}
		r.failFound(i+n, want)
		return r.blame(i)
	}
	return end
}

// scanLiteral returns the offset after want if src has it at i, and otherwise -1.
func scanLiteral(src string, i int, want string) int {
	if len(src)-i >= len(want) && src[i:i+len(want)] == want {
		return i + len(want)
	}
	return -1
}

// after returns the offset of the next token, and notes the white space before it.
func (r *Reader) after(src string, i int) int {
	if i < len(src) && src[i] > ' ' {
		return i
	}
	end := skipSpace(src, i)
	r.spaced = r.spaced || end > i
	return end
}

func (r *Reader) scanArray(src string, i, depth int) int {
	if depth > MaxDepth {
		return r.failDepth(i)
	}
	i = r.after(src, i+1)
	if i < len(src) && src[i] == ']' {
		return i + 1
	}
	for {
		if i = r.scan(src, i, depth); i < 0 {
			return -1
		}
		i = r.after(src, i)
		switch {
		case i < len(src) && src[i] == ',':
			i = r.after(src, i+1)
		case i < len(src) && src[i] == ']':
			return i + 1
		default:
			return r.failFound(i, "',' or ']'")
		}
	}
}

func (r *Reader) scanObject(src string, i, depth int) int {
	if depth > MaxDepth {
		return r.failDepth(i)
	}
	i = r.after(src, i+1)
	if i < len(src) && src[i] == '}' {
		return i + 1
	}
	var first [fewNames / 2]span
	names := first[:0]
	anyEscaped := false
	for {
		if i >= len(src) || src[i] != '"' {
			return r.failFound(i, "a member name")
		}
		end, plain := plainString(src, i)
		escaped := false
		if !plain {
			var ok bool
			if end, escaped, ok = scanRest(src, end); !ok {
				return r.failString(i)
			}
		}
		names = append(names, span{i + 1, end - 1})
		anyEscaped = anyEscaped || escaped
		i = r.after(src, end)
		if i >= len(src) || src[i] != ':' {
			return r.failFound(i, "':'")
		}
		value := r.after(src, i+1)
		if i = r.scan(src, value, depth); i < 0 {
			return -1
		}
		if depth == 1 && i-value > r.known.end-r.known.start {
			r.known = span{value, i}
		}
		i = r.after(src, i)
		switch {
		case i < len(src) && src[i] == ',':
			i = r.after(src, i+1)
		case i < len(src) && src[i] == '}':
			if n := duplicateName(src, names, anyEscaped); n >= 0 {
				return r.failDuplicate(names[n].start-1, names[n].name(src))
			}
			return i + 1
		default:
			return r.failFound(i, "',' or '}'")
		}
	}
}

// A span is the position of a member name in a text, without the quotes.
type span struct{ start, end int }

// name returns the name, unescaped.
func (n span) name(src string) string {
	name := src[n.start:n.end]
	if strings.IndexByte(name, '\\') >= 0 {
		return unquote(name)
	}
	return name
}

// fewNames is the number of names up to which each is compared with all others. More names go
// into a map.
const fewNames = 16

// duplicateName returns the index of the first name that occurs before, or -1. Names have
// escapes only if escaped is true.
func duplicateName(src string, names []span, escaped bool) int {
	if escaped || len(names) > fewNames {
		seen := make(map[string]struct{}, len(names))
		for i, n := range names {
			name := n.name(src)
			if _, ok := seen[name]; ok {
				return i
			}
			seen[name] = struct{}{}
		}
		return -1
	}
	for i, n := range names {
		name := src[n.start:n.end]
		for _, other := range names[:i] {
			if other.end-other.start == len(name) && src[other.start:other.end] == name {
				return i
			}
		}
	}
	return -1
}

// skipSpace returns the offset of the first byte of src at or after i that is not white space.
func skipSpace(src string, i int) int {
	for i < len(src) && src[i] <= ' ' && (src[i] == ' ' || src[i] == '\n' || src[i] == '\r' || src[i] == '\t') {
		i++
	}
	return i
}

// skipValue returns the offset after the value that begins at src[i], or -1 if none does. It
// checks only what it needs to find the end.
func skipValue(src string, i int) int {
	if i >= len(src) {
		return -1
	}
	switch src[i] {
	case '"':
		return skipString(src, i)
	case '{', '[':
		return skipContainer(src, i)
	}
	start := i
	for i < len(src) {
		switch src[i] {
		case ',', ']', '}', ':', '"', '[', '{', ' ', '\n', '\r', '\t':
			if i == start {
				return -1
			}
			return i
		}
		i++
	}
	return i
}

// skipContainer returns the offset after the array or object that begins at src[i], or -1.
func skipContainer(src string, i int) int {
	depth := 0
	for i < len(src) {
		switch src[i] {
		case '"':
			i = skipString(src, i)
			if i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// skipString returns the offset after the string whose opening quote is src[i], or -1.
func skipString(src string, i int) int {
	i++
	for short := i + 16; i < short && i+8 <= len(src); i += 8 { // many strings are short
		if m := special(load8(src, i)); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			if src[i] == '"' {
				return i + 1
			}
			break
		}
	}
	for {
		n := strings.IndexByte(src[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		back := end
		for back > i && src[back-1] == '\\' {
			back--
		}
		if (end-back)%2 == 0 {
			return end + 1
		}
		i = end + 1
	}
}

// The Peek methods look ahead at the object that comes next. They neither read it nor record
// errors. If no object comes next, they return zero values, and the read that follows reports the problem. The bytes
// that they look at count towards the limit of [Reader.Try].

// PeekString returns the value of the member called name if it is a string.
func (r *Reader) PeekString(name string) (s string, ok bool) {
	before := r.beginPeek()
	if r.find(name) && r.nextIs('"') {
		s = r.ReadString()
		ok = r.err == nil
	}
	r.endPeek(before)
	return s, ok
}

// PeekInt64 returns the value of the member called name if it is an integer that fits an int64.
func (r *Reader) PeekInt64(name string) (int64, bool) {
	raw, ok := r.PeekRaw(name)
	if !ok || raw.Kind() != KindNumber {
		return 0, false
	}
	i, integral, ok := parseInt64(string(raw))
	return i, integral && ok
}

// PeekRaw returns the value of the member called name.
func (r *Reader) PeekRaw(name string) (value Raw, ok bool) {
	before := r.beginPeek()
	if r.find(name) {
		value = r.ReadRaw()
		ok = value != ""
	}
	r.endPeek(before)
	return value, ok
}

// PeekHas returns a mask in which bit i is set if there is a member called names[i]. There may
// be at most 64 names.
func (r *Reader) PeekHas(names ...string) uint64 {
	before := r.beginPeek()
	var has uint64
	all := uint64(1)<<len(names) - 1
	for r.BeginObject(); has != all && r.Member(); r.Skip() {
		member := r.Name()
		for i, name := range names {
			if member == name {
				has |= 1 << i
			}
		}
	}
	r.endPeek(before)
	return has
}

// PeekPath reports whether there is a member path[0] that is an object with a member path[1],
// and so on.
func (r *Reader) PeekPath(path ...string) bool {
	before := r.beginPeek()
	has := true
	for _, name := range path {
		has = has && r.find(name)
	}
	r.endPeek(before)
	return has
}

// PeekAbsent reports whether the object that comes next has no member called name, or one that
// is read as absent.
func (r *Reader) PeekAbsent(name string) bool {
	if r.PeekHas(name) == 0 {
		return true
	}
	if r.lenient.lenience&AbsentNulls == 0 {
		return false
	}
	raw, _ := r.PeekRaw(name)
	return raw == "null"
}

// find opens the object that comes next and moves to the value of its first member called name.
func (r *Reader) find(name string) bool {
	if !r.nextIs('{') {
		return false
	}
	for r.BeginObject(); r.Member(); r.Skip() {
		if r.Name() == name {
			return true
		}
	}
	return false
}

// nextIs reports whether the next value begins with c.
func (r *Reader) nextIs(c byte) bool {
	i := skipSpace(r.src, r.pos)
	return r.err == nil && i < len(r.src) && r.src[i] == c
}

// beginPeek begins an attempt, whose errors need no pointer.
func (r *Reader) beginPeek() position {
	before := r.position()
	r.trying++
	return before
}

// endPeek returns to where the attempt began.
func (r *Reader) endPeek(before position) {
	r.trying--
	if before.err != nil {
		return
	}
	passed := r.pos - before.pos
	r.restore(before)
	r.spend(passed)
}

// Try decodes v from the next value and reports whether that succeeded. If not, the Reader is
// where it was, without an error, and v may be partly set. Failed calls of Try and calls of Peek
// methods may read a number of bytes in proportion to the text; beyond that the Reader fails.
func (r *Reader) Try(v Decoder) bool {
	return r.attempt(func() error { return v.DecodeJSON(r) })
}

// Attempt is [Reader.Try] for a function that reads the next value.
func (r *Reader) Attempt(read func()) bool {
	return r.attempt(func() error { read(); return r.Err() })
}

func (r *Reader) attempt(read func() error) bool {
	if r.err != nil {
		return false
	}
	before := r.beginPeek()
	if err := read(); r.err == nil && err == nil {
		r.trying--
		return true
	}
	r.endPeek(before)
	return false
}

// position is the state of a Reader that it can return to.
type position struct {
	err                 *Error
	pos, depth          int
	fresh               bool
	nameAt, nameEnd     int
	unquoted            string
	deviations, omitted int
}

func (r *Reader) position() position {
	return position{r.err, r.pos, r.depth, r.fresh, r.nameAt, r.nameEnd, r.unquoted, len(r.lenient.deviations), r.lenient.omitted}
}

// restore returns to a position and drops the error.
func (r *Reader) restore(p position) {
	r.err, r.pointee, r.located = nil, atValue, false
	r.pos, r.depth, r.fresh = p.pos, p.depth, p.fresh
	r.nameAt, r.nameEnd, r.unquoted = p.nameAt, p.nameEnd, p.unquoted
	r.lenient.deviations, r.lenient.omitted = r.lenient.deviations[:p.deviations], p.omitted
}

// spend counts bytes that are read again, and fails if there are too many. Each call counts as a
// few bytes too.
func (r *Reader) spend(n int) {
	const perCall, perByte, free = 8, 32, 1 << 16
	r.spent += n + perCall
	if r.spent > free+perByte*len(r.src) && r.err == nil {
		r.fail(r.pos, "too much of the text has to be read again to tell what it is")
	}
}

// View returns a text as a string that shares its memory. It must not be used after text changes.
func View(text []byte) Raw { return Raw(unsafe.String(unsafe.SliceData(text), len(text))) }
