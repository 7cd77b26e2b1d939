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
