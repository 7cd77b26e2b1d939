package jsonschema

import "strings"

// Draft is a version of JSON Schema.
type Draft string

// The supported drafts, whose values are in their order. Draft 06 is read as Draft7, of which it is nearly a
// subset. A schema without $schema is read as Draft202012, unless it has an array in items, which only older drafts
// allow.
const (
	Draft4      Draft = "http://json-schema.org/draft-04/schema"
	Draft7      Draft = "http://json-schema.org/draft-07/schema"
	Draft201909 Draft = "https://json-schema.org/draft/2019-09/schema"
	Draft202012 Draft = "https://json-schema.org/draft/2020-12/schema"
)

// recursiveAnchor is the name of the anchor that "$recursiveAnchor": true declares.
const recursiveAnchor = "$recursiveAnchor"

// RefAlone reports whether the keywords beside a $ref have no effect.
func (d Draft) RefAlone() bool { return d == Draft4 || d == Draft7 }

// uri returns the value of $schema, as the draft spells it.
func (d Draft) uri() string {
	if d.RefAlone() {
		return string(d) + "#"
	}
	return string(d)
}

// idKeyword returns the keyword for the URI of a schema.
func (d Draft) idKeyword() string {
	if d == Draft4 {
		return "id"
	}
	return "$id"
}

// dynamicRef returns the keyword for a reference whose target depends on the schemas that led to it.
func (d Draft) dynamicRef() string {
	if d == Draft201909 {
		return "$recursiveRef"
	}
	return "$dynamicRef"
}

// has reports whether the draft has a keyword, or the keyword is unknown. The others are removed from schemas
// of the draft, because its validators ignore them.
func (d Draft) has(keyword string) bool {
	k := KeywordOf(keyword)
	return k == nil || k.In(d)
}

// draft returns the draft that a $schema names.
func (r *reader) draft(at, dialect string) Draft {
	address := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(dialect, "http://"), "https://"), "#")
	switch address {
	case "json-schema.org/draft-04/schema":
		return Draft4
	case "json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema":
		return Draft7
	case "json-schema.org/draft/2019-09/schema":
		return Draft201909
	case "json-schema.org/draft/2020-12/schema":
		return Draft202012
	}
	r.fail(at+"/$schema", "unsupported draft %q; the supported drafts are 04, 06, 07, 2019-09 and 2020-12, such as %s", dialect, Draft202012)
	return Draft202012
}
