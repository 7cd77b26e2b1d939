package merge_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/merge"
	"github.com/mcpgen/mcpgen/gen/yaml"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// compact returns a JSON or YAML text as JSON without white space.
func compact(t *testing.T, text string) string {
	t.Helper()
	docs, err := yaml.Documents([]byte(text))
	if err != nil || len(docs) != 1 {
		t.Fatalf("%s: %d documents, %v", text, len(docs), err)
	}
	return string(yaml.JSON(yaml.FromJSON(wire.Raw(docs[0]))))
}

// tool returns a list with one tool that has other members and properties.
func tool(members, properties string) string {
	if members != "" {
		members += ","
	}
	return `{"tools":[{"name":"greet",` + members + `"inputSchema":{"type":"object","properties":{` + properties + `}}}]}`
}

// TestMerge checks what becomes of a list that people have edited.
func TestMerge(t *testing.T) {
	const city, days = `"city":{"type":"string"}`, `"days":{"type":"integer"}`
	for _, test := range []struct {
		name, base, mine, theirs, want string
		notes                          []string
	}{
		{"nothing was edited", tool(`"title":"A","x-vendor":1`, city), tool(`"title":"A","x-vendor":1`, city), tool(`"description":"B"`, days), tool(`"description":"B"`, days), nil},
		{"own members of a tool", tool("", city), tool(`"x-mcp-scopes":["a"],"x-go-name":"Hello"`, city), tool("", city), tool(`"x-mcp-scopes":["a"],"x-go-name":"Hello"`, city),
			[]string{"kept: tool greet: /x-mcp-scopes, /x-go-name"}},
		{"own members, without a base", "", tool(`"x-mcp-scopes":["a"],"x-team":"web"`, city), tool("", city), tool(`"x-mcp-scopes":["a"],"x-team":"web"`, city),
			[]string{"kept: tool greet: /x-mcp-scopes, /x-team"}},
		{"own members deep in a schema", "", tool("", `"city":{"type":"string","x-go-name":"Town"}`), tool("", city+","+days), tool("", `"city":{"type":"string","x-go-name":"Town"},`+days),
			[]string{"kept: tool greet: /inputSchema/properties/city/x-go-name"}},
		{"keywords that people have added", tool("", days), tool("", `"days":{"type":"integer","minimum":1,"description":"D"}`), tool(`"title":"T"`, days+","+city), tool(`"title":"T"`, `"days":{"type":"integer","minimum":1,"description":"D"},`+city),
			[]string{"kept: tool greet: /inputSchema/properties/days/minimum, /inputSchema/properties/days/description"}},
		{"a property that people have added", tool("", days), tool("", days+","+city), tool(`"title":"T"`, days), tool(`"title":"T"`, days+","+city),
			[]string{"kept: tool greet: /inputSchema/properties/city"}},
		{"the server drops what it sent", tool(`"x-vendor":1,"description":"A"`, city+","+days), tool(`"x-vendor":1,"description":"A","x-go-name":"G"`, city+","+days), tool("", city), tool(`"x-go-name":"G"`, city),
			[]string{"kept: tool greet: /x-go-name"}},
		{"a property whose name begins with x-", "", tool("", `"x-rate":{"type":"number"},`+city), tool("", city), tool("", city),
			[]string{"replaced: tool greet: /inputSchema/properties/x-rate, which the server sends otherwise or not at all; from now on, mcpgen keeps what you change"}},
		{"data with members that begin with x-", "", tool(`"_meta":{"x-a":1}`, `"o":{"type":"object","default":{"x-b":1}}`), tool(`"_meta":{}`, `"o":{"type":"object","default":{}}`), tool(`"_meta":{}`, `"o":{"type":"object","default":{}}`),
			[]string{"replaced: tool greet: /_meta/x-a, /inputSchema/properties/o/default/x-b, which the server sends otherwise or not at all; from now on, mcpgen keeps what you change"}},
		{"the annotation of headers is of the protocol", "", tool("", `"city":{"type":"string","x-mcp-header":"City"}`), tool("", city), tool("", city),
			[]string{"replaced: tool greet: /inputSchema/properties/city/x-mcp-header, which the server sends otherwise or not at all; from now on, mcpgen keeps what you change"}},
		{"a text that both have changed", tool(`"description":"A"`, city), tool(`"description":"B"`, city), tool(`"description":"C"`, city), tool(`"description":"B"`, city),
			[]string{"kept as you have it, although the server has changed it, too: tool greet: /description"}},
		{"a text that only the server has changed", tool(`"description":"A"`, city), tool(`"description":"A"`, city), tool(`"description":"C"`, city), tool(`"description":"C"`, city), nil},
		{"a text, without a base", "", tool(`"description":"B"`, city), tool(`"description":"C"`, city), tool(`"description":"C"`, city),
			[]string{"replaced: tool greet: /description, which the server sends otherwise or not at all; from now on, mcpgen keeps what you change"}},
		{"what people have deleted", tool(`"description":"A","title":"T"`, city+","+days), tool(`"title":"T"`, city), tool(`"description":"A","title":"U"`, city+","+days), tool(`"title":"U"`, city),
			[]string{"kept: tool greet: /inputSchema/properties/days (deleted), /description (deleted)"}},
		{"a place with an own member that is gone", tool("", city+","+days), tool("", `"city":{"type":"string","x-go-name":"Town"},`+days), tool("", days), tool("", days),
			[]string{"not kept: tool greet: /inputSchema/properties/city/x-go-name, which the server has changed or no longer has"}},
		{"enums and required members", tool("", `"u":{"enum":["a","b"]}`), tool("", `"u":{"enum":["a","mine"]}`), tool("", `"u":{"enum":["a","b","c"]}`), tool("", `"u":{"enum":["a","c","mine"]}`),
			[]string{"kept: tool greet: /inputSchema/properties/u/enum"}},
		{"alternatives in another order", tool(`"x":{"anyOf":[{"const":1},{"const":2}]}`, ""), tool(`"x":{"anyOf":[{"const":1,"title":"One"},{"const":2}]}`, ""), tool(`"x":{"anyOf":[{"const":0},{"const":1},{"const":2}]}`, ""), tool(`"x":{"anyOf":[{"const":0},{"const":1,"title":"One"},{"const":2}]}`, ""),
			[]string{"kept: tool greet: /x/anyOf/0/title"}},
		{"an equal element more", tool(`"x":{"prefixItems":[{"type":"number"}]}`, ""), tool(`"x":{"prefixItems":[{"type":"number"}]}`, ""), tool(`"x":{"prefixItems":[{"type":"number"},{"type":"number"}]}`, ""),
			tool(`"x":{"prefixItems":[{"type":"number"},{"type":"number"}]}`, ""), nil},
		{"an equal element more, without a base", "", tool("", `"x":{"prefixItems":[{"type":"number"}]}`), tool("", `"x":{"prefixItems":[{"type":"number"},{"type":"number"}]}`),
			tool("", `"x":{"prefixItems":[{"type":"number"},{"type":"number"}]}`), nil},
		{"one of two equal elements that people have deleted", tool(`"x":{"anyOf":[{"const":1},{"const":1}]}`, ""), tool(`"x":{"anyOf":[{"const":1}]}`, ""), tool(`"x":{"anyOf":[{"const":1},{"const":1},{"const":2}]}`, ""),
			tool(`"x":{"anyOf":[{"const":1},{"const":2}]}`, ""), nil},
		{"a schema of another kind, without a base", "", tool("", `"city":{"type":"string"}`), tool("", `"city":true`), tool("", `"city":true`),
			[]string{"replaced: tool greet: /inputSchema/properties/city, which the server sends otherwise or not at all; from now on, mcpgen keeps what you change"}},
		{"a schema of another kind with an own member, without a base", "", tool("", `"city":{"type":"string","x-go-name":"Town"}`), tool("", `"city":true`), tool("", `"city":true`),
			[]string{"not kept: tool greet: /inputSchema/properties/city/x-go-name, which the server has changed or no longer has"}},
		{"two sources of scopes, without a base", "", tool(`"x-mcp-scopes":["mine"]`, city), tool(`"x-mcp-scopes":["theirs"]`, city), tool(`"x-mcp-scopes":["mine"]`, city),
			[]string{"kept as you have it, although the server has changed it, too: tool greet: /x-mcp-scopes"}},
		{"the operation of an API is of the import", "", tool(`"x-openapi":{"path":"/a"}`, city), tool(`"x-openapi":{"path":"/b"}`, city), tool(`"x-openapi":{"path":"/b"}`, city),
			[]string{"replaced: tool greet: /x-openapi/path, which the server sends otherwise or not at all; from now on, mcpgen keeps what you change"}},
		{"tools that come, go, and are of people", `{"tools":[{"name":"a"},{"name":"b"}]}`, `{"tools":[{"name":"a"},{"name":"mine"},{"name":"b"}]}`, `{"tools":[{"name":"c"},{"name":"a"}]}`, `{"tools":[{"name":"c"},{"name":"a"},{"name":"mine"}]}`,
			[]string{"kept: tool mine, which you have added", "removed: tool b, which the server no longer has"}},
		{"a tool that people have deleted", `{"tools":[{"name":"a"},{"name":"b"}]}`, `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a"},{"name":"b","title":"B"}]}`, `{"tools":[{"name":"a"}]}`,
			[]string{"left out: tool b, which you have deleted"}},
		{"members that were not asked for", "", `{"$schema":"tools.schema.json","instructions":"I","tools":[{"name":"a","x-go-name":"A"}],"prompts":[{"name":"p"}],"$defs":{"d":{}},"x-note":1}`, `{"tools":[{"name":"a"}]}`,
			`{"$schema":"tools.schema.json","instructions":"I","tools":[{"name":"a","x-go-name":"A"}],"prompts":[{"name":"p"}],"$defs":{"d":{}},"x-note":1}`, []string{"kept: tool a: /x-go-name"}},
		{"prompts, resources and templates", "",
			`{"tools":[],"prompts":[{"name":"p","arguments":[{"name":"b","x-mcp-completion":true},{"name":"c","x-mcp-enum":["x"]}]}],"resources":[{"uri":"a:b","name":"r","x-mcp-text":"T"}],"resourceTemplates":[{"uriTemplate":"a:{b}","name":"t","x-mcp-variables":[{"name":"b","title":"B"}]}]}`,
			`{"tools":[],"prompts":[{"name":"p","arguments":[{"name":"a"},{"name":"b"},{"name":"c"}]}],"resources":[{"uri":"a:b","name":"r"}],"resourceTemplates":[{"uriTemplate":"a:{b}","name":"t"}]}`,
			`{"tools":[],"prompts":[{"name":"p","arguments":[{"name":"a"},{"name":"b","x-mcp-completion":true},{"name":"c","x-mcp-enum":["x"]}]}],"resources":[{"uri":"a:b","name":"r","x-mcp-text":"T"}],"resourceTemplates":[{"uriTemplate":"a:{b}","name":"t","x-mcp-variables":[{"name":"b","title":"B"}]}]}`,
			[]string{"kept: prompt p: /arguments/0/x-mcp-completion, /arguments/1/x-mcp-enum", "kept: resource a:b: /x-mcp-text", "kept: resource template a:{b}: /x-mcp-variables"}},
		{"instructions", `{"tools":[],"instructions":"A"}`, `{"tools":[],"instructions":"B"}`, `{"tools":[],"instructions":"A"}`, `{"tools":[],"instructions":"B"}`, []string{"kept: the list: /instructions"}},
		{"a tool with a member of its server, without a base", "", `{"tools":[{"name":"a","x-vendor":1},{"name":"b"}]}`, `{"tools":[{"name":"b"}]}`, `{"tools":[{"name":"b"}]}`,
			[]string{"removed: tool a, which the server no longer has, with /x-vendor"}},
		{"instructions that were deleted", `{"tools":[],"instructions":"A"}`, `{"tools":[]}`, `{"tools":[],"instructions":"A"}`, `{"tools":[]}`, []string{"left out: the member instructions, which you have deleted"}},
		{"a tool that people have renamed, too", `{"tools":[{"name":"a","x-vendor":1,"title":"T"},{"name":"z"}]}`, `{"tools":[{"name":"b","x-vendor":1,"title":"T","x-mcp-scopes":["s"]},{"name":"z"}]}`, `{"tools":[{"name":"b","title":"U"},{"name":"z"}]}`,
			`{"tools":[{"name":"b","title":"U","x-mcp-scopes":["s"]},{"name":"z"}]}`, []string{"kept: tool b: /x-mcp-scopes"}},
		{"an array", "", `[{"name":"a","x-go-name":"A"}]`, `{"tools":[{"name":"a"},{"name":"b"}]}`, `[{"name":"a","x-go-name":"A"},{"name":"b"}]`, []string{"kept: tool a: /x-go-name"}},
		{"an answer", "", `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","x-go-name":"A"}]}}`, `{"tools":[{"name":"a"},{"name":"b"}]}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","x-go-name":"A"},{"name":"b"}]}}`, []string{"kept: tool a: /x-go-name"}},
		{"an empty file", "", "\n", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`, nil},
		{"no file", "", "", `{"tools":[{"name":"a"}]}`, `{"tools":[{"name":"a"}]}`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := merge.Imported{Name: "tools.json", Theirs: []byte(test.theirs)}
			if test.base != "" {
				in.Base = []byte(test.base)
			}
			if test.mine != "" {
				in.Mine = []byte(test.mine)
			}
			got, err := in.Merge()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(compact(t, test.want), compact(t, string(got.Text))); diff != "" {
				t.Errorf("the list (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.notes, got.Notes); diff != "" {
				t.Errorf("the notes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(compact(t, test.theirs), compact(t, string(got.Base))); diff != "" {
				t.Errorf("the base (-want +got):\n%s", diff)
			}
			// The next import of the same changes nothing.
			again, err := merge.Imported{Name: "tools.json", Mine: got.Text, Base: got.Base, Theirs: in.Theirs}.Merge()
			if err != nil || string(again.Text) != string(got.Text) {
				t.Errorf("a second import: %v\n%s", err, cmp.Diff(string(got.Text), string(again.Text)))
			}
		})
	}
}

// TestRefused checks the files that are not overwritten.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ name, mine, want string }{
		{"notes.md", "# Notes\n", "notes.md: is not a list of tools, so it is not overwritten: "},
		{"main.go", "package main\n", "main.go: is not a list of tools, so it is not overwritten: "},
		{"tools.json", "{}", `it has no list "tools", "prompts", "resources" or "resourceTemplates"`},
		{"tools.json", `{"tools":{"a":{}}}`, `it has no list "tools"`},
		{"tools.json", `{"tools":[{"title":"A"}]}`, `an element of "tools" has no "name", or that of another one`},
		{"tools.json", `{"tools":[{"name":"a"},{"name":"a"}]}`, `an element of "tools" has no "name", or that of another one`},
		{"tools.json", `{"tools":["a"]}`, `an element of "tools" has no "name"`},
		{"tools.json", `[1]`, `an element of "tools" has no "name"`},
		{"tools.json", `"a"`, `it has no list "tools"`},
		{"tools.json", "{\"tools\":[]} // a comment", "so it is not overwritten: "},
		{"tools.json", "tools: []\n", "so it is not overwritten: "},
		{"package.json", `{"name":"p","tools":{"go":"1.26"}}`, `it has no list "tools"`},
		{"tools.yaml", "a: [", "tools.yaml: is not a list of tools, so it is not overwritten: 1:4: is not YAML"},
		{"compose.yaml", "services: {}\n", `it has no list "tools"`},
	} {
		_, err := merge.Imported{Name: test.name, Mine: []byte(test.mine), Theirs: []byte(`{"tools":[]}`)}.Merge()
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q: %v, want %s", test.name, test.mine, err, test.want)
		}
	}
}

// TestGone checks that an item that people have edited does not vanish.
func TestGone(t *testing.T) {
	const base = `{"tools":[{"name":"get_weather","description":"Tells the weather.","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}}],"prompts":[{"name":"p"}]}`
	mine := strings.NewReplacer(`"Tells the weather.",`, `"Tells the weather.","x-mcp-scopes":["weather"],`, `"type":"string"`, `"type":"string","x-go-name":"Town"`).Replace(base)
	for _, test := range []struct{ name, base, theirs, want string }{
		{"renamed", base, strings.Replace(base, "get_weather", "weather_now", 1),
			"\ttool get_weather, with /x-mcp-scopes, /inputSchema/properties/city/x-go-name (is it weather_now now?)"},
		{"renamed, with another text", base, strings.NewReplacer("get_weather", "now", "Tells the weather.", "New.").Replace(base), "(is it now now?)"},
		{"renamed, with another schema", base, `{"tools":[{"name":"other"},{"name":"climate","description":"Tells the weather."}]}`, "(is it climate now?)"},
		{"renamed, with another schema and text", base, `{"tools":[{"name":"other"},{"name":"get_wether"}]}`, "(is it get_wether now?)"},
		{"gone", base, `{"tools":[{"name":"other"}]}`, "\ttool get_weather, with /x-mcp-scopes, /inputSchema/properties/city/x-go-name"},
		{"gone, without a base", "", `{"tools":[]}`, "\ttool get_weather, with /x-mcp-scopes, /inputSchema/properties/city/x-go-name"},
	} {
		in := merge.Imported{Name: "tools.json", Mine: []byte(mine), Theirs: []byte(test.theirs)}
		if test.base != "" {
			in.Base = []byte(test.base)
		}
		_, err := in.Merge()
		if gone := new(merge.GoneError); !errors.As(err, &gone) || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
	}
}

// TestForms checks that a file keeps its form, and what people have written in it.
func TestForms(t *testing.T) {
	const theirs = `{"tools":[{"name":"a","description":"Two\nlines","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}},{"name":"b"}]}`
	const written = `# yaml-language-server: $schema=tools.schema.json
# All tools.
tools:
# The first one.
- name: a # of the alphabet
  description: |-
    Two
    lines
  inputSchema:
    type: object
    properties: {n: {type: integer, x-go-name: Number}} # flow
    required: [n]
  # Who may call it.
  x-mcp-scopes: [read]
`
	for _, test := range []struct{ name, file, mine, theirs, want string }{
		{"a new JSON file", "t.json", "", `{"tools":[{"name":"a"}]}`, "{\n  \"tools\": [\n    {\n      \"name\": \"a\"\n    }\n  ]\n}\n"},
		{"a new file without a known form", "tools", "", `{"tools":[]}`, "{\n  \"tools\": []\n}\n"},
		{"a new YAML file", "t.yaml", "", theirs, "tools:\n  - name: a\n    description: |-\n      Two\n      lines\n    inputSchema:\n      type: object\n      properties:\n        n:\n          type: integer\n      required: [n]\n  - name: b\n"},
		{"the indentation of JSON", "t.json", "{\n\t\"tools\": [\n\t\t{\"name\": \"a\"}\n\t]\n}", `{"tools":[{"name":"b"}]}`, "{\n\t\"tools\": [\n\t\t{\n\t\t\t\"name\": \"b\"\n\t\t}\n\t]\n}\n"},
		{"the text of an unchanged file", "t.json", `{"tools":[ {"name":"a", "x-go-name":"A"}]}`, `{"tools":[{"name":"a"}]}`, `{"tools":[ {"name":"a", "x-go-name":"A"}]}`},
		{"JSON in a YAML file", "t.yml", `{"tools":[{"name":"a","x-go-name":"A"}]}`, `{"tools":[{"name":"a"},{"name":"b"}]}`, "tools:\n  - name: a\n    x-go-name: A\n  - name: b\n"},
		{"comments, flow style and indentation of YAML", "t.yaml", written, strings.Replace(theirs, `Two\nlines`, "One line", 1), strings.Replace(written, "|-\n    Two\n    lines", "One line", 1) + "- name: b\n"},
		{"aliases that nothing changes", "t.yaml", "tools:\n- name: a\n  inputSchema: &o {type: object}\n  outputSchema: *o\n  x-go-name: A\n", `{"tools":[{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}]}`,
			"tools:\n- name: a\n  inputSchema: &o {type: object}\n  outputSchema: *o\n  x-go-name: A\n"},
		{"an alias whose anchor changes", "t.yaml", "tools:\n- name: a\n  inputSchema: &o {type: object}\n  outputSchema: *o\n", `{"tools":[{"name":"a","inputSchema":{"type":"object","title":"I"},"outputSchema":{"type":"object"}}]}`,
			"tools:\n- name: a\n  inputSchema: {type: object, title: I}\n  outputSchema: {type: object}\n"},
	} {
		got, err := merge.Imported{Name: test.file, Mine: []byte(test.mine), Theirs: []byte(test.theirs)}.Merge()
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.want, string(got.Text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
