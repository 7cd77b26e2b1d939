package random_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/gen/ir"
	"github.com/mcpgen/mcpgen/tests/agreement/random"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// TestSeed checks that a seed determines every case, and that another seed changes them.
func TestSeed(t *testing.T) {
	revisions := pinned.Spec(t).Revisions()
	lowered := pinned.Lower(t, revisions[len(revisions)-1])
	first, same, other := random.New(lowered.Revision, 1), random.New(lowered.Revision, 1), random.New(lowered.Revision, 2)
	differences := 0
	for range 10 {
		for _, d := range lowered.Revision.Decls {
			a, b, c := first.Case(d), same.Case(d), other.Case(d)
			if a.Text != b.Text {
				t.Fatalf("%s: one seed gives %s and %s", d.Name, a.Text, b.Text)
			}
			if a.Text != c.Text {
				differences++
			}
			uniqueNames(t, d, a.Tree)
		}
	}
	if differences < 5*len(lowered.Revision.Decls) {
		t.Errorf("another seed changes only %d values", differences)
	}
}

func uniqueNames(t *testing.T, d *ir.Decl, tree *random.Value) {
	t.Helper()
	tree.Walk(func(v *random.Value) {
		seen := map[string]bool{}
		for _, m := range v.Members {
			if seen[m.Name] {
				t.Fatalf("%s: duplicate member %q", d.Name, m.Name)
			}
			seen[m.Name] = true
		}
	})
}
