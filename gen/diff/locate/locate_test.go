package locate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff/locate"
)

const jsonText = `{
  "tools": [
    {"name": "é", "a/b": {"~x": [1, {"y": 2}]}},
	{"inputSchema": {
      "properties": {"a": true ,
        "b" : false}
    }}
  ],"last":"x"
}`

const yamlText = `# a list
tools:
  - name: é
    a/b: {"~x": [1, {y: 2}]}
  - inputSchema: &in
      properties:
        a: true
        "b": false
    outputSchema: *in
12: x
? last
: x
`

func TestFind(t *testing.T) {
	for _, test := range []struct{ name, text, pointer, want string }{
		{"json", jsonText, "", "1:1"},
		{"json", jsonText, "/tools", "2:3"},
		{"json", jsonText, "/tools/0", "3:5"},
		{"json", jsonText, "/tools/0/name", "3:6"},
		{"json", jsonText, "/tools/0/a~1b", "3:19"}, // é is one column
		{"json", jsonText, "/tools/0/a~1b/~0x", "3:27"},
		{"json", jsonText, "/tools/0/a~1b/~0x/0", "3:34"},
		{"json", jsonText, "/tools/0/a~1b/~0x/1/y", "3:38"},
		{"json", jsonText, "/tools/1/inputSchema/properties/a", "5:22"},
		{"json", jsonText, "/tools/1/inputSchema/properties/b", "6:9"},
		{"json", jsonText, "/last", "8:5"},
		{"json", jsonText, "/tools/1/inputSchema/properties/b/type", "6:9"},
		{"json", jsonText, "/tools/1/inputSchema/properties/c/type", "5:7"},
		{"json", jsonText, "/tools/7", "2:3"},
		{"json", `[{"name":"x"}]`, "/0/name", "1:3"},
		{"json", " 1", "/x", "1:2"},
		{"yaml", yamlText, "", "2:1"},
		{"yaml", yamlText, "/tools", "2:1"},
		{"yaml", yamlText, "/tools/0", "3:5"},
		{"yaml", yamlText, "/tools/0/a~1b", "4:5"},
		{"yaml", yamlText, "/tools/0/a~1b/~0x/1/y", "4:22"},
		{"yaml", yamlText, "/tools/1", "5:5"},
		{"yaml", yamlText, "/tools/1/inputSchema/properties/b", "8:9"},
		{"yaml", yamlText, "/tools/1/outputSchema", "9:5"},
		{"yaml", yamlText, "/tools/1/outputSchema/properties/a", "7:9"},
		{"yaml", yamlText, "/12", "10:1"},
		{"yaml", yamlText, "/last", "11:3"},
		{"yaml", "{tools: [{name: x}]}", "/tools/0/name", "1:11"},
		{"yaml", "- name: x\n- name: y\n", "/1/name", "2:3"},
		{"yaml", "- name: x\n- name: y\n", "/1/missing", "2:3"},
	} {
		// Alone, and beside all the others of its text.
		for _, pointers := range [][]string{{test.pointer}, {"", "/tools", "/tools/1", "/tools/0/name", test.pointer, "/nowhere"}} {
			p := locate.Find([]byte(test.text), pointers)[test.pointer]
			if got := fmt.Sprintf("%d:%d", p.Line, p.Column); got != test.want {
				t.Errorf("%s: %s of %q is at %s, want %s", test.name, test.pointer, pointers, got, test.want)
			}
		}
	}
	for _, text := range []string{"", "{", "a: [", "\x00"} {
		if found := locate.Find([]byte(text), []string{"/a"}); found["/a"].Line > 1 {
			t.Errorf("%q: %v", text, found)
		}
	}
}

// FuzzFind checks that every member of a JSON text is found where its name is.
func FuzzFind(f *testing.F) {
	f.Add(jsonText)
	f.Add(yamlText)
	f.Add(`{"":{"/":[[[]]]},"~1":"\u0000"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var pointers []string
		var value any
		if json.Unmarshal([]byte(text), &value) == nil {
			walk(value, "", &pointers)
		}
		lines := strings.Split(text, "\n")
		most := len(lines) + strings.Count(text, "\r") // which ends a line of YAML
		for pointer, p := range locate.Find([]byte(text), append(pointers, "/a/0")) {
			if p.Line < 1 || p.Line > most || p.Column < 1 {
				t.Fatalf("%q is at %v", pointer, p)
			}
			if i := strings.LastIndexByte(pointer, '/'); slices.Contains(pointers, pointer) && i >= 0 {
				rest := []rune(lines[p.Line-1])
				if p.Column > len(rest) || !strings.ContainsRune("\"-0123456789tfn[{", rest[p.Column-1]) {
					t.Fatalf("%q is at %v: %q", pointer, p, lines[p.Line-1])
				}
			}
		}
	})
}

func walk(value any, at string, pointers *[]string) {
	*pointers = append(*pointers, at)
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			walk(inner, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), pointers)
		}
	case []any:
		for i, inner := range v {
			walk(inner, fmt.Sprintf("%s/%d", at, i), pointers)
		}
	}
}
