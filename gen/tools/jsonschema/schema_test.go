package jsonschema_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
	"github.com/mcpgen/mcpgen/gen/tools/jsonschema"
)

// TestReferences reads references that are not relative to the root of the document.
func TestReferences(t *testing.T) {
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

// TestStandalone checks embedded documents, formats and references to metaschemas.
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
	if text := got.Tools[0].Input.Standalone(jsonschema.AssertedFormats); string(text) != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
}

// TestDraft reads schemas without $schema.
func TestDraft(t *testing.T) {
	const tuple = `{"type":"object","properties":{"t":{"items":[{"type":"string"}],"additionalItems":false}}}`
	got, err := tools.Read([]byte(`[{"name":"a","inputSchema":` + tuple + `,"outputSchema":{"type":"object"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	a := got.Tools[0]
	if items := a.Input.Property("t"); a.Input.Draft != jsonschema.Draft7 || len(items.PrefixItems) != 1 || items.Items == nil {
		t.Errorf("%s: %+v", a.Input.Draft, items)
	}
	if a.Output.Draft != jsonschema.Draft202012 {
		t.Errorf("the draft of the output is %s", a.Output.Draft)
	}
	said := `[{"name":"a","inputSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema",` + tuple[1:] + `}]`
	const want = "/0/inputSchema/properties/t/items: must be a schema in draft 2020-12"
	if _, err := tools.Read([]byte(said)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
