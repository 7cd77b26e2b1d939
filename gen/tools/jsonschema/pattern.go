package jsonschema

import (
	"strings"

	"github.com/mcpgen/mcpgen/runtime/schema/ecma"
)

// Matches reports whether a pattern of JSON Schema matches a part of a string. An invalid
// pattern matches nothing.
func Matches(pattern, s string) bool {
	re, err := ecma.Compile(pattern)
	if err != nil {
		return false
	}
	found, err := re.MatchString(s)
	return err == nil && found
}

// Allows is like Matches, but an invalid pattern, which is not checked, allows every string.
func Allows(pattern, s string) bool {
	_, err := ecma.Compile(pattern)
	return err != nil || Matches(pattern, s)
}

// GoSyntax returns a pattern with the escapes of ECMA-262 that package regexp/syntax lacks
// replaced by their equivalents there. Other constructs that it lacks remain.
func GoSyntax(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' || i+1 == len(pattern) {
			b.WriteByte(pattern[i])
			continue
		}
		switch next := pattern[i+1]; {
		case next == 'u' && i+5 < len(pattern) && pattern[i+2] != '{':
			b.WriteString(`\x{` + pattern[i+2:i+6] + `}`)
			i += 5
			continue
		case next == 'u':
			b.WriteString(`\x`)
		default:
			b.WriteString(pattern[i : i+2])
		}
		i++
	}
	return b.String()
}
