package sse

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// The limits of a handler where the options leave them zero.
const (
	DefaultMaxSessions = 10_000
	DefaultKeepAlive   = 30 * time.Second
	DefaultIOTimeout   = 30 * time.Second
)

// Options say how a handler serves. The zero value is safe, as in package streamable.
type Options struct {
	// Hosts are the values of the Host header that are allowed, without ports; "*" is
	// any. Empty: what arrives at a loopback address must name a loopback host.
	Hosts []string
	// Origins are the origins, such as "https://app.example.com", whose pages may send
	// requests, besides the pages of the server's own host; "*" is any.
	Origins []string

	// Endpoint is the path or URL that clients are told to send messages to; it must lead
	// to this handler. "" is the path of the request that opens the session.
	Endpoint string

	// MaxSessions bounds the sessions that are open at a time; further ones are refused
	// with status 503. 0 is DefaultMaxSessions.
	MaxSessions int
	// KeepAlive is how often a comment is sent, so that a connection that is gone is
	// noticed. 0 is DefaultKeepAlive, less is never.
	KeepAlive time.Duration
	// IOTimeout is how long a body may take to arrive, and how long a client may take to
	// accept an event; one that takes longer loses its session. 0 is DefaultIOTimeout,
	// less is for ever.
	IOTimeout time.Duration
}

// paramSession is the parameter of the endpoint's URL that has the session's id.
const paramSession = "sessionId"

// Handler serves the sessions of a runtime.Server: it takes the GET that opens one and
// the POSTs of its messages. It is safe for concurrent use.
type Handler struct {
	server *runtime.Server
	opts   Options
	guard  web.Guard
	log    *slog.Logger

	sessions sync.Map // id to *session
	open     atomic.Int64
	serving  sync.WaitGroup

	ctx   context.Context // that of all sessions
	close context.CancelCauseFunc
	mu    sync.Mutex // held while a session starts or ctx ends, so that Close waits for it
}

// NewHandler makes a handler.
func NewHandler(server *runtime.Server, opts Options) *Handler {
	opts.MaxSessions = cmp.Or(max(opts.MaxSessions, 0), DefaultMaxSessions)
	opts.KeepAlive = cmp.Or(opts.KeepAlive, DefaultKeepAlive)
	opts.IOTimeout = cmp.Or(opts.IOTimeout, DefaultIOTimeout)
	h := &Handler{
		server: server,
		opts:   opts,
		guard:  web.Guard{Hosts: opts.Hosts, Origins: opts.Origins},
		log:    server.Logger(),
	}
	h.ctx, h.close = context.WithCancelCause(context.Background())
	return h
}

// Close ends all sessions, refuses new ones and waits until all handlers of the server
// have returned. Give it to http.Server.RegisterOnShutdown, or the streams that clients
// keep open hold up Shutdown.
func (h *Handler) Close() {
	h.mu.Lock()
	h.close(runtime.ErrClosed)
	h.mu.Unlock()
	h.serving.Wait()
}

// ServeHTTP answers the requests of clients. It implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := h.guard.Check(r); why != "" {
		h.log.Warn("request refused", "reason", why, "host", r.Host, "origin", r.Header.Get("Origin"))
		web.Refuse(http.StatusForbidden, "forbidden: "+why).WriteTo(w)
		return
	}
	var err error
	switch r.Method {
	case http.MethodGet:
		err = h.get(w, r)
	case http.MethodPost:
		err = h.post(w, r)
	default:
		w.Header().Set("Allow", "GET, POST")
		err = web.Refuse(http.StatusMethodNotAllowed, "invalid request: the method is not allowed")
	}
	if refusal, ok := errors.AsType[*web.Refusal](err); ok {
		h.log.Debug("request refused", "http_method", r.Method, "error", refusal)
		refusal.WriteTo(w)
	}
}

var (
	errNoSession = web.Refuse(http.StatusNotFound, "not found: no such session")
	errTooMany   = web.Refuse(http.StatusServiceUnavailable, "unavailable: too many sessions")
	errClosing   = web.Refuse(http.StatusServiceUnavailable, "unavailable: the server is shutting down")
)

// get opens a session, which lasts as long as the request.
func (h *Handler) get(w http.ResponseWriter, r *http.Request) error {
	if !web.Accepts(r, eventstream.MediaType) {
		return web.Refuse(http.StatusNotAcceptable, "invalid request: the Accept header must have "+eventstream.MediaType)
	}
	endpoint, err := h.endpoint(r)
	if err != nil {
		h.log.Error("the endpoint is no URL", "error", err)
		return web.Refuse(http.StatusInternalServerError, "internal error")
	}
	s := newSession(rand.Text(), web.NewSink(w, h.opts.IOTimeout))
	query := endpoint.Query()
	query.Set(paramSession, s.id)
	endpoint.RawQuery = query.Encode()
	if err := h.start(s); err != nil {
		return err
	}
	defer s.leave()
	if s.event("endpoint", []byte(endpoint.String())) != nil {
		return nil
	}
	h.wait(r.Context(), s)
	return nil
}

// endpoint is the URL that the client of the request is to send messages to.
func (h *Handler) endpoint(r *http.Request) (*url.URL, error) {
	if h.opts.Endpoint == "" {
		// Not r.URL.Path: a mux may have taken a prefix off.
		u, err := url.ParseRequestURI(r.RequestURI)
		if err != nil {
			return nil, err
		}
		return &url.URL{Path: u.Path, RawPath: u.RawPath}, nil
	}
	return url.Parse(h.opts.Endpoint)
}

// start serves a session in a goroutine of its own.
func (h *Handler) start(s *session) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ctx.Err() != nil {
		return errClosing
	}
	if h.open.Add(1) > int64(h.opts.MaxSessions) {
		h.open.Add(-1)
		return errTooMany
	}
	h.sessions.Store(s.id, s)
	h.serving.Go(func() {
		defer h.open.Add(-1)
		defer h.sessions.Delete(s.id)
		if err := h.server.Serve(h.ctx, s); err != nil && h.ctx.Err() == nil {
			h.log.Debug("session failed", "error", err)
		}
	})
	return nil
}

// wait waits until either side has ended the session.
func (h *Handler) wait(ctx context.Context, s *session) {
	var beat <-chan time.Time
	if d := h.opts.KeepAlive; d > 0 {
		ticker := time.NewTicker(d)
		defer ticker.Stop()
		beat = ticker.C
	}
	for {
		select {
		case <-s.gone:
			return
		case <-ctx.Done():
			return
		case <-beat:
			s.beat()
		}
	}
}

// post takes a message.
func (h *Handler) post(w http.ResponseWriter, r *http.Request) error {
	if refusal := web.CheckPost(r, false); refusal != nil {
		return refusal
	}
	found, ok := h.sessions.Load(r.URL.Query().Get(paramSession))
	if !ok {
		return errNoSession
	}
	text, err := web.ReadBody(w, r, h.server.MaxMessage(), h.opts.IOTimeout)
	if err != nil {
		return err
	}
	// What cannot be answered by its id is answered here, where the client sees which
	// message it was. The session reads the text again.
	if !jsonrpc.IsBatch(text) {
		m, err := jsonrpc.Parse(text)
		if bad, ok := errors.AsType[*jsonrpc.Error](err); ok && (m.ID.IsZero() || m.Kind == jsonrpc.Response) {
			return &web.Refusal{Status: http.StatusBadRequest, Code: bad.Code, Message: bad.Message}
		}
	}
	s := found.(*session)
	select {
	case s.in <- text:
	case <-s.gone:
		return errNoSession
	case <-r.Context().Done():
		return nil
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}
