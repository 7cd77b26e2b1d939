package wire

// The Peek methods look at the object that comes next. They read and record
// nothing: when no object comes next, or its text is malformed before the
// answer is found, they return zero values, and the later read says what is
// wrong. Of several members with one name the first counts. What they look at
// counts towards the bound described at [Reader.Try].

// PeekString returns the value of the member called name when it is a string.
func (r *Reader) PeekString(name string) (string, bool) {
	if s, ok := r.peekFirst(name); ok {
		return s, true
	}
	c := cursor{src: r.src}
	if !r.peek(&c) {
		return "", false
	}
	value, ok := c.findString(name)
	r.peeked(&c)
	return value, ok
}

// peekFirst is PeekString for the case most common by far, that the member is the
// first one and plain, and there is no white space.
func (r *Reader) peekFirst(name string) (string, bool) {
	src, i := r.src, r.pos
	if r.err != nil || len(src)-i < len(`{"":""}`)+len(name) || src[i] != '{' || src[i+1] != '"' {
		return "", false
	}
	at, plain := plainString(src, i+1)
	if !plain || src[i+2:at-1] != name || len(src)-at < len(`:""`) || src[at] != ':' || src[at+1] != '"' {
		return "", false
	}
	end, plain := plainString(src, at+1)
	if !plain {
		return "", false
	}
	r.spend(end - i)
	return src[at+2 : end-1], true
}

// PeekInt64 returns the value of the member called name when it is an integer
// that an int64 holds.
func (r *Reader) PeekInt64(name string) (int64, bool) {
	raw, ok := r.PeekRaw(name)
	if !ok || raw.Kind() != KindNumber {
		return 0, false
	}
	i, integral, ok := parseInt64(string(raw))
	return i, integral && ok
}

// PeekRaw returns the value of the member called name.
func (r *Reader) PeekRaw(name string) (Raw, bool) {
	c := cursor{src: r.src}
	if !r.peek(&c) {
		return "", false
	}
	defer r.peeked(&c)
	if !c.find(name) {
		return "", false
	}
	end, _, reach, _ := scanValue(c.src, c.pos, r.depth+1)
	c.end = reach
	if end < 0 {
		return "", false
	}
	return Raw(c.src[c.pos:end]), true
}

// PeekHas returns a mask with bit i set when there is a member called names[i].
// There may be at most 64 names.
func (r *Reader) PeekHas(names ...string) uint64 {
	c := cursor{src: r.src}
	if !r.peek(&c) {
		return 0
	}
	var has uint64
	all := uint64(1)<<len(names) - 1
	for has != all && c.next() {
		for i, name := range names {
			if c.name == name {
				has |= 1 << i
			}
		}
	}
	r.peeked(&c)
	return has
}

// PeekPath reports whether there is a member path[0] that is an object with a
// member path[1], and so on.
func (r *Reader) PeekPath(path ...string) bool {
	c := cursor{src: r.src}
	if !r.peek(&c) {
		return false
	}
	defer r.peeked(&c)
	for i, name := range path {
		if i > 0 && !c.open(c.pos) || !c.find(name) {
			return false
		}
	}
	return true
}

// peek moves c into the object that comes next.
func (r *Reader) peek(c *cursor) bool { return r.err == nil && c.open(r.pos) }

// peeked counts what c has passed. In malformed text c may have searched all of
// it for the end of a value.
func (r *Reader) peeked(c *cursor) {
	end := max(c.pos, c.end)
	if c.end < 0 {
		end = len(r.src)
	}
	r.spend(end - r.pos)
}

// Try decodes v from the next value and reports whether that worked; if not,
// the Reader is where it was, without an error, and v may be half written.
// What all calls of Try and Peek methods read in vain is bounded in proportion
// to the text; beyond that the Reader fails.
func (r *Reader) Try(v Value) bool {
	if r.err != nil {
		return false
	}
	start := r.start()
	return r.settle(start, v.DecodeJSON(r))
}

// Attempt is [Reader.Try] for a function that reads the next value.
func (r *Reader) Attempt(read func()) bool {
	if r.err != nil {
		return false
	}
	start := r.start()
	read()
	return r.settle(start, nil)
}

// attempt is where a Reader was when it began to try something.
type attempt struct {
	pos, depth      int
	fresh           bool
	nameAt, nameEnd int
	unquoted        string
	noted, untold   int // deviations
}

func (r *Reader) start() attempt {
	r.trying++
	return attempt{r.pos, r.depth, r.fresh, r.nameAt, r.nameEnd, r.unquoted, len(r.lenient.deviations), r.lenient.untold}
}

// settle ends an attempt. When it failed the Reader goes back.
func (r *Reader) settle(start attempt, err error) bool {
	r.trying--
	if err == nil && r.err == nil {
		return true
	}
	wasted := r.pos - start.pos
	r.err, r.place, r.located = nil, atValue, false
	r.pos, r.depth, r.fresh = start.pos, start.depth, start.fresh
	r.nameAt, r.nameEnd, r.unquoted = start.nameAt, start.nameEnd, start.unquoted
	for n := len(r.indexes); n > 0 && r.indexes[n-1].depth > start.depth; n-- {
		r.indexes = r.indexes[:n-1]
	}
	r.lenient.deviations, r.lenient.untold = r.lenient.deviations[:start.noted], start.untold
	r.spend(wasted)
	return false
}

// spend counts bytes that are read again, and fails when they are too many.
// A small sum on top of the bytes stands for the cost of the call itself.
func (r *Reader) spend(n int) {
	const perCall, perByte, free = 8, 32, 1 << 16
	r.spent += n + perCall
	if r.spent > free+perByte*len(r.src) && r.err == nil {
		r.fail(r.pos, "too much of the text has to be read again to tell what it is")
	}
}
