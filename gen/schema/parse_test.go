package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

const revision = "2099-01-01"

// file is a schema.json with the given definitions.
func file(definitions string) string {
	return fmt.Sprintf(`{"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {%s}}`, definitions)
}

// TestRefused has a row for each construct the generator has no meaning for:
// it must be named with its pointer, not dropped.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"no JSON", `{`, `2099-01-01: (whole schema): is not a JSON object`},
		{"more after it", `{} {}`, `there is text after the schema`},
		{"not UTF-8", "{\"$defs\": {\"A\": {\"description\": \"\xff\"}}}", `2099-01-01: (whole schema): is not UTF-8`},
		{"a definition twice", `{"$defs": {"A": {"type": "string"}, "B": {"anyOf": [{}, {}]}, "A": {}}}`, `2099-01-01: /$defs/A: duplicate member`},
		{"a keyword twice, far down", file(`"A": {"anyOf": [{}, {"type": "array", "items": {"type": "string", "type": "string"}}]}`), `2099-01-01: /$defs/A/anyOf/1/items/type: duplicate member`},
		{"too many levels", file(`"A": ` + strings.Repeat(`{"type": "array", "items": `, 100) + "{}" + strings.Repeat("}", 100)), `/items: schemas nested more than 100 levels deep are not supported`},
		{"no definitions", `{"$schema": "x"}`, `has no definitions`},
		{"two containers", `{"$defs": {"A": {}}, "definitions": {"A": {}}}`, `/definitions: there are definitions in both`},
		{"keyword beside the definitions", `{"$defs": {"A": {}}, "title": "x"}`, `/title: unknown keyword "title"`},
		{"unknown keyword", file(`"A": {"type": "object", "properties": {"b": {"type": "string", "pattern": "x"}}}`), `/$defs/A/properties/b/pattern: unknown keyword "pattern"`},
		{"keyword that another parser knows", file(`"A": {"oneOf": [{}, {}]}`), `/$defs/A/oneOf: unknown keyword "oneOf"`},
		{"pointer escapes", file(`"A/B~C": {"not": {}}`), `/$defs/A~1B~0C/not: unknown keyword "not"`},
		{"dangling reference", file(`"A": {"$ref": "#/$defs/B"}`), `/$defs/A/$ref: $ref "#/$defs/B" does not refer to a definition`},
		{"reference by another container", file(`"A": {"$ref": "#/definitions/A"}`), `does not refer to a definition`},
		{"reference to a file", file(`"A": {"$ref": "other.json"}`), `does not refer to a definition`},
		{"siblings of a reference", file(`"A": {"$ref": "#/$defs/A", "type": "string"}`), `/$defs/A/type: keyword "type" beside "$ref"`},
		{"siblings of anyOf", file(`"A": {"anyOf": [{}, {}], "required": ["x"]}`), `/$defs/A/required: keyword "required" beside "anyOf"`},
		{"union of one", file(`"A": {"anyOf": [{}]}`), `/$defs/A/anyOf: must be a list of at least two schemas`},
		{"boolean schema", file(`"A": true`), `/$defs/A: must be a schema object, is a boolean`},
		{"boolean property", file(`"A": {"type": "object", "properties": {"b": false}}`), `/$defs/A/properties/b: must be a schema object`},
		{"closed object", file(`"A": {"type": "object", "additionalProperties": false}`), `/$defs/A/additionalProperties: a closed object`},
		{"typed rest beside required members", file(`"A": {"type": "object", "required": ["b"], "additionalProperties": {"type": "string"}}`), `/$defs/A/additionalProperties: additionalProperties with a schema is not supported beside properties or required`},
		{"const beside enum", file(`"A": {"type": "string", "const": "a", "enum": ["a", "b"]}`), `/$defs/A/enum: keyword "enum" beside "const" is not supported`},
		{"const beside format", file(`"A": {"type": "string", "const": "a", "format": "uri"}`), `/$defs/A/format: keyword "format" beside "const"`},
		{"typed rest beside members", file(`"A": {"type": "object", "properties": {"b": {}}, "additionalProperties": {"type": "string"}}`), `additionalProperties with a schema is not supported beside properties`},
		{"properties without a type", file(`"A": {"properties": {}}`), `keyword "properties" needs "type": "object"`},
		{"unknown type", file(`"A": {"type": "text"}`), `/$defs/A/type: unknown type "text"`},
		{"object in a list of types", file(`"A": {"type": ["object", "null"]}`), `type "object" in a list of types`},
		{"type of another shape", file(`"A": {"type": 1}`), `/$defs/A/type: must be a type or a list of types`},
		{"tuple", file(`"A": {"type": "array", "items": [{}]}`), `/$defs/A/items: must be a schema object, is an array`},
		{"const of an object", file(`"A": {"const": {}}`), `/$defs/A/const: must be a string`},
		{"const null, which a parser drops", file(`"A": {"type": "null", "const": null}`), `/$defs/A/const: must be`},
		{"const past the parser's precision", file(`"A": {"type": "integer", "const": 9007199254740993}`), `/$defs/A/const: must be`},
		{"enum of numbers", file(`"A": {"type": "string", "enum": [1]}`), `/$defs/A/enum/0: must be a string`},
		{"enum with a value twice", file(`"A": {"type": "string", "enum": ["a", "a"]}`), `/$defs/A/enum/1: duplicate value "a"`},
		{"maxItems 0, which a parser drops", file(`"A": {"type": "array", "maxItems": 0}`), `/$defs/A/maxItems: must be a positive integer`},
		{"bound of a string", file(`"A": {"type": "string", "minimum": 1}`), `keyword "minimum" needs a numeric "type"`},
		{"bound that is no number", file(`"A": {"type": "number", "minimum": "1"}`), `/$defs/A/minimum: must be a number`},
		{"description that is no text", file(`"A": {"description": 1}`), `/$defs/A/description: must be a string`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := schema.Parse(revision, []byte(tt.src), nil)
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), revision+": ") {
				t.Errorf("got error %q, want it to contain %q", err, tt.want)
			}
		})
	}
}

// TestDescribedRest checks that prose alone does not make additionalProperties
// a constraint.
func TestDescribedRest(t *testing.T) {
	_, err := schema.Parse(revision, []byte(file(`"A": {"type": "object", "properties": {"b": {}}, "additionalProperties": {"description": "The rest."}}`)), nil)
	if err != nil {
		t.Error(err)
	}
}

// TestAllProblems wants every problem of a file at once.
func TestAllProblems(t *testing.T) {
	_, err := schema.Parse(revision, []byte(file(`"A": {"if": {}}, "B": {"$ref": "#/$defs/Z"}`)), nil)
	for _, want := range []string{"/$defs/A/if", "/$defs/B/$ref"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %s", err, want)
		}
	}
}

// TestKeywordNames reads members that are called like keywords.
func TestKeywordNames(t *testing.T) {
	doc, err := schema.Parse(revision, []byte(file(`"A": {
		"type": "object",
		"properties": {
			"properties": {"type": "object", "properties": {"pattern": {"type": "string"}}},
			"oneOf": {"type": "array", "items": {"type": "string"}},
			"description": {"type": "string", "description": "Prose."}
		},
		"required": ["oneOf", "description"]
	}`)), nil)
	if err != nil {
		t.Fatal(err)
	}
	a := doc.Lookup("A")
	var names []string
	for _, p := range a.Properties {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"description", "oneOf", "properties"}, names); diff != "" {
		t.Error(diff)
	}
	if got := a.Property("description").Description; got != "Prose." {
		t.Errorf("description = %q", got)
	}
	if got := a.Property("properties").Property("pattern").Pointer; got != "/$defs/A/properties/properties/properties/pattern" {
		t.Errorf("pointer = %q", got)
	}
}

func TestErrata(t *testing.T) {
	src := []byte(file(`"A": {"type": "object", "properties": {"n": {"type": ["string", "integer"]}}}`))
	erratum := spec.Erratum{Range: spec.Range{Since: revision}, Pointer: "/$defs/A/properties/n/type", Old: []any{"string", "integer"}, New: []any{"string", "number"}}
	doc, err := schema.Parse(revision, src, []spec.Erratum{erratum, {Range: spec.Range{Until: "2000-01-01"}, Pointer: "/nowhere"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"string", "number"}, doc.Lookup("A").Property("n").Types); diff != "" {
		t.Error(diff)
	}

	stale := erratum
	stale.Old = []any{"string"}
	lost := erratum
	lost.Pointer = "/$defs/A/properties/m/type"
	lost.Where = "errata.yaml:9: errata/1"
	for name, tt := range map[string]struct {
		erratum spec.Erratum
		want    string
	}{
		"the upstream was edited": {stale, `2099-01-01: /$defs/A/properties/n/type: stale erratum: want ["string"], found ["string","integer"]`},
		"the place is gone":       {lost, `2099-01-01: errata.yaml:9: errata/1: /$defs/A/properties/m/type: stale erratum: there is no value`},
	} {
		if _, err := schema.Parse(revision, src, []spec.Erratum{tt.erratum}); err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
}

func TestFacts(t *testing.T) {
	src := file(`"A": {"description": "Prose.", "type": "object", "properties": {"description": {"type": "string", "description": "More."}}, "additionalProperties": {"description": "Rest."}}`)
	facts, err := schema.Facts(revision, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	want := `{
 "$defs": {
  "A": {
   "additionalProperties": {},
   "properties": {
    "description": {
     "type": "string"
    }
   },
   "type": "object"
  }
 },
 "$schema": "https://json-schema.org/draft/2020-12/schema"
}
`
	if diff := cmp.Diff(want, string(facts)); diff != "" {
		t.Error(diff)
	}
	again, err := schema.Facts(revision, facts)
	if err != nil || string(again) != want {
		t.Errorf("facts of facts differ: %v", err)
	}
}

// TestRender checks that a rendered document is the one it was parsed from.
func TestRender(t *testing.T) {
	project, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range project.Revisions() {
		src, err := project.Schema(revision)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := schema.Parse(revision, src, nil)
		if err != nil {
			t.Fatal(err)
		}
		rendered, err := doc.JSON()
		if err != nil {
			t.Fatal(err)
		}
		again, err := schema.Parse(revision, rendered, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := schema.Differences(doc, again); len(d) > 0 {
			t.Errorf("%s: %s", revision, strings.Join(d, "\n"))
		}
	}
}

func TestDifferences(t *testing.T) {
	parse := func(definitions string) *schema.Document {
		doc, err := schema.Parse(revision, []byte(file(definitions)), nil)
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	before := parse(`"Gone": {}, "Same": {"type": "object", "additionalProperties": {}}, "Other": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {}}}`)
	after := parse(`"New": {}, "Same": {"type": "object", "additionalProperties": true}, "Other": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "d": {}}, "required": ["b"]}`)
	want := []string{"- Gone", "+ New", "~ Other: ~a ~b (required: true) -c +d"}
	if diff := cmp.Diff(want, schema.Differences(before, after)); diff != "" {
		t.Error(diff)
	}
}
