package schema

import (
	"fmt"
	"slices"
	"strings"
)

// Differences returns one line for each definition that differs between two documents. It does
// not judge compatibility; package diff does.
func Differences(before, after *Document) []string {
	var lines []string
	for _, def := range before.Definitions {
		now := after.Lookup(def.Name)
		switch {
		case now == nil:
			lines = append(lines, "- "+def.Name)
		case !Equal(def.Schema, now):
			lines = append(lines, "~ "+def.Name+memberDifferences(def.Schema, now))
		}
	}
	for _, def := range after.Definitions {
		if before.Lookup(def.Name) == nil {
			lines = append(lines, "+ "+def.Name)
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return lines
}

// memberDifferences lists the members of two objects that differ. It returns "" if none does, or for a schema that may
// have its members from others.
func memberDifferences(before, after *Schema) string {
	if !before.IsObject() || !after.IsObject() {
		return ""
	}
	var parts []string
	for _, p := range before.Properties {
		now := after.Property(p.Name)
		switch {
		case now == nil:
			parts = append(parts, "-"+p.Name)
		case !Equal(p.Schema, now):
			parts = append(parts, "~"+p.Name)
		case slices.Contains(before.Required, p.Name) != slices.Contains(after.Required, p.Name):
			parts = append(parts, fmt.Sprintf("~%s (required: %t)", p.Name, slices.Contains(after.Required, p.Name)))
		}
	}
	for _, p := range after.Properties {
		if before.Property(p.Name) == nil {
			parts = append(parts, "+"+p.Name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, " ")
}
