package dynamic_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/dynamic"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestCompile checks values against schemas that are known only at run time. The tests of tests/jsonschema
// compare all verdicts and texts with those of generated checks.
func TestCompile(t *testing.T) {
	for _, tt := range []struct {
		schema, value wire.Raw
		want          []string
	}{
		{`true`, `1`, nil},
		{`false`, `1`, []string{"is not allowed"}},
		{`{"type":"integer","minimum":2}`, `1.5`, []string{"must be an integer, found 1.5"}},
		{`{"type":"integer","minimum":2,"multipleOf":5}`, `1`, []string{"must be at least 2, found 1", "must be a multiple of 5, found 1"}},
		{`{"type":["string","null"],"enum":["a",null]}`, `"b"`, []string{`must be one of "a", null, found "b"`}},
		{`{"type":"string","format":"date"}`, `"x"`, []string{`must be in the format date (such as 2026-01-31), found "x"`}},
		{`{"format":"date"}`, `"x"`, nil},
		{`{"pattern":"^\\d+$","maxLength":2}`, `"abc"`, []string{"must have at most 2 characters, has 3", `must match the pattern ^\d+$, found "abc"`}},
		{`{"maxLength":1e30,"minLength":99999999999999999999}`, `"a"`, []string{"must have at least 9223372036854775807 characters, has 1"}},
		{`{"items":{"type":"boolean"},"minItems":3,"uniqueItems":true}`, `[1,1]`, []string{
			"at /0: must be a boolean, found 1", "at /1: must be a boolean, found 1", "must have at least 3 elements, has 2",
			"must not have equal elements, but elements 0 and 1 are equal"}},
		{`{"type":"object","properties":{"a":{"const":1}},"required":["a","b"],"additionalProperties":false}`, `{"a":2,"c":3}`, []string{
			"at /a: must be 1, found 2", `at /c: unknown member; allowed are "a"`, `missing member "b"`}},
		{`{"propertyNames":{"maxLength":1},"maxProperties":1,"additionalProperties":{"type":"null"}}`, `{"a":null,"bc":null}`, []string{
			"at /bc: the name of the member must have at most 1 character, has 2", "must have at most 1 member, has 2"}},
		{`{"$defs":{"n":{"properties":{"next":{"$ref":"#/$defs/n"},"v":{"type":"integer"}}}},"$ref":"#/$defs/n"}`, `{"next":{"next":{"v":"x"}}}`, []string{
			`at /next/next/v: must be an integer, found the string "x"`}},
		{`{"$defs":{"a/b":[{"type":"null"}]},"$ref":"#/$defs/a~1b/0"}`, `1`, []string{"must be null, found 1"}},
		{`{"allOf":[{"minimum":1},{"maximum":2}],"anyOf":[{"type":"integer"},{"type":"string"}],"oneOf":[{"const":1},{"const":2}]}`, `3`, []string{
			"must be at most 2, found 3", "must be 1 or 2, found 3"}},
	} {
		check, err := dynamic.Compile(tt.schema)
		if err != nil {
			t.Errorf("%s: %v", tt.schema, err)
			continue
		}
		var got []string
		if invalid, ok := errors.AsType[*wire.ValidationError](schema.Check(tt.value, check)); ok {
			for _, p := range invalid.Problems {
				got = append(got, p.String())
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tt.schema, tt.value, diff)
		}
	}
}

// TestCompileErrors compiles what is not a schema, and schemas that are not covered.
func TestCompileErrors(t *testing.T) {
	for _, tt := range []struct {
		schema  wire.Raw
		want    string
		covered bool
	}{
		{`[]`, "expected a schema, found an array", true},
		{`{"type":"text"}`, `type: "text" is not a type`, true},
		{`{"properties":{"a":{"minLength":-1}}}`, "a: minLength: -1 is not an integer of at least 0", true},
		{`{"items":{"maxItems":1.5}}`, "items: maxItems: 1.5 is not", true},
		{`{"required":7}`, "required: expected an array, found a number", true},
		{`{"required":[7]}`, "required: 7 is not a string", true},
		{`{"properties":[]}`, "properties: expected an object", true},
		{`{"minimum":"1"}`, `minimum: expected a number, found a string`, true},
		{`{"multipleOf":0}`, "multipleOf: 0 is not greater than 0", true},
		{`{"enum":1}`, "enum: expected an array", true},
		{`{"pattern":1}`, "pattern: expected a string", true},
		{`{"format":1}`, "format: expected a string", true},
		{`{"uniqueItems":1}`, "uniqueItems: expected a boolean, found a number", true},
		{`{"anyOf":{}}`, "anyOf: expected an array, found an object", true},
		{`{"oneOf":[]}`, "oneOf: expected an array of schemas", true},
		{`{"$ref":"#/$defs/a"}`, "there is nothing at #/$defs/a", true},
		{`{"$ref":"#"}`, "refers to itself", true},
		{`{"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`, "refers to itself", true},
		{`{"$defs":{"a":{"properties":{"p":{"$ref":"#/$defs/b"}},"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, "refers to itself", true},
		{`{"$ref":"https://example.com/a"}`, "https://example.com/a", false},
		{`{"items":{"not":{}}}`, "the keyword not", false},
		{`{"pattern":"(a"}`, "the pattern (a is not a regular expression: missing closing )", true},
		{`{"pattern":"[z-a]"}`, "the pattern [z-a] is not a regular expression: invalid character class range", true},
		{`{"pattern":"[^]a"}`, "the pattern [^]a", false},
		{`{"pattern":"^\\p{Alphabetic}+$"}`, `the pattern ^\p{Alphabetic}+$`, false},
		{`{"pattern":"[\\P{Script=Greek}]"}`, `the pattern [\P{Script=Greek}]`, false},
		{`{"pattern":"^(?!a)"}`, "the pattern ^(?!a)", false},
		{`{"$schema":"http://json-schema.org/draft-07/schema#"}`, "draft-07", false},
	} {
		_, err := dynamic.Compile(tt.schema)
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.Is(err, dynamic.ErrNotCovered) == tt.covered {
			t.Errorf("%s: %v, want %s", tt.schema, err, tt.want)
		}
	}
}
