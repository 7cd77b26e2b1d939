package engine_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
)

// TestBacklog checks that values are handled in their order, that one takes the place of another that waits, and that
// nothing is lost when the backlog has been empty.
func TestBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done []string
		hold := make(chan struct{})
		b := engine.Backlog[string]{
			Do: func(s string) {
				<-hold
				done = append(done, s)
			},
			Same: func(waiting, added string) bool { return waiting[0] == added[0] },
		}
		for _, s := range []string{"a1", "a2", "b1", "a3", "c1"} {
			b.Add(s)
			synctest.Wait() // until the first one is being handled
		}
		close(hold)
		synctest.Wait()
		b.Add("a4")
		synctest.Wait()
		if want := []string{"a1", "a3", "b1", "c1", "a4"}; !slices.Equal(done, want) {
			t.Errorf("done %q, want %q", done, want)
		}
	})
}
