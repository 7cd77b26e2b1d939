package wire

import (
	"math/bits"
	"strings"
)

// A cursor steps through the members of an object without checking their
// values, in text that has been checked before or will be afterwards.
// In malformed text it stops early, or sees members that are none.
type cursor struct {
	src    string
	pos    int    // where the current value begins; before the first one, after the '{'
	end    int    // where the current value ends, 0 while not known, -1 where the text is malformed
	name   string // of the current member, unescaped
	nameAt int    // offset of its opening quote; 0 before the first member
}

// openObject returns a cursor before the first member of the object that
// begins at or after src[i]; ok is false when no object does.
func openObject(src string, i int) (c cursor, ok bool) {
	c.src = src
	return c, c.open(i)
}

// open moves before the first member of the object that begins at or after offset i.
func (c *cursor) open(i int) bool {
	i = skipSpace(c.src, i)
	if i >= len(c.src) || c.src[i] != '{' {
		return false
	}
	c.pos, c.end, c.nameAt = skipSpace(c.src, i+1), 0, 0
	return true
}

// next moves to the next member, if there is one.
func (c *cursor) next() bool {
	src, i := c.src, c.pos
	if c.nameAt > 0 {
		if !c.skip() {
			return false
		}
		i = skipSpace(src, c.end)
		if i >= len(src) || src[i] != ',' {
			return false
		}
		i = skipSpace(src, i+1)
	}
	if i >= len(src) || src[i] != '"' {
		return false
	}
	end, plain := plainString(src, i)
	escaped := false
	if !plain {
		var ok bool
		if end, escaped, ok = scanRest(src, i+1, end); !ok {
			c.end = -1
			return false
		}
	}
	c.nameAt, c.name = i, src[i+1:end-1]
	if escaped {
		c.name = unquote(c.name)
	}
	if i = end; i < len(src) && src[i] != ':' {
		i = skipSpace(src, i)
	}
	if i >= len(src) || src[i] != ':' {
		return false
	}
	c.pos, c.end = skipSpace(src, i+1), 0
	return true
}

// find moves to the first member from here on that is called name.
func (c *cursor) find(name string) bool {
	for c.next() {
		if c.name == name {
			return true
		}
	}
	return false
}

// findString moves to the first member from here on that is called name, and
// returns its value when it is a string.
func (c *cursor) findString(name string) (string, bool) {
	if !c.find(name) || c.pos >= len(c.src) || c.src[c.pos] != '"' {
		return "", false
	}
	end, escaped, ok := scanString(c.src, c.pos)
	c.end = end
	switch {
	case !ok:
		return "", false
	case escaped:
		return unquote(c.src[c.pos+1 : end-1]), true
	}
	return c.src[c.pos+1 : end-1], true
}

// skip finds the end of the current value.
func (c *cursor) skip() bool {
	if c.end == 0 {
		c.end = skipValue(c.src, c.pos)
	}
	return c.end > 0
}

// value returns the text of the current value, unchecked.
func (c *cursor) value() (Raw, bool) {
	if !c.skip() {
		return "", false
	}
	return Raw(c.src[c.pos:c.end]), true
}

// skipValue returns the offset after the value that begins at src[i], or -1
// where no value does. It checks no more than it needs to find the end.
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
	for few := i + 16; i < few && i+8 <= len(src); i += 8 { // many strings are short
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
