package auth

import (
	"slices"
	"strings"
)

// ParseScopes returns the scopes of a list that is separated by spaces, in its order and without
// duplicates. It leaves out what is not a scope.
func ParseScopes(list string) []string {
	var scopes []string
	for s := range strings.FieldsSeq(list) {
		if IsScope(s) && !slices.Contains(scopes, s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// FormatScopes returns scopes as a list that is separated by spaces.
func FormatScopes(scopes []string) string { return strings.Join(scopes, " ") }

// UnionScopes returns the scopes of all lists, in their order and without duplicates.
func UnionScopes(lists ...[]string) []string {
	var union []string
	for _, list := range lists {
		for _, s := range list {
			if !slices.Contains(union, s) {
				union = append(union, s)
			}
		}
	}
	return union
}

// IsScope reports whether a text is a scope: printable ASCII without spaces, quotes and backslashes
// (RFC 6749, section 3.3).
func IsScope(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return s != ""
}
