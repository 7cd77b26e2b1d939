package streamable

import (
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// Reasons for which a session ends although its client has not ended it.
var (
	errIdle    = errors.New("streamable: the session was idle")
	errEvicted = errors.New("streamable: the session has made room for another")
)

// enter records that a request of the client is in progress. It reports false if the session is
// over.
func (s *session) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.expired || s.isGone() {
		return false
	}
	s.active++
	s.used = true
	return true
}

// leave records that a request of the client is no longer in progress.
func (s *session) leave() {
	s.mu.Lock()
	s.active--
	rests := s.active == 0
	if rests {
		s.since = time.Now()
	}
	s.mu.Unlock()
	if rests {
		s.handler.sessions.Rested(s)
	}
}

// startIdle starts the idle timeout. An idle session has no goroutine, so it is a timer that calls. The timer is not set again with every request: when it fires it
// finds out whether there was one.
func (s *session) startIdle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = time.Now()
	timeout, _ := s.timeoutLocked()
	s.idle = time.AfterFunc(timeout, s.checkIdle)
}

// timeoutLocked returns the session's idle timeout, which is shorter until the client has sent
// something after initialize. It returns false if there is none.
func (s *session) timeoutLocked() (time.Duration, bool) {
	d := s.handler.opts.IdleTimeout
	switch {
	case s.used:
		return d, d > 0
	case d > 0:
		return min(d, waits.FirstUse), true
	}
	return waits.FirstUse, true
}

// checkIdle ends the session if it was idle for its timeout.
func (s *session) checkIdle() {
	s.mu.Lock()
	timeout, limited := s.timeoutLocked()
	if s.active == 0 {
		timeout -= time.Since(s.since)
	}
	expired := limited && timeout <= 0
	switch {
	case expired:
		s.expired = true
	case limited && !s.isGone():
		s.idle.Reset(timeout)
	}
	s.mu.Unlock()
	if expired {
		s.debug("idle session closed")
		s.end(errIdle)
	}
}

// Place implements web.Session.
func (s *session) Place() *web.Place { return &s.place }

// Rest implements web.Session.
func (s *session) Rest() (since time.Time, used, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since, s.used, s.active > 0
}

// Expire implements web.Session.
func (s *session) Expire() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active > 0 {
		return false
	}
	s.expired = true
	return true
}

// Evict implements web.Session.
func (s *session) Evict() {
	s.debug("session closed to make room for another")
	s.end(errEvicted)
}
