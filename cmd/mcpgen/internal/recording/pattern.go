package recording

import (
	"fmt"
	"strings"
)

// Pattern is a JSON Pointer into a message in which a name may be "*" for any name or index, such
// as "/result/content/*/text". It matches what is below its place too.
type Pattern string

// ParsePattern returns a pattern.
func ParsePattern(text string) (Pattern, error) {
	if !strings.HasPrefix(text, "/") {
		return "", fmt.Errorf("%q: expected a JSON Pointer into a message, such as /result/content/*/text", text)
	}
	return Pattern(text), nil
}

// Matches reports whether a JSON Pointer is that of a place of the pattern.
func (p Pattern) Matches(pointer string) bool {
	have := strings.Split(pointer, "/")
	for i, want := range strings.Split(string(p), "/") {
		if i >= len(have) || want != "*" && want != have[i] {
			return false
		}
	}
	return true
}
