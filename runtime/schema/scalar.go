package schema

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Minimum reports a number less than bound.
func (c *Checker) Minimum(v Value, bound wire.Raw) { c.bound(v, bound, "at least", 0, 1) }

// Maximum reports a number greater than bound.
func (c *Checker) Maximum(v Value, bound wire.Raw) { c.bound(v, bound, "at most", -1, 0) }

// ExclusiveMinimum reports a number that is not greater than bound.
func (c *Checker) ExclusiveMinimum(v Value, bound wire.Raw) { c.bound(v, bound, "greater than", 1, 1) }

// ExclusiveMaximum reports a number that is not less than bound.
func (c *Checker) ExclusiveMaximum(v Value, bound wire.Raw) { c.bound(v, bound, "less than", -1, -1) }

// bound reports a number that compares with bound as less than least or more than most.
func (c *Checker) bound(v Value, bound wire.Raw, words string, least, most int) {
	if v.kind != wire.KindNumber {
		return
	}
	if order := wire.CompareNumbers(v.text, bound); (order < least || order > most) && c.wanted() {
		c.report("must be " + words + " " + string(bound) + ", found " + found(v))
	}
}

// MultipleOf reports a number that is not an integer multiple of unit, which is greater
// than 0.
func (c *Checker) MultipleOf(v Value, unit wire.Raw) {
	if v.kind == wire.KindNumber && !v.text.IsMultiple(unit) && c.wanted() {
		c.report("must be a multiple of " + string(unit) + ", found " + found(v))
	}
}

// str returns the string that a value holds.
func (v Value) str() (string, bool) {
	if v.kind != wire.KindString {
		return "", false
	}
	return v.text.Str()
}

// length returns the number of code points of a string.
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
	n := v.length()
	if least > 1 {
		c.atLeast(n, least, "character", "")
	} else if int64(n) < least && c.wanted() {
		c.report("must not be empty")
	}
}

// MaxLength reports a string of more than most code points.
func (c *Checker) MaxLength(v Value, most int64) {
	// No string has more code points than bytes.
	if v.kind != wire.KindString || int64(len(v.text)-len(`""`)) <= most {
		return
	}
	c.atMost(v.length(), most, "character", "")
}

// Format reports a string that does not have the named format, if [wire.InFormat] knows the
// format.
func (c *Checker) Format(v Value, name string) {
	if s, ok := v.str(); ok && !wire.InFormat(name, s) && c.wanted() {
		c.report("must be in the format " + name + example(name) + ", found " + found(v))
	}
}

// example returns an example for formats whose names do not explain them.
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

// Pattern is a regular expression as JSON Schema uses it: in the language of ECMA-262, and
// matching a string if it matches any part of it.
type Pattern struct {
	source string
	match  func(string) (bool, error)
}

// NewPattern returns a pattern with the given source and match function. An error of match
// means that it gave up.
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
		c.fail("takes too long to match against the pattern " + p.source)
	}
	return matched
}

// Collect adds a problem to c if p does not match a string.
func (p *Pattern) Collect(c *wire.Collector, s string) {
	switch matched, err := p.match(s); {
	case err != nil:
		c.Report("takes too long to match against the pattern %s", p.source)
	case !matched:
		c.Report("must match the pattern %s", p.source)
	}
}

// MustPattern returns the pattern with the given ECMA-262 source. re2 is its translation
// for package regexp. A server has many patterns and starts without using any, so re2 is
// compiled on first use, which panics if it is malformed.
func MustPattern(source, re2 string) *Pattern {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re2) })
	return NewPattern(source, func(s string) (bool, error) { return compiled().MatchString(s), nil })
}

// MatchString reports whether p matches s. It returns an error if it gives up.
func (p *Pattern) MatchString(s string) (bool, error) { return p.match(s) }
