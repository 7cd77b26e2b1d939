package streamable

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"sync"

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
	server runtime.SessionServer
	opts   Options
	guard  web.Guard
	log    *slog.Logger

	revisions []string // that the server speaks; none means all

	all       *web.Sessions // those without an id included
	places    *web.Places   // of those with an id
	alarms    web.Alarms
	openings  web.Alarms // of answers that become streams; apart, because they are much shorter
	lingering lingering

	mu       sync.RWMutex
	sessions map[string]*session // by key
}

// NewHandler makes a handler.
func NewHandler(server runtime.SessionServer, opts Options) *Handler {
	opts = opts.withDefaults()
	most := math.MaxInt // places bound those with an id
	if opts.Stateless {
		most = opts.MaxSessions
	}
	return &Handler{
		server:    server,
		opts:      opts,
		guard:     opts.guard(),
		log:       server.Logger(),
		revisions: server.Revisions(),
		all:       web.NewSessions(most),
		places:    web.NewPlaces(opts.MaxSessions, opts.MaxSessionsPerUser, opts.MaxSessionsPerAddress, opts.User, opts.Address),
		sessions:  make(map[string]*session),
	}
}

// Shutdown ends all sessions gracefully. Requests to open a session or to call something
// are refused with status 503, and the streams on which clients listen end. Calls in flight
// go on until they are answered; meanwhile the handler takes what belongs to them, such as
// the client's answers and GET requests that resume their streams. When ctx ends first,
// the contexts of the handlers that still run end, and their calls are answered with an
// error. Shutdown returns when all sessions are over: nil, or the cause of ctx if that ended
// before.
//
// [ListenAndServe] calls it, and then http.Server.Shutdown.
func (h *Handler) Shutdown(ctx context.Context) error { return h.all.Shutdown(ctx) }

// Close is Shutdown that gives the calls in flight the Grace of the server's options. It
// can be given to http.Server.RegisterOnShutdown, though then clients that have to open a
// connection to answer a question of the server find none.
func (h *Handler) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), h.server.Grace())
	defer cancel()
	_ = h.Shutdown(ctx) // an error would say that Grace was not enough
}

// Logger is that of the server.
func (h *Handler) Logger() *slog.Logger { return h.log }

// ServeHTTP answers the requests of clients (2025-11-25, basic/transports, Streamable
// HTTP). It implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Serve(w, r, h.guard, h.log, h.serve)
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	switch {
	case r.Method == http.MethodPost:
		return h.post(w, r)
	case r.Method == http.MethodGet && !h.opts.Stateless:
		return h.get(w, r)
	case r.Method == http.MethodDelete && !h.opts.Stateless:
		return h.delete(w, r)
	}
	allow := "GET, POST, DELETE"
	if h.opts.Stateless {
		allow = "POST"
	}
	w.Header().Set("Allow", allow)
	return web.Refuse(http.StatusMethodNotAllowed, "invalid request: the method is not allowed")
}

// The refusals that several methods share.
var (
	errSessionID   = web.Refuse(http.StatusBadRequest, "invalid request: the Mcp-Session-Id header is missing")
	errUnspoken    = web.Refuse(http.StatusBadRequest, "invalid request: the MCP-Protocol-Version header names a revision that is not supported")
	errEventID     = web.Refuse(http.StatusBadRequest, "invalid request: the Last-Event-ID header is not an id of this server")
	errNothingLeft = web.Refuse(http.StatusMethodNotAllowed, "the stream of Last-Event-ID has ended, and nothing comes after that event")
	errEventsGone  = web.Refuse(http.StatusBadRequest, "invalid request: the events after Last-Event-ID are no longer kept")
)

// find returns the session that a request names (section Session Management, 2 and 3), entered.
// The session keeps the revision that it has negotiated, whichever supported one the request
// names.
func (h *Handler) find(r *http.Request) (*session, error) {
	if revision := r.Header.Get(headerRevision); revision != "" && !h.speaks(revision) {
		return nil, errUnspoken
	}
	id := r.Header.Get(headerSession)
	if id == "" {
		return nil, errSessionID
	}
	key, err := web.User(h.opts.User).Key(r, id, h.log)
	if err != nil {
		return nil, err
	}
	s, err := h.lookup(r, id, key)
	if err != nil {
		return nil, err
	}
	if !s.enter() {
		return nil, h.all.NoSession()
	}
	return s, nil
}

// speaks reports whether a session may have the revision.
func (h *Handler) speaks(revision string) bool {
	return len(h.revisions) == 0 || slices.Contains(h.revisions, revision)
}

// lookup finds a session here or in the store.
func (h *Handler) lookup(r *http.Request, id, key string) (*session, error) {
	if s := h.known(key); s != nil {
		return s, nil
	}
	if h.opts.Sessions == nil || h.all.Closing() {
		return nil, h.all.NoSession()
	}
	handshake, err := h.opts.Sessions.Load(r.Context(), key)
	switch {
	case errors.Is(err, ErrSessionUnknown):
		return nil, web.ErrNoSession
	case err != nil:
		h.log.Error("a session could not be loaded", "error", err)
		return nil, web.Refuse(http.StatusServiceUnavailable, "unavailable: the session cannot be loaded")
	case !h.speaks(handshake.Revision):
		return nil, web.ErrNoSession
	}
	s := h.newSession(id, key, 0)
	s.handshake, s.stays, s.used = handshake, true, true
	err = h.start(s, r)
	if other := h.known(key); other != nil && err == errTaken {
		return other, nil
	}
	return s, err
}

// errTaken tells that another request has begun the session; if it has ended again, the client
// is told that there is none.
var errTaken = error(web.ErrNoSession)

// start begins a session, from when on it is found. One whose handshake is known is resumed. The
// request is the one that brings it.
func (h *Handler) start(s *session, r *http.Request) error {
	err := h.all.Begin(s, func() error {
		if s.id != "" && h.known(s.key) != nil {
			return errTaken
		}
		var err error
		s.inbox, err = h.server.Open(h.all.Context(), s, s.handshake, s.ended)
		if err == nil && s.id != "" {
			h.add(s)
		}
		return err
	})
	if err == nil && s.id != "" {
		err = h.places.Enter(&s.place, s, r, s.key, s.id)
		if s.isGone() {
			h.places.Leave(&s.place) // which has been too early before
		}
	}
	if err != nil {
		s.end(runtime.ErrClosed)
	}
	return err
}

// known is the session of a key; nil when there is none here.
func (h *Handler) known(key string) *session {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.sessions[key]
}

func (h *Handler) add(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[s.key] = s
}

// remove takes a session that has ended out of the table.
func (h *Handler) remove(s *session) {
	h.mu.Lock()
	if h.sessions[s.key] == s {
		delete(h.sessions, s.key)
	}
	h.mu.Unlock()
	h.places.Leave(&s.place)
	h.all.Leave()
}
