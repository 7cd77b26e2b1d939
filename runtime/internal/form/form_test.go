package form

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestCheckResult(t *testing.T) {
	for _, c := range []struct {
		name, properties, content string
		want                      []string // parts of the error; none for no error
	}{
		{"every type", `"s":{"type":"string"},"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"a":{"type":"array","items":{"type":"string","enum":["x","y"]}}`,
			`{"s":"x","n":1.5,"i":2.0,"b":false,"a":["y","x"]}`, nil},
		{"nothing", `"s":{"type":"string"}`, `{}`, nil},
		{"a field of no form", `"s":{"type":"string"}`, `{"other":[1]}`, nil},
		{"a field without a type", `"s":{}`, `{"s":[1]}`, nil},
		{"other types", `"s":{"type":"string"},"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"}`,
			`{"s":1,"n":"1","i":1.5,"b":null}`, []string{"/content/s: must be a", "/content/n: must be a", "/content/i: must be a", "/content/b: must be a"}},
		{"lengths", `"a":{"type":"string","minLength":2},"b":{"type":"string","maxLength":2}`, `{"a":"é","b":"äöü"}`, []string{"/content/a: ", "/content/b: "}},
		{"lengths that fit", `"a":{"type":"string","minLength":2},"b":{"type":"string","maxLength":2}`, `{"a":"éé","b":"äö"}`, nil},
		{"formats", `"a":{"type":"string","format":"email"},"b":{"type":"string","format":"uri"},"c":{"type":"string","format":"date"},"d":{"type":"string","format":"date-time"}`,
			`{"a":"x","b":"x","c":"x","d":"x"}`, []string{"/content/a: ", "/content/b: ", "/content/c: ", "/content/d: "}},
		{"bounds", `"a":{"type":"integer","minimum":1},"b":{"type":"number","maximum":2}`, `{"a":0,"b":2.1}`, []string{"/content/a: ", "/content/b: "}},
		{"large numbers", `"a":{"type":"integer","maximum":9007199254740993}`, `{"a":9007199254740994}`, []string{"/content/a: "}},
		{"enum", `"a":{"type":"string","enum":["x"],"enumNames":["X"]}`, `{"a":"y"}`, []string{"/content/a: "}},
		{"enum with titles", `"a":{"type":"string","oneOf":[{"const":"x","title":"X"},{"const":"z","title":"Z"}]}`, `{"a":"y"}`, []string{"/content/a: ", `"x", "z"`}},
		{"selection", `"a":{"type":"array","minItems":2,"items":{"type":"string","enum":["x"]}}`, `{"a":["y"]}`, []string{"/content/a/0: ", "/content/a: "}},
		{"selection with titles", `"a":{"type":"array","maxItems":1,"items":{"anyOf":[{"const":"x","title":"X"}]}}`, `{"a":["x","y"]}`, []string{"/content/a/1: ", "/content/a: "}},
		{"no selection", `"a":{"type":"array","items":{"type":"string","enum":["x"]}}`, `{"a":"x"}`, []string{"/content/a: must be a"}},
		{"no object", ``, `[]`, []string{"/content: must be a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			params := wire.Object(`{"requestedSchema":{"type":"object","properties":{` + c.properties + `}}}`)
			check(t, params, `{"action":"accept","content":`+c.content+`}`, c.want)
			check(t, params, `{"action":"decline","content":`+c.content+`}`, nil)
		})
	}

	params := wire.Object(`{"requestedSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"]}}`)
	check(t, params, `{"action":"accept","content":{"b":1}}`, []string{`/content: missing member "a"`})
	check(t, params, `{"action":"accept"}`, []string{`missing member "a"`, `missing member "b"`})
	check(t, params, `{"action":"accept","content":{"a":"x","b":null}}`, nil)
	check(t, params, `{"action":"cancel"}`, nil)
	check(t, `{"mode":"url","url":"https://example.com"}`, `{"action":"accept","content":{"a":1}}`, nil)
}

func check(t *testing.T, params wire.Object, result string, want []string) {
	t.Helper()
	err := CheckResult(params, wire.Object(result))
	if (err != nil) != (len(want) > 0) {
		t.Fatalf("%s: %v, want %q", result, err, want)
	}
	for _, part := range want {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", result, err, part)
		}
	}
}
