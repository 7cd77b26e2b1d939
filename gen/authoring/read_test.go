package authoring_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/gen/authoring"
	"github.com/mcpgen/mcpgen/gen/tools/toolstest"
)

// notes reads a list without faults and returns its notes.
func notes(t *testing.T, text string) []string {
	t.Helper()
	file, err := authoring.Read("tools.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, n := range file.Notes {
		all = append(all, n.Error())
	}
	return all
}

// TestNotes checks that each fault is found, with its line and column.
func TestNotes(t *testing.T) {
	const head = "tools:\n- name: a\n  inputSchema:\n    type: object\n"
	for _, test := range []struct {
		text string
		want string // without "tools.yaml:" at its beginning
	}{
		{head, ""},
		{head + "    properties: {b: {type: string, x-order: 1}}\n", ""},
		{head + "    properties:\n      b: {type: string, minLenght: 1}\n", `6:25: tool "a": /tools/0/inputSchema/properties/b/minLenght: unknown keyword "minLenght" (did you mean "minLength"?)`},
		{head + "    $schema: http://json-schema.org/draft-04/schema#\n    id: http://example.com/a\n", ""},
		{head + "    requird: [b]\n", `5:5: tool "a": /tools/0/inputSchema/requird: unknown keyword "requird" (did you mean "required"?)`},
		{head + "    quantum: 7\n", `5:5: tool "a": /tools/0/inputSchema/quantum: unknown keyword "quantum": JSON Schema does not have it, so it is ignored`},
		{head + "  desciption: x\n", `5:3: tool "a": /tools/0/desciption: unknown member "desciption" of a tool (did you mean "description"?)`},
		{head + "  annotations: {readonlyHint: true}\n", `5:17: tool "a": /tools/0/annotations/readonlyHint: unknown member "readonlyHint" of annotations (did you mean "readOnlyHint"?)`},
		{head + "  annotations: {title: x, readOnlyHint: 'yes'}\n", `5:27: tool "a": /tools/0/annotations/readOnlyHint: must be of type boolean, found a string`},
		{head + "defs: {}\n", `5:1: /defs: unknown member "defs" of the file (did you mean "$defs"?)`},
		{head + "$defs: {b: {type: string}}\n", `5:9: /$defs/b: no tool refers to the schema "b"`},
		{head + "    properties: {b: {type: string, pattern: '['}}\n", `5:36: tool "a": /tools/0/inputSchema/properties/b/pattern: the pattern "[" cannot be read, so it is not checked: `},
		{head + "    minProperties: 3\n    maxProperties: 2\n", `5:5: tool "a": /tools/0/inputSchema/minProperties: minProperties 3 is greater than maxProperties 2, so no value is valid`},
		{head + "    properties: {b: {type: number, exclusiveMinimum: 1, maximum: 1.0}}\n", `5:36: tool "a": /tools/0/inputSchema/properties/b/exclusiveMinimum: exclusiveMinimum 1 and maximum 1.0 leave no number that is valid`},
		{head + "    properties: {b: {type: number, minimum: 1, maximum: 1.0}}\n", ""},
		{head + "    properties: {b: {type: integer, enum: [1, 2.5]}}\n", `5:47: tool "a": /tools/0/inputSchema/properties/b/enum/1: 2.5 in enum is not of type integer`},
		{head + "    properties: {b: {enum: [x], default: z}}\n", `5:33: tool "a": /tools/0/inputSchema/properties/b/default: the default "z" is not valid under its own schema`},
		{head + "    additionalProperties: false\n    properties: {city: {}}\n    required: [citty]\n", `7:5: tool "a": /tools/0/inputSchema/required: requires the member "citty", which additionalProperties forbids (did you mean "city"?)`},
		{"prompts:\n- name: p\n  argumnets: []\n", `3:3: prompt "p": /prompts/0/argumnets: unknown member "argumnets" of a prompt (did you mean "arguments"?)`},
		{"prompts:\n- name: p\n  arguments:\n  - {name: a, requierd: true}\n", `4:15: prompt "p": /prompts/0/arguments/0/requierd: unknown member "requierd" of an argument (did you mean "required"?)`},
		{"resources:\n- {uri: 'x://a', name: r, mimetype: text/plain}\n", `2:27: resource "r": /resources/0/mimetype: unknown member "mimetype" of a resource (did you mean "mimeType"?)`},
		{"resources:\n- {uri: 'x://a', name: r, annotations: {priorty: 1}}\n", `2:41: resource "r": /resources/0/annotations/priorty: unknown member "priorty" of annotations (did you mean "priority"?)`},
		{"resources:\n- {uri: 'x://a', name: r, annotations: {audience: user, priority: 1}}\n", `2:41: resource "r": /resources/0/annotations/audience: must be of type array, found a string`},
		{"resourceTemplates:\n- {uriTemplate: 'x://{a}', name: t, x-mcp-variables: [{name: a, about: x}]}\n", `2:65: resource template "t": /resourceTemplates/0/x-mcp-variables/0/about: unknown member "about" of a variable`},
		{"prompts: [{name: p, arguments: [{name: a, x-mcp-enum: [b]}]}]\n", ""},
		{"tools: [{name: a, inputSchema: {type: object, properties: {b: {x-mcp-headers: b}}}}]\n", `1:64: tool "a": /tools/0/inputSchema/properties/b/x-mcp-headers: unknown keyword "x-mcp-headers" (did you mean "x-mcp-header"?)`},
		{"tools: [{name: a, inputSchema: {type: object, properties: {b: {x-goname: B, x-go-type: C, x-mcp-header: b}}}}]\n", `1:64: tool "a": /tools/0/inputSchema/properties/b/x-goname: unknown keyword "x-goname" (did you mean "x-go-name"?)`},
		{"tools: [{name: a, inputSchema: {type: object, default: {x-mcp-scopes: b}, properties: {x-mcp-scopes: {}}}}]\n", ""},
		{"tools: [{name: a, inputSchema: {type: object}, x-mcp-text: b}]\n", `1:48: tool "a": /tools/0/x-mcp-text: unknown member "x-mcp-text" of a tool`},
		{"tools: [{name: a, inputSchema: {type: object}, x-vendor: b}]\n", ""},
		{"tools: [{name: a b, inputSchema: {type: object}}]\n", `1:10: tool "a b": /tools/0/name: the name "a b" has other characters than letters,`},
	} {
		found := notes(t, test.text)
		if test.want == "" {
			if len(found) > 0 {
				t.Errorf("%s: %q, want nothing", test.text, found)
			}
			continue
		}
		if len(found) != 1 || !strings.HasPrefix(found[0], "tools.yaml:"+test.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", test.text, strings.Join(found, "\n"), test.want)
		}
	}
}

// files are the other files of the tests.
var files = map[string]string{
	"common.yaml":      "$defs:\n  place:\n    type: object\n    properties:\n      near: {$ref: '#/$defs/place'}\n      zip: {$ref: 'more/zip.json'}\n",
	"more/zip.json":    `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"string","minLenght":5,"anyOf":[{"$ref":"../common.yaml#/$defs/place"},{}]}`,
	"broken.yaml":      "a: [",
	"wrong.json":       `{"type":"text"}`,
	"more/outside.yml": "$ref: ../../x.json\n",
}

func open(path string) ([]byte, error) {
	text, ok := files[path]
	if !ok {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return []byte(text), nil
}

// TestShared reads a list whose tools share schemas.
func TestShared(t *testing.T) {
	file, err := authoring.Read("lists/tools.yaml", []byte(`
tools:
- name: one
  x-go-name: First
  inputSchema:
    type: object
    properties:
      at: {$ref: '#/$defs/spot', x-go-name: Where}
      own: {$ref: '#/$defs/own'}
    $defs:
      own: {type: string}
  outputSchema:
    type: object
    properties:
      list: {type: array, items: {$ref: 'common.yaml#/$defs/place'}}
- name: two
  inputSchema:
    type: object
    properties:
      inner: {$ref: 'inner.json#/$defs/x'}
    $defs:
      inner: {$id: inner.json, $defs: {x: {type: string}}}
$defs:
  spot:
    anyOf: [{$ref: '#/$defs/name'}, {$ref: 'common.yaml#/$defs/place'}]
  name: {type: string, maxLenght: 2}
`), open)
	if err != nil {
		t.Fatal(err)
	}
	list := file.List
	const place = `{"type":"object","properties":{"near":{"$ref":"#/$defs/place"},"zip":{"$ref":"#/$defs/zip"}}}`
	const zip = `{"type":"string","minLenght":5,"anyOf":[{"$ref":"#/$defs/place"},{}]}`
	want := []string{
		`{"name":"one","inputSchema":{"type":"object","properties":{"at":{"$ref":"#/$defs/spot"},"own":{"$ref":"#/$defs/own"}},"$defs":{"own":{"type":"string"},` +
			`"spot":{"anyOf":[{"$ref":"#/$defs/name"},{"$ref":"#/$defs/place"}]},"name":{"type":"string","maxLenght":2},"place":` + place + `,"zip":` + zip + `}},` +
			`"outputSchema":{"type":"object","properties":{"list":{"type":"array","items":{"$ref":"#/$defs/place"}}},"$defs":{"place":` + place + `,"zip":` + zip + `}}}`,
		// A schema with an $id is no file.
		`{"name":"two","inputSchema":{"type":"object","properties":{"inner":{"$ref":"inner.json#/$defs/x"}},"$defs":{"inner":{"$id":"inner.json","$defs":{"x":{"type":"string"}}}}}}`,
	}
	var got []string
	for _, tool := range list.Tools {
		got = append(got, string(tool.Definition))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list.Tools[0].GoName != "First" || list.Tools[0].Input.Property("at").GoName != "Where" {
		t.Error("the Go names are lost")
	}
	var places []string
	for _, n := range file.Notes {
		places = append(places, n.Place()+" "+n.Pointer)
	}
	if diff := cmp.Diff([]string{"lists/more/zip.json:1:75 /minLenght", "lists/tools.yaml:26:24 /$defs/name/maxLenght"}, places); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	list := func(ref string) string {
		return "tools:\n- name: a\n  inputSchema:\n    type: object\n    properties:\n      b: {$ref: '" + ref + "'}\n"
	}
	for _, test := range []struct{ text, want string }{
		{"prompts:\n- name: p\n  arguments:\n  - name: a\n    required: 1\n", `tools.yaml:5:5: prompt "p": /prompts/0/arguments/0/required: must be true or false, found a number`},
		{list("#/$defs/none"), `tools.yaml:6:11: tool "a": /tools/0/inputSchema/properties/b/$ref: "#/$defs/none" leads to nothing`},
		{list("none.yaml"), `tools.yaml:6:11: tool "a": /tools/0/inputSchema/properties/b/$ref: none.yaml: file does not exist`},
		{list("common.yaml#/none"), `"common.yaml#/none" leads to nothing`},
		{list("common.yaml#place"), "another file is referred to by a pointer"},
		{list("../tools.yaml"), `"../tools.yaml" is not in the folder of tools.yaml`},
		{list("/etc/passwd"), `"/etc/passwd" is not in the folder of tools.yaml`},
		{list("more/outside.yml"), `more/outside.yml:1:1: tool "a": /$ref: "../../x.json" is not in the folder of tools.yaml`},
		{list("https://example.com/x.json"), "references are not fetched"},
		{list("broken.yaml"), "broken.yaml:1:4: is not YAML: "},
		{list("wrong.json"), `wrong.json:1:2: tool "a": /type: "text" is not a type of JSON Schema`},
		{" \n", "tools.yaml:1:1: is empty"},
		{"{\"tools\":\n [1,,]}", "tools.yaml:2:5: is not YAML: "},
		{"tools: .inf", "tools.yaml:1:8: /tools: .inf has no counterpart in JSON"},
		{"tools:\n- name: a\n", `tools.yaml:2:3: tool "a": /tools/0: must have an "inputSchema"`},
		{"tools:\n- name: a\n  inputShema: {type: object}\n", "must have an \"inputSchema\"\n" + `tools.yaml:3:3: tool "a": /tools/0/inputShema: unknown member "inputShema" of a tool (did you mean "inputSchema"?)`},
		{"- name: a\n  inputShema: {type: object}\n", `tools.yaml:2:3: tool "a": /0/inputShema: unknown member "inputShema" of a tool (did you mean "inputSchema"?)`},
		{"tols:\n- name: a\n", `tools.yaml:1:1: /tols: unknown member "tols" of the file (did you mean "tools"?)`},
		{"tools: [{name: a, inputSchema: {type: object}, x-mcp-scope: [b]}]", `tool "a": /tools/0/x-mcp-scope: unknown member "x-mcp-scope" of a tool (did you mean "x-mcp-scopes"?)`},
		{"prompts: [{name: p, arguments: [{name: a, x-mcp-enums: [b]}]}]", `unknown member "x-mcp-enums" of an argument (did you mean "x-mcp-enum"?)`},
		{"{tools: [], x-mcp-scopes: [b]}", "tools.yaml:1:13: /x-mcp-scopes: has no effect in the file: x-mcp-scopes is a member of a tool"},
		{"{result: {tools: [], X-MCP-Scope: [b]}}", "/result/X-MCP-Scope: has no effect in the result: "},
		{"tools: [{name: a, inputSchema: {type: object, x-mcp-scopes: [b]}}]", "/tools/0/inputSchema/x-mcp-scopes: has no effect in a schema: "},
		{"tools: [{name: a, inputSchema: {type: object, properties: {b: {items: {x_mcp_scope: [b]}}}}}]", "/tools/0/inputSchema/properties/b/items/x_mcp_scope: has no effect in a schema: "},
		{"tools: [{name: a, inputSchema: {type: object}, outputSchema: {$defs: {b: {x-mcp-scopes: [b]}}}}]", "/tools/0/outputSchema/$defs/b/x-mcp-scopes: has no effect in a schema: "},
		{"tools: [{name: a, inputSchema: {type: object}, annotations: {x-mcp-scopes: [b]}}]", "has no effect in annotations: "},
		{"tools: [{name: a, inputSchema: {type: object}, _meta: {x-mcp-scopes: [b]}}]", "has no effect in _meta: "},
		{"prompts: [{name: p, arguments: [{name: a, x-mcp-scopes: [b]}]}]", "/prompts/0/arguments/0/x-mcp-scopes: has no effect in an argument: "},
		{"resources: [{uri: 'x:a', name: p, annotations: {x-mcp-scopes: [b]}}]", "has no effect in annotations: "},
		{"resourceTemplates: [{uriTemplate: 'x:{a}', name: p, x-mcp-variables: [{name: a, x-mcp-scopes: [b]}]}]", "has no effect in a variable: "},
		{"# nothing\n", "tools.yaml: is empty"},
		{"a: 1\n---\nb: 2\n", "tools.yaml: must be a single YAML document"},
	} {
		_, err := authoring.Read("tools.yaml", []byte(test.text), open)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got\n%v\nwant\n%s", test.text, err, test.want)
			continue
		}
		if _, ok := errors.AsType[*authoring.Problem](err); !ok {
			t.Errorf("%s: %T", test.text, err)
		}
	}
}

// TestSchema validates the lists of real servers with the schema for editors, and lists with
// faults.
func TestSchema(t *testing.T) {
	doc, err := santhosh.UnmarshalJSON(strings.NewReader(string(authoring.Schema())))
	if err != nil {
		t.Fatal(err)
	}
	c := santhosh.NewCompiler()
	if err := c.AddResource("tools.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("tools.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	for _, text := range []string{
		`{"tools":[{"name":"a","inputSchema":{"type":"object"},"desciption":"x"}]}`,
		`{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"b":{"minLenght":1}}}}]}`,
		`{"tools":[{"name":"a b","inputSchema":{"type":"object"}}]}`,
		`{"tools":[],"tool":[]}`,
		`{"tools":[{"name":"a"}]}`,
		`{}`,
		`{"prompts":[{"name":"p","arguments":[{"name":"a","required":1}]}]}`,
		`{"prompts":[{"name":"p","arguments":[{"name":"a","x-mcp-enum":"x"}]}]}`,
		`{"resources":[{"name":"r"}]}`,
		`{"resourceTemplates":[{"uriTemplate":"x://{a}","name":"t","x-mcp-variables":[{"name":"a","required":true}]}]}`,
	} {
		if valid(text) == nil {
			t.Errorf("%s: the schema accepts it", text)
		}
	}
	if err := valid(`{"$defs":{"b":{"type":"string"}},"tools":[{"name":"a","x-go-name":"A","inputSchema":{"type":["object"],"x-y":1,"items":[true]}}]}`); err != nil {
		t.Error(err)
	}
	if err := valid(`{"prompts":[{"name":"p","x-mcp-scopes":["a"],"arguments":[{"name":"a","required":true,"x-mcp-completion":true}]}],
		"resources":[{"uri":"x://a","name":"r","x-mcp-text":"t"}],"resourceTemplates":[{"uriTemplate":"x://{a}","name":"t","x-mcp-variables":[{"name":"a"}]}]}`); err != nil {
		t.Error(err)
	}
	for name, list := range toolstest.Upstream(t) {
		for _, tool := range list.Tools {
			text := `{"tools":[` + string(tool.Definition) + `]}`
			file, err := authoring.Read("list.json", []byte(text), nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			for _, n := range file.Notes {
				t.Logf("%s: %v", name, n)
			}
			if err := valid(text); err != nil && len(file.Notes) == 0 {
				t.Errorf("%s: %s: %v", name, tool.Name, err)
			}
		}
	}
}
