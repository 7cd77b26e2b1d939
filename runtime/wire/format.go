package wire

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// InFormat reports whether s has the named format of JSON Schema. It accepts any string for an
// unknown format, and for "regex".
//
// The verdicts are those of github.com/santhosh-tekuri/jsonschema, which Go programs use to
// validate tool schemas, including its leniences. So a value is not valid for one and invalid
// for the other. The exception is "uri-template": InFormat also accepts every template of RFC
// 6570, many of which that package refuses.
func InFormat(name, s string) bool {
	in, ok := formats[name]
	return !ok || in(s)
}

// Format reports a string for which [InFormat] is false.
func (c *Collector) Format(name, s string) {
	if !InFormat(name, s) {
		c.Report("must be in the format %s, is %q", name, shown(s))
	}
}

var formats = map[string]func(string) bool{
	"date":                  isDate,
	"date-time":             isDateTime,
	"duration":              isDuration,
	"email":                 isEmail,
	"hostname":              isHostname,
	"ipv4":                  isIPv4,
	"ipv6":                  isIPv6,
	"iri":                   isURI,
	"iri-reference":         isURIReference,
	"json-pointer":          isPointer,
	"period":                isPeriod,
	"relative-json-pointer": isRelativePointer,
	"semver":                isVersion,
	"time":                  isTime,
	"uri":                   isURI,
	"uri-reference":         isURIReference,
	"uri-template":          func(s string) bool { return isTemplate(s) || hasBracePairs(s) },
	"uuid":                  isUUID,
}

// all reports whether every byte of s is in a set.
func all(s string, in func(byte) bool) bool {
	for i := range len(s) {
		if !in(s[i]) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isLabelByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' }

// isNumeral reports whether s is a decimal number without leading zeros.
func isNumeral(s string) bool {
	return s != "" && all(s, isDigit) && (s[0] != '0' || len(s) == 1)
}

// parseURL parses s. It also checks a host with colons, which net/url does not.
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
	u, ok := parseURL(s)
	return ok && u.IsAbs()
}

func isURIReference(s string) bool {
	_, ok := parseURL(s)
	return ok && !strings.Contains(s, `\`)
}

func isUUID(s string) bool {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	return all(s[:8], isHex) && all(s[9:13], isHex) && all(s[14:18], isHex) && all(s[19:23], isHex) && all(s[24:], isHex)
}

// isPointer checks RFC 6901.
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for _, after := range strings.Split(s, "~")[1:] {
		if after == "" || after[0] != '0' && after[0] != '1' {
			return false
		}
	}
	return true
}

// isRelativePointer checks for a number of levels followed by a pointer or "#".
func isRelativePointer(s string) bool {
	n := skipDigits(s, 0)
	return isNumeral(s[:n]) && (s[n:] == "#" || isPointer(s[n:]))
}

// isVersion checks a semantic version (https://semver.org).
func isVersion(s string) bool {
	s, build, ok := strings.Cut(s, "+")
	if ok && !areIdentifiers(build, true) {
		return false
	}
	s, release, ok := strings.Cut(s, "-")
	if ok && !areIdentifiers(release, false) {
		return false
	}
	numbers := strings.Split(s, ".")
	return len(numbers) == 3 && isNumeral(numbers[0]) && isNumeral(numbers[1]) && isNumeral(numbers[2])
}

// areIdentifiers checks the dotted identifiers of a semantic version.
func areIdentifiers(s string, leadingZeros bool) bool {
	for id := range strings.SplitSeq(s, ".") {
		if id == "" || !all(id, isLabelByte) || !leadingZeros && all(id, isDigit) && !isNumeral(id) {
			return false
		}
	}
	return true
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 0 || at > 64 || len(s) > 254 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if n := len(local); n > 1 && local[0] == '"' && local[n-1] == '"' {
		if strings.ContainsAny(local[1:n-1], `\"`) {
			return false
		}
	} else if strings.HasPrefix(local, ".") || strings.HasSuffix(local, ".") || strings.Contains(local, "..") || !all(local, isMailboxByte) {
		return false
	}
	if !strings.HasPrefix(domain, "[") || !strings.HasSuffix(domain, "]") {
		return isHostname(domain)
	}
	address := domain[1 : len(domain)-1]
	if v6, ok := strings.CutPrefix(address, "IPv6:"); ok {
		return isIPv6(v6)
	}
	return isIPv4(address)
}

func isMailboxByte(c byte) bool {
	return isLetter(c) || isDigit(c) || strings.IndexByte(".!#$%&'*+-/=?^_`{|}~", c) >= 0
}

func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if n := len(label); n < 1 || n > 63 || label[0] == '-' || label[n-1] == '-' || !all(label, isLabelByte) {
			return false
		}
	}
	return true
}

// isIPv4 accepts signs, which net/netip does not.
func isIPv4(s string) bool {
	parts := strings.Split(s, ".")
	for _, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > 255 || len(part) > 1 && part[0] == '0' {
			return false
		}
	}
	return len(parts) == 4
}

func isIPv6(s string) bool {
	addr, err := netip.ParseAddr(s)
	return err == nil && addr.Zone() == "" && strings.Contains(s, ":")
}
