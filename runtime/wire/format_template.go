package wire

import (
	"net/url"
	"strings"
)

// isTemplate checks the grammar of RFC 6570, section 2.
func isTemplate(s string) bool {
	for s != "" {
		switch c := s[0]; {
		case c == '{':
			expression, rest, ok := strings.Cut(s[1:], "}")
			if !ok || !isExpression(expression) {
				return false
			}
			s = rest
		case c == '%':
			if !isPercentEncoded(s) {
				return false
			}
			s = s[3:]
		case c <= ' ' || c == 0x7f || strings.IndexByte("\"<>\\^`|}", c) >= 0:
			return false
		default:
			s = s[1:]
		}
	}
	return true
}

// isExpression checks the text between braces: an operator and variables.
func isExpression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&", s[0]) >= 0 {
		s = s[1:]
	}
	for variable := range strings.SplitSeq(s, ",") {
		name, exploded := strings.CutSuffix(variable, "*")
		name, length, ok := strings.Cut(name, ":")
		if ok && (exploded || !isNumeral(length) || length == "0" || len(length) > 4) || !isVariableName(name) {
			return false
		}
	}
	return true
}

func isVariableName(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		if part == "" {
			return false
		}
		for part != "" {
			switch c := part[0]; {
			case isPercentEncoded(part):
				part = part[3:]
			case isLetter(c) || isDigit(c) || c == '_':
				part = part[1:]
			default:
				return false
			}
		}
	}
	return true
}

// isPercentEncoded reports whether s begins with an encoded byte such as %2F.
func isPercentEncoded(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

// hasBracePairs reports whether braces come in pairs within each segment of the path, which is
// how other validators check templates. A path without RawPath has no braces.
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
			c := segment[i]
			if c != '{' && c != '}' {
				continue
			}
			if (c == '}') != open {
				return false
			}
			open = !open
		}
		if open {
			return false
		}
	}
	return true
}
