package streamable

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// revisionPriming is the one from which an event without data tells a client from where
// to resume. Clients of earlier ones may take it for a bad message.
const revisionPriming = "2025-11-25"

// revisionBatches is the only one with arrays of messages.
const revisionBatches = "2025-03-26"

// errStateless is the error of a message that only a client of a session can be sent.
var errStateless = errors.New("streamable: without sessions a server cannot send on its own or ask the client")

// session is one session, and the runtime.Outbox through which its server sees it.
type session struct {
	handler *Handler
	id      string // "" without sessions
	key     string // by which the handler and the stores know it, see web.User
	inbox   runtime.Inbox
	gone    chan struct{} // closed when it is over
	over    sync.Once
	place   web.Place

	mu        sync.Mutex
	own       []*stream          // of what the server sends on its own, the one opened last at the end
	handshake runtime.Handshake  // zero before there is one
	stays     bool               // in the stores when this process lets go of it
	streams   map[string]*stream // nil before there is one
	prefix    string             // of the names of streams
	named     uint64             // how many streams have got a name
	active    int                // requests of the client in progress
	used      bool               // the client has sent something after initialize
	quiet     time.Time          // when active became 0
	idle      *time.Timer        // ends the session when that is long ago; nil without an id
	expired   bool               // idle has done so
}

// newSession makes a session with so many requests in progress.
func (h *Handler) newSession(id, key string, active int) *session {
	s := &session{active: active, handler: h, id: id, key: key, gone: make(chan struct{})}
	if id != "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.quiet = time.Now()
		s.idle = time.AfterFunc(h.unusedTimeout(), s.expire)
	}
	return s
}

// unusedTimeout is how long a session may be idle whose client has sent nothing after initialize.
func (h *Handler) unusedTimeout() time.Duration {
	if d := h.opts.IdleTimeout; d > 0 {
		return min(d, web.InitTimeout)
	}
	return web.InitTimeout
}

// SessionID implements runtime.Identified.
func (s *session) SessionID() string { return s.id }

// Send implements runtime.Outbox.
func (s *session) Send(ctx context.Context, m runtime.Outgoing) error {
	return s.SendSpliced(ctx, m, 0, "")
}

// SendSpliced implements runtime.Splicer.
func (s *session) SendSpliced(ctx context.Context, m runtime.Outgoing, at int, part string) error {
	if s.isGone() {
		return runtime.ErrClosed
	}
	if m.Kind == jsonrpc.Request && s.id == "" {
		return errStateless
	}
	if st, ok := m.Route.(*stream); ok {
		if here, err := st.send(ctx, m, at, part); here {
			return err
		}
	}
	if s.id == "" {
		return errStateless
	}
	_, err := s.ownStream().send(ctx, m, at, part)
	return err
}

// Done implements runtime.RouteEnder.
func (s *session) Done(route runtime.Route, unanswered bool) {
	if st, ok := route.(*stream); ok {
		st.end(unanswered)
	}
}

// Negotiated implements runtime.Negotiator.
func (s *session) Negotiated(h runtime.Handshake) {
	stays := false
	if s.id != "" && s.handler.opts.Sessions != nil {
		err := s.handler.opts.Sessions.Save(s.handler.all.Context(), s.key, h)
		if stays = err == nil; !stays {
			s.handler.log.Error("a session could not be kept", "session", runtime.LogID(s.id), "error", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handshake, s.stays = h, stays
}

// Close implements runtime.Outbox.
func (s *session) Close() error {
	s.end(runtime.ErrClosed)
	return nil
}

// end ends the session; its server lets go of it soon after.
func (s *session) end(why error) {
	s.over.Do(func() {
		close(s.gone)
		s.handler.remove(s)
		s.stopIdling()
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

// stopIdling stops the timer that newSession has started.
func (s *session) stopIdling() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle != nil {
		s.idle.Stop()
	}
}

// ended is called when the session's server has let go of it.
func (s *session) ended(err error) {
	h := s.handler
	s.end(runtime.ErrClosed)
	if err != nil && !errors.Is(err, runtime.ErrClosed) && err != errIdle && err != errEvicted && h.all.Context().Err() == nil {
		h.log.Warn("session failed", "error", err)
	}
	s.forget()
	h.all.Done(s)
}

// forget drops the events of a session that is over, unless another process may go on
// with it.
func (s *session) forget() {
	if s.id == "" || !s.forgotten() {
		return
	}
	if err := s.handler.opts.Events.Drop(context.Background(), s.key); err != nil {
		s.handler.log.Warn("the events of a session could not be dropped", "session", runtime.LogID(s.id), "error", err)
	}
}

// forgotten reports whether the session is over and no process may go on with it, so that
// nothing is kept of it any more.
func (s *session) forgotten() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isGone() && !s.stays
}

// withdraw makes the session end in the stores too.
func (s *session) withdraw(ctx context.Context) error {
	s.mu.Lock()
	stays := s.stays
	s.stays = false
	s.mu.Unlock()
	if !stays {
		return nil
	}
	return s.handler.opts.Sessions.Delete(ctx, s.key)
}

func (s *session) isGone() bool { return isClosed(s.gone) }

// whyNot is the error of who could not get a stream's lock.
func (s *session) whyNot(ctx context.Context) error {
	if s.isGone() {
		return runtime.ErrClosed
	}
	return context.Cause(ctx)
}

func (s *session) revision() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handshake.Revision
}

func (s *session) negotiated() bool { return s.revision() != "" }

// primes reports whether the client knows events without data.
func (s *session) primes() bool { return s.revision() >= revisionPriming }

// batches reports whether a client may send several messages in one array.
func (s *session) batches() bool { return s.revision() == revisionBatches }

// resumable reports whether a client can resume an event stream from its beginning.
func (s *session) resumable() bool { return s.id != "" && s.primes() }

// prime begins an event stream, and tells a client that knows such events how to resume
// it from the event of the id.
func (s *session) prime(sink *web.Sink, id []byte) error {
	if !s.resumable() {
		return sink.Begin()
	}
	return sink.Event(id, "", s.handler.opts.Retry, nil)
}

// enter tells that a request of the client is in progress. False: the session is over.
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

func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	if s.active == 0 {
		s.quiet = time.Now()
	}
}

// expire ends a session that nobody uses. The timer is not set with every request, but again when
// it finds that there has been one.
func (s *session) expire() {
	s.mu.Lock()
	rest, limited := s.restLocked()
	s.expired = limited && rest <= 0
	expired := s.expired
	if limited && !expired && !s.isGone() {
		s.idle.Reset(rest)
	}
	s.mu.Unlock()
	if expired {
		s.handler.log.Debug("idle session closed", "session", runtime.LogID(s.id))
		s.end(errIdle)
	}
}

// restLocked returns how long the session may still be idle; limited is false when that is for
// ever.
func (s *session) restLocked() (rest time.Duration, limited bool) {
	rest = s.handler.opts.IdleTimeout
	if !s.used {
		rest = s.handler.unusedTimeout()
	}
	limited = rest > 0
	if s.active == 0 {
		rest -= time.Since(s.quiet)
	}
	return rest, limited
}

var (
	errIdle    = errors.New("streamable: the session was idle")
	errEvicted = errors.New("streamable: the session has made room for another")
)

// Rest implements web.Guest.
func (s *session) Rest() (since time.Time, used, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.quiet, s.used, s.active > 0
}

// Evict implements web.Guest.
func (s *session) Evict() {
	s.handler.log.Debug("session closed to make room for another", "session", runtime.LogID(s.id))
	s.end(errEvicted)
}

// keep puts an event into the store. Without a session nobody could ask for it.
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
		s.handler.log.Warn("an event could not be kept", "session", runtime.LogID(s.id), "error", err)
	}
	return err
}

// register gives a stream a name, by which a client that comes back finds it.
func (s *session) register(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams == nil {
		s.streams = make(map[string]*stream)
		s.prefix = rand.Text()[:12]
	}
	st.name = s.nameLocked(st.own)
	s.streams[st.name] = st
}

func (s *session) unregister(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, name)
}

func (s *session) stream(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[name]
}
