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

	// User tells who has sent a request, as a middleware in front of the handler has found
	// out. A session is its user's alone: for others it does not exist (status 404). An error
	// is answered with status 403. Nil: whoever knows the id of a session may use it.
	User func(r *http.Request) (string, error)

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

	sessions sync.Map // key to *session
	all      *web.Sessions
	alarms   web.Alarms
}

// NewHandler makes a handler.
func NewHandler(server *runtime.Server, opts Options) *Handler {
	opts.MaxSessions = cmp.Or(max(opts.MaxSessions, 0), DefaultMaxSessions)
	opts.KeepAlive = cmp.Or(opts.KeepAlive, DefaultKeepAlive)
	opts.IOTimeout = cmp.Or(opts.IOTimeout, DefaultIOTimeout)
	return &Handler{
		server: server,
		opts:   opts,
		guard:  web.Guard{Hosts: opts.Hosts, Origins: opts.Origins},
		log:    server.Logger(),
		all:    web.NewSessions(opts.MaxSessions),
	}
}

// Close ends all sessions, refuses new ones and waits until all handlers of the server
// have returned. Give it to http.Server.RegisterOnShutdown, or the streams that clients
// keep open hold up Shutdown.
func (h *Handler) Close() {
	h.all.End(runtime.ErrClosed)
	h.all.Wait()
}

// ServeHTTP answers the requests of clients. It implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Serve(w, r, h.guard, h.log, h.serve)
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	switch r.Method {
	case http.MethodGet:
		return h.get(w, r)
	case http.MethodPost:
		return h.post(w, r)
	}
	w.Header().Set("Allow", "GET, POST")
	return web.Refuse(http.StatusMethodNotAllowed, "invalid request: the method is not allowed")
}

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
	id := rand.Text()
	key, err := web.User(h.opts.User).Key(r, id, h.log)
	if err != nil {
		return err
	}
	s := newSession(id, key, web.NewSink(w, h.opts.IOTimeout))
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
	h.sessions.Store(s.key, s)
	leave := func() {
		h.sessions.Delete(s.key)
		h.all.Leave()
	}
	err := h.all.Start(func() {
		defer leave()
		ctx := h.all.Context()
		if err := h.server.Serve(ctx, s); err != nil && ctx.Err() == nil {
			h.log.Debug("session failed", "error", err)
		}
	})
	if err != nil {
		leave()
	}
	return err
}

// wait waits until either side has ended the session.
func (h *Handler) wait(ctx context.Context, s *session) {
	beat, stop := web.Ticks(h.opts.KeepAlive)
	defer stop()
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
	key, err := web.User(h.opts.User).Key(r, r.URL.Query().Get(paramSession), h.log)
	if err != nil {
		return err
	}
	found, ok := h.sessions.Load(key)
	if !ok {
		return web.ErrNoSession
	}
	text, err := new(web.BodyReader).ReadBody(w, r, h.server.MaxMessage(), h.opts.IOTimeout, &h.alarms)
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
	case s.in <- runtime.Incoming{Text: text, Context: r.Context()}:
	case <-s.gone:
		return web.ErrNoSession
	case <-r.Context().Done():
		return nil
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}
