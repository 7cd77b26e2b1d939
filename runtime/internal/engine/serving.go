package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Request is a request of the peer.
type Request interface {
	comparable
	// Entry returns the entry of the request, which does not change but for what Serving keeps in it.
	Entry() *Entry
}

// Entry is what Serving knows about a request.
type Entry struct {
	ID    wire.Scalar // the canonical id
	index int         // among the requests
}

// Serving holds the requests of the peer that are being handled. Create it with NewServing.
type Serving[R Request] struct {
	slots Slots
	many  bool // see NewServing

	mu       sync.Mutex
	requests []R           // unanswered requests
	running  int           // number of running handlers
	drained  chan struct{} // not nil after Refuse; closed when running is 0
	served   chan struct{} // like drained; closed when requests is empty
	refused  chan struct{} // closed by Refuse; nil until Refused is called
}

// NewServing returns a Serving that limits the requests handled at a time. If the limit is 0, the requests
// are of many peers: there is no limit, and ids mean nothing, because each peer chooses its own.
func NewServing[R Request](limit int) Serving[R] {
	return Serving[R]{slots: NewSlots(limit), many: limit == 0}
}

// Verdict is the result of Begin.
type Verdict int

// The verdicts.
const (
	Begun     Verdict = iota // the request is registered
	Busy                     // too many requests are being handled
	Duplicate                // a request with the same id is being handled
	Refused                  // Refuse has been called
)

// Begin registers a request. It may wait for a slot, see [Slots]. Unless there are many peers, only the
// goroutine that reads calls it. If it returns Begun, End must be called later.
func (s *Serving[R]) Begin(ctx context.Context, r R) Verdict {
	if s.many {
		return s.add(r)
	}
	if !s.slots.Take(ctx) {
		return Busy
	}
	v := s.add(r)
	if v != Begun {
		s.slots.Give()
	}
	return v
}

func (s *Serving[R]) add(r R) Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drained != nil {
		return Refused
	}
	if s.find(r.Entry().ID) >= 0 {
		return Duplicate
	}
	r.Entry().index = len(s.requests)
	s.requests = append(s.requests, r)
	s.running++
	return Begun
}

// find returns the index of the request with the id, or -1.
func (s *Serving[R]) find(id wire.Scalar) int {
	if s.many {
		return -1
	}
	return slices.IndexFunc(s.requests, func(r R) bool { return r.Entry().ID == id })
}

// Remove removes the request with the id, which must then not be answered, and returns it. It returns
// the zero R if there is none.
func (s *Serving[R]) Remove(id wire.Scalar) (r R) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.find(id); i >= 0 {
		r = s.requests[i]
		s.delete(i)
	}
	return r
}

// Finish removes r before it is answered. It returns false if r has been removed already and must not
// be answered.
func (s *Serving[R]) Finish(r R) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := r.Entry().index
	if i >= len(s.requests) || s.requests[i] != r {
		return false
	}
	s.delete(i)
	return true
}

// delete removes the request at index i. It keeps room for few requests only, because most
// connections are idle most of the time.
func (s *Serving[R]) delete(i int) {
	const keptRoom = 4
	last := len(s.requests) - 1
	s.requests[i] = s.requests[last]
	s.requests[i].Entry().index = i
	s.requests = slices.Delete(s.requests, last, last+1)
	if len(s.requests) == 0 && cap(s.requests) > keptRoom {
		s.requests = nil
	}
	if len(s.requests) == 0 && s.served != nil {
		close(s.served)
	}
}

// End is called when the handler of a request has ended and its answer is sent.
func (s *Serving[R]) End() {
	if !s.many {
		s.slots.Give()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	if s.drained != nil && s.running == 0 {
		close(s.drained)
	}
}

// Refuse makes Begin refuse further requests. The channel that it returns is closed when all
// handlers have ended.
func (s *Serving[R]) Refuse() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drained == nil {
		s.drained, s.served = make(chan struct{}), make(chan struct{})
		if s.refused != nil {
			close(s.refused)
		}
		s.slots.Unlimit() // so that no request waits for a slot only to be refused
		if s.running == 0 {
			close(s.drained)
		}
		if len(s.requests) == 0 {
			close(s.served)
		}
	}
	return s.drained
}

// Served returns a channel that is closed when all requests are answered or removed, although answers may
// still be on their way. Call it after Refuse.
func (s *Serving[R]) Served() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served
}

// Refused returns a channel that is closed by Refuse, for requests that last until then.
func (s *Serving[R]) Refused() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refused == nil {
		s.refused = make(chan struct{})
		if s.drained != nil {
			close(s.refused)
		}
	}
	return s.refused
}

// All returns the unanswered requests.
func (s *Serving[R]) All() []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// RemoveAll removes all unanswered requests and calls removed for each.
func (s *Serving[R]) RemoveAll(removed func(R)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		removed(r)
	}
	if len(s.requests) > 0 && s.served != nil {
		close(s.served)
	}
	s.requests = nil
}

// Slots is a semaphore: it limits how many of something a connection has at a time. When all
// slots are taken, Take waits, so that bulk input is slowed down instead of refused. It waits only
// once and for a short time, because cancellations and answers arrive behind the waiting request.
type Slots struct {
	mu        sync.Mutex
	free      int
	waiting   chan struct{} // gets the next free slot; nil if no goroutine waits
	unlimited bool          // there is no limit any more
	stuck     bool          // the last wait timed out; only Take uses it
}

// NewSlots returns Slots with a limit of n.
func NewSlots(n int) Slots { return Slots{free: n} }

// Take takes a slot. It returns false if none is free in time. Only the goroutine that reads calls
// it.
func (p *Slots) Take(ctx context.Context) bool {
	p.mu.Lock()
	if p.free > 0 || p.unlimited {
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
	timer := time.NewTimer(waits.Slot)
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
	if p.waiting == nil { // Give has passed a slot on meanwhile
		p.stuck = false
		return true
	}
	p.waiting = nil
	return false
}

// Give returns a slot.
func (p *Slots) Give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.passLocked() {
		p.free++
	}
}

// Unlimit removes the limit.
func (p *Slots) Unlimit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unlimited = true
	p.passLocked()
}

// passLocked passes a slot to the waiting goroutine. It returns false if there is none.
func (p *Slots) passLocked() bool {
	if p.waiting == nil {
		return false
	}
	p.waiting <- struct{}{}
	p.waiting = nil
	return true
}
