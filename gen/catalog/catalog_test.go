package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/catalog"
)

const (
	greet = `{"name":"greet","description":"Says // hello, /* really */.","inputSchema":{"type":"object","properties":{"who":{"type":"string"}}}}`
	part  = `{"name":"part","inputSchema":{"type":"object"}}`
	both  = `[` + greet + `,` + part + `]`
	list  = `{"tools":` + both + `}`
)

func utf16of(text string, big bool) string {
	out := []byte{0xff, 0xfe}
	if big {
		out = []byte{0xfe, 0xff}
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		if low, high := byte(unit), byte(unit>>8); big {
			out = append(out, high, low)
		} else {
			out = append(out, low, high)
		}
	}
	return string(out)
}

// TestForms checks that a list is the same in every form.
func TestForms(t *testing.T) {
	const yaml = "- name: greet\n  description: Says // hello, /* really */.\n  inputSchema: {type: object, properties: {who: {type: string}}}\n- name: part\n  inputSchema: {type: object}\n"
	page := func(id, tool, more string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[` + tool + `]` + more + `}}`
	}
	for _, test := range []struct{ name, file, text, pointer string }{
		{"an object", "l.json", list, "/tools/1"},
		{"an array", "l.json", both, "/1"},
		{"a response", "l.json", `{"jsonrpc":"2.0","id":1,"result":` + list + `}`, "/result/tools/1"},
		{"a result", "l.json", `{"result":` + list + `}`, "/result/tools/1"},
		{"a member deeper", "l.json", `{"data":{"server":{"result":` + list + `}}}`, "/data/server/result/tools/1"},
		{"responses a line", "l.jsonl", page("1", greet, `,"nextCursor":"a"`) + "\n\n" + page("2", part, "") + "\n", "/1/result/tools/0"},
		{"responses one after the other", "-", page("1", greet, `,"nextCursor":"a"`) + page("2", part, `,"nextCursor":null`), "/1/result/tools/0"},
		{"an array of pages", "l.json", `[{"tools":[` + greet + `],"nextCursor":"a"},{"tools":[` + part + `]}]`, "/1/tools/0"},
		{"a transcript", "l.jsonl", `{"from":"client","message":{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"tools":[]}}}` + "\n" +
			`{"from":"server","message":` + page("1", greet+","+part, "") + `}`, "/1/message/result/tools/1"},
		{"the same list twice", "l.jsonl", list + "\n" + list, "/0/tools/1"},
		{"by name", "l.json", `{"tools":{"greet":` + strings.Replace(greet, `"name":"greet",`, "", 1) + `,"part":{"inputSchema":{"type":"object"}}}}`, "/tools/part"},
		{"functions of a chat", "l.json", strings.NewReplacer("inputSchema", "parameters").Replace(`[{"type":"function","function":` + greet + `},{"type":"function","function":` + part + `}]`), "/1"},
		{"another name for the schema", "l.json", strings.ReplaceAll(list, "inputSchema", "input_schema"), "/tools/1"},
		{"a byte order mark", "l.json", "\ufeff" + list, "/tools/1"},
		{"UTF-16", "l.json", utf16of(list, false), "/tools/1"},
		{"UTF-16 of the other order", "l.json", utf16of(list, true), "/tools/1"},
		{"comments", "l.json", "// first\n{ /* then\n */ \"tools\": [" + greet + ", // one\n" + part + ",\n], }", "/tools/1"},
		{"YAML", "l.yaml", "# by hand\n" + yaml, "/1"},
		{"YAML from standard input", "-", yaml, "/1"},
		{"YAML that is JSON", "l.yml", list, "/tools/1"},
		{"YAML of a result", "l.yaml", "result:\n  tools:\n" + "  " + strings.ReplaceAll(strings.TrimSuffix(yaml, "\n"), "\n", "\n  ") + "\n", "/result/tools/1"},
		{"YAML pages", "l.yaml", "---\ntools:\n- name: greet\n  description: Says // hello, /* really */.\n  inputSchema: {type: object, properties: {who: {type: string}}}\n---\ntools: [{name: part, inputSchema: {type: object}}]\n", "/1/tools/0"},
		{"an event stream", "l.txt", "id: 1\nevent: message\ndata: " + page("1", greet+","+part, "") + "\n\n", "/result/tools/1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := catalog.Read(test.file, []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Notes) > 0 {
				t.Errorf("noted %v", c.Notes)
			}
			var names []string
			for _, tool := range c.Tools.Tools {
				names = append(names, tool.Name)
			}
			if diff := cmp.Diff([]string{"greet", "part"}, names); diff != "" {
				t.Fatal(diff)
			}
			tool := c.Tools.Tools[0]
			if tool.Description != "Says // hello, /* really */." || tool.Input.Property("who") == nil {
				t.Errorf("%+v", tool)
			}
			if got := c.Tools.Tools[1].Pointer; got != test.pointer {
				t.Errorf("the second tool is at %s, want %s", got, test.pointer)
			}
		})
	}
}

// TestNotes checks that anything left out is noted, with its place.
func TestNotes(t *testing.T) {
	for _, test := range []struct{ text, pointer, problem string }{
		{`{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"nextCursor":"x"}`, "/nextCursor", "the list of tools goes on"},
		{`{"tools":[1,{"name":"a","inputSchema":{"type":"object"}}]}`, "/tools/0", "a tool must be an object, found a number"},
		{`{"tools":[{"inputSchema":{"type":"object"}}]}`, "/tools/0", `the tool has no "name"`},
		{`{"tools":[{"name":"a"}]}`, "/tools/0/inputSchema", "the tool has no input schema"},
		{`{"tools":[{"name":"a","inputSchema":null}]}`, "/tools/0/inputSchema", "the tool has no input schema"},
		{`{"tools":[{"name":"a","inputSchema":{}}]}`, "/tools/0/inputSchema", `has no "type": "object"`},
		{`{"tools":[{"name":"a","inputSchema":{"type":"string"}}]}`, "/tools/0/inputSchema/type", `must be "object"`},
		{`{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"text"}}}}]}`, "/tools/0/inputSchema/properties/x/type", `"text" is not a type`},
		{`{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/$defs/X"}}}}]}`, "/tools/0/inputSchema/properties/x/$ref", "leads to nothing"},
		{`{"tools":[{"name":"a","inputSchema":{"$schema":"https://json-schema.org/draft/next/schema","type":"object"}}]}`, "/tools/0/inputSchema/$schema", "unsupported draft"},
		{`{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"a","title":"b","inputSchema":{"type":"object"}}]}`, "/tools/1", "the tool at /tools/0 has the same name"},
		{`{"tools":[{"name":"a","name":"a","inputSchema":{"type":"object"}}]}`, "", `duplicate member "name"`},
		{`{"tools":[{"name":"a","title":1,"inputSchema":{"type":"object"}}]}`, "/tools/0/title", "must be a string, found a number"},
		{`{"prompts":[{"title":"x"}]}`, "/prompts/0", `has no "name" that is a string`},
		{`{"resources":[{"uri":"a","name":"x"},{"uri":"a","name":"y"}]}`, "/resources/1", `"a" is at /resources/0 too`},
	} {
		c, err := catalog.Read("l.json", []byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if len(c.Notes) != 1 || c.Notes[0].Pointer != test.pointer || !strings.Contains(c.Notes[0].Problem, test.problem) {
			t.Errorf("%s\n%v, want %s: %s", test.text, c.Notes, test.pointer, test.problem)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name, text   string
		line, column int // 0 means none
		want         string
	}{
		{"l.json", "", 0, 0, "is empty"},
		{"l.json", " \n", 0, 0, "is empty"},
		{"l.json", "hello", 1, 1, "is not JSON"},
		{"l.json", "{\"tools\": [\n  {\"name\": }]}", 2, 12, "is not JSON"},
		{"l.json", `{"tools":[]`, 1, 12, "is not JSON: it ends too early"},
		{"l.json", "{\"tools\":[{\"name\":\"\xff\"}]}", 1, 20, "is not UTF-8"},
		{"l.yaml", "tools:\n  - [a\n", 2, 5, "is not YAML"},
		{"l.yaml", "tools: [*a]\n", 1, 9, "unknown anchor 'a' referenced"},
		{"l.json", `{"x":1}`, 0, 0, catalog.ErrNone.Error()},
		{"l.json", `[{"a":1}]`, 0, 0, catalog.ErrNone.Error()},
		{"l.json", `null`, 0, 0, catalog.ErrNone.Error()},
		{"l.json", `{"method":"x","params":{"tools":[]}}`, 0, 0, catalog.ErrNone.Error()},
		{"l.txt", "hello, world", 0, 0, catalog.ErrNone.Error()},
	} {
		_, err := catalog.Read(test.name, []byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
			continue
		}
		var syntax *catalog.SyntaxError
		if !errors.As(err, &syntax) {
			syntax = &catalog.SyntaxError{}
		}
		if syntax.Line != test.line || syntax.Column != test.column {
			t.Errorf("%q: at %d:%d, want %d:%d", test.text, syntax.Line, syntax.Column, test.line, test.column)
		}
	}
}

// TestParts checks which parts of a server are known.
func TestParts(t *testing.T) {
	const handshake = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"},"instructions":"Ask."}}`
	for _, test := range []struct {
		text  string
		want  []catalog.Part
		whole bool
	}{
		{both, []catalog.Part{catalog.Tools}, false},
		{list, []catalog.Part{catalog.Tools}, true},
		{`{"result":` + list + `}`, []catalog.Part{catalog.Tools}, false},
		{`{"tools":[],"prompts":[{"name":"p"}],"resources":[],"resourceTemplates":[]}`, []catalog.Part{catalog.Tools, catalog.Prompts, catalog.Resources, catalog.Templates}, true},
		{handshake + "\n" + `{"jsonrpc":"2.0","id":1,"result":` + list + `}`, []catalog.Part{catalog.Tools, catalog.Instructions, catalog.Capabilities}, false},
	} {
		c, err := catalog.Read("l.json", []byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		want := map[catalog.Part]bool{}
		for _, part := range test.want {
			want[part] = true
		}
		if diff := cmp.Diff(want, c.Has); diff != "" || c.Whole != test.whole {
			t.Errorf("%s: whole: %t\n%s", test.text, c.Whole, diff)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{list, both, "tools:\n- name: a\n", "data: " + list, "// x\n" + list, `{"$defs":{}}`, utf16of(list, true), list + list} {
		f.Add("l", text)
		f.Add("l.json", text)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if c, err := catalog.Read(name, []byte(text)); err == nil && c.Tools == nil {
			t.Error("no list and no error")
		}
		catalog.Schema(name, []byte(text))
	})
}
