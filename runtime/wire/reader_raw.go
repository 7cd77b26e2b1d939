package wire

import "strings"

// ReadRaw reads a value of any kind and returns its source text. It checks all of it: grammar,
// UTF-8, surrogates, duplicate names and depth.
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
	if !r.nextIs('{') {
		r.failKind(skipSpace(r.src, r.pos), "an object")
		return ""
	}
	return Object(r.ReadRaw())
}

// Skip reads a value and drops it. It checks the value as [Reader.ReadRaw] does.
func (r *Reader) Skip() { r.check() }

// check moves after the next value and returns where it begins.
func (r *Reader) check() (start int, ok bool) {
	if r.err != nil {
		return 0, false
	}
	start = skipSpace(r.src, r.pos)
	if r.checked {
		end := 0
		if r.depth == 0 { // the value is the whole text
			end = len(strings.TrimRight(r.src, " \t\r\n"))
		} else {
			end = skipValue(r.src, start)
		}
		if end > start {
			r.pos = end
			return start, true
		}
	}
	end := r.scan(r.src, start, r.depth)
	if end < 0 {
		return 0, false
	}
	r.pos = end
	return start, true
}

// The methods below are for validators, which read a text that has been checked before, parts of
// it several times.

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

// Take is [Reader.ReadRaw] for text that has been checked before. It checks no more than it needs
// to find the end of the value.
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

// Renew makes r a new Reader of src. It reuses memory of r.
func (r *Reader) Renew(src string) { r.renew(src, false) }

func (r *Reader) renew(src string, checked bool) {
	scratch := r.scratch
	if cap(scratch) > maxPooled {
		scratch = nil
	}
	*r = Reader{src: src, checked: checked, scratch: scratch}
}

// DecodeChecked is [UnmarshalChecked] with a Reader that the caller owns. It renews r.
func (r *Reader) DecodeChecked(text Raw, v Decoder) error {
	r.renew(string(text), true)
	return r.decode(v)
}

// Restart makes r read another well-formed text from its beginning. Lenience and deviations
// remain.
func (r *Reader) Restart(text Raw) {
	r.src, r.pos, r.depth, r.nameSets, r.checked = string(text), 0, 0, nil, true
}
