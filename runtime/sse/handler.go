package sse

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// paramSession is the parameter of the endpoint's URL with the session's id.
const paramSession = "sessionId"

// Handler serves the sessions of a server: the GET that opens one, and the POSTs of its
// messages. It is safe for concurrent use.
type Handler struct {
	// Endpoint is the path or URL to which clients send their messages. It must lead to this
	// handler. "" means the path of the request that opens the session. Set it before the first request.
	Endpoint string

	server   runtime.SessionServer
	opts     streamable.Options
	guard    web.Guard
	log      *slog.Logger
	users    web.Users
	sessions *web.Sessions[*session]
	traffic  *web.Load // nil if Options.Load limits nothing
	budget   *web.Budget
}

// NewHandler returns a handler for the sessions of server. The options are those of the handler of Streamable HTTP, so
// that a program which serves both has one set. A session is a connection here, which cannot be resumed: a session with
// a request after initialize is not replaced by another one, a client that takes longer than IOTimeout for an event
// loses its session, as does one for whose message MaxBytes has no room, and Stateless, Sharing, Events, MaxRequests,
// IdleTimeout, StreamAfter, Retry and Disconnect are about what this transport does not have.
func NewHandler(server runtime.SessionServer, opts streamable.Options) *Handler {
	if server == nil || server == runtime.SessionServer((*runtime.Server)(nil)) {
		panic("sse: NewHandler: the server is nil")
	}
	opts.KeepAlive = cmp.Or(opts.KeepAlive, web.DefaultKeepAlive)
	opts.IOTimeout = cmp.Or(opts.IOTimeout, web.DefaultIOTimeout)
	return &Handler{
		users:   web.Users{Of: opts.User, Log: server.Logger()},
		server:  server,
		opts:    opts,
		guard:   web.Guard{Hosts: opts.Hosts, Origins: opts.Origins},
		log:     server.Logger(),
		traffic: web.NewLoad(web.LoadLimits(opts.Load), opts.Address),
		budget:  web.NewBudget(opts.MaxBytes),
		sessions: web.NewSessions(web.Options[*session]{
			Limits: web.Limits{
				All: opts.MaxSessions, PerUser: opts.MaxSessionsPerUser, PerAddress: opts.MaxSessionsPerAddress, Address: opts.Address,
			},
			Drain:    opts.DrainDelay,
			End:      func(s *session, _ error) { s.end() },
			Shutdown: func(s *session, ctx context.Context) { s.inbox.Shutdown(ctx) },
		}),
	}
}

// Shutdown ends all sessions gracefully. Ready is false from now on, and after the DrainDelay of the options,
// Shutdown refuses new sessions with status 503, and new calls with an error. A session ends when its calls in
// flight are answered. If ctx ends first, the contexts of the remaining calls end, and their clients get an error.
// Shutdown returns when all sessions are over: nil, or the cause of ctx if that ended first.
//
// streamable.ListenAndServe calls it before http.Server.Shutdown.
func (h *Handler) Shutdown(ctx context.Context) error { return h.sessions.Shutdown(ctx) }

// Ready reports whether the handler takes new sessions: Shutdown was not called.
func (h *Handler) Ready() bool { return !h.sessions.Draining() }

// Close calls Shutdown with the Grace of the server's options as time limit, which begins after DrainDelay. It may be
// registered with http.Server.RegisterOnShutdown, but a client that needs a new connection to answer a question
// of the server cannot open one then.
func (h *Handler) Close() { h.sessions.Close(h.server.Grace(), h.Shutdown) }

// Scopes returns the scopes that the tools, prompts and resources of the server require.
func (h *Handler) Scopes() []string { return web.Scopes(h.server) }

// Logger returns the logger of the server.
func (h *Handler) Logger() *slog.Logger { return h.log }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	web.Serve(w, r, h.guard, h.log, nil, h.serve)
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
	if refusal := web.CheckGet(r); refusal != nil {
		return refusal
	}
	endpoint, err := h.endpoint(r)
	if err != nil {
		h.log.Error("the endpoint is not a URL", "error", err)
		return web.Refuse(http.StatusInternalServerError, "internal error")
	}
	id := rand.Text()
	key, err := h.users.Key(r, id)
	if err != nil {
		return err
	}
	s := newSession(h, id, key, web.NewResponse(w, h.opts.IOTimeout, h.budget))
	err = h.sessions.Open(&s.seat, r, func() (err error) {
		s.inbox, err = h.server.Open(h.sessions.Context(), s, runtime.Handshake{SessionOnly: true}, s.ended)
		return err
	})
	defer s.leave()
	if err != nil {
		return err
	}
	query := endpoint.Query()
	query.Set(paramSession, id)
	endpoint.RawQuery = query.Encode()
	if s.event("endpoint", []byte(endpoint.String())) == nil {
		h.wait(r.Context(), s)
	}
	return nil
}

// endpoint returns the URL to which the client of the request sends its messages.
func (h *Handler) endpoint(r *http.Request) (*url.URL, error) {
	if h.Endpoint != "" {
		return url.Parse(h.Endpoint)
	}
	u, err := url.ParseRequestURI(r.RequestURI) // a mux may have removed a prefix from r.URL.Path
	if err != nil {
		return nil, err
	}
	return &url.URL{Path: u.Path, RawPath: u.RawPath}, nil
}

// wait waits until either side has ended the session.
func (h *Handler) wait(ctx context.Context, s *session) {
	var beats <-chan time.Time
	if h.opts.KeepAlive > 0 {
		ticker := time.NewTicker(h.opts.KeepAlive)
		defer ticker.Stop()
		beats = ticker.C
	}
	for {
		select {
		case <-s.gone:
			return
		case <-ctx.Done():
			return
		case <-beats:
			s.beat()
		}
	}
}

// post accepts a message.
func (h *Handler) post(w http.ResponseWriter, r *http.Request) error {
	if refusal := web.CheckPost(r, false); refusal != nil {
		return refusal
	}
	key, err := h.users.Key(r, r.URL.Query().Get(paramSession))
	if err != nil {
		return err
	}
	s := h.sessions.Find(key)
	if s == nil {
		return h.sessions.NoSession()
	}
	response := web.NewResponse(w, h.opts.IOTimeout, h.budget)
	text, err := response.ReadBody(r, h.server.MaxMessage(), false)
	if err != nil {
		return err
	}
	in := runtime.Incoming{Text: text, Header: r.Header, Context: r.Context()}
	var admission *web.Admission
	if err = web.CheckMessage(in.Content()); err == nil {
		admission, err = h.traffic.Enter(r, web.UserOf(key), in.Content(), false)
	}
	release := func() {
		admission.Leave()
		response.Body.Release()
	}
	if err != nil {
		release()
		return err
	}
	if !s.use() {
		release()
		return h.sessions.NoSession()
	}
	if run := s.inbox.Accept(in); run == nil {
		release()
	} else {
		go func() {
			defer release()
			run()
		}()
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}
