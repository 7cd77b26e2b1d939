package streamable

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// The headers of the protocol.
const (
	headerSession  = headers.Session
	headerRevision = headers.Revision
	headerLast     = headers.LastID
)

// Handler serves the sessions of a server at one URL path. It is safe for concurrent use.
type Handler struct {
	server          runtime.SessionServer
	opts            Options
	guard           web.Guard
	log             *slog.Logger
	revisions       []string // that a session may have, newest first; none means all
	stateless       []string // that have no sessions
	any             bool     // the server speaks every revision
	sessions        *web.Sessions
	expiry          expiry
	requests        *web.Requests // counts those that belong to no session
	traffic         *web.Load     // nil if Options.Load limits nothing
	budget          *web.Budget
	refusals        web.Refusals
	posts           atomic.Int64 // requests in progress
	drain           web.Drain
	statelessOutbox statelessOutbox // of the requests that belong to no session
}

// NewHandler returns a handler for the sessions of server.
func NewHandler(server runtime.SessionServer, opts Options) *Handler {
	opts = opts.withDefaults()
	if opts.User == nil {
		opts.User = principal
	}
	limits := web.Limits{
		All: opts.MaxSessions, PerUser: opts.MaxSessionsPerUser, PerAddress: opts.MaxSessionsPerAddress, Address: opts.Address,
	}
	h := &Handler{
		server:    server,
		opts:      opts,
		guard:     web.Guard{Hosts: opts.Hosts, Origins: opts.Origins},
		log:       server.Logger(),
		revisions: server.Revisions(),
		stateless: server.StatelessRevisions(),
		sessions:  web.NewSessions(limits, opts.User),
	}
	limits.All = opts.MaxRequests
	h.requests = web.NewRequests(limits, opts.User)
	h.traffic, h.budget = web.NewLoad(web.LoadLimits(opts.Load), opts.Address), web.NewBudget(opts.MaxBytes)
	h.expiry.sessions = h.sessions
	h.any = len(h.revisions) == 0 && len(h.stateless) == 0
	h.statelessOutbox = statelessOutbox{handler: h, over: make(chan struct{})}
	return h
}

// principal is the default of Options.User.
func principal(r *http.Request) (string, error) { return runtime.PrincipalOf(r.Context()), nil }

// Shutdown ends all sessions gracefully. Ready is false from now on, and after the DrainDelay of the options,
// Shutdown refuses new sessions and calls with status 503 and ends
// the streams of the server's own messages. Calls in flight go on until they are answered, and the
// handler still accepts what they need: answers of the client, and GET requests that resume their
// streams. If ctx ends first, the contexts of the remaining calls end, and their clients get an
// error. Shutdown returns when all sessions are over: nil, or the cause of ctx if that ended first.
//
// [ListenAndServe] calls it before http.Server.Shutdown.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.drain.Begin(ctx, h.opts.DrainDelay)
	return h.shutdown(ctx)
}

func (h *Handler) shutdown(ctx context.Context) error {
	var both sync.WaitGroup
	both.Go(func() { h.statelessOutbox.shutdown(ctx) })
	both.Go(func() { _ = h.sessions.Shutdown(ctx) })
	both.Wait()
	h.expiry.stop()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// Close calls Shutdown with the Grace of the server's options as time limit, which begins after DrainDelay. It may
// be registered with http.Server.RegisterOnShutdown, but a client that needs a new connection to answer a question
// of the server cannot open one then.
func (h *Handler) Close() {
	h.drain.Begin(context.Background(), h.opts.DrainDelay)
	ctx, cancel := context.WithTimeout(context.Background(), h.server.Grace())
	defer cancel()
	_ = h.shutdown(ctx) // the error only says that Grace was not enough
}

// Scopes returns the scopes that the tools, prompts and resources of the server require.
func (h *Handler) Scopes() []string { return web.Scopes(h.server) }

// Logger returns the logger of the server.
func (h *Handler) Logger() *slog.Logger { return h.log }

// ServeHTTP implements http.Handler (section Streamable HTTP).
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Serve(w, r, h.guard, h.log, func(w http.ResponseWriter, r *http.Request) error {
		err := h.serve(w, r)
		h.refusals.AddError(err)
		return err
	})
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	allow := "GET, POST, DELETE"
	switch {
	case r.Method == http.MethodPost:
		return h.post(w, r)
	case h.opts.Stateless || h.isStateless(r):
		allow = "POST"
	case r.Method == http.MethodGet:
		return h.get(w, r)
	case r.Method == http.MethodDelete:
		return h.delete(w, r)
	}
	w.Header().Set("Allow", allow)
	return web.Refuse(http.StatusMethodNotAllowed, "invalid request: the method is not allowed")
}

// Refusals that several methods share.
var (
	errBatched   = web.Refuse(http.StatusBadRequest, "invalid request: initialize must not be part of a batch")
	errSessionID = web.Refuse(http.StatusBadRequest, "invalid request: the Mcp-Session-Id header is missing")
	errRevision  = web.Refuse(http.StatusBadRequest, "invalid request: the MCP-Protocol-Version header names a revision that is not supported")
)

// find returns the session that a request names (section Session Management, 2 and 3), entered. The
// session keeps its negotiated revision, whichever supported revision the request names.
func (h *Handler) find(r *http.Request) (*Session, error) {
	if revision := r.Header.Get(headerRevision); revision != "" && !h.speaks(revision) {
		return nil, errRevision
	}
	id := r.Header.Get(headerSession)
	if id == "" {
		return nil, errSessionID
	}
	s, err := h.lookUp(r, id)
	if err == nil && s == nil {
		err = h.sessions.NoSession()
	}
	return s, err
}

// lookUp returns the session with an id, entered, or nil.
func (h *Handler) lookUp(r *http.Request, id string) (*Session, error) {
	if h.opts.Sharing == nil {
		key, err := h.Key(r, id)
		if err != nil {
			return nil, err
		}
		return h.Enter(key), nil
	}
	s, err := h.opts.Sharing.Find(r, id)
	if _, refused := errors.AsType[*web.Refusal](err); err != nil && !refused {
		h.log.Error("a session could not be loaded", "error", err)
		err = web.Refuse(http.StatusServiceUnavailable, "unavailable: the session cannot be loaded")
	}
	return s, err
}

// speaks reports whether a session may have the revision.
func (h *Handler) speaks(revision string) bool {
	return len(h.revisions) == 0 || slices.Contains(h.revisions, revision)
}

// ownOutbox is the outbox of a session that no other process has.
func ownOutbox(s *Session) runtime.Outbox { return s }

// open starts a session. If the handshake has a revision, the session is resumed. The request is the one
// that opens it.
func (h *Handler) open(s *Session, r *http.Request, handshake runtime.Handshake, outbox func(*Session) runtime.Outbox) error {
	err := h.sessions.Open(&s.usage, r, s.key, s.id, func() (err error) {
		s.outbox = outbox(s)
		s.inbox, err = h.server.Open(h.sessions.Context(), s.outbox, handshake, s.ended)
		return err
	})
	switch {
	case err != nil:
		s.end(runtime.ErrClosed)
	case s.isGone(): // it has ended meanwhile
		s.inbox.End(runtime.ErrClosed)
	case !s.single():
		if due, limited := s.usage.check(time.Now()); limited {
			h.expiry.by(due)
		}
	}
	return err
}

// delete ends a session (section Session Management, 5).
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) error {
	s, err := h.find(r)
	if err != nil {
		return err
	}
	defer s.Leave()
	if h.opts.Sharing != nil {
		if err := h.opts.Sharing.End(r.Context(), s); err != nil {
			h.log.Error("a session could not be ended", "session", s.logID(), "error", err)
			return web.Refuse(http.StatusServiceUnavailable, "unavailable: the session cannot be ended now; try again later")
		}
	}
	s.end(runtime.ErrClosed)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// Ready reports whether the handler accepts new requests: it becomes false when Shutdown is called.
func (h *Handler) Ready() bool { return !h.drain.Begun() }

// Stats returns what the handler does now.
func (h *Handler) Stats() runtime.Stats {
	s := runtime.Stats{
		Requests: int(h.posts.Load()),
		Sessions: h.sessions.Len(),
		Draining: h.drain.Begun(),
		Refused:  h.refusals.ByReason(),
	}
	if of, ok := h.server.(interface{ Subscriptions() int }); ok {
		s.Subscriptions = of.Subscriptions()
	}
	return s
}
