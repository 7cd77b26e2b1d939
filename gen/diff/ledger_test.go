package diff_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/gen/diff"
	"github.com/mcpgen/mcpgen/spec"
)

func pinned(t *testing.T, revision string) diff.Revision {
	t.Helper()
	s, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	src, err := gen.PinnedSource(s, revision)
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := gen.Lower(s, src)
	if err != nil {
		t.Fatal(err)
	}
	return diff.Revision{IR: lowered.Revision}
}

// TestStaleException checks that an exception nobody needs is a problem of the
// comparison it is about, and that without exceptions the law says err.
func TestStaleException(t *testing.T) {
	old, new := pinned(t, "2025-06-18"), pinned(t, "2025-11-25")
	stale := diff.Exception{Old: "2025-06-18", New: "2025-11-25", Rule: "variant-added", Subject: "ContentBlock", Arg: "VideoContent", Guard: "asked-for", Reason: "none"}
	for _, sides := range [][2]diff.Revision{{old, new}, {new, old}} {
		r, err := diff.RevisionsExcept(sides[0], sides[1], append(diff.Exceptions(), stale))
		if err != nil || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "stale exception") {
			t.Errorf("%+v, %v, want a stale exception", r, err)
		}
		if r, err = diff.Revisions(sides[0], sides[1]); err != nil || len(r.Problems) > 0 {
			t.Error(err, r.Problems)
		}
	}
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
	for _, e := range diff.Exceptions() {
		if e.Reason == "" {
			t.Errorf("%+v has no reason", e)
		}
	}
}
