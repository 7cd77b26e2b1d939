package catalog

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The bound on the calls of a session where the options leave it zero: no client that waits
// for answers meets it.
const (
	DefaultCallRate  = 10_000     // per second
	DefaultCallBurst = 10_000_000 // at once
)

// rate is a bound on calls: interval is the time between two of them in the long run, and
// ahead how many intervals they may be ahead of that, as a time.
type rate struct{ interval, ahead time.Duration }

// rateOf returns a bound of so many calls in a second and at once; zero is none.
func rateOf(perSecond float64, burst int) rate {
	if !(perSecond > 0) || perSecond >= float64(time.Second) {
		return rate{}
	}
	interval := min(float64(time.Second)/perSecond, math.MaxInt64/8)
	ahead := min(interval*float64(max(burst, 1)), math.MaxInt64/4)
	return rate{time.Duration(interval), time.Duration(ahead)}
}

// counter counts the calls of a session. Due is when the next call would come if all calls
// came at the rate, since its start.
type counter struct {
	rate
	start time.Time
	due   atomic.Int64
}

func newCounter(r rate) *counter { return &counter{rate: r, start: time.Now()} }

// admit counts a call, or returns an error that says when to try again.
func (c *counter) admit() error {
	if c.interval == 0 {
		return nil
	}
	now := int64(time.Since(c.start))
	for {
		due := c.due.Load()
		next := max(due, now) + int64(c.interval)
		if wait := time.Duration(next-now) - c.ahead; wait > 0 {
			e := jsonrpc.Errorf(jsonrpc.CodeServerBusy, "too many calls of tools: try again in %v", wait.Round(time.Millisecond))
			e.Data = wire.Raw(fmt.Sprintf(`{"retryAfterMs":%d}`, int64(math.Ceil(float64(wait)/float64(time.Millisecond)))))
			return e
		}
		if c.due.CompareAndSwap(due, next) {
			return nil
		}
	}
}
