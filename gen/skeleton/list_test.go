package skeleton_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/skeleton"
)

func TestReadYAML(t *testing.T) {
	const text = `# A list that is written by hand.
tools:
  - name: sum
    description: |
      Adds numbers.
      All of them.
    inputSchema: &numbers
      type: object
      properties:
        z: {type: number, maximum: 12345678901234567890123, multipleOf: 0x10, default: 1.50}
        a: {type: [string, "null"], const: '7', default: !!str 7, minLength: 1_0}
      required: ["z"]
  - inputSchema: *numbers
    name: 7th
    yes: ~
`
	const schema = `{"type":"object","properties":{"z":{"type":"number","maximum":12345678901234567890123,"multipleOf":16,"default":1.50},` +
		`"a":{"type":["string","null"],"const":"7","default":"7","minLength":10}},"required":["z"]}`
	list, err := skeleton.Read("list.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"name":"sum","description":"Adds numbers.\nAll of them.\n","inputSchema":` + schema + `}`,
		`{"inputSchema":` + schema + `,"name":"7th","yes":null}`,
	}
	var got []string
	for _, tool := range list.Tools {
		got = append(got, string(tool.Definition))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	again, err := skeleton.Read("list.json", skeleton.Canonical(list))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(skeleton.Canonical(list)), string(skeleton.Canonical(again))); diff != "" {
		t.Errorf("the canonical text is not that of the parsed list:\n%s", diff)
	}
}

func TestReadErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"l.yaml", "tools: [a: b: c]", "1:13: "},
		{"l.yml", "", "is empty"},
		{"l.yml", "a: 1\n---\nb: 2\n", "must be a single YAML document"},
		{"-", "tools:\n  - {name: a, inputSchema: {type: object, maximum: .inf}}\n", "2:52: /tools/0/inputSchema/maximum: .inf has no"},
		{"-", "tools: &a [*a]\n", "1:12: the alias *a is within its own anchor"},
		{"-", "tools: [{name: a, name: b}]\n", "name"},
		{"-", "tools:\n  - name: a\n    inputSchema: {type: text}\n", `tool "a": /tools/0/inputSchema/type: "text" is not a type`},
		{"-", "tools: " + strings.Repeat("[", 1100) + strings.Repeat("]", 1100), "nested"},
		{"l.json", "tools: []", "line 1, column 2"},
	} {
		_, err := skeleton.Read(test.name, []byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60s: %v, want %s", test.text, err, test.want)
		}
	}
}
