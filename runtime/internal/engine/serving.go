package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Serving holds the requests of the peer that are being handled. R is what the connection keeps of a
// request. Make it with NewServing.
type Serving[R comparable] struct {
	places Places

	mu       sync.Mutex
	requests []entry[R]    // without an answer; not more than places, so a search is short
	running  int           // handlers that have begun and not ended
	drained  chan struct{} // not nil once requests are refused; closed when running is 0
}

type entry[R comparable] struct {
	id      wire.Scalar // canonical
	request R
}

// NewServing returns a Serving for so many requests at a time.
func NewServing[R comparable](limit int) Serving[R] {
	return Serving[R]{places: NewPlaces(limit)}
}

// Verdict tells whether a request begins.
type Verdict int

// The verdicts.
const (
	Begun     Verdict = iota
	Busy              // too many requests are being handled
	Duplicate         // a request with the same id is being handled
	Refused           // no request begins any more
)

// Begin registers a request under its canonical id. It may wait for a place, see [Places]; only
// the goroutine that reads calls it. After Begun, call End.
func (s *Serving[R]) Begin(ctx context.Context, id wire.Scalar, r R) Verdict {
	if !s.places.Take(ctx) {
		return Busy
	}
	v := s.add(id, r)
	if v != Begun {
		s.places.Give()
	}
	return v
}

func (s *Serving[R]) add(id wire.Scalar, r R) Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drained != nil {
		return Refused
	}
	if s.find(id) >= 0 {
		return Duplicate
	}
	s.requests = append(s.requests, entry[R]{id, r})
	s.running++
	return Begun
}

// find returns the index of the request with that id, or -1.
func (s *Serving[R]) find(id wire.Scalar) int {
	for i := range s.requests {
		if s.requests[i].id == id {
			return i
		}
	}
	return -1
}

// Remove removes the request with that id, which is then not answered. It returns the zero R if there
// is none.
func (s *Serving[R]) Remove(id wire.Scalar) (r R) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.find(id); i >= 0 {
		r = s.requests[i].request
		s.delete(i)
	}
	return r
}

// Finish removes r. It returns false if r has been removed before, and must not be answered.
func (s *Serving[R]) Finish(id wire.Scalar, r R) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.find(id)
	if i < 0 || s.requests[i].request != r {
		return false
	}
	s.delete(i)
	return true
}

// delete keeps no memory for a connection without requests: most are idle most of the time.
func (s *Serving[R]) delete(i int) {
	if len(s.requests) == 1 {
		s.requests = nil
	} else {
		s.requests = slices.Delete(s.requests, i, i+1)
	}
}

// End is called when the handler of a request has ended and its answer is sent.
func (s *Serving[R]) End() {
	s.places.Give()
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
		s.drained = make(chan struct{})
		s.places.Unbind() // so that no request waits for a place only to be refused
		if s.running == 0 {
			close(s.drained)
		}
	}
	return s.drained
}

// All returns the requests without an answer.
func (s *Serving[R]) All() []R {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]R, len(s.requests))
	for i := range s.requests {
		all[i] = s.requests[i].request
	}
	return all
}

// RemoveAll calls removed for each request without an answer, and removes it.
func (s *Serving[R]) RemoveAll(removed func(R)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.requests {
		removed(s.requests[i].request)
	}
	s.requests = nil
}
