// Package memtest measures memory in tests.
package memtest

import (
	"math"
	"runtime"
	"testing"
)

// Allocations returns the number and the bytes of the allocations of f. It returns the minimum of
// several runs, because pools drop their content now and then.
func Allocations(f func()) (allocs, bytes float64) {
	allocs, bytes = math.Inf(1), math.Inf(1)
	for range 50 {
		allocs = min(allocs, testing.AllocsPerRun(1, f))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		bytes = min(bytes, float64(after.TotalAlloc-before.TotalAlloc))
	}
	return allocs, bytes
}

// Heap returns the number of bytes by which f makes the heap grow, without garbage. It keeps the
// value that f returns alive until the heap is measured.
func Heap(f func() any) int {
	before := live()
	kept := f()
	grown := live() - before
	runtime.KeepAlive(kept)
	return grown
}

// live returns the number of bytes of objects in use.
func live() int {
	var stats runtime.MemStats
	for range 3 { // the second collection drops what pools hold
		runtime.GC()
	}
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
