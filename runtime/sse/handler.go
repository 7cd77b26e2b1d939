package sse

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"math"
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
	DefaultMaxSessions           = web.DefaultMaxSessions
	DefaultMaxSessionsPerUser    = web.DefaultMaxSessionsPerUser
	DefaultMaxSessionsPerAddress = web.DefaultMaxSessionsPerAddress
	DefaultKeepAlive             = 30 * time.Second
	DefaultIOTimeout             = 30 * time.Second
)

// Options say how a handler serves. The zero value is safe, as in package streamable.
type Options struct {
	// Hosts are the values of the Host header that are allowed, without ports; "*" is
	// any. Empty: what arrives at a loopback address must name a loopback host.
	Hosts []string
	// Origins are the origins, such as "https://app.example.com", whose pages may send
	// requests, besides the pages of the server's own host; "*" is any.
	Origins []string

	// User returns the user that sent a request, which a middleware in front of the handler
	// has determined. A session belongs to its user: for others it does not exist (status 404).
	// An error is answered with status 403. If User is nil, every client that knows the id of a
	// session can use it.
	User func(r *http.Request) (string, error)

	// Endpoint is the path or URL that clients are told to send messages to; it must lead
	// to this handler. "" is the path of the request that opens the session.
	Endpoint string

	// MaxSessions limits the open sessions. At the limit, a new session replaces one whose
	// client has sent nothing after initialize; if there is none, the new session is refused
	// with status 503. A session whose client sends nothing after initialize for 10 seconds
	// ends. It defaults to DefaultMaxSessions.
	MaxSessions int
	// MaxSessionsPerUser bounds the sessions of each user that User tells apart, as MaxSessions
	// bounds all. 0 is DefaultMaxSessionsPerUser, less is no limit.
	MaxSessionsPerUser int
	// MaxSessionsPerAddress bounds the sessions that clients at each address have opened, as
	// MaxSessions bounds all. 0 is DefaultMaxSessionsPerAddress, less is no limit.
	MaxSessionsPerAddress int
	// Address returns the address at which the client of a request is, as in package streamable.
	Address func(r *http.Request) string
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
	server runtime.SessionServer
	opts   Options
	guard  web.Guard
	log    *slog.Logger

	sessions sync.Map // key to *session
	all      *web.Sessions
	places   *web.Places
	alarms   web.Alarms
}

// NewHandler makes a handler.
func NewHandler(server runtime.SessionServer, opts Options) *Handler {
	opts.KeepAlive = cmp.Or(opts.KeepAlive, DefaultKeepAlive)
	opts.IOTimeout = cmp.Or(opts.IOTimeout, DefaultIOTimeout)
	return &Handler{
		server: server,
		opts:   opts,
		guard:  web.Guard{Hosts: opts.Hosts, Origins: opts.Origins},
		log:    server.Logger(),
		all:    web.NewSessions(math.MaxInt), // places bound them
		places: web.NewPlaces(opts.MaxSessions, opts.MaxSessionsPerUser, opts.MaxSessionsPerAddress, opts.User, opts.Address),
	}
}

// Shutdown ends all sessions gracefully. Requests to open a session are refused with status
// 503, and calls with an error. Calls in flight go on until they are answered, and a session
// without any ends. When ctx ends first, the contexts of the handlers that still run end, and
// their calls are answered with an error. Shutdown returns when all sessions are over: nil,
// or the cause of ctx if that ended before.
//
// streamable.ListenAndServe calls it, and then http.Server.Shutdown.
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
	if err := h.places.Enter(&s.place, s, r, key, id); err != nil {
		return err
	}
	defer h.places.Leave(&s.place)
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

// start begins a session, which is found from then on.
func (h *Handler) start(s *session) error {
	leave := func() {
		h.sessions.Delete(s.key)
		h.all.Leave()
	}
	ended := func(err error) {
		leave()
		if err != nil {
			h.log.Debug("session failed", "error", err)
		}
		h.all.Done(s)
	}
	err := h.all.Begin(s, func() error {
		var err error
		s.inbox, err = h.server.Open(h.all.Context(), s, runtime.Handshake{}, ended)
		if err == nil {
			h.sessions.Store(s.key, s)
		}
		return err
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
	unused := time.NewTimer(web.InitTimeout)
	defer unused.Stop()
	for {
		select {
		case <-s.gone:
			return
		case <-unused.C:
			if !s.used() {
				return
			}
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
		return h.all.NoSession()
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
	if s.isGone() {
		return h.all.NoSession()
	}
	s.posts.Add(1)
	s.inbox.Deliver(runtime.Incoming{Text: text, Context: r.Context()})
	w.WriteHeader(http.StatusAccepted)
	return nil
}
