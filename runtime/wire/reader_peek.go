package wire

// The Peek methods look ahead at the object that comes next. They neither read it nor record
// errors. If no object comes next, or its text is malformed before the answer is found, they
// return zero values, and the read that follows reports the problem. If several members have one
// name, the first counts. The bytes that they look at count towards the limit of [Reader.Try].

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

// PeekRaw returns the value of the member called name if it is well formed.
func (r *Reader) PeekRaw(name string) (value Raw, ok bool) {
	before := r.beginPeek()
	if r.find(name) {
		r.checked = before.checked
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

// beginPeek makes Skip search for the end of a value without checking it.
func (r *Reader) beginPeek() position {
	before := r.position()
	r.trying++
	r.checked = true
	return before
}

func (r *Reader) endPeek(before position) {
	r.trying--
	if before.err != nil {
		r.checked = before.checked
		return
	}
	passed := r.pos - before.pos
	if r.err != nil { // the search for the end of a value may have gone through all of the text
		passed = len(r.src) - before.pos
	}
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
	before := r.position()
	r.trying++
	err := read()
	r.trying--
	if r.err == nil && err == nil {
		return true
	}
	wasted := r.pos - before.pos
	r.restore(before)
	r.spend(wasted)
	return false
}

// position is the state of a Reader that it can return to.
type position struct {
	err                 *Error
	pos, depth          int
	fresh, checked      bool
	nameAt, nameEnd     int
	unquoted            string
	deviations, omitted int
}

func (r *Reader) position() position {
	return position{r.err, r.pos, r.depth, r.fresh, r.checked, r.nameAt, r.nameEnd, r.unquoted, len(r.lenient.deviations), r.lenient.omitted}
}

// restore returns to a position and drops the error.
func (r *Reader) restore(p position) {
	r.err, r.place, r.located = nil, atValue, false
	r.pos, r.depth, r.fresh, r.checked = p.pos, p.depth, p.fresh, p.checked
	r.nameAt, r.nameEnd, r.unquoted = p.nameAt, p.nameEnd, p.unquoted
	for n := len(r.nameSets); n > 0 && r.nameSets[n-1].depth > p.depth; n-- {
		r.nameSets = r.nameSets[:n-1]
	}
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
