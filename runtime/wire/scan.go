package wire

import (
	"math"
	"strconv"
)

// skipSpace returns the offset of the first byte of src at or after i that is
// not white space.
func skipSpace(src string, i int) int {
	for i < len(src) && src[i] <= ' ' && (src[i] == ' ' || src[i] == '\n' || src[i] == '\r' || src[i] == '\t') {
		i++
	}
	return i
}

// A scanner checks one value of a text without decoding it.
type scanner struct {
	many  []span // names of the open objects that have many, the innermost last
	table nameTable
	space bool // white space was met inside of the value
	reach int  // how far a failed scan went
	fault fault
}

// scanValue checks the value that begins at src[i], inside depth open
// containers, and returns the offset after it and whether there is white space
// in it. Where the value is malformed, end is -1; then f says why and reach how
// far the scan went.
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

// failToken fails within the token that begins at i.
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

func (s *scanner) failLiteral(src string, i int, want string) int {
	at, problem := literalFault(src, i, want)
	return s.failToken(i, at, problem)
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
			if end, _, ok = scanRest(src, end); !ok {
				return s.failString(src, i, end)
			}
		}
		return end
	case '{':
		return s.object(src, i, depth+1)
	case '[':
		return s.array(src, i, depth+1)
	case 't':
		if end := scanLiteral(src, i, "true"); end > 0 {
			return end
		}
		return s.failLiteral(src, i, "true")
	case 'f':
		if end := scanLiteral(src, i, "false"); end > 0 {
			return end
		}
		return s.failLiteral(src, i, "false")
	case 'n':
		if end := scanLiteral(src, i, "null"); end > 0 {
			return end
		}
		return s.failLiteral(src, i, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		end, ok := scanNumber(src, i)
		if !ok {
			return s.failToken(i, end, noDigit(src, end))
		}
		return end
	}
	return s.failFound(src, i, "a value")
}

// scanLiteral returns the offset after want, which src should have at i, or -1.
func scanLiteral(src string, i int, want string) int {
	if len(src)-i >= len(want) && src[i:i+len(want)] == want {
		return i + len(want)
	}
	return -1
}

// literalFault returns where src differs from want, which it should have at i.
func literalFault(src string, i int, want string) (at int, problem string) {
	n := 0
	for i+n < len(src) && src[i+n] == want[n] {
		n++
	}
	return i + n, "expected " + want + ", found " + found(src, i+n)
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
		i = s.value(src, i, depth)
		if i < 0 {
			return -1
		}
		i = s.after(src, i)
		if i >= len(src) {
			return s.failFound(src, i, "',' or ']'")
		}
		switch src[i] {
		case ',':
			i = s.after(src, i+1)
		case ']':
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
	start := i
	i = s.after(src, i+1)
	if i < len(src) && src[i] == '}' {
		return i + 1
	}
	names := nameList{first: i}
	for {
		if i >= len(src) || src[i] != '"' {
			return s.failFound(src, i, "a member name")
		}
		end, bit, plain := plainName(src, i)
		escaped := false
		if !plain {
			var ok bool
			if end, escaped, ok = scanRest(src, end); !ok {
				return s.failString(src, i, end)
			}
		}
		if escaped || names.filter&bit != 0 || names.n >= fewNames || uint64(i-names.first) > math.MaxUint32 {
			s.meet(src, &names, i, end, escaped)
		} else {
			names.few[names.n] = uint32(i - names.first)
			names.n++
		}
		names.filter |= bit
		i = s.after(src, end)
		if i >= len(src) || src[i] != ':' {
			return s.failFound(src, i, "':'")
		}
		i = s.after(src, i+1)
		if i = s.value(src, i, depth); i < 0 {
			return -1
		}
		i = s.after(src, i)
		if i >= len(src) {
			return s.failFound(src, i, "',' or '}'")
		}
		switch src[i] {
		case ',':
			i = s.after(src, i+1)
		case '}':
			if n := s.duplicate(src, &names); n >= 0 {
				return s.failDuplicate(src, start, n, i)
			}
			return i + 1
		default:
			return s.failFound(src, i, "',' or '}'")
		}
	}
}

// failDuplicate fails at the n-th member of the object at start.
func (s *scanner) failDuplicate(src string, start, n, reach int) int {
	c, _ := openObject(src, start)
	for range n + 1 {
		c.next()
	}
	s.fault = duplicateFault(c.nameAt, c.name)
	s.reach = reach
	return -1
}

func tooDeep() string {
	return "nested more than " + strconv.Itoa(MaxDepth) + " levels deep"
}
