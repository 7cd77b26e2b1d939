package engine_test

import (
	"runtime"
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
		}
		for _, s := range []string{"a1", "a2", "b1", "a3", "c1"} {
			b.Change(func(waiting []string) []string {
				return append(slices.DeleteFunc(waiting, func(other string) bool { return other[0] == s[0] }), s)
			})
			synctest.Wait() // until the first one is being handled
		}
		close(hold)
		synctest.Wait()
		b.Add("a4")
		synctest.Wait()
		if want := []string{"a1", "b1", "a3", "c1", "a4"}; !slices.Equal(done, want) {
			t.Errorf("done %q, want %q", done, want)
		}
	})
}

// TestBacklogGoexit checks that the values behind one whose function ends the goroutine are handled.
func TestBacklogGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done []int
		b := engine.Backlog[int]{Do: func(i int) {
			if done = append(done, i); i%2 == 1 {
				runtime.Goexit()
			}
		}}
		for i := range 4 {
			b.Add(i)
		}
		synctest.Wait()
		b.Add(4)
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(done, want) {
			t.Errorf("done %d, want %d", done, want)
		}
	})
}
