package runtime

import (
	"context"
	"time"
)

// gateWait is how long a full gate holds up the reading of a session.
const gateWait = time.Second

// gate bounds how many of something a session has at a time. When it is full, enter
// waits, so that bulk input is slowed down and not refused; but never long, and only
// once until there is room again, because cancellations and responses are behind it.
type gate struct {
	places chan struct{}
	stuck  bool
}

func newGate(n int) gate { return gate{places: make(chan struct{}, n)} }

// enter takes a place; only the reading goroutine calls it.
func (g *gate) enter(ctx context.Context) bool {
	select {
	case g.places <- struct{}{}:
		g.stuck = false
		return true
	default:
	}
	if g.stuck {
		return false
	}
	timer := time.NewTimer(gateWait)
	defer timer.Stop()
	select {
	case g.places <- struct{}{}:
		return true
	case <-timer.C:
		g.stuck = true
	case <-ctx.Done():
	}
	return false
}

// leave gives a place back.
func (g *gate) leave() { <-g.places }
