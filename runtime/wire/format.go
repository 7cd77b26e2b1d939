package wire

import (
	"net/url"
	"strings"
)

// Format reports a string that is not in the named format of JSON Schema. A
// format that is not known is not checked, nor is "regex". The verdicts are those of
// github.com/santhosh-tekuri/jsonschema, the validator that Go programs
// check tool schemas with, its leniences included, so that a value is not valid
// to one and invalid to the other. Only of "uri-template" more is let through:
// all that RFC 6570 calls a template, of which it refuses many.
func (c *Checker) Format(name, s string) {
	if !InFormat(name, s) {
		c.Report("must be in the format %s, is %q", name, shown(s))
	}
}

func inFormat(name, s string) bool {
	switch name {
	case "uri", "iri":
		return isURI(s)
	case "uri-reference", "iri-reference":
		return isURIReference(s)
	case "uri-template":
		return isTemplate(s) || hasBracePairs(s)
	case "date-time":
		return isDateTime(s)
	case "date":
		return isDate(s)
	case "time":
		return isTime(s)
	case "email":
		return isEmail(s)
	case "duration":
		return isDuration(s)
	case "period":
		return isPeriod(s)
	case "uuid":
		return isUUID(s)
	case "json-pointer":
		return isPointer(s)
	case "relative-json-pointer":
		return isRelativePointer(s)
	case "semver":
		return isVersion(s)
	case "hostname":
		return isHostname(s)
	case "ipv4":
		return isIPv4(s)
	case "ipv6":
		return isIPv6(s)
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// parseURL parses s, and looks into a host with colons, which net/url does not.
func parseURL(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, false
	}
	if host := u.Hostname(); strings.Contains(host, ":") {
		bracketed := strings.Contains(u.Host, "[") && strings.Contains(u.Host, "]")
		return u, bracketed && isIPv6(host)
	}
	return u, true
}

func isURI(s string) bool {
	if isPlainURI(s) {
		return true
	}
	u, ok := parseURL(s)
	return ok && u.IsAbs()
}

func isURIReference(s string) bool {
	if isPlainURI(s) {
		return true
	}
	_, ok := parseURL(s)
	return ok && !strings.Contains(s, `\`)
}

// isPlainURI tells most absolute URIs at a glance: those with a scheme and after it
// nothing that could be wrong in any part of a URI. What is parsed takes memory.
func isPlainURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !isLetter(scheme[0]) {
		return false
	}
	for i := range len(scheme) {
		if c := scheme[i]; !isLetter(c) && !isDigit(c) {
			return false
		}
	}
	for i := range len(rest) {
		switch c := rest[i]; {
		case isLetter(c), isDigit(c), c == '/', c == '.', c == '-', c == '_', c == '?', c == '=', c == '&', c == '#':
		default:
			return false
		}
	}
	return true
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isDigit(c) && (c|0x20 < 'a' || 'f' < c|0x20) {
				return false
			}
		}
	}
	return true
}

// isPointer checks RFC 6901.
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return false
		}
	}
	return true
}

// isRelativePointer checks a number of levels to go up, and a pointer or a # after it.
func isRelativePointer(s string) bool {
	n := skipDigits(s, 0)
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	return s[n:] == "#" || isPointer(s[n:])
}

// isVersion checks a semantic version: three numbers, and perhaps what makes it
// a release before that version after a hyphen and a build after a plus.
func isVersion(s string) bool {
	s, build, ok := strings.Cut(s, "+")
	if ok && !areIdentifiers(build, true) {
		return false
	}
	s, release, ok := strings.Cut(s, "-")
	if ok && !areIdentifiers(release, false) {
		return false
	}
	n := 0
	for number := range strings.SplitSeq(s, ".") {
		n++
		if number == "" || skipDigits(number, 0) < len(number) || len(number) > 1 && number[0] == '0' {
			return false
		}
	}
	return n == 3
}

// areIdentifiers checks the dotted parts of a semantic version.
func areIdentifiers(s string, leadingZeros bool) bool {
	for id := range strings.SplitSeq(s, ".") {
		digits := skipDigits(id, 0)
		if id == "" || digits == len(id) && digits > 1 && id[0] == '0' && !leadingZeros {
			return false
		}
		for i := digits; i < len(id); i++ {
			if c := id[i]; !isLetter(c) && !isDigit(c) && c != '-' {
				return false
			}
		}
	}
	return true
}

// InFormat reports whether s is in the named format of JSON Schema. It is what
// [Checker.Format] reports by.
func InFormat(name, s string) bool { return inFormat(name, s) }
