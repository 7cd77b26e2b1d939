package fallback_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/schema"
	"github.com/mcpgen/mcpgen/runtime/schema/fallback"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestMessages(t *testing.T) {
	check := fallback.MustCompile(`{
		"type":"object","required":["a","b"],"unevaluatedProperties":false,
		"allOf":[{"properties":{"a":{"type":"integer"},"b":{"type":"string","format":"uuid"},"c":{"anyOf":[{"type":"null"},{"minimum":5}]},
			"d":{"type":"string","pattern":"^(?!x)"},"e/f":{"type":"object","additionalProperties":false},
			"h":{"propertyNames":{"maxLength":1},"minProperties":2,"dependentRequired":{"i":["j"]}},
			"k":{"properties":{"size":{}},"additionalProperties":false},"l":{"oneOf":[{"type":"number"},{"type":"integer"}]},
			"o":{"contains":{"minimum":5}},"p":{"contains":{"minimum":5},"minContains":2},"q":{"contains":{"minimum":5},"maxContains":1},
			"m":{"patternProperties":{"^x":{}},"additionalProperties":false},"n%/~":{"enum":[1,"2"]}}}]}`)
	for _, test := range []struct {
		text wire.Raw
		want []string
	}{
		{`{"a":1,"b":"123e4567-e89b-12d3-a456-426614174000","c":7,"d":"y"}`, nil},
		{`{"a":1,"b":"123e4567-e89b-12d3-a456-426614174000","g":7}`, []string{"at /g: is not allowed"}},
		{`{}`, []string{`missing member "a"`, `missing member "b"`}},
		{`{"a":1,"b":"x","d":"x"}`, []string{`at /b: must be in the format uuid (such as 123e4567-e89b-12d3-a456-426614174000), found "x"`, "at /d: must match the pattern ^(?!x)"}},
		{`{"a":1.5,"b":"123e4567-e89b-12d3-a456-426614174000","c":1,"e/f":{"g":1}}`, []string{
			"at /a: must be an integer, found 1.5",
			"at /c: must match at least one of these alternatives: (1) at /c: must be null, found 1 (2) at /c: must be at least 5, found 1",
			"at /e~1f/g: unknown member; no members are allowed here",
		}},
		{`{"a":1,"b":"123e4567-e89b-12d3-a456-426614174000","h":{"ii":1},"k":{"sise":1},"l":1,"m":{"y":1},"n%/~":2}`, []string{
			`at /h: must have at least 2 members, has 1`,
			`at /h: the name of the member "ii" must have at most 1 character, has 2`,
			`at /k/sise: unknown member (did you mean "size"?); allowed are "size"`,
			"at /l: must match exactly one of 2 alternatives, matches both number 1 and number 2",
			"at /m/y: unknown member",
			`at /n%~1~0: must be one of 1, "2", found 2`,
		}},
		{`{"a":1,"b":"123e4567-e89b-12d3-a456-426614174000","h":{"i":1,"x":1}}`, []string{`at /h: missing member "j", which "i" requires`}},
		{`{"a":1,"b":"123e4567-e89b-12d3-a456-426614174000","o":[1,2],"p":[1,6],"q":[5,6,1]}`, []string{
			`at /o: must have at least 1 element matching {"minimum":5}, has 0`,
			`at /p: must have at least 2 elements matching {"minimum":5}, has 1`,
			`at /q: must have at most 1 element matching {"minimum":5}, has 2`,
		}},
		{`{"a":1e99999}`, []string{"contains the number 1e99999, which is too large or too small to be checked"}},
	} {
		var got []string
		var invalid *wire.ValidationError
		if errors.As(schema.Check(test.text, check), &invalid) {
			for _, p := range invalid.Problems {
				got = append(got, p.String())
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", test.text, diff)
		}
	}
}

// B26, B27, B29
func TestCompileErrors(t *testing.T) {
	deep := strings.Repeat("[", 1001) + strings.Repeat("]", 1001)
	for text, want := range map[string]string{
		`{`: "EOF",
		`{"$ref":"https://example.com/schema.json"}`: "remote schemas are not fetched",
		`{"type":"text"}`:           "metaschema",
		`{"multipleOf":1e-9999999}`: "the number 1e-9999999 is too",
		`{"maximum":1e9999999}`:     "the number 1e9999999 is too",
		`{"default":` + deep + `}`:  "more than 1000",
	} {
		if _, err := fallback.Compile(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestGivenUp checks that a value is refused, and the check ended, if a pattern takes too long to be matched.
func TestGivenUp(t *testing.T) {
	const slow = `^(?:(?=a)(a|a)*(a|a)*(a|a)*b\\1|a+)$`
	long := wire.Raw(`"` + strings.Repeat("a", 5000) + `"`)
	for _, test := range []struct{ schema, value wire.Raw }{
		{`{"not":{"pattern":"` + slow + `"}}`, long},
		{`{"contains":{},"items":{"pattern":"` + slow + `"}}`, wire.ArrayOf(slices.Repeat([]wire.Raw{long}, 3))},
	} {
		check, err := fallback.Compile(string(test.schema))
		if err != nil {
			t.Fatal(err)
		}
		for _, check := range []func(*schema.Checker){check, func(c *schema.Checker) { c.Not(check, "") }} {
			err := schema.Check(test.value, check)
			if err == nil || !strings.HasPrefix(err.Error(), "wire: takes too long to match against") {
				t.Errorf("%s: %v", test.schema, err)
			}
		}
	}
}

// TestValidator checks the function for schemas that a program reads when it runs.
func TestValidator(t *testing.T) {
	check, err := fallback.Validator(`{"type":"object","properties":{"degrees":{"type":"number"}},"required":["degrees"]}`)
	if err != nil {
		t.Fatal(err)
	}
	invalid, ok := errors.AsType[*wire.ValidationError](check(`{"degrees":"x"}`))
	if !ok || check(`{"degrees":1.5}`) != nil || len(invalid.Problems) != 1 || invalid.Problems[0].Pointer != "/degrees" {
		t.Errorf("%v, %v", invalid, check(`{"degrees":1.5}`))
	}
	if _, err := fallback.Validator(`{"$ref":"https://other.example/schema"}`); err == nil {
		t.Error("a schema of another server is read")
	}
}
