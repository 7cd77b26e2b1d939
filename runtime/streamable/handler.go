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
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// The headers of the protocol.
const (
	headerSession  = headers.Session
	headerRevision = headers.Revision
	headerLast     = headers.LastID
)

// Handler serves the sessions of a server at one URL path, over Streamable HTTP or HTTP with SSE. It is safe for
// concurrent use.
type Handler struct {
	server             runtime.SessionServer
	opts               Options
	log                *slog.Logger
	revisions          []string // that a session may have, newest first; none means all
	statelessRevisions []string // that have no sessions
	any                bool     // the server speaks every revision
	sessions           sessions
	gate               *gate
	posts              atomic.Int64 // requests in progress

	mu     sync.Mutex // guards shared
	shared *Session   // see sharedSession; nil before the first request without a session
}

// NewHandler returns a handler for the sessions of server.
func NewHandler(server runtime.SessionServer, opts Options) *Handler {
	if server == nil || server == runtime.SessionServer((*runtime.Server)(nil)) {
		panic("streamable: the server of a handler is nil")
	}
	opts = opts.withDefaults()
	h := &Handler{
		server:             server,
		opts:               opts,
		log:                server.Logger(),
		revisions:          server.Revisions(),
		statelessRevisions: server.StatelessRevisions(),
		gate:               newGate(&opts),
	}
	h.sessions.init(&opts)
	h.any = len(h.revisions) == 0 && len(h.statelessRevisions) == 0
	return h
}

// Scopes returns the scopes that the tools, prompts and resources of the server require.
func (h *Handler) Scopes() []string {
	if of, ok := h.server.(interface{ Scopes() []string }); ok {
		return of.Scopes()
	}
	return nil
}

// Logger returns the logger of the server.
func (h *Handler) Logger() *slog.Logger { return h.log }

// ServeHTTP implements http.Handler (section Streamable HTTP).
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := h.opts.checkOrigin(r); why != "" {
		h.log.Warn("request refused", "reason", why, "host", r.Host, "origin", r.Header.Get("Origin"))
		web.Refuse(http.StatusForbidden, "forbidden: "+why).WriteTo(w)
		return
	}
	if refusal, ok := errors.AsType[*web.Refusal](h.serve(w, r)); ok {
		h.gate.refuse(refusal.Reason)
		h.log.LogAttrs(r.Context(), slog.LevelDebug, "request refused", slog.String("http_method", r.Method), slog.Any("error", refusal))
		refusal.WriteTo(w)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	allow := "GET, POST, DELETE"
	switch {
	case h.opts.sse && r.Method == http.MethodGet:
		return h.getSSE(w, r)
	case h.opts.sse && r.Method == http.MethodPost:
		return h.postSSE(w, r)
	case h.opts.sse:
		allow = "GET, POST"
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

// isStateless reports whether a request is of a revision without sessions (basic/transports/streamable-http,
// 2026-07-28), judged by its headers. There are no ids of sessions or events then, and the end of the connection cancels
// the request. A handler of every revision, such as that of a proxy, does not know which revisions have sessions, but
// only clients of revisions without sessions send Mcp-Method.
func (h *Handler) isStateless(r *http.Request) bool {
	if h.any {
		return len(r.Header[headers.Method]) > 0
	}
	revision := r.Header[headerRevision]
	return len(revision) > 0 && slices.Contains(h.statelessRevisions, revision[0]) || len(h.revisions) == 0
}

// isStatelessMessage reports whether a message is of a revision without sessions, judged by its params. Its
// headers do not say so, so it is refused unless they may be absent.
func (h *Handler) isStatelessMessage(m *jsonrpc.Message) bool {
	return (h.any || len(h.statelessRevisions) > 0) && runtime.CarriesRevision(m.Params)
}

// Refusals that several methods share.
var (
	errBatched   = web.Refuse(http.StatusBadRequest, "invalid request: initialize must not be part of a batch")
	errSessionID = web.Refuse(http.StatusBadRequest, "invalid request: the Mcp-Session-Id header is missing")
	errRevision  = web.Refuse(http.StatusBadRequest, "invalid request: the MCP-Protocol-Version header names a revision that is not supported")
	errNoRequest = web.Refuse(http.StatusBadRequest, "invalid request: the body must be a request or a notification")

	// errUnreachable refuses a request that the server has not answered although its client waits.
	errUnreachable      = &web.Refusal{Status: http.StatusServiceUnavailable, Code: jsonrpc.CodeUnavailable, Message: "unavailable: the server cannot be reached"}
	errClosingStateless = &web.Refusal{Status: http.StatusServiceUnavailable, Reason: reasonDraining, Code: jsonrpc.CodeUnavailable, Message: "unavailable: shutting down; try again later"}
)

// unsupported refuses a request whose header names a revision that the server does not speak, and whose
// body does not name another one.
func (h *Handler) unsupported(r *http.Request) error {
	requested := r.Header.Get(headerRevision)
	if requested == "" {
		return errSessionID
	}
	all := slices.Sorted(slices.Values(slices.Concat(h.statelessRevisions, h.revisions)))
	slices.Reverse(all)
	return web.RefuseError(http.StatusBadRequest, jsonrpc.UnsupportedVersion(requested, all))
}

// speaks reports whether a session may have the revision.
func (h *Handler) speaks(revision string) bool {
	return len(h.revisions) == 0 || slices.Contains(h.revisions, revision)
}

// open starts a session. If the handshake has a revision, the session is resumed. The request is the one
// that opens it; nil for a session of a single message. The function outbox is nil if no other process has the session.
func (h *Handler) open(s *Session, r *http.Request, handshake runtime.Handshake, outbox func(*Session) runtime.Outbox) error {
	err := h.sessions.open(s, r, func() (err error) {
		if outbox != nil {
			s.outbox = outbox(s)
		}
		s.inbox, err = h.server.Open(h.sessions.ctx, s.outbox, handshake, s.ended)
		return err
	})
	switch {
	case err != nil:
		s.end(runtime.ErrClosed)
	case s.over.Load(): // it has ended meanwhile
		s.inbox.End(runtime.ErrClosed)
	}
	return err
}

// sharedSession returns the session that all requests without one share, or nil if the server cannot open it or the
// handler is shut down. The first request opens it; after an error, the next one tries again. The session is not found by
// a key, sends nothing but the replies to requests, and ends with the handler.
func (h *Handler) sharedSession() *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch t := &h.sessions; {
	case t.closing.Load():
		return nil
	case h.shared == nil:
		s := h.newSession("", "")
		s.stateless = true
		var err error
		if s.inbox, err = h.server.Open(context.Background(), s, runtime.Handshake{Stateless: true}, s.ended); err != nil {
			h.log.Error("requests without a session cannot be served", "error", err)
			return nil
		}
		t.await(s)
		h.shared = s
	}
	return h.shared
}

// unreachable returns the error for a request without a session that was not answered.
func (h *Handler) unreachable() error {
	if h.sessions.closing.Load() {
		return errClosingStateless
	}
	return errUnreachable
}

// delete ends a session (section Session Management, 5).
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) error {
	s, err := h.checkSessionID(r)
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
func (h *Handler) Ready() bool { return !h.sessions.draining.Load() }

// Stats returns what the handler does now.
func (h *Handler) Stats() runtime.Stats {
	s := runtime.Stats{
		Requests: int(h.posts.Load()),
		Sessions: h.sessions.count.len(),
		Draining: h.sessions.draining.Load(),
		Refused:  h.gate.refusals(),
	}
	if of, ok := h.server.(interface{ Subscriptions() int }); ok {
		s.Subscriptions = of.Subscriptions()
	}
	return s
}
