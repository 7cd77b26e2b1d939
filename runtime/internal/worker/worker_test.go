package worker

import (
	goruntime "runtime"
	"strings"
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
		first := ""
		for range 100 {
			g.Run(func() {
				switch name := goroutine(); first {
				case "":
					first = name
				case name:
				default:
					t.Errorf("%s runs a job after %s", name, first)
				}
			})
			synctest.Wait()
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

// goroutine returns the name of the goroutine that calls it, such as "goroutine 7".
func goroutine() string {
	stack := make([]byte, 64)
	name, _, _ := strings.Cut(string(stack[:goruntime.Stack(stack, false)]), " [")
	return name
}
