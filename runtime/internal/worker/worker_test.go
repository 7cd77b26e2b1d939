package worker

import (
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestWorker checks that every job is run once, and that at most one goroutine waits.
func TestWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Worker
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

		// Jobs one after the other are run by the same goroutine, unless a job ends it.
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
