package sse

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// Handler serves the sessions of a server: the GET that opens one, and the POSTs of its
// messages. It is safe for concurrent use.
type Handler struct {
	// Endpoint is the path or URL to which clients send their messages. It must lead to this
	// handler. "" means the path of the request that opens the session. Set it before the first request.
	Endpoint string

	sessions *streamable.Handler
}

// NewHandler returns a handler for the sessions of server. The options are those of the handler of Streamable HTTP, so
// that a program which serves both has one set. A session is a connection here, which cannot be resumed: a session with
// a request after initialize is not replaced by another one, a client that takes longer than IOTimeout for an event
// loses its session, as does one for whose request or notification MaxBytes has no room, and Stateless, Sharing, Events,
// MaxRequests, IdleTimeout, StreamAfter, Retry and Disconnect are about what this transport does not have.
func NewHandler(server runtime.SessionServer, opts streamable.Options) *Handler {
	if server == nil || server == runtime.SessionServer((*runtime.Server)(nil)) {
		panic("sse: NewHandler: the server is nil")
	}
	opts.Stateless, opts.Sharing, opts.Events, opts.IdleTimeout = false, nil, nil, 0
	return &Handler{sessions: streamable.NewHandler(server, opts)}
}

// Shutdown ends all sessions gracefully. Ready is false from now on, and after the DrainDelay of the options,
// Shutdown refuses new sessions with status 503, and new calls with an error. A session ends when its calls in
// flight are answered. If ctx ends first, the contexts of the remaining calls end, and their clients get an error.
// Shutdown returns when all sessions are over: nil, or the cause of ctx if that ended first.
//
// streamable.ListenAndServe calls it before http.Server.Shutdown.
func (h *Handler) Shutdown(ctx context.Context) error { return h.sessions.Shutdown(ctx) }

// Ready reports whether the handler takes new sessions: Shutdown was not called.
func (h *Handler) Ready() bool { return h.sessions.Ready() }

// Close calls Shutdown with the Grace of the server's options as time limit, which begins after DrainDelay. It may be
// registered with http.Server.RegisterOnShutdown, but a client that needs a new connection to answer a question
// of the server cannot open one then.
func (h *Handler) Close() { h.sessions.Close() }

// Scopes returns the scopes that the tools, prompts and resources of the server require.
func (h *Handler) Scopes() []string { return h.sessions.Scopes() }

// Logger returns the logger of the server.
func (h *Handler) Logger() *slog.Logger { return h.sessions.Logger() }

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.sessions.ServeSSE(w, r, h.Endpoint)
}
