package wire

import "strings"

// ReadString reads a string and returns its meaning.
func (r *Reader) ReadString() string {
	if r.err != nil {
		return ""
	}
	i := skipSpace(r.src, r.pos)
	if i >= len(r.src) || r.src[i] != '"' {
		r.failKind(i, "a string")
		return ""
	}
	end, plain := plainString(r.src, i)
	if plain {
		r.pos = end
		return r.src[i+1 : end-1]
	}
	s, end, ok := r.readRest(i+1, end)
	if !ok {
		r.failString(i, end)
		return ""
	}
	r.pos = end
	return s
}

// number reads a number and returns its token, "" on an error.
func (r *Reader) number(want string) string {
	i := skipSpace(r.src, r.pos)
	if i >= len(r.src) || kindOf(r.src[i]) != KindNumber {
		r.failKind(i, want)
		return ""
	}
	end, ok := scanNumber(r.src, i)
	if !ok {
		r.failSyntax(end, noDigit(r.src, end))
		r.about = i
		return ""
	}
	r.pos = end
	return r.src[i:end]
}

// ReadInt64 reads a number that is an integer, however it is written: 1.0 and
// 1e3 are integers. One that an int64 does not hold is an error.
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
		r.failToken(token, "integer out of range: "+shown(token))
	}
	return v
}

// ReadFloat64 reads a number. One that is too large for a float64 is an error.
func (r *Reader) ReadFloat64() float64 {
	if r.err != nil {
		return 0
	}
	token := r.number("a number")
	if token == "" {
		return 0
	}
	f, ok := parseFloat(token)
	if !ok {
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

// ReadNull reads null when it comes next, and reports whether it did. Anything
// else is left as it is.
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

// ReadRaw reads a value of any kind and returns its source text. All of it is
// checked: grammar, UTF-8, surrogates, duplicate names, depth.
func (r *Reader) ReadRaw() Raw {
	start, ok := r.check()
	if !ok {
		return ""
	}
	return Raw(r.src[start:r.pos])
}

// ReadObject is [Reader.ReadRaw] for a value that must be an object.
func (r *Reader) ReadObject() Object {
	if r.err != nil {
		return ""
	}
	if i := skipSpace(r.src, r.pos); i >= len(r.src) || r.src[i] != '{' {
		r.failKind(i, "an object")
		return ""
	}
	return Object(r.ReadRaw())
}

// Skip reads over a value, which is checked as by [Reader.ReadRaw].
func (r *Reader) Skip() { r.check() }

// check moves after the next value, which begins at start.
func (r *Reader) check() (start int, ok bool) {
	if r.err != nil {
		return 0, false
	}
	start = skipSpace(r.src, r.pos)
	if r.checked {
		if end := r.skip(start); end > start {
			r.pos = end
			return start, true
		}
	}
	end, _, reach, f := scanValue(r.src, start, r.depth)
	if end < 0 {
		r.failScan(f, reach)
		return 0, false
	}
	r.pos = end
	return start, true
}

// skip returns the offset after the value at start of a text that has been checked: a
// value in no container is the whole text.
func (r *Reader) skip(start int) int {
	if r.depth == 0 {
		return len(strings.TrimRight(r.src, " \t\r\n"))
	}
	return skipValue(r.src, start)
}

// ReadScalar reads a scalar of one of the allowed sorts, keeping a number's token.
func (r *Reader) ReadScalar(allowed ScalarSet) Scalar {
	if r.err != nil {
		return Scalar{}
	}
	i := skipSpace(r.src, r.pos)
	if i >= len(r.src) {
		r.failKind(i, allowed.String())
		return Scalar{}
	}
	kind := kindOf(r.src[i])
	if allowed&scalarSetOf(kind) == 0 {
		r.failKind(i, allowed.String())
		return Scalar{}
	}
	var s Scalar
	switch kind {
	case KindString:
		s = Scalar{kind: KindString, text: r.ReadString()}
	case KindNumber:
		token := r.number("a number")
		if token == "" {
			return Scalar{}
		}
		s = Scalar{kind: KindNumber, text: token}
		if !s.Is(allowed) {
			r.failToken(token, "expected "+allowed.String()+", found "+shown(token))
		}
	case KindBool:
		s = BoolScalar(r.ReadBool())
	default:
		if !r.ReadNull() {
			r.failKind(i, "null")
		}
		s = NullScalar()
	}
	if r.err != nil {
		return Scalar{}
	}
	return s
}
