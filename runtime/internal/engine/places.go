package engine

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// Places bounds how many of something a connection has at a time. When all places are taken, Take
// waits, so that bulk input is slowed down and not refused. It waits once and for a short time
// only, because cancellations and answers arrive behind the request that waits.
type Places struct {
	mu      sync.Mutex
	free    int
	waiting chan struct{} // takes the next place; nil if nobody waits
	unbound bool          // everybody gets a place
	stuck   bool          // waiting was in vain; only Take uses it
}

// NewPlaces returns n places.
func NewPlaces(n int) Places { return Places{free: n} }

// Take takes a place. Only the goroutine that reads calls it.
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
	if p.waiting == nil { // a place was given meanwhile
		p.stuck = false
		return true
	}
	p.waiting = nil
	return false
}

// Give gives a place back.
func (p *Places) Give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.passLocked() {
		p.free++
	}
}

// Unbind gives everybody a place from now on.
func (p *Places) Unbind() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unbound = true
	p.passLocked()
}

// passLocked gives a place to the goroutine that waits, if there is one.
func (p *Places) passLocked() bool {
	if p.waiting == nil {
		return false
	}
	p.waiting <- struct{}{}
	p.waiting = nil
	return true
}
