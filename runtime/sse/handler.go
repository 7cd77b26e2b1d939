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
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// The defaults of Options.
const (
	defaultKeepAlive = 30 * time.Second
	defaultIOTimeout = 30 * time.Second
)

// Options configure a Handler. The zero value is safe, as in package streamable.
type Options struct {
	// Hosts are the allowed values of the Host header, without ports; "*" allows any. If Hosts is
	// empty, requests to a loopback address must name a loopback host.
	Hosts []string
	// Origins are the origins, such as "https://app.example.com", whose pages may send requests in
	// addition to pages of the server's own host; "*" allows any.
	Origins []string
	// User returns the user that sent a request, as determined by a middleware in front of the
	// handler. A session belongs to its user: for others it does not exist (status 404). An error
	// gives status 403. If User is nil, it is the user of [runtime.WithPrincipal], as the middleware
	// of runtime/auth sets it; every client that knows the id of a session without a user can
	// use it.
	User func(r *http.Request) (string, error)

	// Endpoint is the path or URL to which clients send their messages. It must lead to this
	// handler. "" means the path of the request that opens the session.
	Endpoint string

	// MaxSessions limits the open sessions. At the limit, a new session replaces one whose client has
	// sent nothing after initialize, or is refused with status 503 if there is none. A session whose
	// client sends nothing after initialize ends after 10 seconds. 0 means 10,000.
	MaxSessions int
	// MaxSessionsPerUser limits the sessions of each user that User returns, as MaxSessions limits
	// all. 0 means 1,000, a negative number no limit.
	MaxSessionsPerUser int
	// MaxSessionsPerAddress limits the sessions that clients at each address have opened, as
	// MaxSessions limits all. 0 means 1,000, a negative number no limit.
	MaxSessionsPerAddress int
	// MaxBytes limits the bytes of messages in memory at a time, as in package streamable: a message of a
	// client beyond it is refused with status 503, and a session that cannot be sent a message ends. 0 means
	// 256 MiB, a negative number no limit.
	MaxBytes int
	// Address returns the address of a request's client, as in package streamable.
	Address func(r *http.Request) string

	// KeepAlive is the interval between comments on the stream, by which a lost connection is
	// noticed. 0 means 30 seconds, a negative duration means no comments.
	KeepAlive time.Duration
	// IOTimeout limits the time for a body to arrive and for a client to accept an event. A client
	// that takes longer for an event loses its session. 0 means 30 seconds, a negative
	// duration no limit.
	IOTimeout time.Duration
}

// paramSession is the parameter of the endpoint's URL with the session's id.
const paramSession = "sessionId"

// Handler serves the sessions of a server: the GET that opens one, and the POSTs of its
// messages. It is safe for concurrent use.
type Handler struct {
	server   runtime.SessionServer
	opts     Options
	guard    web.Guard
	log      *slog.Logger
	sessions *web.Sessions
	budget   *web.Budget
}

// NewHandler returns a handler for the sessions of server.
func NewHandler(server runtime.SessionServer, opts Options) *Handler {
	opts.KeepAlive = cmp.Or(opts.KeepAlive, defaultKeepAlive)
	opts.IOTimeout = cmp.Or(opts.IOTimeout, defaultIOTimeout)
	if opts.User == nil {
		opts.User = func(r *http.Request) (string, error) { return runtime.PrincipalOf(r.Context()), nil }
	}
	return &Handler{
		server: server,
		opts:   opts,
		guard:  web.Guard{Hosts: opts.Hosts, Origins: opts.Origins},
		log:    server.Logger(),
		budget: web.NewBudget(opts.MaxBytes),
		sessions: web.NewSessions(web.Limits{
			All: opts.MaxSessions, PerUser: opts.MaxSessionsPerUser, PerAddress: opts.MaxSessionsPerAddress, Address: opts.Address,
		}, opts.User),
	}
}

// Shutdown ends all sessions gracefully. It refuses new sessions with status 503, and new calls with
// an error. A session ends when its calls in flight are answered. If ctx ends first, the contexts of
// the remaining calls end, and their clients get an error. Shutdown returns when all sessions are
// over: nil, or the cause of ctx if that ended first.
//
// streamable.ListenAndServe calls it before http.Server.Shutdown.
func (h *Handler) Shutdown(ctx context.Context) error { return h.sessions.Shutdown(ctx) }

// Ready reports whether the handler takes new sessions: Shutdown was not called.
func (h *Handler) Ready() bool { return !h.sessions.Closing() }

// Close calls Shutdown with the Grace of the server's options as time limit. It may be registered
// with http.Server.RegisterOnShutdown, but a client that needs a new connection to answer a question
// of the server cannot open one then.
func (h *Handler) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), h.server.Grace())
	defer cancel()
	_ = h.Shutdown(ctx) // the error only says that Grace was not enough
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

// ServeHTTP implements http.Handler.
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
	if refusal := web.CheckGet(r); refusal != nil {
		return refusal
	}
	endpoint, err := h.endpoint(r)
	if err != nil {
		h.log.Error("the endpoint is not a URL", "error", err)
		return web.Refuse(http.StatusInternalServerError, "internal error")
	}
	id := rand.Text()
	key, err := web.User(h.opts.User).Key(r, id, h.log)
	if err != nil {
		return err
	}
	s := newSession(h, id, web.NewResponse(w, h.opts.IOTimeout, h.budget))
	err = h.sessions.Open(s, r, key, id, func() (err error) {
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
	if h.opts.Endpoint != "" {
		return url.Parse(h.opts.Endpoint)
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
	unused := time.NewTimer(waits.FirstUse)
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
	key, err := web.User(h.opts.User).Key(r, r.URL.Query().Get(paramSession), h.log)
	if err != nil {
		return err
	}
	s, ok := h.sessions.Find(key).(*session)
	if !ok {
		return h.sessions.NoSession()
	}
	response := web.NewResponse(w, h.opts.IOTimeout, h.budget)
	text, err := response.ReadBody(r, h.server.MaxMessage(), web.CodeBusy(false))
	if err != nil {
		return err
	}
	in := runtime.Incoming{Text: text, Header: r.Header, Context: r.Context()}
	if err := web.CheckMessage(in.Content()); err != nil {
		response.Body.Release()
		return err
	}
	if !s.use() {
		response.Body.Release()
		return h.sessions.NoSession()
	}
	if run := s.inbox.Accept(in); run == nil {
		response.Body.Release()
	} else {
		go func() {
			defer response.Body.Release()
			run()
		}()
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}
