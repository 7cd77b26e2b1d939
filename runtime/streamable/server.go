package streamable

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/signals"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// NewServer returns a server for a [Handler], or for a mux or middleware with handlers. It limits what happens before a
// request reaches the handler, where an http.Server has no limits by default: otherwise clients could keep connections
// by sending little. The header of a request has to arrive within 10 seconds and may have 64 KiB, to which net/http adds
// 4 KiB; a longer one is refused with status 431. A connection may be idle for 2 minutes. A body that no handler has read
// has to arrive within 10 seconds, because net/http waits for it before it sends the response. The fields of the server
// may be changed before use.
func NewServer(h http.Handler) *http.Server {
	limited := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			limit := func() { _ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(waits.Refused)) }
			if r.Method == http.MethodGet || r.Method == http.MethodHead { // nobody reads it, and the response may be long
				limit()
			}
			body := &watchedBody{ReadCloser: r.Body}
			r = r.WithContext(r.Context())
			r.Body = body
			defer func() {
				// When the body has ended, net/http waits for the end of the connection, and would take the limit for
				// it if the client reads the response slowly: it would end the contexts of all later requests.
				if !body.ended.Load() {
					limit()
				}
			}()
		}
		h.ServeHTTP(w, r)
	})
	return &http.Server{
		Handler:           limited,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
}

// watchedBody is the body of a request that notes its end.
type watchedBody struct {
	io.ReadCloser
	ended atomic.Bool
}

// Read implements io.Reader.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.ended.Store(true)
	}
	return n, err
}

// ListenAndServe serves a handler at a path of a TCP address, such as "/mcp" at "localhost:8080",
// until ctx ends or the process gets SIGINT or SIGTERM. Then it shuts down gracefully, as
// [Handler.Close] does, and returns nil. A second signal ends the process at once. It logs the URL. It
// also answers the probes of [MountProbes].
//
//	handler := streamable.NewHandler(server, streamable.Options{})
//	err := streamable.ListenAndServe(ctx, "localhost:8080", "/mcp", handler)
//
// The handler is a [Handler], or leads to one by methods Unwrap() http.Handler, as a protected one
// does. If it has a method Mount(*http.ServeMux, string), that method registers it, so that it can have
// more paths:
//
//	err := streamable.ListenAndServe(ctx, "localhost:8080", "/mcp", guard.Protect(handler))
func ListenAndServe(ctx context.Context, address, path string, h http.Handler) error {
	sessions := sessionsOf(h)
	if sessions == nil {
		return fmt.Errorf("streamable: %T does not lead to a handler of sessions by methods Unwrap; give Serve both", h)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	if m, ok := h.(interface{ Mount(*http.ServeMux, string) }); ok {
		m.Mount(mux, path)
	} else {
		mux.Handle(path, h)
	}
	MountProbes(mux, sessions)
	logs.All(sessions.Logger()).Info("listening", "url", "http://"+reachable(address, l.Addr())+path)
	return Serve(ctx, l, NewServer(mux), sessions)
}

// sessionsOf returns the handler of sessions that a handler is or leads to, or nil.
func sessionsOf(h http.Handler) *Handler {
	switch h := h.(type) {
	case *Handler:
		return h
	case interface{ Unwrap() http.Handler }:
		return sessionsOf(h.Unwrap())
	}
	return nil
}

// reachable returns the address as clients write it: with the host that the program names, which the URL of a
// protected resource has, and the port that is listened at.
func reachable(address string, listened net.Addr) string {
	host, _, err := net.SplitHostPort(address)
	_, port, failed := net.SplitHostPort(listened.String())
	if err != nil || failed != nil || host == "" {
		return listened.String()
	}
	return net.JoinHostPort(host, port)
}

// Serve is [ListenAndServe] for an existing listener and server, such as one with TLS, middleware or
// more paths. The handler of the server must lead to the handlers of the sessions, which Serve shuts
// down. It closes the listener.
func Serve(ctx context.Context, l net.Listener, server *http.Server, sessions ...*Handler) error {
	ctx, stop := signals.Context(ctx)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	// The sessions end first: a client may need a connection to answer a question of a call in
	// flight, or to come back for the result of one.
	var open sync.WaitGroup
	for _, h := range sessions {
		open.Go(h.Close)
	}
	open.Wait()
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), waits.Finish)
	defer cancel()
	if server.Shutdown(bound) != nil {
		_ = server.Close() // there are no sessions left
	}
	if err == http.ErrServerClosed {
		return nil // the caller has shut it down
	}
	return err
}

// MountProbes lets a mux answer the probes of an orchestrator or a load balancer: GET /healthz has status
// 200 as long as the process serves HTTP, and GET /readyz has status 503 as soon as one of the handlers is
// being shut down. Neither needs authorization or reveals anything else. [ListenAndServe] calls it.
func MountProbes(mux *http.ServeMux, handlers ...*Handler) {
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { answerProbe(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range handlers {
			if !h.Ready() {
				answerProbe(w, http.StatusServiceUnavailable, "shutting down")
				return
			}
		}
		answerProbe(w, http.StatusOK, "ready")
	})
}

func answerProbe(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n")
}
