package runtime

import (
	"context"
	"sync"
	"time"
)

// gateWait is how long a full gate holds up the reading of a session.
const gateWait = time.Second

// gate bounds how many of something a session has at a time. When it is full, enter
// waits, so that bulk input is slowed down and not refused; but never long, and only
// once until there is room again, because cancellations and responses are behind it.
type gate struct {
	mu      sync.Mutex
	places  int           // that are free
	waiting chan struct{} // takes the next place that is left; nil when nobody waits
	unbound bool          // everybody may enter
	stuck   bool          // the reading goroutine's own
}

func newGate(n int) gate { return gate{places: n} }

// enter takes a place; only the reading goroutine calls it.
func (g *gate) enter(ctx context.Context) bool {
	g.mu.Lock()
	if g.places > 0 || g.unbound {
		g.places--
		g.mu.Unlock()
		g.stuck = false
		return true
	}
	if g.stuck {
		g.mu.Unlock()
		return false
	}
	waiting := make(chan struct{}, 1)
	g.waiting = waiting
	g.mu.Unlock()
	timer := time.NewTimer(gateWait)
	defer timer.Stop()
	select {
	case <-waiting:
		return true
	case <-timer.C:
		g.stuck = true
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting == nil { // a place was left meanwhile
		g.stuck = false
		return true
	}
	g.waiting = nil
	return false
}

// unbind lets everybody in from now on.
func (g *gate) unbind() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.unbound = true
	if g.waiting != nil {
		g.waiting <- struct{}{}
		g.waiting = nil
	}
}

// leave gives a place back.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting != nil {
		g.waiting <- struct{}{}
		g.waiting = nil
		return
	}
	g.places++
}
