package tools_test

import (
	stdcmp "cmp"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/toolstest"
	"github.com/mcpgen/mcpgen/runtime/rest"
)

func TestRead(t *testing.T) {
	const list = `{"tools":[
		{"name":"a", "inputSchema":{"type":"object","properties":{"z":{"$ref":"#/$defs/n"},"a":{"type":"integer","minimum":12345678901234567890}},
			"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}}}},
		{"inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"t":{"items":[{"type":"string"}],"additionalItems":false},"u":{"maxLength":1e30}}},"name":"b","x-y":1.0}]}`
	got, err := tools.Read([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	a, b := got.Tools[0], got.Tools[1]
	if a.Input.Properties[0].Name != "z" || a.Input.Properties[1].Schema.Minimum != "12345678901234567890" {
		t.Errorf("%+v", a.Input)
	}
	n := a.Input.Properties[0].Schema.Target
	if n == nil || n.Property("next").Target != n {
		t.Errorf("z leads to %+v", n)
	}
	tuple := b.Input.Property("t")
	if len(tuple.PrefixItems) != 1 || tuple.Items.Always == nil || *tuple.Items.Always {
		t.Errorf("%+v", tuple)
	}
	if most := b.Input.Property("u").MaxLength; most == nil || *most != math.MaxInt64 {
		t.Errorf("maxLength %v", most)
	}
	if want := `"name":"b","x-y":1.0}`; !strings.HasSuffix(string(b.Definition), want) {
		t.Errorf("definition %s", b.Definition)
	}
}

// TestReadNone checks that a list may be empty, and that it need not have tools if it has another kind of items.
func TestReadNone(t *testing.T) {
	for _, list := range []string{`[]`, `{"tools":[]}`, `{"prompts":[]}`, `{"resources":[]}`, `{"resourceTemplates":[]}`} {
		got, err := tools.Read([]byte(list))
		if err != nil || len(got.Tools) != 0 {
			t.Errorf("%s: %v", list, err)
		}
	}
}

// TestReadErrors checks what is said of lists that cannot be read, and of schemas that are not valid in their
// dialect.
//
// B26
func TestReadErrors(t *testing.T) {
	for _, test := range []struct{ list, want string }{
		{`{"tools":[{"name":"a",}]}`, "line 1, column 23"},
		{`{"tools":[{"name":"a","name":"b"}]}`, "name"},
		{`{}`, `has no member "tools"`},
		{`[1]`, `/0: a tool must be an object, found a number`},
		{`[{"inputSchema":{"type":"object"}}]`, `/0: must have a "name"`},
		{`[{"name":"a"}]`, `tool "a": /0: must have an "inputSchema"`},
		{`[{"name":"a","inputSchema":{"type":["string","null"]}}]`, `tool "a": /0/inputSchema: allows no object, and arguments are objects, so the tool cannot be called`},
		{`[{"name":"a","inputSchema":{"type":"string"}}]`, `tool "a": /0/inputSchema: allows no object`},
		{`[{"name":"a","inputSchema":false}]`, `tool "a": /0/inputSchema: allows no object`},
		{`[{"name":"a","inputSchema":{"not":{}}}]`, `tool "a": /0/inputSchema: allows no object`},
		{`[{"name":"a","inputSchema":{"type":"object","enum":["x"]}}]`, `tool "a": /0/inputSchema: allows no object`},
		{`[{"name":"a","inputSchema":{"$ref":"#/$defs/l","$defs":{"l":{"type":"array"}}}}]`, `tool "a": /0/inputSchema: allows no object`},
		{`[{"name":"a","inputSchema":null}]`, `tool "a": /0/inputSchema: a schema must be an object or a boolean, found null`},
		{`[{"name":"a","inputSchema":{"type":"object"},"outputSchema":false}]`, `tool "a": /0/outputSchema: allows no value, so the tool could return no result`},
		{`[{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"allOf":[{"type":"string"},{"type":"array"}]}}]`, `tool "a": /0/outputSchema: allows no value`},
		{`[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"text"}}}}]`, `/0/inputSchema/properties/x/type: "text" is not a type`},
		{`[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/$defs/y"}}}}]`, `/0/inputSchema/properties/x/$ref: "#/$defs/y" leads to nothing`},
		{`[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/$defs/b"}},"$defs":{"b":{"anyOf":[{"$ref":"#/$defs/c"}]},"c":{"$ref":"#/$defs/b"}}}}]`, `/0/inputSchema/$defs/c/$ref: "#/$defs/b" leads back to itself without a member or an element in between`},
		{`[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/properties/x"}}}}]`, `/0/inputSchema/properties/x/$ref: "#/properties/x" leads back to itself`},
		{doubling("allOf"), `/0/inputSchema/$defs/d12: more than 10000 schemas apply to one value, because several references lead to the same schema`},
		{doubling("anyOf"), `/0/inputSchema/$defs/d12: more than 10000 schemas apply to one value`},
		{`[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"https://example.com/s"}}}}]`, `is not in this list, and references are not fetched`},
		{`[{"name":"a","inputSchema":{"type":"object","minProperties":-1}}]`, `/minProperties: must be an integer of at least 0, found -1`},
		{`{"tools":[],"nextCursor":"x"}`, "/nextCursor"},
		{`[{"name":"a","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}]`, `/1/name: the tool at /0 has the same name, "a"`},
	} {
		_, err := tools.Read([]byte(test.list))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.list, err, test.want)
		}
	}
}

// doubling returns a list with 30 definitions, of which each refers twice to the one before it.
func doubling(keyword string) string {
	definitions := `"d0":{"type":"string"}`
	for i := range 30 {
		definitions += fmt.Sprintf(`,"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, keyword, i, i)
	}
	return `[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/$defs/d30"}},"$defs":{` + definitions + `}}}]`
}

// TestReadUpstreamLists reads the tool lists of real servers.
func TestReadUpstreamLists(t *testing.T) {
	for name, list := range toolstest.Upstream(t) {
		if len(list.Tools) == 0 {
			t.Errorf("%s: read no tool", name)
		}
	}
}

// TestReadScopes reads what the access token of a caller must have.
func TestReadScopes(t *testing.T) {
	for _, test := range []struct {
		member string
		want   []string
		err    string
	}{
		{``, nil, ""},
		{`,"x-mcp-scopes":[]`, nil, ""},
		{`,"x-mcp-scopes":["files:read","b"]`, []string{"files:read", "b"}, ""},
		{`,"x-mcp-scopes":"a"`, nil, `tool "a": /0/x-mcp-scopes: must be an array of scopes, found a string`},
		{`,"x-mcp-scopes":["a","b c"]`, nil, `tool "a": /0/x-mcp-scopes/1: must be a scope: a string without spaces and quotes, found "b c"`},
		{`,"x-mcp-scopes":[1]`, nil, `tool "a": /0/x-mcp-scopes/0: must be a scope: a string without spaces and quotes, found 1`},
	} {
		list, err := tools.Read([]byte(`[{"name":"a","inputSchema":{"type":"object"}` + test.member + `}]`))
		if got := fmt.Sprint(err); test.err != "" {
			if !strings.Contains(got, test.err) {
				t.Errorf("%s: got %s, want %s", test.member, got, test.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, list.Tools[0].Scopes); diff != "" {
			t.Errorf("%s: -want +got:\n%s", test.member, diff)
		}
	}
}

// TestReadTakesAsObject reads schemas that do not say that they are for objects.
func TestReadTakesAsObject(t *testing.T) {
	for _, test := range []struct{ schema, want, note string }{
		{`{"type":"object"}`, `{"type":"object"}`, ""},
		{`{}`, `{"type":"object"}`, `tool "a": /0/inputSchema: the schema has no "type"; it is taken as "object"`},
		{`true`, `{"type":"object"}`, `tool "a": /0/inputSchema: the schema is true; it is taken as "object"`},
		{`{"type":["object","null"],"minProperties":1}`, `{"type":"object","minProperties":1}`, `tool "a": /0/inputSchema: the "type" of the schema is ["object","null"]; it is taken as "object"`},
		{`{"anyOf":[{"required":["x"]}]}`, `{"anyOf":[{"required":["x"]}],"type":"object"}`, `tool "a": /0/inputSchema: the schema has no "type"; it is taken as "object"`},
	} {
		list, err := tools.Read([]byte(`[{"name":"a","inputSchema":` + test.schema + `}]`))
		if err != nil {
			t.Errorf("%s: %v", test.schema, err)
			continue
		}
		tool := list.Tools[0]
		got := []string{string(tool.Definition), string(tool.Input.Source), fmt.Sprint(list.Notes)}
		want := []string{`{"name":"a","inputSchema":` + test.want + `}`, test.want, "[" + test.note + "]"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", test.schema, diff)
		}
	}
}

// TestReadOutput reads schemas of results, which need not be objects. A schema that allows objects
// alone is one for objects in all revisions.
//
// F26
func TestReadOutput(t *testing.T) {
	const values = `tool "a": /0/outputSchema: results need not be objects; sessions of revisions before 2026-07-28 get them as text and no outputSchema`
	const untyped = `tool "a": /0/outputSchema: the schema has no "type"; it is taken as "object"`
	for _, test := range []struct {
		schema, want string
		values       bool
		note         string
	}{
		{`{"type":"object"}`, `{"type":"object"}`, false, ""},
		{`{"type":["object"]}`, `{"type":"object"}`, false, `tool "a": /0/outputSchema: the "type" of the schema is ["object"]; it is taken as "object"`},
		{`{"properties":{"x":{}}}`, `{"properties":{"x":{}},"type":"object"}`, false, untyped},
		{`{"allOf":[{"required":["x"]}]}`, `{"allOf":[{"required":["x"]}],"type":"object"}`, false, untyped},
		{`{"anyOf":[{"required":["x"]},{"required":["y"]}]}`, `{"anyOf":[{"required":["x"]},{"required":["y"]}],"type":"object"}`, false, untyped},
		{`{"$ref":"#/$defs/o","$defs":{"o":{"type":"object"}}}`, `{"$ref":"#/$defs/o","$defs":{"o":{"type":"object"}},"type":"object"}`, false, untyped},
		{`{"oneOf":[{"type":"object"},{"const":{}}]}`, `{"oneOf":[{"type":"object"},{"const":{}}],"type":"object"}`, false, untyped},
		{`{"anyOf":[{"required":["x"]},{"type":"string"}]}`, "", true, values},
		{`{"$ref":"#/$defs/l","$defs":{"l":{"type":"array"}}}`, "", true, values},
		{`{"type":["object","null"]}`, "", true, values},
		{`{"type":"array","items":{"type":"string"}}`, "", true, values},
		{`{"enum":["x",1]}`, "", true, values},
		{`{"description":"anything"}`, "", true, values},
		{`{}`, "", true, values},
		{`true`, `{}`, true, values + ` tool "a": /0/outputSchema: the schema is true, and the protocol wants an object; it is taken as {}`},
	} {
		list, err := tools.Read([]byte(`[{"name":"a","inputSchema":{"type":"object"},"outputSchema":` + test.schema + `}]`))
		if err != nil {
			t.Errorf("%s: %v", test.schema, err)
			continue
		}
		tool := list.Tools[0]
		want := stdcmp.Or(test.want, test.schema)
		if served, _ := tool.Definition.Get("outputSchema"); string(served) != want || string(tool.Output.Source) != want || tool.Values != test.values {
			t.Errorf("%s: is served as %s, read as %s; values: %t", test.schema, served, tool.Output.Source, tool.Values)
		}
		if got := fmt.Sprint(list.Notes); got != "["+test.note+"]" {
			t.Errorf("%s: the notes are %s, want %s", test.schema, got, test.note)
		}
	}
}

// TestOperation checks the operations of tools, which clients do not get.
func TestOperation(t *testing.T) {
	const before = `[{"name":"a","inputSchema":{"type":"object","properties":{"p":{}}},"x-mcp-scopes":["s"],"x-openapi":`
	list, err := tools.Read([]byte(before + `{"method":"GET","path":"/a/{p}","parameters":[{"member":"p","name":"p","in":"path","style":"simple"}],"security":[[]]}}]`))
	if err != nil {
		t.Fatal(err)
	}
	tool := list.Tools[0]
	want := &rest.Operation{Method: "GET", Path: "/a/{p}", Parameters: []rest.Parameter{{Member: "p", Name: "p", In: "path", Style: "simple"}}, Security: [][]rest.Scheme{{}}}
	if diff := cmp.Diff(want, tool.Operation); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if served := string(tool.Definition); served != `{"name":"a","inputSchema":{"type":"object","properties":{"p":{}}}}` {
		t.Errorf("clients get %s", served)
	}
	for _, row := range []struct{ operation, want string }{
		{`{"method":"GET","path":"a"}`, `/0/x-openapi: must have a "method", and a "path" that begins with a slash`},
		{`{"methd":"GET"}`, `/0/x-openapi: is not the operation of an API: unknown field "methd"`},
		{`{"method":"GET","path":"/","parameters":[{"member":"q","name":"q","in":"body","style":"simple"}]}`, `/0/x-openapi/parameters/0/in: expected one of path, query, header, cookie, found "body"`},
		{`{"method":"GET","path":"/","parameters":[{"member":"q","name":"q","in":"query","style":"form"}]}`, `/0/x-openapi/parameters/0/member: the inputSchema has no property "q"`},
		{`{"method":"GET","path":"/","body":{"member":"p","mediaType":"a/b","encoding":"xml"}}`, `/0/x-openapi/body/encoding: expected one of json, form, multipart, text, binary, found "xml"`},
		{`{"method":"GET","path":"/","security":[[{"name":"k","kind":"oauth2"}]]}`, `/0/x-openapi/security/0/0/kind: expected one of apiKey, basic, bearer, found "oauth2"`},
	} {
		if _, err := tools.Read([]byte(before + row.operation + "}]")); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.operation, err, row.want)
		}
	}
}
