package streamable

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// The headers of the protocol.
const (
	headerSession  = "Mcp-Session-Id"
	headerRevision = "Mcp-Protocol-Version"
	headerLast     = "Last-Event-ID"
)

// revisionAssumed is that of a client without a session which does not say its revision
// (section Protocol Version Header).
const revisionAssumed = "2025-03-26"

// Handler serves the sessions of a runtime.Server at one URL path. It is safe for
// concurrent use.
type Handler struct {
	server *runtime.Server
	opts   Options
	guard  web.Guard
	log    *slog.Logger

	sessions sync.Map     // id to *session
	open     atomic.Int64 // sessions, those without an id included
	serving  sync.WaitGroup

	ctx   context.Context // that of all sessions
	close context.CancelCauseFunc
	mu    sync.Mutex // held while a session starts or ctx ends, so that Close waits for it
}

// NewHandler makes a handler.
func NewHandler(server *runtime.Server, opts Options) *Handler {
	h := &Handler{
		server: server,
		opts:   opts.withDefaults(),
		guard:  opts.guard(),
		log:    server.Logger(),
	}
	h.ctx, h.close = context.WithCancelCause(context.Background())
	return h
}

// Close ends all sessions, refuses new ones and waits until all handlers of the server have
// returned. Give it to http.Server.RegisterOnShutdown, or the streams that clients keep
// open hold up Shutdown.
func (h *Handler) Close() {
	h.mu.Lock()
	h.close(runtime.ErrClosed)
	h.mu.Unlock()
	h.serving.Wait()
}

// ServeHTTP answers the requests of clients (2025-11-25, basic/transports, Streamable
// HTTP). It implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := h.guard.Check(r); why != "" {
		h.log.Warn("request refused", "reason", why, "host", r.Host, "origin", r.Header.Get("Origin"))
		web.Refuse(http.StatusForbidden, "forbidden: "+why).WriteTo(w)
		return
	}
	var err error
	switch {
	case r.Method == http.MethodPost:
		err = h.post(w, r)
	case r.Method == http.MethodGet && !h.opts.Stateless:
		err = h.get(w, r)
	case r.Method == http.MethodDelete && !h.opts.Stateless:
		err = h.delete(w, r)
	default:
		allow := "GET, POST, DELETE"
		if h.opts.Stateless {
			allow = "POST"
		}
		w.Header().Set("Allow", allow)
		err = web.Refuse(http.StatusMethodNotAllowed, "invalid request: the method is not allowed")
	}
	if refusal, ok := errors.AsType[*web.Refusal](err); ok {
		h.log.Debug("request refused", "http_method", r.Method, "error", refusal)
		refusal.WriteTo(w)
	}
}

// The refusals that several methods share.
var (
	errNoSession  = web.Refuse(http.StatusNotFound, "not found: no such session")
	errSessionID  = web.Refuse(http.StatusBadRequest, "invalid request: the Mcp-Session-Id header is missing")
	errTooMany    = web.Refuse(http.StatusServiceUnavailable, "unavailable: too many sessions")
	errClosing    = web.Refuse(http.StatusServiceUnavailable, "unavailable: the server is shutting down")
	errRevision   = web.Refuse(http.StatusBadRequest, "invalid request: the MCP-Protocol-Version header is not the session's revision")
	errUnspoken   = web.Refuse(http.StatusBadRequest, "invalid request: the MCP-Protocol-Version header names a revision that is not supported")
	errEventID    = web.Refuse(http.StatusBadRequest, "invalid request: the Last-Event-ID header is not an id of this server")
	errEventsGone = web.Refuse(http.StatusBadRequest, "invalid request: the events after Last-Event-ID are no longer kept")
)

// find returns the session that a request names (section Session Management, 2 and 3),
// entered, and checks that the request speaks its revision.
func (h *Handler) find(r *http.Request) (*session, error) {
	id := r.Header.Get(headerSession)
	if id == "" {
		return nil, errSessionID
	}
	s, err := h.lookup(r.Context(), id)
	if err != nil {
		return nil, err
	}
	if !s.enter() {
		return nil, errNoSession
	}
	if revision := r.Header.Get(headerRevision); revision != "" && revision != s.revision() {
		s.leave()
		return nil, errRevision
	}
	return s, nil
}

// lookup finds a session here or in the store.
func (h *Handler) lookup(ctx context.Context, id string) (*session, error) {
	if s, ok := h.sessions.Load(id); ok {
		return s.(*session), nil
	}
	if h.opts.Sessions == nil {
		return nil, errNoSession
	}
	handshake, err := h.opts.Sessions.Load(ctx, id)
	switch {
	case errors.Is(err, ErrSessionUnknown):
		return nil, errNoSession
	case err != nil:
		h.log.Error("a session could not be loaded", "error", err)
		return nil, web.Refuse(http.StatusServiceUnavailable, "unavailable: the session cannot be loaded")
	case !slices.Contains(h.server.Revisions(), handshake.Revision):
		return nil, errNoSession
	}
	s := h.newSession(id)
	s.handshake, s.stays = handshake, true
	// Another request may be doing the same.
	if other, ok := h.sessions.LoadOrStore(id, s); ok {
		s.discard()
		return other.(*session), nil
	}
	return s, h.start(s)
}

// start serves a session in a goroutine of its own. One whose handshake is known is
// resumed.
func (h *Handler) start(s *session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := h.open.Add(1)
	if h.ctx.Err() != nil {
		s.end(runtime.ErrClosed)
		return errClosing
	}
	if n > int64(h.opts.MaxSessions) {
		s.end(runtime.ErrClosed)
		return errTooMany
	}
	resumed := s.handshake
	h.serving.Go(func() {
		var err error
		if resumed.Revision != "" {
			err = h.server.Resume(s.ctx, s, resumed)
		} else {
			err = h.server.Serve(s.ctx, s)
		}
		s.end(runtime.ErrClosed)
		if err != nil && !errors.Is(err, runtime.ErrClosed) && err != errIdle && h.ctx.Err() == nil {
			h.log.Warn("session failed", "error", err)
		}
		s.forget()
	})
	return nil
}

// remove takes a session that has ended out of the table.
func (h *Handler) remove(s *session) {
	h.sessions.CompareAndDelete(s.id, s)
	h.open.Add(-1)
}
