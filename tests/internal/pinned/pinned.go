// Package pinned provides the pinned revisions to tests.
package pinned

import (
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/gen"
	"github.com/mcpgen/mcpgen/spec"
)

// Spec returns the project's spec.
func Spec(t testing.TB) *spec.Spec {
	t.Helper()
	s, err := spec.Load(spec.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// lowered caches the lowered revisions.
var lowered sync.Map

// Lower returns a lowered revision. Callers must not change it.
func Lower(t testing.TB, revision string) *gen.Lowered {
	t.Helper()
	if have, ok := lowered.Load(revision); ok {
		return have.(*gen.Lowered)
	}
	s := Spec(t)
	src, err := gen.PinnedSource(s, revision)
	if err != nil {
		t.Fatal(err)
	}
	out, err := gen.Lower(s, src)
	if err != nil {
		t.Fatal(err)
	}
	lowered.Store(revision, out)
	return out
}

// Schema returns the schema of a revision with its errata applied.
func Schema(t testing.TB, revision string) []byte {
	t.Helper()
	text, err := Lower(t, revision).Document.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
