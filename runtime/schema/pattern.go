package schema

import (
	"regexp"
	"sync"
)

// MustPattern returns the pattern with a source in the language of ECMA-262, of
// which re2 is the translation into that of package regexp. It is compiled when it is used first, as a
// server has many and begins with none; if re2 is malformed, that panics.
func MustPattern(source, re2 string) *Pattern {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(re2) })
	return NewPattern(source, func(s string) (bool, error) { return compiled().MatchString(s), nil })
}

// MatchString reports whether p matches s. An error says that it was given up.
func (p *Pattern) MatchString(s string) (bool, error) { return p.match(s) }
