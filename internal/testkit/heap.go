package testkit

import "runtime"

// Heap returns the number of bytes by which f makes the heap grow, without garbage. It keeps the
// value that f returns alive until the heap is measured. If the heap grows by more than most bytes, Heap
// tries again, up to ten times, and returns the least: what else the process does takes memory, too.
func Heap(most int, f func() any) int {
	least := grown(f)
	for range 9 {
		if least <= most {
			break
		}
		least = min(least, grown(f))
	}
	return least
}

func grown(f func() any) int {
	before := Live()
	kept := f()
	bytes := Live() - before
	runtime.KeepAlive(kept)
	return bytes
}

// Live returns the number of bytes of objects in use.
func Live() int {
	var stats runtime.MemStats
	for range 3 { // the second collection drops what pools hold
		runtime.GC()
	}
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}
