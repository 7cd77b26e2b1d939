package catalog

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The limits on the calls of a session if the options leave them zero. A client that waits
// for results does not reach them.
const (
	DefaultCallRate  = 10_000     // per second
	DefaultCallBurst = 10_000_000 // at once
)

// rate is a limit on calls. Interval is the average time between two calls, and ahead is
// how long before its regular time a call may come.
type rate struct{ interval, ahead time.Duration }

// rateOf returns the limit for a number of calls per second and at once. The zero value is
// no limit.
func rateOf(perSecond float64, burst int) rate {
	if !(perSecond > 0) || perSecond >= float64(time.Second) {
		return rate{}
	}
	interval := min(float64(time.Second)/perSecond, math.MaxInt64/8)
	ahead := min(interval*float64(max(burst, 1)), math.MaxInt64/4)
	return rate{time.Duration(interval), time.Duration(ahead)}
}

// counter limits the calls of a session. Due is the regular time of the next call, in
// nanoseconds since start.
type counter struct {
	rate
	start time.Time
	due   atomic.Int64
}

func newCounter(r rate) *counter { return &counter{rate: r, start: time.Now()} }

// admit counts a call. Above the limit, it returns an error that says when to try again.
func (c *counter) admit() error {
	if c.interval == 0 {
		return nil
	}
	now := int64(time.Since(c.start))
	for {
		due := c.due.Load()
		next := max(due, now) + int64(c.interval)
		if wait := time.Duration(next-now) - c.ahead; wait > 0 {
			e := jsonrpc.Errorf(jsonrpc.CodeServerBusy, "too many tool calls: try again in %v", wait.Round(time.Millisecond))
			e.Data = wire.Raw(fmt.Sprintf(`{"retryAfterMs":%d}`, int64(math.Ceil(float64(wait)/float64(time.Millisecond)))))
			return e
		}
		if c.due.CompareAndSwap(due, next) {
			return nil
		}
	}
}
