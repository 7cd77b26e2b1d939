package schema

import (
	"regexp"
	"sync"
)

// MustPattern returns the pattern with the given ECMA-262 source. re2 is its translation
// for package regexp. A server has many patterns and starts without using any, so re2 is
// compiled on first use, which panics if it is malformed.
func MustPattern(source, re2 string) *Pattern {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re2) })
	return NewPattern(source, func(s string) (bool, error) { return compiled().MatchString(s), nil })
}

// MatchString reports whether p matches s. It returns an error if it gives up.
func (p *Pattern) MatchString(s string) (bool, error) { return p.match(s) }
