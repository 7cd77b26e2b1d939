package agreement

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/tests/internal/pinned"
)

// TestBindings checks that servers and clients from package generated support every pinned
// revision and prefer the newest.
func TestBindings(t *testing.T) {
	newestFirst := pinned.Spec(t).Revisions()
	slices.Sort(newestFirst)
	slices.Reverse(newestFirst)
	for _, c := range []struct {
		side      string
		bindings  []runtime.Binding
		direction runtime.Direction
	}{
		{"server", generated.ServerBindings(), runtime.ToServer},
		{"client", generated.ClientBindings(), runtime.ToClient},
	} {
		var revisions []string
		for _, b := range c.bindings {
			revisions = append(revisions, b.Revision)
			if b.Direction != c.direction {
				t.Errorf("%s: the binding of %s has direction %v", c.side, b.Revision, b.Direction)
			}
		}
		if diff := cmp.Diff(newestFirst, revisions); diff != "" {
			t.Errorf("%s: revisions (-want +got):\n%s", c.side, diff)
		}
	}
}
