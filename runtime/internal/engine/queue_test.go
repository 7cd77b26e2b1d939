package engine

import (
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// TestRoom checks that the reading goroutine waits for room once, and then only after there was some.
func TestRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var r Room
		taken := 0
		free := func() {
			mu.Lock()
			defer mu.Unlock()
			taken = 0
			r.Free()
		}
		took := func(want bool, after time.Duration) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			start := time.Now()
			got := r.Wait(t.Context(), &mu, func() bool { return taken == 1 })
			if got != want || time.Since(start) != after {
				t.Errorf("Wait is %t after %v, want %t after %v", got, time.Since(start), want, after)
			}
			taken = 1
		}
		took(true, 0)
		took(false, waits.Slot)
		took(false, 0)
		free()
		took(true, 0)
		time.AfterFunc(time.Millisecond, free)
		took(true, time.Millisecond)
		took(false, waits.Slot)
	})
}

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

// TestQueue checks that jobs run in order, one at a time, whatever they do, and not after the end.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := begun(t.Context())
		q := NewQueue(l)
		var order []int
		for i := range 10 {
			q.Add(t.Context(), 0, func() {
				time.Sleep(time.Second)
				order = append(order, i)
				if i%3 == 0 {
					goruntime.Goexit()
				}
			})
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; !slices.Equal(order, want) || l.Running() != 0 {
			t.Errorf("%v, %d goroutines left", order, l.Running())
		}
		release := make(chan struct{})
		q.Add(t.Context(), 0, func() { <-release })
		synctest.Wait()
		for i := range maxQueued {
			if !q.Add(t.Context(), 0, func() { t.Error("a job was run after the end") }) {
				t.Fatal(i)
			}
		}
		if q.Add(t.Context(), 0, func() {}) {
			t.Error("a job was added to a full queue")
		}
		l.End(errOver)
		close(release)
		time.Sleep(time.Minute)
		if l.Running() != 0 {
			t.Errorf("%d goroutines left", l.Running())
		}
	})
}

// TestSettledOfStopped checks that Settled does not wait for a job that ends at the same time, when no goroutine may start
// any more.
func TestSettledOfStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20_000 {
			l := begun(t.Context())
			q := NewQueue(l)
			release := make(chan struct{})
			q.Add(t.Context(), 0, func() { <-release })
			l.Stop()
			close(release)
			settled := q.Settled()
			synctest.Wait()
			select {
			case <-settled:
			default:
				t.Fatal("it waits for a job that was run")
			}
		}
	})
}
