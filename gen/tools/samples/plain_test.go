package samples

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestPlain compares the validation of plain documents with package santhosh-tekuri/jsonschema, for values of all kinds.
func TestPlain(t *testing.T) {
	schemas := []string{
		`true`, `false`, `{}`, `{"type":"string"}`, `{"type":"integer"}`, `{"type":"number"}`, `{"type":["string","null"]}`, `{"type":["integer","boolean"]}`,
		`{"type":"array"}`, `{"type":"object"}`, `{"type":[]}`, `{"enum":[1,"a",null,true,[1],{"a":1}]}`, `{"enum":["é","\u00e9b",1.50]}`, `{"enum":[]}`,
		`{"const":1.0}`, `{"const":"a"}`, `{"const":{"a":[1,2.0]}}`, `{"const":null}`, `{"const":false}`,
		`{"minimum":1,"maximum":2.5}`, `{"exclusiveMinimum":1}`, `{"exclusiveMaximum":1.50}`, `{"type":"integer","minimum":-3,"exclusiveMaximum":9007199254740993}`,
		`{"minLength":1,"maxLength":2}`, `{"maxLength":0}`, `{"minLength":2.0}`, `{"pattern":"^a"}`, `{"type":"string","pattern":"^(?!a)."}`, `{"pattern":"\\d"}`,
		`{"items":{"type":"integer"}}`, `{"items":false}`, `{"minItems":1,"maxItems":2}`, `{"items":{"items":{"const":1}}}`,
		`{"required":["a"]}`, `{"properties":{"a":{"type":"integer"},"b":false}}`, `{"properties":{"a":true},"additionalProperties":false}`, `{"additionalProperties":{"type":"string"}}`,
		`{"minProperties":1,"maxProperties":1}`, `{"properties":{"a":{"properties":{"b":{"type":"null"}},"required":["b"]}}}`,
		`{"anyOf":[{"type":"string"},{"minimum":2}]}`, `{"oneOf":[{"type":"string"},{"type":"integer"},{"minimum":2}]}`, `{"allOf":[{"type":"integer"},{"minimum":2}]}`,
		`{"not":{"type":"integer"}}`, `{"not":{}}`, `{"anyOf":[]}`, `{"oneOf":[]}`, `{"allOf":[]}`, `{"type":"object","properties":{"a":{"oneOf":[{"const":1},{"enum":[1,2]}]}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"const":1}},"if":true}`, `{"dependencies":{"a":["b"]}}`,
		`{"$ref":"#/definitions/a","minimum":2,"definitions":{"a":{"type":"integer"}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","minimum":2,"definitions":{"a":{"type":"integer"}}}`,
		`{"$defs":{"a":{"type":["array","integer"],"items":{"$ref":"#/$defs/a"}}},"anyOf":[{"$ref":"#/$defs/a"},{"properties":{"a":{"$ref":"#/$defs/a"}},"required":["a"]}]}`,
		`{"type":"object","additionalProperties":{"$ref":"#"}}`, `{"properties":{"a":{"$ref":"#/properties/b"},"b":{"type":"integer"},"$ref":{"type":"string"}}}`, `{"$ref":"#/x/y","x":{"y":{"type":"string"}}}`,
		`{"default":1,"examples":3,"contentEncoding":"base64","definitions":{"x":{"type":"string"}},"unknown":{"type":1}}`,
	}
	for name := range formats() {
		schemas = append(schemas, `{"format":"`+name+`"}`, `{"type":"string","format":"`+name+`"}`)
	}
	values := []string{
		`null`, `true`, `false`, `0`, `1`, `1.0`, `1.5`, `2`, `2.5`, `-3`, `-0`, `9007199254740993`, `9007199254740992`, `""`, `"a"`, `"ab"`, `"abc"`, `"é"`, `"éb"`, `"\u00e9"`, `"😀"`, `"1"`,
		`[]`, `[1]`, `[1,2.0]`, `["a"]`, `[[1],[1]]`, `[[2]]`, `[1,"a",null]`, `{}`, `{"a":1}`, `{"a":1.0}`, `{"a":2}`, `{"a":"x"}`, `{"b":1}`, `{"a":1,"b":2}`, `{"a":{"b":null}}`, `{"a":{}}`, `{"a":[1,2]}`,
		`"2025-01-02"`, `"2025-13-02"`, `"2025-01-02T03:04:05Z"`, `"03:04:05Z"`, `"P1D"`, `"a@b.co"`, `"a.co"`, `"127.0.0.1"`, `"::1"`, `"a:b"`, `"/a"`, `"0/a"`, `"1.0.0"`, `"{x}"`, `"("`, `"%"`,
		`"00000000-0000-4000-8000-000000000000"`,
	}
	plain := 0
	for _, text := range schemas {
		s, errs := jsonschema.Read("", wire.Raw(text))
		if len(errs) > 0 {
			t.Fatalf("%s: %v", text, errs)
		}
		v, compiled := NewValidator(s), NewValidator(s)
		if v.patterns == nil {
			continue
		}
		plain++
		if compiled.patterns = nil; compiled.compile(s) == nil {
			t.Errorf("%s: is plain and does not compile", text)
			continue
		}
		for _, value := range values {
			dec := json.NewDecoder(strings.NewReader(value))
			dec.UseNumber()
			var parsed any
			if err := dec.Decode(&parsed); err != nil {
				t.Fatal(err)
			}
			all := []*jsonschema.Schema{s}
			got, known := v.Accepts(all, parsed)
			want, sure := compiled.Accepts(all, parsed)
			if got != want || !known || !sure {
				t.Errorf("%s: accepts %s: %t, want %t", text, value, got, want)
			}
		}
	}
	if plain < 80 {
		t.Errorf("only %d of %d schemas are plain", plain, len(schemas))
	}
	for _, text := range []string{`{"$ref":"#"}`, `{"$ref":"#a","$defs":{"b":{"$anchor":"a"}}}`, `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `{"minimum":1e5}`, `{"default":1e9999}`, `{"format":"other"}`, `{"pattern":"("}`, `{"uniqueItems":true}`, `{"items":[{}]}`, `{"\u0024id":"a:b"}`, `{"if":{},"then":false}`} {
		if s, _ := jsonschema.Read("", wire.Raw(text)); NewValidator(s).patterns != nil {
			t.Errorf("%s: is plain", text)
		}
	}
}
