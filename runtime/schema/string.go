package schema

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// str returns the string that a value is.
func (v Value) str() (string, bool) {
	if v.kind != wire.KindString {
		return "", false
	}
	return v.text.Str()
}

// length returns how many code points a string has.
func (v Value) length() int {
	if strings.IndexByte(string(v.text), '\\') < 0 {
		return utf8.RuneCountInString(string(v.text)) - len(`""`)
	}
	s, _ := v.str()
	return utf8.RuneCountInString(s)
}

// MinLength reports a string of fewer than least code points.
func (c *Checker) MinLength(v Value, least int64) {
	if v.kind != wire.KindString {
		return
	}
	if n := v.length(); int64(n) < least && c.wanted() {
		if least == 1 {
			c.report("must not be empty")
			return
		}
		c.report("must have at least " + count(least, "character") + ", has " + strconv.Itoa(n))
	}
}

// MaxLength reports a string of more than most code points.
func (c *Checker) MaxLength(v Value, most int64) {
	// No string has more code points than bytes.
	if v.kind != wire.KindString || int64(len(v.text)-len(`""`)) <= most {
		return
	}
	if n := v.length(); int64(n) > most && c.wanted() {
		c.report("must have at most " + count(most, "character") + ", has " + strconv.Itoa(n))
	}
}

// Format reports a string that is not in the named format, of those that
// [wire.InFormat] knows.
func (c *Checker) Format(v Value, name string) {
	if s, ok := v.str(); ok && !wire.InFormat(name, s) && c.wanted() {
		c.report("must be in the format " + name + example(name) + ", found " + found(v))
	}
}

// example shows those who do not know a format by name what it looks like.
func example(format string) string {
	switch format {
	case "date-time":
		return " (such as 2026-01-31T12:00:00Z)"
	case "date":
		return " (such as 2026-01-31)"
	case "time":
		return " (such as 12:00:00Z)"
	case "duration":
		return " (such as P1DT12H)"
	case "uri":
		return " (such as https://example.com/a)"
	case "uuid":
		return " (such as 123e4567-e89b-12d3-a456-426614174000)"
	case "email":
		return " (such as name@example.com)"
	}
	return ""
}

// count returns a number of things in words.
func count(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.FormatInt(n, 10) + " " + thing
}

// Pattern is a regular expression as JSON Schema has them: one of ECMA-262,
// which matches a string when it matches a part of it.
type Pattern struct {
	source string
	match  func(string) (bool, error)
}

// NewPattern returns the pattern with a source, for which match is. An error of
// match says that it was given up.
func NewPattern(source string, match func(string) (bool, error)) *Pattern {
	return &Pattern{source, match}
}

// Pattern reports a string that p does not match.
func (c *Checker) Pattern(v Value, p *Pattern) {
	if s, ok := v.str(); ok && !c.Matches(p, s) && c.wanted() {
		c.report("must match the pattern " + p.source + ", found " + found(v))
	}
}

// Matches reports whether p matches s.
func (c *Checker) Matches(p *Pattern, s string) bool {
	if c.stop {
		return false
	}
	matched, err := p.match(s)
	if err != nil {
		c.fail("takes too long to be compared with the pattern " + p.source)
	}
	return matched
}
