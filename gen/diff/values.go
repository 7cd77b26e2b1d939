package diff

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Values are what encoding/json decodes with UseNumber: nil, bool, json.Number,
// string, []any and map[string]any.

// render returns a value as compact JSON with members sorted by name.
func render(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("diff: invalid value: " + err.Error()) // all values are made in this package
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// exactly is render with equal numbers written alike.
func exactly(v any) string { return render(normal(v)) }

// normal returns a value with its numbers in one form.
func normal(v any) any {
	switch v := v.(type) {
	case json.Number:
		return normalNumber(string(v))
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = normal(element)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, value := range v {
			out[name] = normal(value)
		}
		return out
	}
	return v
}

func normalNumber(text string) json.Number {
	r := rational(text)
	if r == nil {
		return json.Number(text)
	}
	if r.IsInt() {
		return json.Number(r.Num().String())
	}
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	shift, _ := strconv.Atoi(exponent)
	return json.Number(strings.TrimRight(r.FloatString(max(1, len(fraction)-shift)), "0"))
}

// hugeExponent reports whether a number has too many digits to be written out.
func hugeExponent(text string) bool {
	_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	n, err := strconv.Atoi(exponent)
	return exponent != "" && (err != nil || n > 400 || n < -400)
}

// rational parses a number. It returns nil for other texts and for numbers with huge exponents.
func rational(text string) *big.Rat {
	if text == "" || hugeExponent(text) {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return r
}

// parse decodes a text that is known to be JSON.
func parse(src string) any {
	dec := json.NewDecoder(bytes.NewReader([]byte(src)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		panic("diff: not JSON: " + src)
	}
	return v
}

// canonical returns a JSON text without white space and with members sorted by name.
func canonical(raw wire.Raw) string {
	if raw == "" {
		return ""
	}
	return render(parse(string(raw)))
}

func num(f float64) json.Number { return json.Number(strconv.FormatFloat(f, 'f', -1, 64)) }

func toFloat(v any) float64 {
	f, _ := v.(json.Number).Float64()
	return f
}

// matches reports whether a string contains a match of a pattern.
func matches(pattern, s string) bool { return jsonschema.Matches(pattern, s) }

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

// accepts reports whether the set has the value.
func (s *set) accepts(v any) bool {
	if s.exact != nil {
		return s.exact(v)
	}
	return slices.ContainsFunc(s.alts(), func(a *Alt) bool { return a.accepts(v) })
}

func (a *Alt) accepts(v any) bool {
	if a.exact != nil {
		return a.exact(v)
	}
	if a.Kind == kindAny {
		return true
	}
	if a.Kind != kindOf(v) {
		return false
	}
	if a.Values != nil && !slices.Contains(a.Values, exactly(v)) {
		return false
	}
	switch v := v.(type) {
	case json.Number:
		return a.Number == nil || a.Number.accepts(v)
	case string:
		return a.Text == nil || a.Text.accepts(v)
	case []any:
		return a.Array == nil || a.Array.accepts(v)
	case map[string]any:
		return a.Object == nil || a.Object.accepts(v)
	}
	return true
}

// knows reports whether the shape has the value and declares all its members.
func (s *Shape) knows(v any) bool {
	return slices.ContainsFunc(s.alts(), func(a *Alt) bool { return a.accepts(v) && a.knows(v) })
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

func (t *number) accepts(v json.Number) bool {
	f, _ := v.Float64()
	return t.Range.contains(f) && (t.Step == nil || divides(t.Step, rational(string(v))))
}

func (t *text) accepts(s string) bool {
	return !slices.ContainsFunc(t.Formats, func(format string) bool { return !inFormat(format, s) }) &&
		!slices.ContainsFunc(t.Patterns, func(pattern string) bool { return !matches(pattern, s) }) &&
		t.Length.contains(float64(utf8.RuneCountInString(s)))
}

func (t *array) accepts(list []any) bool {
	if !t.Length.contains(float64(len(list))) {
		return false
	}
	seen := map[string]bool{}
	for i, v := range list {
		if i < len(t.Prefix) && !t.Prefix[i].accepts(v) || i >= len(t.Prefix) && t.Items != nil && !t.Items.accepts(v) {
			return false
		}
		if t.Unique && seen[exactly(v)] {
			return false
		}
		seen[exactly(v)] = true
	}
	return true
}

// accept reports whether an array contains the required number of elements.
func (c *contains) accept(list []any) bool {
	n := 0
	for _, v := range list {
		if c.accepts(v) {
			n++
		}
	}
	return c.Count.contains(float64(n))
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
		if t.member(name) == nil && (t.find != nil && !t.find(name).accepts(v) || t.find == nil && (t.Closed || t.Rest != nil && !t.Rest.accepts(v))) {
			return false
		}
	}
	return true
}
