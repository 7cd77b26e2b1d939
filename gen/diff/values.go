package diff

import (
	"bytes"
	"encoding/json"
	"strings"

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
	r := jsonschema.Rational(text)
	if r == nil {
		return json.Number(text)
	}
	return jsonschema.Decimal(r)
}

// parse decodes a text that is known to be JSON.
func parse(src string) any {
	var v any
	var err error
	switch wire.Raw(src).Kind() {
	case wire.KindNumber:
		return json.Number(strings.TrimSpace(src))
	case wire.KindObject, wire.KindArray:
		dec := json.NewDecoder(strings.NewReader(src))
		dec.UseNumber()
		err = dec.Decode(&v)
	default: // without the buffer of a decoder
		err = json.Unmarshal([]byte(src), &v)
	}
	if err != nil {
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
