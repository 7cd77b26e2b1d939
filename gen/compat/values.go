package compat

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Values are what encoding/json decodes with UseNumber: nil, bool, json.Number,
// string, []any and map[string]any.

// render writes a value as compact JSON, members sorted by name.
func render(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("compat: a value that is none: " + err.Error()) // values are made here
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// parse reads a JSON text that is known to be one.
func parse(src string) any {
	dec := json.NewDecoder(bytes.NewReader([]byte(src)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		panic("compat: not JSON: " + src)
	}
	return v
}

func num(f float64) json.Number { return json.Number(strconv.FormatFloat(f, 'f', -1, 64)) }

func kindOf(v any) kind {
	switch v.(type) {
	case nil:
		return kindNull
	case bool:
		return kindBoolean
	case json.Number:
		return kindNumber
	case string:
		return kindString
	case []any:
		return kindArray
	}
	return kindObject
}

// accepts reports whether the shape has the value. Patterns are not looked at.
func (s *Shape) accepts(v any) bool {
	return slices.ContainsFunc(s.Alts, func(a *Alt) bool { return a.accepts(v) })
}

func (a *Alt) accepts(v any) bool {
	if a.Kind == kindAny {
		return true
	}
	if a.Kind != kindOf(v) {
		return false
	}
	if a.Values != nil && !slices.Contains(a.Values, render(v)) {
		return false
	}
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return a.Number == nil || a.Number.Range.contains(f) && (!a.Number.Whole || f == math.Trunc(f))
	case string:
		return a.Text == nil || a.Text.accepts(v)
	case []any:
		return a.Array == nil || a.Array.accepts(v)
	case map[string]any:
		return a.Object == nil || a.Object.accepts(v)
	}
	return true
}

// knows reports whether the shape has the value and declares all members that
// are in it.
func (s *Shape) knows(v any) bool {
	return slices.ContainsFunc(s.Alts, func(a *Alt) bool { return a.accepts(v) && a.knows(v) })
}

func (a *Alt) knows(v any) bool {
	members, ok := v.(map[string]any)
	if !ok || a.Kind != kindObject {
		return true
	}
	for name, value := range members {
		switch m := a.Object.member(name); {
		case m != nil && !m.Shape.knows(value), m == nil && a.Object.Rest == nil && len(a.Object.Members) > 0:
			return false
		}
	}
	return true
}

func (t *text) accepts(s string) bool {
	if !inFormat(t.Format, s) {
		return false
	}
	return t.Length.contains(float64(utf8.RuneCountInString(s)))
}

func (t *array) accepts(list []any) bool {
	if !t.Length.contains(float64(len(list))) {
		return false
	}
	seen := map[string]bool{}
	for _, v := range list {
		if t.Items != nil && !t.Items.accepts(v) {
			return false
		}
		if t.Unique && seen[render(v)] {
			return false
		}
		seen[render(v)] = true
	}
	return true
}

func (t *object) accepts(members map[string]any) bool {
	if !t.Size.contains(float64(len(members))) {
		return false
	}
	for _, m := range t.Members {
		v, there := members[m.Name]
		if !there && m.Required || there && !m.Shape.accepts(v) {
			return false
		}
	}
	for name, v := range members {
		if t.member(name) == nil && (t.Closed || t.Rest != nil && !t.Rest.accepts(v)) {
			return false
		}
	}
	return true
}

// inFormat judges as generated code does.
func inFormat(name, s string) bool {
	if name == "" {
		return true
	}
	var c wire.Checker
	c.Format(name, s)
	return c.Err() == nil
}

// formats are those that validators check, each with a string that is in it.
// Others are remarks.
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
}

// formatted are strings that tell formats apart.
func formatted() []any {
	list := []any{"", "x", "%", "{", "-"}
	for _, name := range slices.Sorted(maps.Keys(formats)) {
		list = append(list, formats[name])
	}
	return list
}
