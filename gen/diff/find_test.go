package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
)

// schemaOf parses a schema.
func schemaOf(t *testing.T, text string) *jsonschema.Schema {
	t.Helper()
	list, err := tools.Read([]byte(`[{"name":"t","inputSchema":{"type":"object","properties":{"v":` + text + `}}}]`))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return list.Tools[0].Input.Property("v")
}

// TestFind checks what the finder says of schemas that only it can compare. A value that it finds is
// one that the validators have confirmed.
func TestFind(t *testing.T) {
	const kinds = `{"type":"object","properties":{"kind":{"enum":["a","b"]},"b":{}},"required":["kind"]`
	for _, test := range []struct {
		accept, refuse string
		want           verdict
	}{
		{kinds + `,"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["b"]}}`, kinds + `,"if":{"properties":{"kind":{"enum":["a"]}},"required":["kind"]},"then":{"required":["b"]}}`, none},
		{`{"if":{"required":["a"],"properties":{"a":{"const":1}}},"then":{"required":["b"]}}`, `{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}`, found},
		{`{"type":"integer","minimum":9007199254740993}`, `{"type":"integer","minimum":9007199254740994}`, found},
		{`{"type":"integer","minimum":9007199254740994}`, `{"type":"integer","minimum":9007199254740993}`, none},
		{`{"type":"object","propertyNames":{"pattern":"^a"}}`, `{"type":"object","propertyNames":{"pattern":"^[a]"}}`, none},
		{`{"type":"object","propertyNames":{"maxLength":3}}`, `{"type":"object","propertyNames":{"maxLength":2}}`, found},
		{`{"type":"object","propertyNames":{"not":{"pattern":"[0-9]"}}}`, `{"type":"object","propertyNames":false}`, found},
		{`{"type":"array","prefixItems":[{"type":"string"}],"unevaluatedItems":false}`, `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, none},
		{`{"type":"array","items":{"enum":["a","b"]},"uniqueItems":true}`, `{"type":"array","maxItems":2}`, none},
		{`{"not":{"type":"string"}}`, `{"type":["null","boolean","number","array","object"]}`, none},
		{`{"oneOf":[{"required":["a"]},{"required":["b"]}],"type":"object","properties":{"a":{},"b":{}}}`, `{"not":{"required":["b","a"]},"type":"object"}`, none},
		// A required name that propertyNames refuses, more members than there may be, and two different objects.
		{`{"type":"object","required":["kind"],"propertyNames":{"maxLength":1}}`, `{"type":"object","properties":{"kind":{"const":1}}}`, none},
		{`{"type":"object","properties":{"b":{}},"required":["b"],"maxProperties":1,"patternProperties":{"^a":{}}}`, `{"type":"object","patternProperties":{"^a":{"type":"string"}}}`, none},
		{`{"type":"array","minItems":2,"uniqueItems":true,"items":{"type":"object","properties":{"a":{"type":"null"},"n":{"type":"number"}}}}`,
			`{"type":"array","items":{"type":"object","required":["n"]}}`, found},
		// A member without a value is a proof, also beside one that cannot be decided, whatever their names are.
		{`{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)x$"},"b":{"type":"integer","allOf":[{"minimum":3},{"maximum":2}]}},"required":["a","b"]}`, `{"type":"string"}`, none},
		{`{"type":"object","properties":{"b":{"type":"string","pattern":"^(?!x)x$"},"a":{"type":"integer","allOf":[{"minimum":3},{"maximum":2}]}},"required":["a","b"]}`, `{"type":"string"}`, none},
		// Only declared members are sent, also those that a schema within a refused one declares.
		{`{"type":"object","properties":{"v":{}},"not":{"required":["v"],"properties":{"v":{"not":{"additionalProperties":true}}}}}`,
			`{"type":"object","properties":{"v":{}},"not":{"required":["v"],"properties":{"v":{"not":{"properties":{"a":{"type":"string"}},"additionalProperties":true}}}}}`, found},
		{`{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, none},
		{`{"type":"object","additionalProperties":{}}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, found},
		// A dependency declares the member that it is on, and those that it requires.
		{`{"type":"object","dependentSchemas":{"a":{"properties":{"b":{"type":"string"}},"required":["b"]}}}`, `{"type":"object","dependentSchemas":{"a":{"required":["b"],"additionalProperties":false}}}`, found},
		{`{"type":"object","dependentRequired":{"a":["b"]}}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, found},
		// Each branch of anyOf that accepts an object evaluates members, and so do the branches of conditions that apply.
		{`{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}],"unevaluatedProperties":false}`, `{"maxProperties":1}`, found},
		{`{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}],"unevaluatedProperties":false}`, `{"maxProperties":2}`, none},
		{`{"type":"object","properties":{"k":{}},"dependentSchemas":{"k":{"properties":{"a":{"type":"string"}}}},"unevaluatedProperties":false}`,
			`{"type":"object","properties":{"k":{}},"dependentSchemas":{"k":{"properties":{"a":{"anyOf":[{"type":"string"},false]}}}},"unevaluatedProperties":false}`, none},
		{`{"type":"object","properties":{"k":{"type":"boolean"}},"if":{"required":["k"]},"then":{"properties":{"a":{"type":"string"},"b":{}}},"unevaluatedProperties":false}`,
			`{"type":"object","properties":{"k":{"type":"boolean"}},"if":{"required":["k"]},"then":{"properties":{"a":{"type":"string"}}},"unevaluatedProperties":false}`, found},
		{`{"type":"object","unevaluatedProperties":false,"allOf":[{"properties":{"a":{}},"unevaluatedProperties":true}]}`, `{"maxProperties":0}`, found},
		// A required name that the object may not have, one that breaks two keywords, and members that need others.
		{`{"type":"object","required":["kind"],"propertyNames":{"maxLength":1}}`, `{"type":"object","propertyNames":{"pattern":"^[a-c]$"}}`, none},
		{`{"type":"object","properties":{"p":{}},"required":["c"],"maxProperties":1}`, `{"type":"object","propertyNames":{"pattern":"^x"}}`, found},
		{`{"type":"object","additionalProperties":{},"minProperties":2,"dependentRequired":{"a":["b","c"]}}`, `{"type":"object","required":["d"]}`, found},
		// There are too many elements for a limit, and not for a limit of those that a narrower schema accepts.
		{`{"type":"array","contains":{"type":"integer"},"minContains":0,"maxContains":3}`, `{"type":"array","contains":{"type":"number"},"minContains":0,"maxContains":3}`, found},
		{`{"type":"array","contains":{"type":"integer"},"minContains":1,"maxContains":1}`, `{"type":"array","contains":{"type":"number"},"maxContains":2}`, found},
		{`{"type":"array","contains":{"type":"number"},"minContains":0,"maxContains":3}`, `{"type":"array","contains":{"type":"integer"},"minContains":0,"maxContains":3}`, none},
		// A pattern with few strings.
		{`{"type":"string","pattern":"^(a|b)$"}`, `{"type":"string","format":"regex"}`, none},
		{`{"type":"string","pattern":"^(a|b|[(])$"}`, `{"type":"string","format":"regex"}`, found},
		{`{"type":"string","pattern":"^[ab]$"}`, `{"enum":["a"]}`, found},
		{`{"type":"string","pattern":"^[ab]$"}`, `{"enum":["b","c","a"]}`, none},
		// A required member without a value is a proof, also beside one that could break a keyword.
		{`{"type":"object","properties":{"p":{"type":"string","pattern":"[0-9]","allOf":[{"pattern":"^[a-z]+$"}]}},"required":["p"],"patternProperties":{"^x":{"type":"string"}}}`,
			`{"type":"object","patternProperties":{"^x":{"type":"integer"}}}`, none},
		// A member that another one requires but that is absent is a proof, and so are no names at all.
		{`{"dependentRequired":{"c":["b"]},"not":{"propertyNames":{"maxLength":2},"type":"object","unevaluatedProperties":false}}`,
			`{"dependentRequired":{"c":["b"]},"not":{"propertyNames":{"maxLength":2},"type":"object","unevaluatedProperties":false}}`, none},
	} {
		accept, refuse := schemaOf(t, test.accept), schemaOf(t, test.refuse)
		if got := newEngine().finder(accept.Root()).find([]*jsonschema.Schema{accept}, []*jsonschema.Schema{refuse}, nil); got.is != test.want {
			t.Errorf("%s\n%s\n%+v, want %d", test.accept, test.refuse, got, test.want)
		}
	}
}

// TestFindLoop finds a value that a union refuses which contains itself.
func TestFindLoop(t *testing.T) {
	refuse, notes := jsonschema.ReadLenient("", `{"anyOf":[{"$ref":"#"},{"type":"number"}]}`)
	accept := schemaOf(t, `{}`)
	if got := newEngine().finder(accept.Root()).find([]*jsonschema.Schema{accept}, []*jsonschema.Schema{refuse}, nil); got.is != found {
		t.Errorf("%+v, notes %v", got, notes)
	}
}

// TestFindCases compares a tool with many conditions on one member, of which one differs.
func TestFindCases(t *testing.T) {
	const cases = 20
	text := func(last string) string {
		var kinds, conditions []string
		for i := range cases {
			kinds = append(kinds, fmt.Sprintf(`"k%d"`, i))
			conditions = append(conditions, fmt.Sprintf(`{"if":{"properties":{"kind":{"const":"k%d"}}},"then":{"required":["r%d"]}}`, i, i))
		}
		conditions[cases/2] = strings.Replace(conditions[cases/2], fmt.Sprintf("r%d", cases/2), last, 1)
		return fmt.Sprintf(`{"type":"object","properties":{"kind":{"enum":[%s]}},"required":["kind"],"allOf":[%s]}`, strings.Join(kinds, ","), strings.Join(conditions, ","))
	}
	for last, want := range map[string]verdict{"r10": none, "r11": found} {
		accept, refuse := schemaOf(t, text("r10")), schemaOf(t, text(last))
		if got := newEngine().finder(accept.Root()).find([]*jsonschema.Schema{accept}, []*jsonschema.Schema{refuse}, nil); got.is != want {
			t.Errorf("%s: %+v, want %d", last, got, want)
		}
	}
}

// TestFindNone checks proofs of the finder against samples, for all ordered pairs of schemas.
func TestFindNone(t *testing.T) {
	var list []*jsonschema.Schema
	var valid []*samples.Validator
	var values []any
	for _, text := range []string{
		`true`, `{"type":"string"}`, `{"type":"string","minLength":2}`, `{"type":"string","maxLength":3,"pattern":"^a"}`, `{"type":"string","pattern":"^(?=.*[0-9]).+$"}`,
		`{"type":"string","format":"email"}`, `{"type":"string","not":{"pattern":"^a"}}`, `{"enum":["a","b",null,1.0]}`, `{"const":{"a":[1]}}`,
		`{"type":"integer"}`, `{"type":"integer","minimum":2,"exclusiveMaximum":5}`, `{"type":"number","multipleOf":0.5}`, `{"type":"number","exclusiveMinimum":1}`, `{"not":{"type":"integer"}}`,
		`{"type":["integer","null"]}`, `{"anyOf":[{"type":"integer","minimum":1},{"type":"string"}]}`, `{"oneOf":[{"type":"integer","minimum":1},{"type":"integer","maximum":5}]}`,
		`{"type":"array","items":{"type":"integer"}}`, `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"type":"array","contains":{"type":"string"}}`, `{"type":"array","uniqueItems":true,"items":{"enum":[1,2]}}`,
		`{"type":"array","prefixItems":[{"type":"integer"}],"unevaluatedItems":{"type":"string"}}`, `{"type":"array","minItems":1,"maxItems":2}`, `{"type":"array","contains":{"type":"integer"},"maxContains":1}`, `{"type":"array","contains":{"type":"number"},"minContains":2,"maxContains":2}`,
		`{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
		`{"type":"object","patternProperties":{"^x":{"type":"integer"}}}`, `{"type":"object","propertyNames":{"pattern":"^x"}}`, `{"type":"object","propertyNames":{"maxLength":2},"patternProperties":{"^x":{"type":"integer"}}}`, `{"type":"object","minProperties":1,"maxProperties":2}`, `{"type":"object","additionalProperties":{"type":"integer"}}`,
		`{"type":"object","dependentRequired":{"a":["b"]}}`, `{"type":"object","dependentSchemas":{"a":{"properties":{"b":{"type":"string"}}}}}`, `{"type":"object","allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"integer"}}}],"unevaluatedProperties":false}`,
		`{"type":"object","properties":{"a":{}},"if":{"required":["a"]},"then":{"properties":{"b":{}}},"unevaluatedProperties":{"type":"string"}}`,
		`{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"if":{"type":"string"},"then":{"maxLength":1},"else":{"type":"integer"}}`, `{"not":{"required":["a"]}}`, `{"type":"object","properties":{"a":{"not":{"const":"a"}}}}`,
	} {
		s := schemaOf(t, text)
		v := samples.NewValidator(s.Root())
		list, valid, values = append(list, s), append(valid, v), append(values, v.Samples([]*jsonschema.Schema{s}, 200)...)
	}
	accepted := make([]map[int]bool, len(list)) // the values by schema
	for i, s := range list {
		accepted[i] = map[int]bool{}
		for j, v := range values {
			accepted[i][j], _ = valid[i].Accepts([]*jsonschema.Schema{s}, v)
		}
	}
	answers := map[verdict]int{}
	for i, x := range list {
		for j, y := range list {
			got := newEngine().finder(nil).find([]*jsonschema.Schema{x}, []*jsonschema.Schema{y}, nil)
			answers[got.is]++
			for k, v := range values {
				if got.is == none && accepted[i][k] && !accepted[j][k] {
					t.Errorf("%s\n%s\nthere is a value: %s", x.Source, y.Source, render(v))
					break
				}
			}
		}
	}
	if answers[none] < len(list) || answers[unknown] > len(list)*len(list)/20 {
		t.Errorf("answers: %v", answers)
	}
}
