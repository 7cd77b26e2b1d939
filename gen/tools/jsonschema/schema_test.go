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

// TestStandalone checks embedded documents, formats, references to metaschemas, keywords of other drafts, and counts
// that are large or not written as integers.
func TestStandalone(t *testing.T) {
	const list = `[{"name":"a","inputSchema":{"type":"object","properties":{
		"a":{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"x":{"$ref":"#/definitions/n"}},"definitions":{"n":{"type":["string"],"format":"date"}}},
		"b":{"format":"date","const":{"format":"date"}},
		"c":{"$ref":"https://json-schema.org/draft/2020-12/schema"},
		"d":{"dependencies":{"x":{"multipleOf":0}},"$recursiveRef":"#","maxLength":1e1000001,"minItems":2.0},
		"e":{"$ref":"#/properties/e/dependencies/x","dependencies":{"x":{"minLength":1}}}}}}]`
	const want = `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"mem:///schema","type":"object","properties":{` +
		`"a":{"$schema":"http://json-schema.org/draft-07/schema#","$id":"mem:///schema/1","properties":{"x":{"$ref":"mem:///schema#/properties/a/definitions/n"}},"definitions":{"n":{"type":["string"],"format":"date"}}},` +
		`"b":{"const":{"format":"date"}},` +
		`"c":{"$ref":"https://json-schema.org/draft/2020-12/schema"},` +
		`"d":{"maxLength":9223372036854775807,"minItems":2},` +
		`"e":{"$ref":"mem:///schema#/properties/e/dependencies/x","dependencies":{"x":{"minLength":1}}}}}`
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

// TestOlderDrafts reads the keywords of each draft, and none that it lacks.
func TestOlderDrafts(t *testing.T) {
	read := func(schema string) *jsonschema.Schema {
		t.Helper()
		got, err := tools.Read([]byte(`[{"name":"a","inputSchema":{"type":"object",` + schema + `}}]`))
		if err != nil {
			t.Fatal(err)
		}
		return got.Tools[0].Input
	}

	four := read(`"$schema":"http://json-schema.org/draft-04/schema#","id":"http://example.com/a","properties":{
		"n":{"minimum":1,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false,"const":5},
		"r":{"$ref":"#named","minLength":3}},"definitions":{"s":{"id":"#named","type":"string"}}`)
	n, r := four.Property("n"), four.Property("r")
	if n.Minimum != "" || n.ExclusiveMinimum != "1" || n.Maximum != "9" || n.ExclusiveMaximum != "" || n.Const != "" {
		t.Errorf("draft 04: the limits are %+v", n)
	}
	if r.Target != four.Defs[0].Schema || r.MinLength != nil {
		t.Errorf("draft 04: the reference is %+v", r)
	}

	nineteen := read(`"$schema":"https://json-schema.org/draft/2019-09/schema","properties":{
		"t":{"items":[{"type":"string"}],"additionalItems":false,"prefixItems":[{},{}]},
		"self":{"$recursiveRef":"#","minProperties":1}},"dependentRequired":{"t":["self"]}`)
	if tuple := nineteen.Property("t"); len(tuple.PrefixItems) != 1 || tuple.Items == nil {
		t.Errorf("draft 2019-09: the tuple is %+v", tuple)
	}
	if self := nineteen.Property("self"); self.Target != nineteen || self.MinProperties == nil {
		t.Errorf("draft 2019-09: the recursive reference is %+v", self)
	}
	if len(nineteen.DependentRequired) != 1 {
		t.Errorf("draft 2019-09: the dependencies are %+v", nineteen.DependentRequired)
	}

	unsaid := read(`"properties":{"n":{"minimum":1,"exclusiveMinimum":true}}`)
	if unsaid.Draft != jsonschema.Draft4 || unsaid.Property("n").ExclusiveMinimum != "1" {
		t.Errorf("without $schema: %s, %+v", unsaid.Draft, unsaid.Property("n"))
	}
	said := `[{"name":"a","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}}]`
	const want = "/0/inputSchema/properties/n/exclusiveMinimum: must be a number, found a boolean"
	if _, err := tools.Read([]byte(said)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
