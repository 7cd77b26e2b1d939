package diff_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/spec"
)

func pinned(t *testing.T, revision string) diff.Revision {
	t.Helper()
	return edited(t, revision, func(definitions map[string]any) {})
}

// edited is a pinned revision with another schema.
func edited(t *testing.T, revision string, edit func(definitions map[string]any)) diff.Revision {
	t.Helper()
	s, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	src, err := gen.PinnedSource(s, revision)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(src.Schema, &root); err != nil {
		t.Fatal(err)
	}
	definitions, ok := root["definitions"].(map[string]any)
	if !ok {
		definitions = root["$defs"].(map[string]any)
	}
	edit(definitions)
	if src.Schema, err = json.Marshal(root); err != nil {
		t.Fatal(err)
	}
	lowered, err := gen.Lower(s, src)
	if err != nil {
		t.Fatal(err)
	}
	return diff.Revision{IR: lowered.Revision, Document: lowered.Document}
}

// TestExceptions checks that every exception changes a finding between two pinned revisions and
// has a reason.
func TestExceptions(t *testing.T) {
	s, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	used := map[diff.Exception]bool{}
	revisions := s.Revisions()
	for i, newer := range revisions[1:] {
		old, new := pinned(t, revisions[i]), pinned(t, newer)
		with, err := diff.Revisions(old, new)
		if err != nil {
			t.Fatal(err)
		}
		for j, e := range diff.Exceptions() {
			without, err := diff.RevisionsExcept(old, new, slices.Delete(diff.Exceptions(), j, j+1))
			if err != nil {
				t.Fatal(err)
			}
			if without.Summary.Err != with.Summary.Err || len(without.Findings) != len(with.Findings) {
				used[e] = true
			}
		}
	}
	for _, e := range diff.Exceptions() {
		if !used[e] || e.Reason == "" {
			t.Errorf("used %t: %+v", used[e], e)
		}
	}
	old, new := pinned(t, "2025-06-18"), pinned(t, "2025-11-25")
	with, err := diff.Revisions(old, new)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := diff.RevisionsExcept(old, new, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := bare.Summary.Err - with.Summary.Err; got != 6 {
		t.Errorf("%d findings are err without the exceptions and not with them, want 6", got)
	}
	if got := len(bare.Findings) - len(with.Findings); got != 3 {
		t.Errorf("%d findings are none by an exception, want 3", got)
	}
}
