package diff

import (
	"maps"
	"slices"
)

// formats lists the formats that validators check, each with a valid example. All other formats
// are annotations.
var formats = map[string]string{
	"uri":                   "a:b",
	"iri":                   "a:b",
	"uri-reference":         "a:b",
	"iri-reference":         "a:b",
	"uri-template":          "a:b",
	"date":                  "2025-01-02",
	"date-time":             "2025-01-02T03:04:05Z",
	"time":                  "03:04:05Z",
	"duration":              "P1D",
	"period":                "2025-01-02T03:04:05Z/P1D",
	"email":                 "a@b.co",
	"uuid":                  "00000000-0000-4000-8000-000000000000",
	"ipv4":                  "127.0.0.1",
	"ipv6":                  "::1",
	"hostname":              "a.co",
	"json-pointer":          "/a",
	"relative-json-pointer": "0",
	"semver":                "1.0.0",
	"regex":                 "a",
}

// formatPatterns has a pattern for each format that all its strings match. Other strings may
// match as well.
var formatPatterns = map[string]string{
	"uri":                   `^[A-Za-z][A-Za-z0-9+.-]*:`,
	"iri":                   `^[A-Za-z][A-Za-z0-9+.-]*:`,
	"date":                  `^\d{4}-\d\d-\d\d$`,
	"date-time":             `^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d`,
	"time":                  `^\d\d:\d\d:\d\d`,
	"duration":              `^P[0-9A-Z]+`,
	"period":                `^[^/]+/[^/]+$`,
	"email":                 `^(?s:.+@.+)$`,
	"uuid":                  `^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`,
	"ipv4":                  `^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$`,
	"ipv6":                  `^[0-9a-fA-F:.]{2,45}$`,
	"hostname":              `^[^ /]{1,253}$`,
	"json-pointer":          `^(/|$)`,
	"relative-json-pointer": `^\d`,
	"semver":                `^\d+\.\d+\.\d+`,
}

// formatIn reports whether all strings of a format have another format.
func formatIn(format, other string) bool {
	return format == other || slices.Contains(wider[format], other)
}

// wider lists for each format the formats that all its strings have.
var wider = map[string][]string{
	"uri":           {"uri-reference", "iri", "iri-reference", "uri-template"},
	"iri":           {"uri", "iri-reference", "uri-reference", "uri-template"},
	"uri-reference": {"iri-reference"},
	"iri-reference": {"uri-reference"},
	"ipv4":          {"hostname", "uri-reference", "iri-reference", "uri-template"},
	"hostname":      {"uri-reference", "iri-reference", "uri-template"},
	"uuid":          {"hostname", "uri-reference", "iri-reference", "uri-template", "regex"},
	"date":          {"hostname", "uri-reference", "iri-reference", "uri-template", "regex"},
}

// formatted returns strings that distinguish formats.
func formatted() []any {
	list := []any{"", "x", "%", "{", "-", "/", "~", "/~", "a b", "(", "{x}", "a:", "//x", "#", "1", "01", "1.2.3.4", "999.1.1.1", "2025-13-01", "a@b", "@", "::", "é", "a:é", "-a", "a_b", "0/x", "x\n"}
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		list = append(list, formats[name])
	}
	return list
}
