package pace

import (
	"encoding/json"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// TestAdmit checks how many events a limit admits at once, and how many a second later.
//
// F29
func TestAdmit(t *testing.T) {
	for _, c := range []struct {
		name        string
		perSecond   float64
		burst       int
		once, later int // -1: there is no limit
	}{
		{"many", 10_000, 1_000_000, 1_000_000, 10_000},
		{"few", 2, 3, 3, 2},
		{"rare", 1.0 / 60, 1, 1, 0},
		{"very rare", 1e-300, 1, 1, 0},
		{"no burst", 5, -1, 1, 1},
		{"none", -1, 1, -1, -1},
		{"not a number", math.NaN(), 1, -1, -1},
		{"too fast to tell", math.Inf(1), 1, -1, -1},
		{"any burst", 5, math.MaxInt, -1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limiter := New(Limit{PerSecond: c.perSecond, Burst: c.burst})
				admits := func(want int) {
					calling := want + 1
					if want < 0 {
						calling = 1000
					}
					for n := range calling {
						if wait := limiter.Admit(1); (wait == 0) != (want < 0 || n < want) || wait < 0 {
							t.Fatalf("event %d of %d has to wait %v", n, want, wait)
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

// TestWait checks that events are admitted after the time that Admit has returned and not before, that
// refused events do not count, and that several events are admitted together or not at all.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := New(Limit{PerSecond: 4, Burst: 3})
		if !limiter.Fresh() || limiter.Admit(2) != 0 || limiter.Fresh() {
			t.Fatal("a new limiter does not admit less than the burst, or does not count it")
		}
		for range 5 {
			if wait := limiter.Admit(3); wait != 500*time.Millisecond {
				t.Fatalf("three events have to wait %v, want the time for two more of them", wait)
			}
		}
		time.Sleep(499 * time.Millisecond)
		if limiter.Admit(3) == 0 {
			t.Error("admitted too early")
		}
		time.Sleep(time.Millisecond)
		if wait := limiter.Admit(3); wait != 0 {
			t.Errorf("still %v to wait", wait)
		}
		time.Sleep(time.Second)
		if !limiter.Fresh() {
			t.Error("the limiter remembers events that no longer count")
		}
		if wait := limiter.Admit(100); wait != 0 || limiter.Admit(1) == 0 {
			t.Errorf("more events than the burst have to wait %v, or count less than the burst", wait)
		}
	})
}

// TestError checks the data of the error.
func TestError(t *testing.T) {
	e := Error(jsonrpc.CodeServerBusy, "calls", 1500100*time.Microsecond)
	var data struct{ RetryAfterMs int }
	if err := json.Unmarshal([]byte(e.Data), &data); err != nil || data.RetryAfterMs != 1501 || e.Message != "too many calls: try again in 1.5s" {
		t.Errorf("%s, %s", e.Message, e.Data)
	}
}
