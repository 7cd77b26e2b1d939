// Package testkit is how tests wait for goroutines and processes, measure memory, build programs and call handlers of
// HTTP, and a network in memory for tests in a bubble of testing/synctest.
//
// A test waits for a condition, not for a time: how long something takes depends on the machine and on what else
// it does. Limit only keeps a test from hanging forever.
package testkit

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// Limit is how long tests wait before they fail. No machine is so slow that something that works takes longer.
const Limit = 10 * time.Minute

// Context returns the context of a test, which also ends after Limit.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	t.Cleanup(cancel)
	return ctx
}

// Eventually waits until a condition is true, and reports whether it is before Limit has passed.
func Eventually(is func() bool) bool {
	deadline := time.Now().Add(Limit)
	for pause := time.Millisecond; !is(); pause = min(2*pause, 50*time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
	return true
}

// Goroutines checks that no more goroutines than before are left, once those that end have ended.
func Goroutines(t testing.TB, before int) {
	t.Helper()
	if !Eventually(func() bool { return runtime.NumGoroutine() <= before }) {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
	}
}

// Allocs returns how many allocations f makes, which is the least of several measurements: what other goroutines
// allocate meanwhile, and the race detector's emptying of pools, only add to them.
func Allocs(runs int, f func()) float64 {
	least := testing.AllocsPerRun(runs, f)
	for range 9 {
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	return least
}
