package wire

import "strconv"

// ReadString reads a string and returns it unescaped.
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
	r.scratch = r.scratch[:0]
	end, escaped, ok := scanRest(r.src, end, &r.scratch, i+1)
	if !ok {
		r.failString(i, end)
		return ""
	}
	r.pos = end
	if !escaped {
		return r.src[i+1 : end-1]
	}
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
	if i >= len(r.src) || kindOf(r.src[i]) != KindNumber {
		r.failKind(i, want)
		return ""
	}
	end, ok := scanNumber(r.src, i)
	if !ok {
		r.failNumber(i, end)
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

// ReadScalar reads a scalar of one of the allowed sorts. It keeps the token of a number.
func (r *Reader) ReadScalar(allowed ScalarSet) Scalar {
	if r.err != nil {
		return Scalar{}
	}
	i := skipSpace(r.src, r.pos)
	kind := KindInvalid
	if i < len(r.src) {
		kind = kindOf(r.src[i])
	}
	if allowed&scalarSetOf(kind) == 0 {
		r.failKind(i, allowed.String())
		return Scalar{}
	}
	var s Scalar
	switch kind {
	case KindString:
		s = StringScalar(r.ReadString())
	case KindNumber:
		s = Scalar{KindNumber, r.number("a number")}
		if r.err == nil && !s.Is(allowed) {
			r.failToken(s.text, "expected "+allowed.String()+", found "+shown(s.text))
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
