package wire

import (
	"net/url"
	"strings"
)

// isTemplate checks the grammar of RFC 6570, section 2.
func isTemplate(s string) bool {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '{':
			end := strings.IndexByte(s[i:], '}')
			if end < 0 || !isExpression(s[i+1:i+end]) {
				return false
			}
			i += end + 1
		case c == '%':
			if !isPercentEncoded(s[i:]) {
				return false
			}
			i += 3
		case c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`|}", c) >= 0:
			return false
		default:
			i++
		}
	}
	return true
}

// isExpression checks what stands between braces: an operator, and variables.
func isExpression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&", s[0]) >= 0 {
		s = s[1:]
	}
	for variable := range strings.SplitSeq(s, ",") {
		name, exploded := strings.CutSuffix(variable, "*")
		if before, length, ok := strings.Cut(name, ":"); ok {
			if exploded || !isPrefixLength(length) {
				return false
			}
			name = before
		}
		if !isVariableName(name) {
			return false
		}
	}
	return true
}

// isPrefixLength checks a number from 1 to 9999.
func isPrefixLength(s string) bool {
	return s != "" && len(s) <= 4 && s[0] != '0' && skipDigits(s, 0) == len(s)
}

func isVariableName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" {
			return false
		}
		for i := 0; i < len(part); {
			switch c := part[i]; {
			case c == '%' && isPercentEncoded(part[i:]):
				i += 3
			case isLetter(c) || isDigit(c) || c == '_':
				i++
			default:
				return false
			}
		}
	}
	return true
}

// isPercentEncoded reports whether s begins with a byte as in %2F.
func isPercentEncoded(s string) bool { return len(s) >= 3 && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// hasBracePairs is the reading of "uri-template" that other validators have:
// braces come in pairs within each segment of the path. A path without RawPath
// has no braces.
func hasBracePairs(s string) bool {
	u, ok := parseURL(s)
	if !ok {
		return false
	}
	for segment := range strings.SplitSeq(u.RawPath, "/") {
		segment, err := url.PathUnescape(segment)
		if err != nil {
			return false
		}
		open := false
		for i := range len(segment) {
			switch c := segment[i]; {
			case c == '{' && !open, c == '}' && open:
				open = !open
			case c == '{' || c == '}':
				return false
			}
		}
		if open {
			return false
		}
	}
	return true
}
