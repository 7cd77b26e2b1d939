package engine

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// Places is a semaphore: it limits how many of something a connection has at a time. When all
// places are taken, Take waits, so that bulk input is slowed down instead of refused. It waits only
// once and for a short time, because cancellations and answers arrive behind the waiting request.
type Places struct {
	mu      sync.Mutex
	free    int
	waiting chan struct{} // gets the next free place; nil if no goroutine waits
	unbound bool          // there is no limit any more
	stuck   bool          // the last wait timed out; only Take uses it
}

// NewPlaces returns Places with a limit of n.
func NewPlaces(n int) Places { return Places{free: n} }

// Take takes a place. It returns false if none is free in time. Only the goroutine that reads calls
// it.
func (p *Places) Take(ctx context.Context) bool {
	p.mu.Lock()
	if p.free > 0 || p.unbound {
		p.free--
		p.mu.Unlock()
		p.stuck = false
		return true
	}
	if p.stuck {
		p.mu.Unlock()
		return false
	}
	waiting := make(chan struct{}, 1)
	p.waiting = waiting
	p.mu.Unlock()
	timer := time.NewTimer(waits.Place)
	defer timer.Stop()
	select {
	case <-waiting:
		return true
	case <-timer.C:
		p.stuck = true
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil { // Give has passed a place on meanwhile
		p.stuck = false
		return true
	}
	p.waiting = nil
	return false
}

// Give returns a place.
func (p *Places) Give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.passLocked() {
		p.free++
	}
}

// Unbind removes the limit.
func (p *Places) Unbind() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unbound = true
	p.passLocked()
}

// passLocked passes a place to the waiting goroutine. It returns false if there is none.
func (p *Places) passLocked() bool {
	if p.waiting == nil {
		return false
	}
	p.waiting <- struct{}{}
	p.waiting = nil
	return true
}
