package spare

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestGoroutine holds that every job is done, once, and that at most one goroutine waits.
func TestGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Goroutine
		var done atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 1000 {
					g.Run(func() { done.Add(1) })
				}
			})
		}
		all.Wait()
		synctest.Wait()
		if n := done.Load(); n != 8000 {
			t.Errorf("%d jobs were done", n)
		}

		// One after the other they are done by the same goroutine, which outlives one that ends it.
		allocations := testing.AllocsPerRun(100, func() {
			ran := make(chan struct{})
			g.Run(func() { close(ran) })
			<-ran
			synctest.Wait()
		})
		if allocations > 3 {
			t.Errorf("%v allocations for a job", allocations)
		}
		g.Run(goruntime.Goexit)
		synctest.Wait()
		g.Run(func() { done.Add(1) })
		synctest.Wait()

		g.Close()
		g.Close()
		g.Run(func() { done.Add(1) })
		synctest.Wait() // the bubble ends only when no goroutine is left
		if n := done.Load(); n != 8002 {
			t.Errorf("%d jobs were done", n)
		}
	})
}
