package catalog

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
)

// TestRate checks how many calls a bound admits at once, and how many a second later.
//
// F29
func TestRate(t *testing.T) {
	for _, c := range []struct {
		name        string
		perSecond   float64
		burst       int
		once, later int // -1: there is no bound
	}{
		{"default", DefaultCallRate, DefaultCallBurst, DefaultCallBurst, DefaultCallRate},
		{"few", 2, 3, 3, 2},
		{"rare", 1.0 / 60, 1, 1, 0},
		{"very rare", 1e-300, 1, 1, 0},
		{"no room", 5, -1, 1, 1},
		{"none", -1, 1, -1, -1},
		{"not a number", math.NaN(), 1, -1, -1},
		{"too fast to tell", math.Inf(1), 1, -1, -1},
		{"all the room", 5, math.MaxInt, -1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := newCounter(rateOf(c.perSecond, c.burst))
				admits := func(want int) {
					calling := want + 1
					if want < 0 {
						calling = 1000
					}
					for n := range calling {
						if err := calls.admit(); (err == nil) != (want < 0 || n < want) {
							t.Fatalf("call %d of %d: %v", n, want, err)
						}
					}
				}
				admits(c.once)
				time.Sleep(time.Second)
				admits(c.later)
			})
		})
	}
}
