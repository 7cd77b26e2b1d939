package sse

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// session is one session, and the runtime.Outbox through which its server sees it.
type session struct {
	id    string
	key   string // by which the handler knows it, see web.User
	inbox runtime.Inbox
	gone  chan struct{} // closed when it is over
	over  sync.Once

	place  web.Place
	opened time.Time
	posts  atomic.Int64 // messages of the client

	// writing holds a token while something is written. It is a channel because a
	// write may take long, and who waits for it may give up.
	writing chan struct{}
	sink    *web.Sink
}

func newSession(id, key string, sink *web.Sink) *session {
	return &session{
		id:      id,
		key:     key,
		gone:    make(chan struct{}),
		opened:  time.Now(),
		writing: make(chan struct{}, 1),
		sink:    sink,
	}
}

// used reports whether the client has sent something after initialize.
func (s *session) used() bool { return s.posts.Load() > 1 }

// Rest implements web.Guest. A session is a connection that its client holds open, so it is busy.
func (s *session) Rest() (since time.Time, used, busy bool) { return s.opened, s.used(), s.used() }

// Evict implements web.Guest.
func (s *session) Evict() { s.end() }

// SessionID implements runtime.Identified.
func (s *session) SessionID() string { return s.id }

// Shutdown implements web.Session.
func (s *session) Shutdown(ctx context.Context) { s.inbox.Shutdown(ctx) }

// Send implements runtime.Outbox. After a failed write the session is over, because
// nothing is resumed.
func (s *session) Send(ctx context.Context, m runtime.Outgoing) error {
	if s.isGone() {
		return runtime.ErrClosed
	}
	select {
	case s.writing <- struct{}{}:
	case <-s.gone:
		return runtime.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-s.writing }()
	return s.write("message", m.Text)
}

// event writes an event of the transport's own.
func (s *session) event(name string, data []byte) error {
	s.writing <- struct{}{}
	defer func() { <-s.writing }()
	return s.write(name, data)
}

func (s *session) write(name string, data []byte) error {
	err := s.sink.Event(nil, name, 0, data)
	if err != nil {
		s.end()
	}
	return err
}

// beat keeps a silent connection in use.
func (s *session) beat() {
	select {
	case s.writing <- struct{}{}:
	default:
		return // it is not silent
	}
	defer func() { <-s.writing }()
	if s.sink.Beat() != nil {
		s.end()
	}
}

// leave ends the session and makes sure that nothing is written any more, whatever a
// write waits for.
func (s *session) leave() {
	s.end()
	select {
	case s.writing <- struct{}{}: // and never given back
	default:
		s.sink.Interrupt()
		s.writing <- struct{}{}
	}
	s.sink.Finish()
}

// end ends the session; its server lets go of it soon after.
func (s *session) end() {
	s.over.Do(func() {
		close(s.gone)
		if s.inbox != nil {
			s.inbox.End(runtime.ErrClosed)
		}
	})
}

func (s *session) isGone() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}

// Close implements runtime.Outbox.
func (s *session) Close() error {
	s.end()
	return nil
}
