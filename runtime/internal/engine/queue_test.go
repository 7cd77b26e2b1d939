package engine

import (
	"testing"
	"testing/synctest"
)

// TestQueueLimits checks that a queue limits the jobs that wait, by number and by size, and that it
// accepts a job of any size when it is empty.
func TestQueueLimits(t *testing.T) {
	for _, c := range []struct {
		name       string
		size, want int // want is how many jobs may wait
	}{
		{"small", 100, maxQueued},
		{"large", slotSize, maxQueued / 2},
		{"larger", 3*slotSize + 1, maxQueued / 4},
		{"largest", 10 * maxQueued * slotSize, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var life Lifetime
				life.Init(t.Context())
				q := NewQueue(&life)
				for range 2 { // the second time with slots that were used before
					release := make(chan struct{})
					q.Add(t.Context(), 0, func() { <-release })
					synctest.Wait() // it runs, so that the others wait
					var done []int
					added := 0
					for q.Add(t.Context(), c.size, func() { done = append(done, len(done)) }) {
						added++
					}
					if added != c.want {
						t.Errorf("%d jobs wait, want %d", added, c.want)
					}
					close(release)
					synctest.Wait()
					if len(done) != added {
						t.Errorf("%d jobs of %d were run", len(done), added)
					}
				}
			})
		})
	}
}
