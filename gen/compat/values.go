package compat

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
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

// accepts reports whether the shape has the value. Of strings with a format it
// knows only the samples made here.
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
	if sample, ok := formats[t.Format]; ok && !sample.fits(s) {
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

// formatSample are strings that tell whether a format is demanded.
type formatSample struct{ good, bad string }

// fits judges by the samples: a string that was made for another format does
// not fit, nor does one made for none.
func (f formatSample) fits(s string) bool { return s == f.good }

// formats are those that validators check. Others are remarks.
var formats = map[string]formatSample{
	"uri":          {"a:b", "%"},
	"uri-template": {"a:b", "{"},
	"date":         {"2025-01-02", "x"},
	"date-time":    {"2025-01-02T03:04:05Z", "x"},
	"time":         {"03:04:05Z", "x"},
	"email":        {"a@b.co", "x"},
	"uuid":         {"00000000-0000-4000-8000-000000000000", "x"},
	"ipv4":         {"127.0.0.1", "x"},
	"ipv6":         {"::1", "x"},
	"hostname":     {"a.co", "-"},
}
