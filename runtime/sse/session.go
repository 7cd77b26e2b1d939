package sse

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// session is a session of a handler. It is the runtime.Outbox of its server.
type session struct {
	handler *Handler
	id      string
	inbox   runtime.Inbox
	seat    web.Seat[*session]
	begun   atomic.Bool   // the client has sent a message
	gone    chan struct{} // closed when the session is over
	over    sync.Once

	// writing holds a token while something is written. It is a channel because a write may take
	// long, and others may give up waiting for it.
	writing  chan struct{}
	response *web.Response
}

func newSession(h *Handler, id, key string, response *web.Response) *session {
	s := &session{handler: h, id: id, gone: make(chan struct{}), writing: make(chan struct{}, 1), response: response}
	s.seat = web.Seat[*session]{Session: s, Key: key}
	return s
}

// use records a message of the client. From the second one on, the session is busy, because it is a connection that its
// client holds open. It returns false if the session is over.
func (s *session) use() bool {
	return !s.isGone() && (!s.begun.Swap(true) || s.handler.sessions.Enter(s.seat.Key) != nil)
}

// SessionID implements runtime.Identified.
func (s *session) SessionID() string { return s.id }

// Negotiated implements runtime.Identified.
func (s *session) Negotiated(runtime.Handshake) error { return nil }

// Send implements runtime.Outbox. A failed write ends the session, because it cannot be resumed.
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
	err := s.response.Event(nil, name, 0, data)
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
	if s.response.Comment() != nil {
		s.end()
	}
}

// leave ends the session and makes sure that nothing more is written, even if a write is blocked.
func (s *session) leave() {
	s.end()
	select {
	case s.writing <- struct{}{}: // never released
	default:
		s.response.Interrupt()
		s.writing <- struct{}{}
	}
	s.response.Finish()
}

// end ends the session. Its server notices soon after.
func (s *session) end() {
	s.over.Do(func() {
		close(s.gone)
		s.handler.sessions.Remove(&s.seat)
		if s.inbox != nil {
			s.inbox.End(runtime.ErrClosed)
		}
	})
}

// ended is called when nothing runs for the session any more.
func (s *session) ended(err error) {
	s.end()
	if err != nil {
		s.handler.log.Debug("session failed", "error", err)
	}
	s.handler.sessions.Done(&s.seat)
}

func (s *session) isGone() bool { return web.Closed(s.gone) }

// Close implements runtime.Outbox.
func (s *session) Close() error {
	s.end()
	return nil
}
