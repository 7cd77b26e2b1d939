package streamable

import (
	"container/list"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

const (
	// revisionPriming is the first revision with events without data, from which a client can
	// resume. Clients of earlier revisions may treat such an event as a bad message.
	revisionPriming = "2025-11-25"
	// revisionBatches is the only revision in which a client may send several messages in an array.
	revisionBatches = "2025-03-26"
)

// errStateless is the error of a message that needs a session.
var errStateless = errors.New("streamable: without sessions a server cannot send messages of its own or ask the client")

// Session is a session of a [Handler]. It is the runtime.Outbox of its server. Its methods are for a [Sharing].
type Session struct {
	handler   *Handler
	stateless bool        // it serves all requests of revisions without sessions, see Handler.sharedSession
	keeps     bool        // it keeps events, for a client that comes back
	begun     atomic.Bool // over HTTP with SSE: the client has sent a message
	key       string      // its name in the table and in the event store, see keyOf; "" for a single message
	inbox     runtime.Inbox
	outbox    runtime.Outbox // of the server: the session, or what a Sharing has put before it
	over      atomic.Bool
	streams   streams

	// The lock of the table of sessions guards these fields. The first two may be set before open.
	used     bool          // the client has used the session since initialize
	busy     int           // requests of the client in progress
	address  string        // of the client that has opened it, if that has a limit
	place    *list.Element // in the order of the table; nil if it is not there
	opening  chan struct{} // closed when open has returned; nil from then on
	since    time.Time     // when busy became 0
	finished bool          // nothing runs for it any more
	awaited  bool          // a shutdown waits for that

	mu       sync.Mutex
	id       string        // that the client sends; "" for a session of a single message
	revision string        // the negotiated one; "" before the handshake
	ending   chan struct{} // see gone; nil before
}

// newSession returns a session. Its key is "" if it is for a single message, and other sessions end when they are idle.
func (h *Handler) newSession(id, key string) *Session {
	s := &Session{handler: h, id: id, key: key, keeps: key != "" && !h.opts.sse}
	s.outbox, s.streams.session = s, s
	return s
}

// Key returns the name of the session in the event store: its user and the id with which it was opened.
func (s *Session) Key() string { return s.key }

// Inbox takes messages of the client that have come to another process.
func (s *Session) Inbox() runtime.Inbox { return s.inbox }

// Outbox returns what the server sends to: the session, or what [Sharing.Outbox] has put before it.
func (s *Session) Outbox() runtime.Outbox { return s.outbox }

// SessionID implements runtime.Identified.
func (s *Session) SessionID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// SetID changes the id that the client gets to know with the answer to initialize.
func (s *Session) SetID(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = id
}

// logID names the session in logs.
func (s *Session) logID() string { return runtime.LogID(s.SessionID()) }

// debug logs an event of the session at the level Debug.
func (s *Session) debug(text string) {
	if ctx, log := context.Background(), s.handler.log; log.Enabled(ctx, slog.LevelDebug) {
		log.With("session", s.logID()).LogAttrs(ctx, slog.LevelDebug, text)
	}
}

// single reports whether the session is for a single message: no client can be asked.
func (s *Session) single() bool { return s.key == "" }

// Send implements runtime.Outbox. The message goes to the stream that the client opened last by GET.
func (s *Session) Send(ctx context.Context, m runtime.Outgoing) error {
	switch {
	case s.single():
		return errStateless
	case m.Method == "ping" && !s.streams.heard():
		return errUnheard{}
	}
	return s.streams.current().Send(ctx, m)
}

// errUnheard is the error of a ping to a client that has no GET open. A client need not have one open, so its
// silence means nothing.
type errUnheard struct{}

func (errUnheard) Error() string {
	return "streamable: the client does not listen for messages of the server"
}

// Unheard tells the session that the client cannot have heard the message.
func (errUnheard) Unheard() bool { return true }

// Negotiated implements runtime.Identified.
func (s *Session) Negotiated(h runtime.Handshake) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision = h.Revision
	return nil
}

// Close implements runtime.Outbox.
func (s *Session) Close() error {
	s.end(runtime.ErrClosed)
	return nil
}

// end ends the session. Its server notices soon after.
func (s *Session) end(why error) {
	s.mu.Lock()
	already := s.over.Swap(true)
	if !already && s.ending != nil {
		close(s.ending)
	}
	s.mu.Unlock()
	if already {
		return
	}
	switch why {
	case errIdle:
		s.debug("idle session closed")
	case errEvicted:
		s.debug("session closed to make room for another")
	}
	s.handler.sessions.remove(s)
	if s.inbox != nil {
		s.inbox.End(why)
	}
}

// gone returns a channel that is closed when the session is over. It is made when something waits for it, because most
// sessions need none.
func (s *Session) gone() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending == nil {
		s.ending = make(chan struct{})
		if s.over.Load() {
			close(s.ending)
		}
	}
	return s.ending
}

// ended is called when nothing runs for the session any more.
func (s *Session) ended(err error) {
	h := s.handler
	s.end(runtime.ErrClosed)
	if err != nil && !errors.Is(err, runtime.ErrClosed) && err != errIdle && err != errEvicted && h.sessions.ctx.Err() == nil {
		h.log.Warn("session failed", "error", err)
	}
	if shared, ok := s.outbox.(runtime.Replicated); s.keeps && !(ok && shared.Lasts()) {
		if err := h.opts.Events.Drop(context.Background(), s.key); err != nil {
			h.log.Warn("the events of a session could not be dropped", "session", s.logID(), "error", err)
		}
	}
	h.sessions.done(s)
}

// negotiated returns the negotiated revision, or "" before the handshake.
func (s *Session) negotiated() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

// resumable reports whether the client can resume an event stream from its beginning, because it knows events without
// data.
func (s *Session) resumable() bool { return s.keeps && s.negotiated() >= revisionPriming }

// store stores an event for a client that comes back.
func (s *Session) store(ctx context.Context, stream string, n uint64, data []byte) error {
	if !s.keeps {
		return errDisconnected
	}
	events := s.handler.opts.Events
	if _, inMemory := events.(*MemoryEvents); !inMemory {
		ctx = context.WithoutCancel(ctx)
	}
	err := events.Append(ctx, s.key, stream, n, data)
	if err != nil {
		s.handler.log.Warn("an event could not be stored", "session", s.logID(), "error", err)
	}
	return err
}

// missed returns the stored events after number n.
func (s *Session) missed(ctx context.Context, stream string, n uint64) ([][]byte, error) {
	events, _, err := web.Missed(s.handler.opts.Events.After(ctx, s.key, stream, n))
	return events, err
}

// Leave records that a request of the client is no longer in progress. It follows [Handler.Enter].
func (s *Session) Leave() { s.handler.sessions.leave(s) }

// shutdown ends the session gracefully, as runtime.Inbox.Shutdown does.
func (s *Session) shutdown(ctx context.Context) {
	if s.keeps {
		s.streams.closeConnections(ctx)
	}
	s.inbox.Shutdown(ctx)
}
