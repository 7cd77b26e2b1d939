package streamable

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Sharing lets handlers in other processes serve the sessions of a handler too. A request is served by the handler
// that gets it. A Sharing hands over what belongs to another one: an answer, a cancellation, progress, the
// server's own messages, and a GET that resumes a stream. Package runtime/share implements it.
//
// A handler finds sessions by keys, see [Handler.Key]. The names of streams consist of letters and digits.
type Sharing interface {
	// Find returns the session that a request names by an id, after [Handler.Enter]. If another process has
	// opened it, Find opens it here with [Handler.Resume]. It returns nil if there is no such session, and an error
	// if that is not known.
	Find(r *http.Request, id string) (*Session, error)
	// Outbox is called when a client opens a session. It returns what the server sends to, which passes messages
	// on to s and may implement runtime.Replicated and runtime.Identified.
	Outbox(s *Session) runtime.Outbox
	// End is called before the client ends a session. An error leaves it open.
	End(ctx context.Context, s *Session) error

	// Name returns the name of a stream by which other processes find this one. It contains the given name;
	// what it adds contains no g. The stream answers the request with the id; zero for none.
	Name(stream string, request wire.Scalar) string
	// Follow yields the events after number n of a stream that is not in progress here, and returns after the last
	// one. It yields nil if no event comes for a while. The error is that of an EventStore, or another one.
	Follow(ctx context.Context, s *Session, stream string, n uint64) iter.Seq2[[]byte, error]
	// Listen is called when the client has opened a GET for the server's own messages, and stop when
	// the GET has ended. If the client had another stream up to event n, former is its name: either its
	// process passes the messages that the client has missed on to s, or Listen calls replay, which sends them.
	Listen(ctx context.Context, s *Session, former string, n uint64, replay func() error) (stop func(), err error)
}

// Context returns the context of the handler's sessions. It ends when [Handler.Shutdown] is over.
func (h *Handler) Context() context.Context { return h.sessions.ctx }

// Find returns the open session with a key, or nil.
func (h *Handler) Find(key string) *Session { return h.sessions.find(key) }

// All yields the open sessions that have keys.
func (h *Handler) All() iter.Seq[*Session] {
	return func(yield func(*Session) bool) {
		for _, s := range h.sessions.all() {
			if s.keeps && !yield(s) {
				return
			}
		}
	}
}

// Enter returns the open session with a key, or nil. The session is not idle before its Leave is called.
func (h *Handler) Enter(key string) *Session { return h.sessions.enter(key, true) }

// Resume opens a session that another process has opened with a key and an id, unless it is open. The outbox is what
// the server sends to, as with [Sharing.Outbox].
func (h *Handler) Resume(r *http.Request, key, id string, handshake runtime.Handshake, outbox func(*Session) runtime.Outbox) error {
	s := h.newSession(id, key)
	s.used, s.revision = true, handshake.Revision
	err := h.open(s, r, handshake, outbox)
	if errors.Is(err, errOpen) {
		return nil
	}
	return err
}

// Release ends the connection on which the client has got the events of a stream up to number n, because it goes on at
// another process. It returns the number of the last event and a channel that is closed with the next one or with the end
// of the stream, or nil for it if the stream is not in progress here.
func (s *Session) Release(ctx context.Context, stream string, n uint64) (last uint64, next <-chan struct{}) {
	st := s.streams.find(stream)
	if st == nil || st.acquireInterrupting(ctx) != nil {
		return 0, nil
	}
	defer st.release()
	if st.over.Load() {
		return 0, nil
	}
	st.dropConnection()
	st.sent = min(st.sent, n)
	if st.next == nil {
		st.next = make(chan struct{})
	}
	return st.last, st.next
}

// HandOver calls deliver with each of the server's own messages that wait for a GET here, until
// deliver fails.
func (s *Session) HandOver(ctx context.Context, deliver func(message []byte) error) error {
	for _, st := range s.streams.listening() {
		err := st.acquire(ctx)
		if err == nil {
			err = st.handOver(ctx, deliver)
			st.release()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// handOver is HandOver for one stream. The lock must be held.
func (st *stream) handOver(ctx context.Context, deliver func([]byte) error) error {
	if st.conn.Load() != nil || st.sent >= st.last {
		return nil
	}
	missed, err := st.session.missed(ctx, st.name, st.sent)
	for _, message := range missed {
		if err = deliver(message); err != nil {
			return err
		}
		st.sent++
	}
	return err
}
