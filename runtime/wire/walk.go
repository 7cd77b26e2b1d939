package wire

// What is in this file is for those who read a text that has been checked
// before, perhaps several times in part: validators of JSON Schema.

// Mark is a place in the text of a [Reader].
type Mark struct {
	pos, depth int
	fresh      bool
}

// Mark returns the place where the Reader is.
func (r *Reader) Mark() Mark { return Mark{r.pos, r.depth, r.fresh} }

// Reset goes to a place where the Reader has been. It does not undo an error.
func (r *Reader) Reset(m Mark) { r.pos, r.depth, r.fresh = m.pos, m.depth, m.fresh }

// Depth returns how many arrays and objects are open.
func (r *Reader) Depth() int { return r.depth }

// Take reads a value of any kind and returns its source text, as
// [Reader.ReadRaw] does, but checks no more of it than it needs to find the end.
// It is for text that has been checked.
func (r *Reader) Take() Raw {
	if r.err != nil {
		return ""
	}
	start := skipSpace(r.src, r.pos)
	end := skipValue(r.src, start)
	if end < 0 {
		r.failFound(start, "a value")
		return ""
	}
	r.pos = end
	return Raw(r.src[start:end])
}

// NameAt returns the offset of the name of the member that Member moved to: that
// of its opening quote.
func (r *Reader) NameAt() int { return r.nameAt }

// ResetToName goes back to the name of the member that Member moved to, so that
// it can be read as a value. [Reader.Reset] has to follow.
func (r *Reader) ResetToName() { r.pos = r.nameAt }

// NameFrom returns the member name whose opening quote is at an offset of the
// text, unescaped.
func (r *Reader) NameFrom(offset int) string {
	end, escaped, ok := scanString(r.src, offset)
	switch {
	case !ok:
		return ""
	case escaped:
		return unquote(r.src[offset+1 : end-1])
	}
	return r.src[offset+1 : end-1]
}

// InFormat reports whether s is in the named format of JSON Schema. It is what
// [Checker.Format] reports by.
func InFormat(name, s string) bool { return inFormat(name, s) }

// Str returns the meaning of a raw that is a well-formed string; of any other
// ok is false.
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

// IsInteger reports whether a raw that is a well-formed number has no fraction:
// 1, 1.0 and 1e400 are integers.
func (x Raw) IsInteger() bool {
	if _, end, ok := parseSmall(string(x), 0); ok && end == len(x) {
		return true
	}
	return parseDecimal(string(x)).integral()
}

// CompareNumbers compares two raws that are well-formed numbers by their exact
// values: it returns -1, 0 or +1 as a is less than, equal to or greater than b.
func CompareNumbers(a, b Raw) int {
	if x, ok := parsePlain(string(a)); ok {
		if y, ok := parsePlain(string(b)); ok {
			if c, ok := comparePlain(x, y); ok {
				return c
			}
		}
	}
	return compareDecimals(parseDecimal(string(a)), parseDecimal(string(b)))
}

// Renew makes r a new Reader of src, so that its memory is used again.
func (r *Reader) Renew(src string) { r.renew(src, false) }

func (r *Reader) renew(src string, checked bool) {
	scratch := r.scratch
	if cap(scratch) > maxPooled {
		scratch = nil
	}
	*r = Reader{src: src, checked: checked, scratch: scratch}
}

// DecodeChecked is [UnmarshalChecked] by r, which is made a new Reader for it.
func (r *Reader) DecodeChecked(text Raw, v Value) error {
	r.renew(string(text), true)
	return r.decode(v)
}

// Restart makes r read another text from its beginning, in place of the one that it has
// read. Its lenience and its deviations stay. The text must be well-formed.
func (r *Reader) Restart(text Raw) {
	r.src, r.pos, r.depth, r.indexes, r.checked = string(text), 0, 0, nil, true
}
