package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
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

// TestReadReferences has references that take more than a look from the root.
func TestReadReferences(t *testing.T) {
	const list = `[{"name":"a","inputSchema":{"type":"object","properties":{
		"moved":{"properties":{"x":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"null"}}},
		"document":{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"x":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":"null"}}},
		"one":{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:same","properties":{"x":{"$ref":"urn:same#n"}},"$defs":{"n":{"$anchor":"n","type":"null"}}},
		"two":{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:same","properties":{"x":{"$ref":"urn:same#n"}},"$defs":{"n":{"$anchor":"n","type":"null"}}},
		"dynamic":{"$id":"urn:d","properties":{"x":{"$dynamicRef":"#n"}},"$defs":{"n":{"$dynamicAnchor":"n","type":"null"}}}}}}]`
	got, err := tools.Read([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range got.Tools[0].Input.Properties {
		x := p.Schema.Property("x")
		want := p.Schema.Defs[0].Schema
		if x.Target != want || x.DynamicRef != "" {
			t.Errorf("%s leads to %+v, want %s", p.Name, x.Target, want.Pointer)
		}
	}
}

// TestStandalone has a schema as a document of its own.
func TestStandalone(t *testing.T) {
	const list = `[{"name":"a","inputSchema":{"type":"object","properties":{
		"a":{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"x":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":["string"],"format":"date"}}},
		"b":{"format":"date","const":{"format":"date"}},
		"c":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}}]`
	const want = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"mem:///schema","type":"object","properties":{` +
		`"a":{"$schema":"http://json-schema.org/draft-07/schema#","$id":"mem:///schema/1","properties":{"x":{"$ref":"mem:///schema#/properties/a/definitions/n"}},"definitions":{"n":{"type":["string"],"format":"date"}}},` +
		`"b":{"const":{"format":"date"}},` +
		`"c":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}`
	got, err := tools.Read([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Tools[0].Input.Standalone(); string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
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
		{`[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"$ref":"https://example.com/s"}}}}]`, `is not in this list, and nothing is fetched`},
		{`[{"name":"a","inputSchema":{"type":"object","minProperties":-1}}]`, `/minProperties: must be an integer of at least 0, found -1`},
		{`{"tools":[],"nextCursor":"x"}`, "/nextCursor"},
		{`[{"name":"a","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}]`, `"a" is the name of the tool at /0 already`},
	} {
		_, err := tools.Read([]byte(test.list))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.list, err, test.want)
		}
	}
}

// TestReadUpstreamLists reads what real servers answer.
func TestReadUpstreamLists(t *testing.T) {
	shared := os.Getenv("MCPGEN_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	lists, _ := filepath.Glob(filepath.Join(shared, "toollists", "*.json"))
	if len(lists) == 0 {
		t.Skip("no tool lists of real servers: set MCPGEN_SHARED")
	}
	for _, name := range lists {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tools.Read(text); err != nil {
			t.Errorf("%s: %v", filepath.Base(name), err)
		}
	}
}

// TestReadDraft has schemas that do not say which draft they are of.
func TestReadDraft(t *testing.T) {
	const tuple = `{"type":"object","properties":{"t":{"items":[{"type":"string"}],"additionalItems":false}}}`
	got, err := tools.Read([]byte(`[{"name":"a","inputSchema":` + tuple + `,"outputSchema":{"type":"object"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	a := got.Tools[0]
	if items := a.Input.Property("t"); a.Input.Draft != tools.Draft7 || len(items.PrefixItems) != 1 || items.Items == nil {
		t.Errorf("%s: %+v", a.Input.Draft, items)
	}
	if a.Output.Draft != tools.Draft202012 {
		t.Errorf("the output is of %s", a.Output.Draft)
	}
	said := `[{"name":"a","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema",` + tuple[1:] + `}]`
	const want = "/0/inputSchema/properties/t/items: must be a schema in draft 2020-12"
	if _, err := tools.Read([]byte(said)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
