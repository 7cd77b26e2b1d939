// Package pace limits how often clients may do something.
package pace

import (
	"fmt"
	"math"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Limit is a number of events per second, on average, and how many of them may come at once. The zero
// value is no limit.
type Limit struct {
	PerSecond float64
	Burst     int // less than 1 means 1
}

// None reports whether everything is admitted: PerSecond is not a positive number, or too large for
// events to be told apart.
func (l Limit) None() bool { return !(l.PerSecond > 0) || l.PerSecond >= float64(time.Second) }

// Limiter counts events against a limit. It is safe for concurrent use.
type Limiter struct{ bucket *rate.Limiter } // nil for no limit

// New returns a Limiter that has not counted any events.
func New(l Limit) Limiter {
	if l.None() {
		return Limiter{}
	}
	return Limiter{rate.NewLimiter(rate.Limit(l.PerSecond), max(l.Burst, 1))}
}

// Admit counts n events that come together and returns 0. Above the limit, it counts nothing and returns
// how long to wait before the events can be admitted. More events than the burst count as the burst.
func (l Limiter) Admit(n int) time.Duration {
	if l.bucket == nil {
		return 0
	}
	now := time.Now()
	n = min(n, l.bucket.Burst())
	if l.bucket.AllowN(now, n) {
		return 0
	}
	missing := float64(n) - l.bucket.TokensAt(now)
	wait := math.Ceil(missing / float64(l.bucket.Limit()) * float64(time.Second))
	return time.Duration(max(1, min(wait, math.MaxInt64/2)))
}

// Fresh reports whether l is in its initial state, because no event counts any longer.
func (l Limiter) Fresh() bool {
	return l.bucket == nil || l.bucket.Tokens() >= float64(l.bucket.Burst())
}

// Error returns the error for events that were not admitted. Its data say when to try again.
func Error(code int64, what string, wait time.Duration) *jsonrpc.Error {
	e := jsonrpc.Errorf(code, "too many %s: try again in %v", what, wait.Round(time.Millisecond))
	e.Data = wire.Raw(fmt.Sprintf(`{"retryAfterMs":%d}`, int64(math.Ceil(float64(wait)/float64(time.Millisecond)))))
	return e
}
