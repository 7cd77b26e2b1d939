package wire

import (
	"math/bits"
	"strings"
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
			if end, _, ok = scanRest(src, end, nil, 0); !ok {
				return r.failString(i, end)
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
			return r.failNumber(i, end)
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
			if end, escaped, ok = scanRest(src, end, nil, 0); !ok {
				return r.failString(i, end)
			}
		}
		names = append(names, span{i + 1, end - 1})
		anyEscaped = anyEscaped || escaped
		i = r.after(src, end)
		if i >= len(src) || src[i] != ':' {
			return r.failFound(i, "':'")
		}
		if i = r.scan(src, r.after(src, i+1), depth); i < 0 {
			return -1
		}
		i = r.after(src, i)
		switch {
		case i < len(src) && src[i] == ',':
			i = r.after(src, i+1)
		case i < len(src) && src[i] == '}':
			if n := duplicateName(src, names, anyEscaped); n >= 0 {
				r.pos = i
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
