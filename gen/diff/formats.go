package diff

import (
	"maps"
	"slices"
)

// format is a format that validators check. All other formats are annotations.
type format struct {
	// example has the format. All strings of the format match pattern, and others may match it as well.
	example, pattern string
	// wider lists the formats that all strings of this one have.
	wider []string
}

var formats = map[string]format{
	"uri":                   {example: "a:b", pattern: `^[A-Za-z][A-Za-z0-9+.-]*:`, wider: []string{"uri-reference", "iri", "iri-reference", "uri-template"}},
	"iri":                   {example: "a:b", pattern: `^[A-Za-z][A-Za-z0-9+.-]*:`, wider: []string{"uri", "iri-reference", "uri-reference", "uri-template"}},
	"uri-reference":         {example: "a:b", wider: []string{"iri-reference"}},
	"iri-reference":         {example: "a:b", wider: []string{"uri-reference"}},
	"uri-template":          {example: "a:b"},
	"date":                  {example: "2025-01-02", pattern: `^\d{4}-\d\d-\d\d$`, wider: []string{"hostname", "uri-reference", "iri-reference", "uri-template", "regex"}},
	"date-time":             {example: "2025-01-02T03:04:05Z", pattern: `^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d`},
	"time":                  {example: "03:04:05Z", pattern: `^\d\d:\d\d:\d\d`},
	"duration":              {example: "P1D", pattern: `^P[0-9A-Z]+`},
	"period":                {example: "2025-01-02T03:04:05Z/P1D", pattern: `^[^/]+/[^/]+$`},
	"email":                 {example: "a@b.co", pattern: `^(?s:.+@.+)$`},
	"uuid":                  {example: "00000000-0000-4000-8000-000000000000", pattern: `^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`, wider: []string{"hostname", "uri-reference", "iri-reference", "uri-template", "regex"}},
	"ipv4":                  {example: "127.0.0.1", pattern: `^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$`, wider: []string{"hostname", "uri-reference", "iri-reference", "uri-template"}},
	"ipv6":                  {example: "::1", pattern: `^[0-9a-fA-F:.]{2,45}$`},
	"hostname":              {example: "a.co", pattern: `^[^ /]{1,253}$`, wider: []string{"uri-reference", "iri-reference", "uri-template"}},
	"json-pointer":          {example: "/a", pattern: `^(/|$)`},
	"relative-json-pointer": {example: "0", pattern: `^\d`},
	"semver":                {example: "1.0.0", pattern: `^\d+\.\d+\.\d+`},
	"regex":                 {example: "a"},
}

// isFormat reports whether validators check a format.
func isFormat(name string) bool { return formats[name].example != "" }

// formatIn reports whether all strings of a format have another format.
func formatIn(format, other string) bool {
	return format == other || slices.Contains(formats[format].wider, other)
}

// formatted returns strings that distinguish formats.
func formatted() []any {
	list := []any{"", "x", "%", "{", "-", "/", "~", "/~", "a b", "(", "{x}", "a:", "//x", "#", "1", "01", "1.2.3.4", "999.1.1.1", "2025-13-01", "a@b", "@", "::", "é", "a:é", "-a", "a_b", "0/x", "x\n"}
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		list = append(list, formats[name].example)
	}
	return list
}
