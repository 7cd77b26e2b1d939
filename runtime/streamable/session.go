package streamable

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
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

// session is a session of a handler. It is the runtime.Outbox of its server.
type session struct {
	handler *Handler
	id      string  // "" for a session for one message; the name of a shared one
	key     string  // in the table and the event store, see web.User
	shared  *shared // nil unless other replicas may have the session
	inbox   runtime.Inbox
	gone    chan struct{} // closed when the session is over
	over    sync.Once
	place   web.Place

	mu         sync.Mutex
	negotiated string // the revision; "" before it is negotiated

	streams map[string]*stream // by name
	own     []*stream          // for the server's own messages, see get.go
	prefix  string             // of the names of streams in this process
	named   uint64             // the number of names that were given

	active  int         // requests of the client in progress
	used    bool        // the client has sent something after initialize
	since   time.Time   // when active became 0
	idle    *time.Timer // calls checkIdle; nil without an id
	expired bool        // the session refuses requests
}

func (h *Handler) newSession(id, key string) *session {
	s := &session{handler: h, id: id, key: key, gone: make(chan struct{})}
	if id != "" {
		s.startIdle()
	}
	return s
}

// SessionID implements runtime.Identified. It is the name of a shared session that has no id yet.
func (s *session) SessionID() string {
	if s.shared == nil {
		return s.id
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.shared.id, s.id)
}

// logID names the session in logs.
func (s *session) logID() string { return runtime.LogID(s.SessionID()) }

// debug logs an event of the session at the level Debug.
func (s *session) debug(text string, attrs ...slog.Attr) {
	if ctx, log := context.Background(), s.handler.log; log.Enabled(ctx, slog.LevelDebug) {
		log.With("session", s.logID()).LogAttrs(ctx, slog.LevelDebug, text, attrs...)
	}
}

// Send implements runtime.Outbox.
func (s *session) Send(ctx context.Context, m runtime.Outgoing) error {
	if err := s.maySend(&m); err != nil {
		return err
	}
	if s.id == "" {
		return errStateless
	}
	return s.sendOwn(ctx, m)
}

// maySend returns an error if a message cannot be sent. It prepares for the answer to a request.
func (s *session) maySend(m *runtime.Outgoing) error {
	switch {
	case s.isGone():
		return runtime.ErrClosed
	case m.Kind == jsonrpc.Request && s.id == "":
		return errStateless
	case m.Kind == jsonrpc.Request && s.onBus():
		s.awaitAnswer(m.ID)
	}
	return nil
}

// Negotiated implements runtime.Identified.
func (s *session) Negotiated(h runtime.Handshake) error {
	if s.shared != nil {
		if err := s.seal(h); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.negotiated = h.Revision
	if s.shared != nil {
		s.shared.capabilities = h.Capabilities
	}
	return nil
}

// Close implements runtime.Outbox.
func (s *session) Close() error {
	s.end(runtime.ErrClosed)
	return nil
}

// end ends the session. Its server notices soon after.
func (s *session) end(why error) {
	s.over.Do(func() {
		close(s.gone)
		s.handler.sessions.Leave(s)
		s.mu.Lock()
		if s.idle != nil {
			s.idle.Stop()
		}
		s.mu.Unlock()
		if s.shared != nil {
			s.shared.asked.stop()
		}
		if s.inbox != nil {
			s.inbox.End(why)
		}
	})
}

// Shutdown implements web.Session.
func (s *session) Shutdown(ctx context.Context) {
	s.mu.Lock()
	own := slices.Clone(s.own)
	s.mu.Unlock()
	for _, st := range own {
		st.hangUp(ctx)
	}
	s.inbox.Shutdown(ctx)
}

// ended is called when nothing runs for the session any more.
func (s *session) ended(err error) {
	h := s.handler
	s.end(runtime.ErrClosed)
	if err != nil && !errors.Is(err, runtime.ErrClosed) && err != errIdle && err != errEvicted && err != errExpired && h.sessions.Context().Err() == nil {
		h.log.Warn("session failed", "error", err)
	}
	if s.id != "" && s.forgotten() {
		if err := h.opts.Events.Drop(context.Background(), s.key); err != nil {
			h.log.Warn("the events of a session could not be dropped", "session", s.logID(), "error", err)
		}
	}
	h.sessions.Done(s)
}

// forgotten reports whether the session is over and no replica can take it over.
func (s *session) forgotten() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isGone() && (s.shared == nil || s.shared.id == "" || s.shared.ended)
}

// Lasts implements runtime.Replicated.
func (s *session) Lasts() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shared != nil && s.shared.id != "" && !s.shared.ended && time.Now().Before(s.shared.expires)
}

func (s *session) isGone() bool { return web.Closed(s.gone) }

// whyNot returns the error of an operation that could not lock a stream.
func (s *session) whyNot(ctx context.Context) error {
	if s.isGone() {
		return runtime.ErrClosed
	}
	return context.Cause(ctx)
}

// revision returns the negotiated revision, or "" before the handshake.
func (s *session) revision() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.negotiated
}

// primes reports whether the client knows events without data.
func (s *session) primes() bool { return s.revision() >= revisionPriming }

// batches reports whether the client may send several messages in an array.
func (s *session) batches() bool { return s.revision() == revisionBatches }

// resumable reports whether the client can resume an event stream from its beginning.
func (s *session) resumable() bool { return s.id != "" && s.primes() }

// prime begins an event stream on the connection. It tells a client that knows events without data
// how to resume the stream after the event with this id.
func (s *session) prime(c *connection, id []byte) error {
	if !s.resumable() {
		return c.Begin()
	}
	return c.Event(id, "", s.handler.opts.Retry, nil)
}

// keep stores an event. Without a session, no client could ask for it.
func (s *session) keep(ctx context.Context, stream string, n uint64, data []byte) error {
	if s.id == "" {
		return errStateless
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

// register gives a stream a name, by which a client that comes back finds it. Each process that has
// the session gives different names.
func (s *session) register(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams == nil {
		s.streams = make(map[string]*stream)
		s.prefix = rand.Text()[:12]
		if s.shared != nil {
			s.prefix = s.handler.sharing.replica + s.prefix
		}
	}
	s.named++
	mark := ""
	if st.own {
		mark = ownMark
	}
	st.name = s.prefix + mark + strconv.FormatUint(s.named, 10)
	if s.shared != nil && !st.own && st.conn != nil {
		st.name += requestName(st.conn.in.Content())
	}
	s.streams[st.name] = st
}

func (s *session) unregister(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, name)
}

// stream returns the stream with a name, or nil.
func (s *session) stream(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[name]
}

// isForeign reports whether another process may be writing a stream that is not registered.
func (s *session) isForeign(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shared != nil && (s.prefix == "" || !strings.HasPrefix(name, s.prefix))
}

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

// startIdle starts the idle timeout. It is a timer that calls a function, because an idle session has no goroutine.
// The timer is not set again with every request: when it fires, checkIdle finds out whether there was one.
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
