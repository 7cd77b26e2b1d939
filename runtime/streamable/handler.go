package streamable

import (
	"cmp"
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
	if why := h.opts.guard(r); why != "" {
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

// find returns the session that a request names (section Session Management, 2 and 3), after
// [Handler.Enter]. The session keeps its negotiated revision, whichever supported revision the
// request names.
func (h *Handler) find(r *http.Request) (s *Session, err error) {
	if revision := r.Header.Get(headerRevision); revision != "" && !h.speaks(revision) {
		return nil, errRevision
	}
	id := r.Header.Get(headerSession)
	if id == "" {
		return nil, errSessionID
	}
	if h.opts.Sharing != nil {
		s, err = h.opts.Sharing.Find(r, id)
	} else if key, failed := h.Key(r, id); failed != nil {
		err = failed
	} else {
		s = h.Enter(key)
	}
	if _, refused := errors.AsType[*web.Refusal](err); err != nil && !refused {
		h.log.Error("a session could not be loaded", "error", err)
		err = web.Refuse(http.StatusServiceUnavailable, "unavailable: the session cannot be loaded")
	}
	if err == nil && s == nil {
		err = h.sessions.refusal()
	}
	return s, err
}

// user returns the user that sent a request. An error is a *web.Refusal.
func (h *Handler) user(r *http.Request) (string, error) {
	if h.opts.User == nil {
		return runtime.PrincipalOf(r.Context()), nil
	}
	user, err := h.opts.User(r)
	if err != nil {
		h.log.Warn("request refused", "reason", "the user is not known", "error", err)
		return "", errUser
	}
	return user, nil
}

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

// The defaults of Options.
const (
	defaultKeepAlive   = 30 * time.Second
	defaultIOTimeout   = 30 * time.Second
	defaultIdleTimeout = 30 * time.Minute
	defaultStreamAfter = time.Second
	defaultRetry       = time.Second
)

// Options configure a Handler. The zero value is safe: it protects a local server against web pages
// and limits what clients can occupy.
type Options struct {
	// Hosts are the allowed values of the Host header, without ports; "*" allows any. If Hosts is
	// empty, requests to a loopback address must name a loopback host. A local server behind a proxy
	// needs the proxy's public name here.
	Hosts []string
	// Origins are the origins, such as "https://app.example.com", whose pages may send requests in
	// addition to pages of the server's own host; "*" allows any. The headers by which browsers
	// allow cross-origin requests (CORS) are up to a middleware.
	Origins []string
	// User returns the user that sent a request, as determined by a middleware in front of the
	// handler. A session belongs to its user: for others it does not exist (status 404). An error
	// gives status 403. If User is nil, it is the user of [runtime.WithPrincipal], as the middleware of
	// runtime/auth sets it. Every client that knows the id of a session without a user can use
	// it, which suits servers with one user or none.
	User func(r *http.Request) (string, error)

	// Endpoint is the path or URL to which clients over HTTP with SSE send their messages. It must lead to this
	// handler. "" means the path of the request that opens the session.
	Endpoint string
	// Stateless makes the handler serve each POST of revisions with sessions alone: without session
	// ids, GET requests, or requests to the client. The MCP-Protocol-Version header determines the
	// revision. Later revisions have no sessions anyway.
	Stateless bool
	// Sharing lets handlers in other processes serve the sessions too. share.NewHandler sets it.
	Sharing Sharing
	// Events stores events for clients that come back. If it is nil, the handler uses
	// NewMemoryEvents(DefaultMemoryEvents).
	Events EventStore

	// MaxSessions limits the open sessions. At the limit, a new session replaces one whose client
	// has sent nothing after initialize, or otherwise the least recently used one. A session with a
	// request in progress, such as the GET of an open stream, is not replaced. If all sessions have
	// one, the new session is refused with status 503. 0 means 10,000.
	MaxSessions int
	// MaxSessionsPerUser limits the sessions of each user that User returns, as MaxSessions limits
	// all. 0 means 1,000, a negative number no limit.
	MaxSessionsPerUser int
	// MaxSessionsPerAddress limits the sessions that clients at each address have opened, as
	// MaxSessions limits all. 0 means 1,000, a negative number no limit.
	MaxSessionsPerAddress int
	// MaxRequests limits the requests in progress that belong to no session: those of revision
	// 2026-07-28, and those that open a session. Further ones are refused with status 503. MaxSessionsPerUser and
	// MaxSessionsPerAddress limit those of each user and address as well. 0 means 10,000.
	MaxRequests int
	// MaxBytes limits the bytes of messages in memory at a time, of all clients: bodies of requests until
	// they are handled, and answers until their clients have read them. A request beyond it is refused with
	// status 503 before its body is read. An answer beyond it becomes an error, or waits for its client to
	// come back for it where clients can. The last quarter is for messages of up to 64 KB, and messages of
	// up to 4 KB do not count. 0 means 256 MiB, a negative number no limit.
	MaxBytes int
	// Address returns the address of a request's client, in any form. Sessions with the address ""
	// are not limited by address. If Address is nil, it is the address of the connection (for IPv6
	// its network of 64 bits), and "" for loopback and private addresses, which may be those of a
	// proxy. A server behind a proxy should return the address from the proxy's header.
	Address func(r *http.Request) string
	// Load limits the requests in flight and their rate, of each caller and of all. By default it does
	// not limit them further.
	Load Load

	// DrainDelay is how long Shutdown and Close continue to serve everything after Ready has become false,
	// so that load balancers notice and send new requests elsewhere. 0 means not at all.
	DrainDelay time.Duration
	// IdleTimeout is how long a session stays open without a request in progress, including the GET
	// of an open stream. 0 means 30 minutes, a negative duration no limit. A session whose
	// client sends nothing after initialize ends after 10 seconds.
	IdleTimeout time.Duration
	// StreamAfter is the time after which a call that has sent nothing becomes an event stream, from
	// revision 2025-11-25 on, where a client can resume a stream from its beginning. The response then
	// has status 200, also if the call is refused later. 0 means a second, a negative duration
	// never.
	StreamAfter time.Duration
	// KeepAlive is the interval between comments on a silent event stream, by which a lost connection
	// is noticed. A request that takes longer is answered with an event stream. 0 means
	// 30 seconds, a negative duration no comments.
	KeepAlive time.Duration
	// IOTimeout limits the time for a body to arrive and for a client to accept an event. 0 means
	// 30 seconds, a negative duration no limit.
	IOTimeout time.Duration
	// Retry is how long clients are asked to wait before they come back. 0 means a second; with
	// a negative duration they are not told.
	Retry time.Duration
	// Disconnect lets handlers call [Disconnect]. Each call then runs in a goroutine of its own,
	// not in that of the connection, and takes a tenth longer.
	Disconnect bool

	sse bool // see NewSSEHandler
}

func (o Options) withDefaults() Options {
	if o.Events == nil {
		o.Events = NewMemoryEvents(DefaultMemoryEvents)
	}
	if o.Address == nil {
		o.Address = addressOf
	}
	o.IdleTimeout = cmp.Or(o.IdleTimeout, defaultIdleTimeout)
	o.StreamAfter = cmp.Or(o.StreamAfter, defaultStreamAfter)
	o.KeepAlive = cmp.Or(o.KeepAlive, defaultKeepAlive)
	o.IOTimeout = cmp.Or(o.IOTimeout, defaultIOTimeout)
	o.Retry = cmp.Or(o.Retry, defaultRetry)
	return o
}

// Load limits the JSON-RPC requests of clients, in sessions and without. A public server should set it.
// Zero means no limit in addition to those of Options and runtime.Limits. Notifications and the answers
// of clients are not limited, since calls in flight wait for them.
//
// A caller is the user that Options.User returns or, without one, the address that Options.Address
// returns. Requests without either are only limited together.
//
// A request beyond a limit is not begun. It is refused with the header Retry-After and a JSON-RPC error that
// has its id, with the code jsonrpc.CodeServerBusy, or jsonrpc.CodeUnavailable in revisions without sessions.
type Load struct {
	// MaxInFlight limits the requests in flight of all callers. Further ones get status 503. A request
	// is in flight until its handler has returned, even if its client has closed the connection. A call that
	// becomes a task is in flight until it is answered with the task; MaxRunning in tasks.Options limits those.
	// subscriptions/listen does not count, see MaxListeners in runtime.ServerOptions. A batch counts as
	// its requests; one that is larger than a limit is admitted when nothing else is in flight.
	MaxInFlight int
	// MaxInFlightPerCaller limits the requests in flight of each caller. Further ones get status 429.
	MaxInFlightPerCaller int

	// Rate limits the requests per second of each caller, on average. Further ones get status 429, and
	// the member retryAfterMs of the error's data says when the next one is admitted.
	Rate float64
	// Burst is how many requests of a caller may come at once. 0 means those of one second at Rate, and
	// at least one.
	Burst int
	// MaxCallers limits the callers that are remembered because of their rate. A new one replaces the one
	// that has sent nothing for longest. 0 means 10,000.
	MaxCallers int
}
