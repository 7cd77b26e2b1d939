package wire

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// InFormat reports whether s has the named format of JSON Schema. It accepts any string for an
// unknown format, and for "regex".
//
// The verdicts are those of github.com/santhosh-tekuri/jsonschema, which Go programs use to
// validate tool schemas, including its leniences. So a value is not valid for one and invalid
// for the other. There are two exceptions. As a "uri-template", InFormat also accepts every template of RFC 6570, many
// of which that package refuses. As a "uri" or the like, it also accepts one with escapes of ASCII in its host, as in
// notes://a%20b.
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

// parseReference is parseURL, but accepts all escapes in a host.
func parseReference(s string) (*url.URL, bool) {
	if u, ok := parseURL(s); ok {
		return u, true
	}
	return parseURL(withoutEscapes(s))
}

// withoutEscapes replaces the escapes in the host of a URI reference, if it is a name. Package url refuses those of
// ASCII, which RFC 3986 allows (section 3.2.2), so that {name} in greeting://{name} can be any text.
func withoutEscapes(s string) string {
	before, after, ok := strings.Cut(s, "//")
	host := after
	if at := strings.IndexAny(after, "/?#"); at >= 0 {
		host = after[:at]
	}
	if !ok || strings.ContainsAny(before, "/?#") || strings.Contains(host, "[") {
		return s
	}
	parts := strings.Split(host, "%")
	for i, part := range parts[1:] {
		if len(part) < 2 || !isHex(part[0]) || !isHex(part[1]) {
			return s
		}
		parts[i+1] = "a" + part[2:]
	}
	return before + "//" + strings.Join(parts, "") + after[len(host):]
}

func isURI(s string) bool {
	u, ok := parseReference(s)
	return ok && u.IsAbs()
}

func isURIReference(s string) bool {
	_, ok := parseReference(s)
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

// isDateTime checks RFC 3339, section 5.6.
func isDateTime(s string) bool {
	return len(s) >= 20 && s[10]|0x20 == 't' && isDate(s[:10]) && isTime(s[11:])
}

// isDate does not call time.Parse, which would link the code for all layouts of times into every server.
func isDate(s string) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return false
	}
	year, month, day := s[:4], s[5:7], s[8:]
	if !all(year, isDigit) || !all(month, isDigit) || !all(day, isDigit) {
		return false
	}
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) // which turns the 30th of February into the 1st of March
	return t.Month() == time.Month(m) && t.Day() == d
}

// isTime checks a time with its offset. The second 60 is valid only at 23:59 UTC.
func isTime(s string) bool {
	if len(s) < 9 || s[5] != ':' {
		return false
	}
	minutes, ok := clock(s[:5])
	second, err := strconv.Atoi(s[6:8])
	if !ok || err != nil || second < 0 || second > 60 {
		return false
	}
	zone := s[8:]
	if zone[0] == '.' {
		end := skipDigits(zone, 1)
		if end == 1 {
			return false
		}
		zone = zone[end:]
	}
	if zone != "z" && zone != "Z" {
		if len(zone) != 6 || zone[0] != '+' && zone[0] != '-' {
			return false
		}
		offset, ok := clock(zone[1:])
		if !ok {
			return false
		}
		if zone[0] == '+' {
			offset = -offset
		}
		minutes += offset
	}
	const day = 24 * 60
	return second < 60 || minutes == day-1 || minutes == -1
}

// clock returns the minutes of a time such as 01:30. Each part may have a sign.
func clock(s string) (minutes int, ok bool) {
	hour, err1 := strconv.Atoi(s[:2])
	minute, err2 := strconv.Atoi(s[3:])
	if err1 != nil || err2 != nil || s[2] != ':' || hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return 0, false
	}
	return hour*60 + minute, true
}

// isDuration checks appendix A of RFC 3339.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(s, "W"); ok {
		return weeks != "" && all(weeks, isDigit)
	}
	date, time, ok := strings.Cut(s, "T")
	return areCounts(date, "YMD") && (!ok || time != "" && areCounts(time, "HMS"))
}

// areCounts checks numbers that are each followed by a unit, in the order of the units.
func areCounts(s, units string) bool {
	for s != "" {
		n := skipDigits(s, 0)
		if n == 0 || n == len(s) {
			return false
		}
		i := strings.IndexByte(units, s[n])
		if i < 0 {
			return false
		}
		units = units[i+1:]
		s = s[n+1:]
	}
	return true
}

// isPeriod checks for two times, or a time and a duration, separated by a slash.
func isPeriod(s string) bool {
	start, end, ok := strings.Cut(s, "/")
	switch {
	case !ok:
		return false
	case strings.HasPrefix(start, "P"):
		return isDuration(start) && isDateTime(end)
	case strings.HasPrefix(end, "P"):
		return isDateTime(start) && isDuration(end)
	}
	return isDateTime(start) && isDateTime(end)
}

// ParseTime reads a date and time of RFC 3339, section 5.6, in which T and Z may be small letters. The
// location of the result is UTC if the offset is 0, and otherwise one without a name; it never is
// [time.Local]. A time.Time has nanoseconds and no leap seconds, so a fraction with more than nine digits,
// not counting zeros at its end, and the second 60 are errors.
func ParseTime(text string) (time.Time, error) {
	if !isDateTime(text) {
		return time.Time{}, fmt.Errorf("%s is not a date and time of RFC 3339", shown(strconv.Quote(text)))
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s) // isDateTime has checked it
		return n
	}
	clock, zone := text[11:19], text[19:]
	if clock[6:] == "60" {
		return time.Time{}, fmt.Errorf("%s is a leap second, which a time.Time cannot be", shown(strconv.Quote(text)))
	}
	nanoseconds := 0
	if zone[0] == '.' {
		end := skipDigits(zone, 1)
		digits := strings.TrimRight(zone[1:end], "0")
		if len(digits) > 9 {
			return time.Time{}, fmt.Errorf("%s has more digits than a time.Time, which has nanoseconds", shown(strconv.Quote(text)))
		}
		nanoseconds = number(digits + "000000000"[len(digits):])
		zone = zone[end:]
	}
	location := time.UTC
	if len(zone) > 1 {
		offset := (number(zone[1:3])*60 + number(zone[4:])) * 60
		if zone[0] == '-' {
			offset = -offset
		}
		if offset != 0 {
			location = time.FixedZone("", offset)
		}
	}
	// isDate says why time.Parse is not called.
	return time.Date(number(text[:4]), time.Month(number(text[5:7])), number(text[8:10]),
		number(clock[:2]), number(clock[3:5]), number(clock[6:]), nanoseconds, location), nil
}

// ReadTime reads a string as [ParseTime] does.
func (r *Reader) ReadTime() time.Time {
	start := skipSpace(r.src, r.pos)
	text := r.ReadString()
	if r.err != nil {
		return time.Time{}
	}
	t, err := ParseTime(text)
	if err != nil {
		r.fail(start, err.Error())
	}
	return t
}

// PutTime writes a time as a string of RFC 3339, with as many digits of a second as it has. The
// offset is that of its location; a time whose offset is not a number of minutes is written in UTC. A
// year beyond 0 to 9999 is an error.
func (w *Writer) PutTime(t time.Time) {
	if _, offset := t.Zone(); offset%60 != 0 || offset <= -24*60*60 || offset >= 24*60*60 {
		t = t.UTC()
	}
	if year := t.Year(); year < 0 || year > 9999 {
		w.Fail(fmt.Errorf("the year %d is not one of RFC 3339, from 0 to 9999", year))
		return
	}
	w.dst = append(t.AppendFormat(append(w.dst, '"'), time.RFC3339Nano), '"')
}

// Time writes a member that is a time.
func (w *Writer) Time(name string, t time.Time) {
	w.dst = appendPlainName(w.dst, name)
	w.PutTime(t)
}

// TimePointer writes a member that is a time, if t is not nil.
func (w *Writer) TimePointer(name string, t *time.Time) {
	if t != nil {
		w.Time(name, *t)
	}
}
