package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/schema"
)

// TestShare checks that definitions are recognised by structure, that definitions which refer to
// themselves and each other are compared, and that variants of other unions are not shared.
func TestShare(t *testing.T) {
	const core = `{"$defs": {
		"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "of": {"$ref": "#/$defs/Tree"}}},
		"Tree": {"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "required": ["root"]},
		"Role": {"type": "string", "enum": ["user", "assistant"]},
		"Text": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
		"Blob": {"type": "object", "properties": {"blob": {"type": "string"}}, "required": ["blob"]},
		"Block": {"anyOf": [{"$ref": "#/$defs/Text"}, {"$ref": "#/$defs/Blob"}]},
		"Name": {"type": "string"},
		"Open": {"type": "object"}
	}}`
	for _, test := range []struct {
		name, extension string
		want            map[string]string
	}{
		{"same names", core, map[string]string{"Node": "Node", "Tree": "Tree", "Role": "Role", "Text": "Text", "Blob": "Blob", "Block": "Block", "Name": "Name", "Open": "Open"}},
		{"other names", `{"$defs": {
			"N": {"type": "object", "description": "a node", "properties": {"next": {"$ref": "#/$defs/N"}, "of": {"$ref": "#/$defs/T"}}},
			"T": {"type": "object", "properties": {"root": {"$ref": "#/$defs/N"}}, "required": ["root"]},
			"R": {"type": "string", "enum": ["assistant", "user"]}
		}}`, map[string]string{"N": "Node", "T": "Tree", "R": "Role"}},
		{"too little to tell", `{"$defs": {"Title": {"type": "string"}, "Any": {"type": "object"}}}`, map[string]string{}},
		{"a difference far away", `{"$defs": {
			"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "of": {"$ref": "#/$defs/Tree"}}},
			"Tree": {"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}}
		}}`, map[string]string{}},
		{"a variant of another union", `{"$defs": {
			"Text": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
			"Mine": {"type": "object", "properties": {"mine": {"type": "string"}}, "required": ["mine"]},
			"Item": {"anyOf": [{"$ref": "#/$defs/Text"}, {"$ref": "#/$defs/Mine"}]}
		}}`, map[string]string{}},
		{"an optional value is no union", `{"$defs": {
			"Text": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
			"Item": {"type": "object", "properties": {"text": {"anyOf": [{"$ref": "#/$defs/Text"}, {"type": "null"}]}}}
		}}`, map[string]string{"Text": "Text"}},
		{"inline instead of a reference", `{"$defs": {
			"T": {"anyOf": [
				{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
				{"type": "object", "properties": {"blob": {"type": "string"}}, "required": ["blob"]}]}
		}}`, map[string]string{"T": "Block"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := schema.Share(read(t, test.extension), read(t, core))
			if diff := cmp.Diff(test.want, got.Definitions); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestShareAnonymous checks that a schema inside another one is recognised, unless it has been changed.
func TestShareAnonymous(t *testing.T) {
	core := read(t, `{"$defs": {"Role": {"type": "string", "enum": ["assistant", "user"]}}}`)
	const mine = `{"$defs": {"Mine": {"type": "object", "properties": {"by": {"type": "string", "enum": ["user", "assistant"]}}}}}`
	sharing, doc := schema.Share(read(t, mine), core), read(t, mine)
	by := doc.Lookup("Mine").Property("by")
	if got := sharing.At(by); got != "Role" {
		t.Errorf("got %q", got)
	}
	by.Enum = by.Enum[:1]
	if got := sharing.At(by); got != "" {
		t.Errorf("changed: got %q", got)
	}
}

func read(t *testing.T, text string) *schema.Document {
	t.Helper()
	doc, err := schema.Parse("2026-07-28", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
