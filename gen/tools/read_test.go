package tools_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/toolstest"
)

func TestRead(t *testing.T) {
	const list = `{"tools":[
		{"name":"a", "inputSchema":{"type":"object","properties":{"z":{"$ref":"#/$defs/n"},"a":{"type":"integer","minimum":12345678901234567890}},
			"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}}}},
		{"inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"t":{"items":[{"type":"string"}],"additionalItems":false}}},"name":"b","x-y":1.0}]}`
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
	if want := `"name":"b","x-y":1.0}`; !strings.HasSuffix(string(b.Definition), want) {
		t.Errorf("definition %s", b.Definition)
	}
}

func TestReadErrors(t *testing.T) {
	for _, test := range []struct{ list, want string }{
		{`{"tools":[{"name":"a",}]}`, "line 1, column 23"},
		{`{"tools":[{"name":"a","name":"b"}]}`, "name"},
		{`{}`, `has no member "tools"`},
		{`[1]`, `/0: a tool must be an object, found a number`},
		{`[{"inputSchema":{"type":"object"}}]`, `/0: must have a "name"`},
		{`[{"name":"a"}]`, `tool "a": /0: must have an "inputSchema"`},
		{`[{"name":"a","inputSchema":{"type":["object"]}}]`, `tool "a": /0/inputSchema: must have the type "object"`},
		{`[{"name":"a","inputSchema":{}}]`, `tool "a": /0/inputSchema: must have the type "object"`},
		{`[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"text"}}}}]`, `/0/inputSchema/properties/x/type: "text" is not a type`},
		{`[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"#/$defs/y"}}}}]`, `/0/inputSchema/properties/x/$ref: "#/$defs/y" leads to nothing`},
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

// TestReadUpstreamLists reads the tool lists of real servers.
func TestReadUpstreamLists(t *testing.T) {
	for name, list := range toolstest.Upstream(t) {
		if len(list.Tools) == 0 {
			t.Errorf("%s: read no tool", name)
		}
	}
}
