package wire

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A byte repeated in all eight bytes of a word.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// load8 returns the eight bytes of s at i, the first one lowest.
// The compiler makes one load of it.
func load8(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// load4 is [load8] for four bytes.
func load4(s string, i int) uint64 {
	b := s[i : i+4]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
}

// special returns a word whose lowest set bit marks the first byte of x that is a control
// character, a quote, a backslash or not ASCII. Bits above it have no meaning, because a
// subtraction borrows from higher bytes.
func special(x uint64) uint64 {
	return unusual(x) & highs
}

// unusual is [special] before the mask: only the high bit of each byte has a meaning. Inverting
// one bit maps control characters and the quote to values below 0x21.
func unusual(x uint64) uint64 {
	return ((x ^ 2*ones) - 0x21*ones) | ((x ^ '\\'*ones) - ones) | x
}

// plainEnd returns the offset of the first byte of s at or after i that is a control character, a
// quote, a backslash or not ASCII, or len(s).
func plainEnd(s string, i int) int {
	if i+8 <= len(s) { // often it is near
		if m := special(load8(s, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
		i += 8
	}
	for ; i+32 <= len(s); i += 32 {
		p := s[i : i+32]
		if (unusual(load8(p, 0))|unusual(load8(p, 8))|unusual(load8(p, 16))|unusual(load8(p, 24)))&highs != 0 {
			break
		}
	}
	for ; i+8 <= len(s); i += 8 {
		if m := special(load8(s, i)); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	if at := len(s) - 8; i < len(s) && at >= 0 {
		rest := load8(s, at) >> (8 * (i - at)) // and zeros, which are control characters
		return i + bits.TrailingZeros64(special(rest))>>3
	}
	if at := len(s) - 4; i <= at { // a string of four to seven bytes, or the end of one
		if m := special(load4(s, i) | load4(s, at)<<32); m != 0 {
			if n := bits.TrailingZeros64(m) >> 3; n < 4 {
				return i + n
			} else {
				return at + n - 4
			}
		}
		return len(s)
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && s[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// highEnd returns the offset of the first byte of s at or after i that is a control character, a
// quote or a backslash, or len(s).
func highEnd(s string, i int) int {
	for ; i+8 <= len(s); i += 8 {
		x := load8(s, i)
		if m := (((x ^ 2*ones) - 0x21*ones) | ((x ^ '\\'*ones) - ones)) &^ x & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// stringEnd returns the offset after the well-formed string that begins at src[i], and whether it has escapes. If none
// does, end is -1.
func stringEnd(src string, i int) (end int, escaped bool) {
	if i >= len(src) || src[i] != '"' {
		return -1, false
	}
	end, plain := plainString(src, i)
	if plain {
		return end, false
	}
	end = skipString(src, i)
	return end, end > 0 && strings.IndexByte(src[i:end], '\\') >= 0
}

// plainString returns the offset after the string whose opening quote is src[i] if the string has
// only plain bytes, and otherwise the offset of the first other byte.
func plainString(src string, i int) (end int, plain bool) {
	i++
	if i+8 <= len(src) { // many strings are short
		if m := special(load8(src, i)); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
			if src[i] == '"' {
				return i + 1, true
			}
			return i, false
		}
		i += 8
	}
	i = plainEnd(src, i)
	if i < len(src) && src[i] == '"' {
		return i + 1, true
	}
	return i, false
}

// scanRest checks the rest of a string that is plain up to i. It returns the offset after the closing quote and whether
// the string has escapes. If the string is malformed, ok is false, and stringFault describes the problem.
func scanRest(src string, i int) (end int, escaped, ok bool) {
	high := len(src) // offset of the first byte that is not ASCII
	for i < len(src) {
		switch c := src[i]; {
		case c == '"':
			return i + 1, escaped, high >= i || utf8.ValidString(src[high:i])
		case c < ' ':
			return i, escaped, false
		case c >= utf8.RuneSelf:
			high = min(high, i)
		default:
			escaped = true
			_, n := unescape(src[i:])
			if n == 0 {
				return i, escaped, false
			}
			i += n
		}
		if high <= i {
			i = highEnd(src, i)
		} else {
			i = plainEnd(src, i)
		}
	}
	return i, escaped, false
}

// unescape returns the character of the escape sequence that s begins with, and the length of the
// sequence, which is 0 if it is malformed. A pair of surrogates is one sequence.
func unescape(s string) (rune, int) {
	if len(s) < 2 {
		return 0, 0
	}
	switch c := s[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return unicodeEscape(s)
	}
	return 0, 0
}

// unicodeEscape returns the character of the \u escape, or of the pair of surrogates, that s begins
// with, and its length in s. The length is 0 if the escape is malformed or an unpaired surrogate.
func unicodeEscape(s string) (rune, int) {
	r := hex4(s)
	switch {
	case r < 0:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	r = utf16.DecodeRune(r, hex4(s[6:]))
	if r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// hex4 returns the code unit of the \uXXXX that s begins with, or -1.
func hex4(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range []byte(s[2:6]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// stringFault returns the problem of the string at src[i], which scanRest refused, and its
// offset.
func stringFault(src string, i int) (at int, problem string) {
	for i++; i < len(src); {
		c := src[i]
		switch {
		case c == '"':
			return i, "malformed string"
		case c < ' ':
			return i, "unescaped control character " + found(src, i) + " in a string"
		case c == '\\':
			_, n := unescape(src[i:])
			if n == 0 {
				return i, escapeFault(src[i:])
			}
			i += n
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRuneInString(src[i:])
			if r == utf8.RuneError && n == 1 {
				return i, "invalid UTF-8 in a string"
			}
			i += n
		}
	}
	return len(src), "string without end"
}

// escapeFault returns the problem of the escape sequence that s begins with.
func escapeFault(s string) string {
	if hex4(s) >= 0 {
		return "half of a surrogate pair: " + s[:6]
	}
	most := 2
	if strings.HasPrefix(s, `\u`) {
		most = 6
	}
	n := 1
	for n < min(most, len(s)) && ' ' < s[n] && s[n] <= '~' && s[n] != '"' {
		n++
	}
	return "malformed escape sequence " + s[:n]
}

// unquote returns the meaning of the body of a string, without its quotes.
func unquote(body string) string { return string(appendUnquoted(make([]byte, 0, 64), body)) }

// appendUnquoted appends what unquote returns. It keeps a malformed escape sequence as it is.
func appendUnquoted(dst []byte, body string) []byte {
	for {
		i := strings.IndexByte(body, '\\')
		if i < 0 {
			return append(dst, body...)
		}
		dst = append(dst, body[:i]...)
		char, n := unescape(body[i:])
		if n == 0 {
			return append(dst, body[i:]...)
		}
		dst = utf8.AppendRune(dst, char)
		body = body[i+n:]
	}
}

// found describes the character at offset i of text for an error message.
func found(text string, i int) string {
	if i >= len(text) {
		return "the end of the text"
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	if r == utf8.RuneError && size <= 1 {
		return "byte 0x" + strconv.FormatUint(uint64(text[i]), 16)
	}
	return strconv.QuoteRuneToASCII(r)
}

// shown returns text, truncated for an error message if it is long.
func shown(text string) string { return truncate(text, 40) }

// truncate returns text, truncated to most bytes and an ellipsis if it is longer.
func truncate[T ~string](text T, most int) T {
	if len(text) <= most {
		return text
	}
	return T(strings.ToValidUTF8(string(text[:most]), "")) + "..."
}
