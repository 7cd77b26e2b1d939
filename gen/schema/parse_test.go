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

// TestRefused has a row for each construct that has no meaning in a schema.json. The error names it
// with its pointer.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"an array", `[]`, `2099-01-01: (whole schema): is not a JSON object, but of type array`},
		{"no JSON", `{`, `2099-01-01: (whole schema): is not a JSON object`},
		{"broken JSON", "{\n  \"$defs\": {},\n}", `2099-01-01: (whole schema): is not a JSON object: line 3, column 1: invalid character '}'`},
		{"more after it", `{} {}`, `there is text after the schema`},
		{"not UTF-8", "{\"$defs\": {\"A\": {\"description\": \"\xff\"}}}", `2099-01-01: (whole schema): is not UTF-8`},
		{"a definition twice", `{"$defs": {"A": {"type": "string"}, "B": {"anyOf": [{}, {}]}, "A": {}}}`, `2099-01-01: /$defs/A: duplicate member`},
		{"a keyword twice, far down", file(`"A": {"anyOf": [{}, {"type": "array", "items": {"type": "string", "type": "string"}}]}`), `2099-01-01: /$defs/A/anyOf/1/items/type: duplicate member`},
		{"too many levels", file(`"A": ` + strings.Repeat(`{"type": "array", "items": `, 100) + "{}" + strings.Repeat("}", 100)), `/items: schemas nested more than 100 levels deep are not supported`},
		{"no definitions", `{}`, `has no definitions`},
		{"two containers", `{"$defs": {"A": {}}, "definitions": {"A": {}}}`, `/definitions: is left out: there are definitions in both`},
		{"an unknown draft", `{"$schema": "http://json-schema.org/draft-04/schema#", "$defs": {"A": {}}}`, `/$schema: unsupported draft`},
		{"a keyword beside the definitions", `{"$defs": {"A": {}}, "type": "object"}`, `/type: keyword "type" is supported in definitions only`},
		{"an unknown keyword", file(`"A": {"type": "object", "properties": {"b": {"type": "string", "patern": "x"}}}`), `/$defs/A/properties/b/patern: unknown keyword "patern"`},
		{"an unknown keyword below a reference's siblings", file(`"A": {}, "B": {"$ref": "#/$defs/A", "not": {"anyOf": [{"minimun": 1}]}}`), `/$defs/B/not/anyOf/0/minimun: unknown keyword "minimun"`},
		{"an extension keyword", file(`"A": {"x-internal": true}`), `/$defs/A/x-internal: unknown keyword "x-internal"`},
		{"a keyword of the other draft", file(`"A": {"dependencies": {"a": ["b"]}}`), `/$defs/A/dependencies: unknown keyword "dependencies": it is one of http://json-schema.org/draft-07/schema`},
		{"a keyword of the newer draft", `{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"A": {"type": "array", "prefixItems": [{}]}}}`, `/definitions/A/prefixItems: unknown keyword "prefixItems"`},
		{"pointer escapes", file(`"A/B~C": {"nope": {}}`), `/$defs/A~1B~0C/nope: unknown keyword "nope"`},
		{"dangling reference", file(`"A": {"$ref": "#/$defs/B"}`), `/$defs/A/$ref: "#/$defs/B" leads to nothing`},
		{"reference by another container", file(`"A": {"$ref": "#/definitions/A"}`), `/$defs/A/$ref: "#/definitions/A" leads to nothing`},
		{"reference to a file", file(`"A": {"$ref": "other.json"}`), `/$defs/A/$ref: "other.json" is not in this list, and references are not fetched`},
		{"a schema that is text", file(`"A": {"type": "array", "items": "string"}`), `/$defs/A/items: a schema must be an object or a boolean`},
		{"unknown type", file(`"A": {"type": "text"}`), `/$defs/A/type: "text" is not a type of JSON Schema`},
		{"type of another shape", file(`"A": {"type": 1}`), `/$defs/A/type: 1 is not a type of JSON Schema`},
		{"tuple of the older draft", file(`"A": {"type": "array", "items": [{}]}`), `/$defs/A/items: must be a schema in draft 2020-12`},
		{"enum that is no list", file(`"A": {"enum": "a"}`), `/$defs/A/enum: must be an array`},
		{"length that is no integer", file(`"A": {"type": "string", "minLength": 1.5}`), `/$defs/A/minLength: must be an integer of at least 0`},
		{"bound that is no number", file(`"A": {"type": "number", "minimum": "1"}`), `/$defs/A/minimum: must be a number`},
		{"pattern that is no regular expression", file(`"A": {"type": "string", "pattern": "("}`), `/$defs/A/pattern: is not a regular expression`},
		{"name that is no regular expression", file(`"A": {"patternProperties": {"[": {}}}`), `/$defs/A/patternProperties/[: is not a regular expression`},
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
	_, err := schema.Parse(revision, []byte(file(`"A": {"of": {}}, "B": {"$ref": "#/$defs/Z"}`)), nil)
	for _, want := range []string{"/$defs/A/of", "/$defs/B/$ref"} {
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
	before := parse(`"Gone": {}, "Split": {"type": "object", "properties": {"a": {}}}, "Same": {"type": "object", "additionalProperties": {}}, "Other": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {}}}`)
	after := parse(`"New": {}, "Split": {"allOf": [{"$ref": "#/$defs/Other"}, {"type": "object", "properties": {"e": {}}}]}, "Same": {"type": "object", "additionalProperties": true}, "Other": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "d": {}}, "required": ["b"]}`)
	want := []string{"- Gone", "+ New", "~ Other: ~a ~b (required: true) -c +d", "~ Split"}
	if diff := cmp.Diff(want, schema.Differences(before, after)); diff != "" {
		t.Error(diff)
	}
}
