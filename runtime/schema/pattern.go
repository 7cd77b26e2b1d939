package schema

import "regexp"

// MustPattern returns the pattern with a source in the language of ECMA-262, of
// which re2 is the translation into that of package regexp. It panics if re2 is
// malformed.
func MustPattern(source, re2 string) *Pattern {
	re := regexp.MustCompile(re2)
	return NewPattern(source, func(s string) (bool, error) { return re.MatchString(s), nil })
}

// MatchString reports whether p matches s. An error says that it was given up.
func (p *Pattern) MatchString(s string) (bool, error) { return p.match(s) }
