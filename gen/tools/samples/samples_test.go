package samples_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/samples"
	"github.com/mcpgen/mcpgen/gen/tools/toolstest"
	"github.com/mcpgen/mcpgen/gen/tools/typing"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// inputOf reads a schema as the input of a tool.
func inputOf(t testing.TB, schema string) *jsonschema.Schema {
	t.Helper()
	list, err := tools.Read([]byte(`[{"name":"x","inputSchema":` + schema + `}]`))
	if err != nil {
		t.Fatal(err)
	}
	return list.Tools[0].Input
}

// inX wraps a schema as that of the required member x.
func inX(schema string) string {
	return `{"type":"object","properties":{"x":` + schema + `},"required":["x"]}`
}

func TestSamples(t *testing.T) {
	for _, test := range []struct{ schema, want string }{
		{`{"type":"object"}`, `{}`},
		{`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["a"]}`, `{"a":1} {"b":"text","a":1}`},
		{inX(`{"type":"string","default":"metric","enum":["metric","imperial"]}`), `{"x":"metric"}`},
		{inX(`{"const":null}`), `{"x":null}`},
		{inX(`{"type":"string","minLength":6,"maxLength":6}`), `{"x":"textaa"}`},
		{inX(`{"type":"string","maxLength":1}`), `{"x":"t"}`},
		{inX(`{"type":"string","default":"too long","maxLength":4}`), `{"x":"text"}`},
		{inX(`{"type":"string","examples":["Paris"]}`), `{"x":"Paris"}`},
		{inX(`{"type":"string","format":"uuid"}`), `{"x":"123e4567-e89b-42d3-a456-000000000000"}`},
		{inX(`{"type":"string","pattern":"^[0-9]{3}-(foo|bar)$"}`), `{"x":"111-foo"}`},
		{inX(`{"type":"string","pattern":"^(?!a)[a-c]+$","examples":["b"]}`), `{"x":"b"}`},
		{inX(`{"type":"string","pattern":"^(?!a)[a-c]+$"}`), `{"x":"bb"}`},
		{inX(`{"type":"string","pattern":"^(?=.*[A-Z])(?=.*\\d).{4,}$"}`), `{"x":"A1aaaa"}`},
		{inX(`{"type":"string","pattern":"^\\u00e9\\/$"}`), `{"x":"é/"}`},
		{inX(`{"type":"integer","minimum":5,"multipleOf":3}`), `{"x":6}`},
		{inX(`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.5}`), `{"x":0.25}`},
		{inX(`{"type":"integer","minimum":12345678901234567890}`), `{"x":12345678901234567890}`},
		{inX(`{"type":["null","integer"]}`), `{"x":1}`},
		{inX(`{"type":"array","items":{"type":"integer"},"minItems":3,"uniqueItems":true}`), `{"x":[1,2,3]}`},
		{inX(`{"type":"array","uniqueItems":true,"minItems":2,"items":{"enum":["a","b"]}}`), `{"x":["a","b"]}`},
		{inX(`{"type":"array","prefixItems":[{"type":"string"},{"type":"boolean"}],"items":false}`), `{"x":[]} {"x":["text",true]}`},
		{inX(`{"type":"array","items":{"type":["integer","string"]},"contains":{"type":"string"},"minContains":2}`), `{"x":["text","text"]}`},
		{inX(`{"type":"object","additionalProperties":{"type":"integer"}}`), `{"x":{}} {"x":{"key1":1}}`},
		{inX(`{"type":"object","patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":false}`), `{"x":{}} {"x":{"x-":1}}`},
		{inX(`{"type":"object","minProperties":2,"propertyNames":{"pattern":"^[a-z]$"}}`), `{"x":{"a":"text","b":"text"}}`},
		{inX(`{"type":"object","propertyNames":{"enum":["a","b"]},"additionalProperties":{"type":"integer"},"required":["a","b"]}`), `{"x":{"a":1,"b":1}}`},
		{inX(`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"a":{"minLength":6}}}]}`), `{"x":{"a":"textaa"}}`},
		{inX(`{"oneOf":[{"type":"integer"},{"type":"number"}]}`), `{"x":1.5}`},
		{inX(`{"anyOf":[{"type":"string"},{"type":"integer"}]}`), `{"x":"text"} {"x":2}`},
		{inX(`{"not":{"type":"string"}}`), `{"x":1}`},
		{inX(`{"type":"object","properties":{"a":{},"b":{}},"not":{"required":["a","b"]}}`), `{"x":{}} {"x":{"a":"text"}}`},
		{inX(`{"type":"object","properties":{"a":{"const":1},"b":{}},"required":["a"],"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}`), `{"x":{"a":1,"b":"text"}}`},
		{inX(`{"type":"object","properties":{"a":{}},"required":["a"],"dependentRequired":{"a":["b"]},"dependentSchemas":{"b":{"properties":{"b":{"type":"integer"}}}}}`), `{"x":{"a":"text","b":1}}`},
		{inX(`{"type":"object","properties":{"a":{"type":"string"}},"unevaluatedProperties":false}`), `{"x":{}} {"x":{"a":"text"}}`},
		{`{"type":"object","properties":{"next":{"$ref":"#"},"n":{"type":"integer"}},"required":["n"]}`, `{"n":1} {"next":{"n":1},"n":1}`},
		{inX(`{"$ref":"#"}`), ``},
		{inX(`false`), ``},
		{inX(`{"type":"string","minLength":3,"maxLength":2}`), ``},
	} {
		var got []string
		for _, v := range samples.Of(inputOf(t, test.schema)) {
			got = append(got, string(v))
		}
		if test.want == "" && got != nil || test.want != "" && !strings.HasPrefix(strings.Join(got, " ")+" ", test.want+" ") {
			t.Errorf("%s:\n%v, want\n%s", test.schema, got, test.want)
		}
	}
}

func TestMutations(t *testing.T) {
	s := inputOf(t, `{"type":"object","properties":{
		"place":{"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"integer"}},"required":["city"]},
		"days":{"type":"array","items":{"type":["integer","null"]}},
		"any":{},
		"mode":{"oneOf":[{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"null"}]}},
		"required":["place"]}`)
	values := samples.Of(s)
	var got []string
	for _, m := range samples.Mutations(s, values[1]) {
		got = append(got, m.Pointer+" "+m.Member+string(m.Wrong)+" "+string(m.Value()))
	}
	want := []string{
		` place {"days":[1],"any":"text","mode":{"a":1}}`,
		`/place "text" {"place":"text","days":[1],"any":"text","mode":{"a":1}}`,
		`/place city {"place":{"zip":1},"days":[1],"any":"text","mode":{"a":1}}`,
		`/place/city 7 {"place":{"city":7,"zip":1},"days":[1],"any":"text","mode":{"a":1}}`,
		`/place/zip "text" {"place":{"city":"text","zip":"text"},"days":[1],"any":"text","mode":{"a":1}}`,
		`/days "text" {"place":{"city":"text","zip":1},"days":"text","any":"text","mode":{"a":1}}`,
		`/days/0 "text" {"place":{"city":"text","zip":1},"days":["text"],"any":"text","mode":{"a":1}}`,
	}
	// What is said about alternatives is the validator's affair.
	got = slices.DeleteFunc(got, func(m string) bool { return strings.HasPrefix(m, "/mode") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMutationsAreBounded has a sample with more places than can be tried.
func TestMutationsAreBounded(t *testing.T) {
	const places = 1000
	var properties, members []string
	for i := range places {
		properties = append(properties, fmt.Sprintf(`"m%d":{"type":"string"}`, i))
		members = append(members, fmt.Sprintf(`"m%d":"%0100d"`, i, i))
	}
	s := inputOf(t, `{"type":"object","properties":{`+strings.Join(properties, ",")+`}}`)
	if n := len(samples.Mutations(s, wire.Raw(`{`+strings.Join(members, ",")+`}`))); n == 0 || n > places/2 {
		t.Errorf("%d mutations of %d places", n, places)
	}
}

// TestMutationsAreLinear compares the memory for a place of a small sample with that for one of a large sample.
func TestMutationsAreLinear(t *testing.T) {
	perPlace := func(places int) uint64 {
		var properties, members []string
		for i := range places {
			properties = append(properties, fmt.Sprintf(`"m%d":{"type":"string"}`, i))
			members = append(members, fmt.Sprintf(`"m%d":"text"`, i))
		}
		s := inputOf(t, `{"type":"object","properties":{`+strings.Join(properties, ",")+`}}`)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if n := len(samples.Mutations(s, wire.Raw(`{`+strings.Join(members, ",")+`}`))); n != places {
			t.Fatalf("%d mutations of %d places", n, places)
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / uint64(places)
	}
	few, many := perPlace(50), perPlace(800)
	t.Logf("bytes per place: %d and %d", few, many)
	if many > 2*few {
		t.Errorf("a place of a large sample takes %d bytes, that of a small one %d", many, few)
	}
}

// TestMutationsLookAround has values whose validity depends on more than their own schemas: elements that must differ,
// a condition, and a list of values.
func TestMutationsLookAround(t *testing.T) {
	for schema, test := range map[string]struct{ sample, want string }{
		`{"type":"object","properties":{"a":{"type":"array","uniqueItems":true,"prefixItems":[{"type":"integer"},{"type":"string"}]}}}`:                 {`{"a":[1,"text"]}`, `/a "text" /a/0 1.5 /a/1 7`},
		`{"type":"object","properties":{"a":{"type":"string"},"b":{}},"if":{"properties":{"a":{"type":"string"}}},"then":{},"else":{"required":["c"]}}`: {`{"a":"x","b":1}`, ""},
		`{"type":"object","properties":{"a":{"type":"object","enum":[{"b":"x"}],"properties":{"b":{"type":"string"}}}}}`:                                {`{"a":{"b":"x"}}`, `/a "text"`},
	} {
		var got []string
		for _, m := range samples.Mutations(inputOf(t, schema), wire.Raw(test.sample)) {
			got = append(got, m.Pointer, string(m.Wrong))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: mutations %s, want %s", schema, got, test.want)
		}
	}
}

// TestSamplesOfUpstreamLists demands a sample of every schema of real servers.
func TestSamplesOfUpstreamLists(t *testing.T) {
	schemas, values, mutations := 0, 0, 0
	for name, list := range toolstest.Upstream(t) {
		for _, tool := range list.Tools {
			for _, s := range []*jsonschema.Schema{tool.Input, tool.Output} {
				if s == nil {
					continue
				}
				schemas++
				all := samples.Of(s)
				if len(all) == 0 {
					t.Errorf("%s: %s: no sample of %s", name, tool.Name, s.Pointer)
					continue
				}
				values += len(all)
				found := samples.Mutations(s, all[min(1, len(all)-1)])
				if len(found) == 0 && all[len(all)-1] != wire.Raw("{}") {
					t.Errorf("%s: %s: no mutation of %s", name, tool.Name, all[len(all)-1])
				}
				mutations += len(found)
			}
		}
	}
	t.Logf("%d schemas, %d samples, %d mutations", schemas, values, mutations)
}

// TestSamplesAreBounded has schemas with more alternatives than can be looked at.
func TestSamplesAreBounded(t *testing.T) {
	var ifs, any, chain []string
	for i := range 40 {
		ifs = append(ifs, fmt.Sprintf(`{"if":{"properties":{"k":{"const":"k%d"}}},"then":{"required":["r%d"]}}`, i, i))
	}
	for i := range 20 {
		any = append(any, fmt.Sprintf(`{"anyOf":[{"properties":{"a%d":{"type":"string"}},"required":["a%d"]},{"properties":{"b%d":{"type":"integer"}}}]}`, i, i, i))
		chain = append(chain, fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"type":"object","properties":{"x":{"$ref":"#/$defs/d%d"}}}]}`, i, i+1, i+1))
	}
	list, err := tools.Read([]byte(`[
		{"name":"ifs","inputSchema":{"type":"object","properties":{"k":{"type":"string"}},"allOf":[` + strings.Join(ifs, ",") + `]}},
		{"name":"any","inputSchema":{"type":"object","allOf":[` + strings.Join(any, ",") + `]}},
		{"name":"chain","inputSchema":{"type":"object","properties":{"c":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(chain, ",") + `,"d20":{"type":"string"}}}}]`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := typing.Types(list, typing.Options{}); err != nil {
		t.Error(err)
	}
	for _, tool := range list.Tools {
		if len(samples.Of(tool.Input)) == 0 {
			t.Errorf("%s: no sample", tool.Name)
		}
	}
}

// TestMalformedKeywords checks that the validator neither panics nor accepts too much where it, unlike the reader of
// schemas, would take a keyword, or a number is too large for it.
func TestMalformedKeywords(t *testing.T) {
	for _, row := range []struct {
		schema, value  wire.Raw
		accepts, known bool
	}{
		{`{"dependencies":{"a":{"properties":{"a":{"multipleOf":0}}}}}`, `{"a":1}`, true, true},
		{`{"$recursiveRef":"#/contentSchema","contentSchema":{"multipleOf":0}}`, `1`, true, true},
		{`{"minLength":1e1000001}`, `"a"`, false, true},
		{`{"minLength":1e30}`, `"a"`, false, true},
		{`{"minimum":1e1000001}`, `1`, false, false},
		{`{"multipleOf":1e1000001}`, `1`, false, false},
		{`{"minimum":5}`, `1e1000001`, false, false},
		{`{"items":{"minimum":5}}`, `[{"a":-1E-0001001}]`, false, false},
		{`{"minimum":5}`, `1e0400`, true, true},
	} {
		s, errs := jsonschema.Read("", row.schema)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		decoder := json.NewDecoder(strings.NewReader(string(row.value)))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if accepts, known := samples.NewValidator(s).Accepts([]*jsonschema.Schema{s}, value); accepts != row.accepts || known != row.known {
			t.Errorf("%s, %s: accepts %v, known %v", row.schema, row.value, accepts, known)
		}
	}
}
