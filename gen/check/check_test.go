package check_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/check"
	"github.com/mcpgen/mcpgen/gen/code"
	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
	"github.com/mcpgen/mcpgen/gen/tools/toolstest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var update = flag.Bool("update", false, "rewrite golden files")

// emit returns a file with the checks of the inputs of a list.
func emit(t *testing.T, list *tools.List) []byte {
	t.Helper()
	var roots []check.Root
	for i, tool := range list.Tools {
		roots = append(roots, check.Root{Func: fmt.Sprintf("checkTool%d", i+1), Schema: tool.Input})
	}
	all, err := check.Declarations(roots)
	if err != nil {
		t.Fatal(err)
	}
	f := jen.NewFile("checks")
	for _, d := range all {
		f.Line().Add(d)
	}
	src, err := code.Text(f)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// read returns a list of tools with the given input schemas.
func read(t *testing.T, inputs ...string) *tools.List {
	t.Helper()
	var all []string
	for i, input := range inputs {
		all = append(all, fmt.Sprintf(`{"name":"t%d","inputSchema":%s}`, i+1, input))
	}
	list, err := tools.Read([]byte("[" + strings.Join(all, ",") + "]"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestEmit compares emitted checks with testdata/checks.golden.
func TestEmit(t *testing.T) {
	const place = `"place":{"type":"object","properties":{"lat":{"type":"number"},"in":{"$ref":"#/$defs/place"}},"required":["lat"]}`
	got := emit(t, read(t,
		`{"type":"object","required":["city","days"],"additionalProperties":false,"properties":{
			"city":{"type":"string","minLength":1},
			"days":{"type":"integer","minimum":1,"maximum":14},
			"units":{"enum":["metric","imperial"]},
			"near":{"$ref":"#/$defs/place"},
			"day":{"type":"string","format":"date"},
			"note":{"format":"date"},
			"who":{"anyOf":[{"type":"string","pattern":"^(?!x)"},{"type":"null"}]}},"$defs":{`+place+`}}`,
		`{"type":"object","properties":{
			"tags":{"type":"array","items":{"type":"string","pattern":"^\\w+$"},"uniqueItems":true,"maxItems":3},
			"pair":{"prefixItems":[{"type":"string"},true],"items":false},
			"some":{"type":"array","contains":{"const":1},"maxContains":2}},
			"patternProperties":{"^x-":{"type":"string"}},"propertyNames":{"maxLength":5},
			"dependentRequired":{"tags":["pair"]},"dependentSchemas":{"pair":{"minProperties":2}},"additionalProperties":{"not":{"type":"null"}}}`,
		`{"type":"object","if":{"required":["a"]},"then":{"required":["b"]},"oneOf":[{"required":["c"]},{"required":["d"]}]}`,
		`{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}}],"unevaluatedProperties":false}`,
		`{"type":"object","properties":{"a":{"type":"string","pattern":"("},"b":{"pattern":"["}},"patternProperties":{"(":{"type":"null"}},"additionalProperties":false}`,
		`{"type":"object","properties":{"p":{"type":"object","properties":{"x":{"type":["integer","null"]}}},"q":{"type":"object","properties":{"x":{"type":["integer","null"]}}}}}`,
	))
	const golden = "testdata/checks.golden"
	if *update {
		if err := os.WriteFile(golden, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestReferences checks that a schema which is a reference, alone or as the only branch of an allOf, has no function
// beside that of its target.
func TestReferences(t *testing.T) {
	const target = `"$defs":{"a":{"type":"object","required":["x"]}}`
	for _, test := range []struct {
		property string
		want     int // functions
	}{
		{`{"$ref":"#/$defs/a"}`, 2}, {`{"allOf":[{"$ref":"#/$defs/a"}]}`, 2}, {`{"allOf":[{"allOf":[{"$ref":"#/$defs/a"}]}]}`, 3},
		{`{"allOf":[{"$ref":"#/$defs/a"}],"minProperties":1}`, 3}, {`{"allOf":[{"$ref":"#/$defs/a","minProperties":1}]}`, 4},
	} {
		src := emit(t, read(t, `{"type":"object","properties":{"p":`+test.property+`},`+target+`}`))
		if got := bytes.Count(src, []byte("\nfunc check")); got != test.want {
			t.Errorf("%s: %d functions, want %d:\n%s", test.property, got, test.want, src)
		}
	}
}

// TestDefinitions has a definition twice, with a definition that it refers to: they have one function each, if they
// say the same.
func TestDefinitions(t *testing.T) {
	schema := func(inner string) *jsonschema.Schema {
		s, problems := jsonschema.Read("/"+inner, wire.Raw(`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},
			"$defs":{"a":{"type":"object","properties":{"next":{"$ref":"#/$defs/a"},"b":{"$ref":"#/$defs/b"}}},"b":{"type":"object","required":["`+inner+`"]}}}`))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return s
	}
	for other, want := range map[string]int{"x": 4, "y": 6} {
		all, err := check.Declarations([]check.Root{{Func: "checkIn", Schema: schema("x")}, {Func: "checkOut", Schema: schema(other)}})
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != want {
			t.Errorf("b requires x and %s: %d functions, want %d", other, len(all), want)
		}
	}
}

func TestEmitErrors(t *testing.T) {
	list := read(t, `{"type":"object"}`)
	_, err := check.Declarations([]check.Root{{Func: "checkA", Schema: list.Tools[0].Input}, {Func: "checkA", Schema: list.Tools[0].Input}})
	if want := "two check functions have the name checkA"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestEmitUpstreamLists emits checks for the tools of real servers twice and compares the two
// results.
func TestEmitUpstreamLists(t *testing.T) {
	lists := toolstest.Upstream(t)
	lines := 0
	for name, list := range lists {
		first, second := emit(t, list), emit(t, list)
		if !bytes.Equal(first, second) {
			t.Errorf("%s: two runs differ", name)
		}
		if bytes.Contains(first, []byte("fallback")) {
			t.Errorf("%s: needs the fallback", name)
		}
		lines += bytes.Count(first, []byte{'\n'})
	}
	t.Logf("%d lists, %d lines", len(lists), lines)
}

// TestSharing checks that definitions that several groups have, and only those, have functions of their own.
func TestSharing(t *testing.T) {
	group := func(name, defs string) check.Group {
		text := `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"},"b":{"$ref":"#/$defs/b"}},"$defs":{` + defs + `}}`
		s, problems := jsonschema.Read("/"+name, wire.Raw(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return check.Group{Prefix: "check" + name, At: "/" + name, Owner: name, Roots: []check.Root{{Func: "check" + name + "Input", Schema: s}}}
	}
	const object = `{"type":"object","properties":{"x":{"type":"string","minLength":1}},"required":["x"]}`
	const recursive = `{"type":"object","properties":{"next":{"$ref":"#/$defs/b"},"of":{"$ref":"#/$defs/c"}}}`
	for _, test := range []struct {
		name         string
		first, other string
		want         []string
	}{
		{"equal", `"a":` + object + `,"b":` + recursive + `,"c":` + object, `"a":` + object + `,"b":` + recursive + `,"c":` + object, []string{"checkSharedA", "checkSharedB"}},
		{"one differs, and one is equal to another", `"a":` + object + `,"b":` + recursive + `,"c":` + object, `"a":{"type":"object","required":["y"]},"b":` + recursive + `,"c":` + object, []string{"checkSharedA", "checkSharedB"}},
		{"a definition of a definition differs", `"a":` + object + `,"b":` + recursive + `,"c":` + object, `"a":` + object + `,"b":` + recursive + `,"c":{"type":"object","required":["y"]}`, []string{"checkSharedA"}},
	} {
		all, shared, err := check.Sharing([]check.Group{group("One", test.first), group("Two", test.other)})
		if err != nil {
			t.Fatal(err)
		}
		f := jen.NewFile("p")
		var own strings.Builder
		for _, group := range all {
			for _, d := range group {
				own.WriteString(jen.Add(d).GoString())
			}
		}
		for _, d := range shared {
			f.Add(d)
		}
		var names []string
		for _, m := range regexp.MustCompile(`func (\w+)\(`).FindAllStringSubmatch(f.GoString(), -1) {
			names = append(names, m[1])
			use := own.String() + f.GoString()
			used := strings.Contains(use, m[1]+"(c)") || strings.Contains(use, "Check: "+m[1]+"}")
			if strings.Contains(own.String(), "func "+m[1]+"(") || !used {
				t.Errorf("%s: %s is declared by a group, or unused", test.name, m[1])
			}
		}
		slices.Sort(names)
		if !slices.Equal(names, test.want) {
			t.Errorf("%s: shared are %q, want %q", test.name, names, test.want)
		}
	}
}
