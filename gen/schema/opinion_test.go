package schema_test

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/atombender/go-jsonschema/pkg/schemas"
	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/gen/schema"
	"github.com/mcpgen/mcpgen/spec"
)

// TestSecondOpinion compares the objects in the definitions of all pinned revisions with what
// github.com/atombender/go-jsonschema reads: their members, and which of them are required.
func TestSecondOpinion(t *testing.T) {
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
		second, err := schemas.FromJSONReader(bytes.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		if names := slices.Sorted(maps.Keys(second.Definitions)); len(names) != len(doc.Definitions) {
			t.Errorf("%s: %d definitions, want %d", revision, len(doc.Definitions), len(names))
		}
		for name, want := range second.Definitions {
			compareOpinions(t, revision+" "+name, doc.Lookup(name), want)
		}
	}
}

func compareOpinions(t *testing.T, place string, got *schema.Schema, want *schemas.Type) {
	if got == nil {
		t.Errorf("%s: missing", place)
		return
	}
	if len(want.Properties) == 0 || len(want.AllOf) > 0 {
		return
	}
	members := []string{}
	for _, p := range got.Properties {
		members = append(members, p.Name)
		compareOpinions(t, place+"."+p.Name, p.Schema, want.Properties[p.Name])
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(want.Properties)), members); diff != "" {
		t.Errorf("%s: members (-want +got):\n%s", place, diff)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want.Required)), got.Required); diff != "" {
		t.Errorf("%s: required (-want +got):\n%s", place, diff)
	}
}
