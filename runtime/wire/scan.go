package wire

import (
	"math/bits"
	"strconv"
	"strings"
)

// A scanner checks one value of a text without decoding it.
type scanner struct {
	space bool // white space was found inside the value
	reach int  // how far a failed scan went
	fault fault
}

// scanValue checks the value that begins at src[i], inside depth open containers. It returns the
// offset after the value and whether the value contains white space. If the value is malformed,
// end is -1, f is the reason, and reach is how far the scan went.
func scanValue(src string, i, depth int) (end int, space bool, reach int, f fault) {
	var s scanner
	end = s.value(src, i, depth)
	return end, s.space, s.reach, s.fault
}

func (s *scanner) fail(at int, problem string) int {
	s.fault = fault{at: at, about: at, problem: problem, syntax: true}
	s.reach = at
	return -1
}

// failToken fails at an offset inside the token that begins at i.
func (s *scanner) failToken(i, at int, problem string) int {
	s.fail(at, problem)
	s.fault.about = i
	return -1
}

func (s *scanner) failFound(src string, i int, want string) int {
	return s.fail(i, "expected "+want+", found "+found(src, i))
}

func (s *scanner) failString(src string, i, reach int) int {
	at, problem := stringFault(src, i)
	s.failToken(i, at, problem)
	s.reach = reach
	return -1
}

// value returns the offset after the value that begins at i, or -1.
func (s *scanner) value(src string, i, depth int) int {
	if i >= len(src) {
		return s.failFound(src, i, "a value")
	}
	switch src[i] {
	case '"':
		end, plain := plainString(src, i)
		if !plain {
			var ok bool
			if end, _, ok = scanRest(src, end, nil, 0); !ok {
				return s.failString(src, i, end)
			}
		}
		return end
	case '{':
		return s.object(src, i, depth+1)
	case '[':
		return s.array(src, i, depth+1)
	case 't':
		return s.literal(src, i, "true")
	case 'f':
		return s.literal(src, i, "false")
	case 'n':
		return s.literal(src, i, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end, ok := scanNumber(src, i)
		if !ok {
			return s.failToken(i, end, noDigit(src, end))
		}
		return end
	}
	return s.failFound(src, i, "a value")
}

func (s *scanner) literal(src string, i int, want string) int {
	end := scanLiteral(src, i, want)
	if end < 0 {
		n := 0
		for i+n < len(src) && src[i+n] == want[n] {
			n++
		}
		return s.failToken(i, i+n, "expected "+want+", found "+found(src, i+n))
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

// after returns the offset of the next token.
func (s *scanner) after(src string, i int) int {
	if i < len(src) && src[i] > ' ' {
		return i
	}
	end := skipSpace(src, i)
	s.space = s.space || end > i
	return end
}

func (s *scanner) array(src string, i, depth int) int {
	if depth > MaxDepth {
		return s.fail(i, tooDeep())
	}
	i = s.after(src, i+1)
	if i < len(src) && src[i] == ']' {
		return i + 1
	}
	for {
		if i = s.value(src, i, depth); i < 0 {
			return -1
		}
		i = s.after(src, i)
		switch {
		case i < len(src) && src[i] == ',':
			i = s.after(src, i+1)
		case i < len(src) && src[i] == ']':
			return i + 1
		default:
			return s.failFound(src, i, "',' or ']'")
		}
	}
}

func (s *scanner) object(src string, i, depth int) int {
	if depth > MaxDepth {
		return s.fail(i, tooDeep())
	}
	i = s.after(src, i+1)
	if i < len(src) && src[i] == '}' {
		return i + 1
	}
	var first [fewNames / 2]span
	names := first[:0]
	anyEscaped := false
	for {
		if i >= len(src) || src[i] != '"' {
			return s.failFound(src, i, "a member name")
		}
		end, plain := plainString(src, i)
		escaped := false
		if !plain {
			var ok bool
			if end, escaped, ok = scanRest(src, end, nil, 0); !ok {
				return s.failString(src, i, end)
			}
		}
		names = append(names, span{i + 1, end - 1})
		anyEscaped = anyEscaped || escaped
		i = s.after(src, end)
		if i >= len(src) || src[i] != ':' {
			return s.failFound(src, i, "':'")
		}
		if i = s.value(src, s.after(src, i+1), depth); i < 0 {
			return -1
		}
		i = s.after(src, i)
		switch {
		case i < len(src) && src[i] == ',':
			i = s.after(src, i+1)
		case i < len(src) && src[i] == '}':
			if n := duplicateName(src, names, anyEscaped); n >= 0 {
				s.fault = duplicateFault(names[n].start-1, names[n].name(src))
				s.reach = i
				return -1
			}
			return i + 1
		default:
			return s.failFound(src, i, "',' or '}'")
		}
	}
}

func tooDeep() string {
	return "nested more than " + strconv.Itoa(MaxDepth) + " levels deep"
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
