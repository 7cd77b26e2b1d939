// Package cost tells tests what things take from memory.
package cost

import (
	"math"
	"runtime"
	"testing"
)

// Of counts the allocations of f, and their bytes: the fewest of several runs, as
// pools forget something now and then.
func Of(f func()) (allocs, bytes float64) {
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

// Heap returns by how many bytes the heap has grown while f ran, without what the
// garbage collector can take back. The value that f returns is kept until then.
func Heap(f func() any) int {
	before := live()
	kept := f()
	grown := live() - before
	runtime.KeepAlive(kept)
	return grown
}

// live returns the bytes of the objects that are in use.
func live() int {
	var stats runtime.MemStats
	for range 3 { // a pool gives up what it has at the second collection
		runtime.GC()
	}
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
