package streamable

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/signals"
)

// The limits of NewServer.
const (
	// DefaultReadHeaderTimeout is how long the header of a request may take to arrive, from
	// the connection or the end of the request before it on.
	DefaultReadHeaderTimeout = 10 * time.Second
	// DefaultKeptConnection is how long a connection may stay without a request.
	DefaultKeptConnection = 2 * time.Minute
	// DefaultMaxHeader bounds the header of a request, in bytes; a larger one is answered
	// with status 431. Net/http adds 4 KiB to it.
	DefaultMaxHeader = 64 << 10
)

// finishWait bounds the wait for the other requests to an http.Server when no session is
// left.
const finishWait = 2 * time.Second

// NewServer makes a server for a [Handler], that of package sse, or a mux or middleware with
// them. Its limits are on what comes before a request reaches a handler, where an http.Server
// has none by itself, so that those who open connections and say little keep them for
// seconds; the handlers limit what comes after. Change its fields as you like before use.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: DefaultReadHeaderTimeout,
		IdleTimeout:       DefaultKeptConnection,
		MaxHeaderBytes:    DefaultMaxHeader,
	}
}

// SessionHandler is a [Handler], or that of package sse.
type SessionHandler interface {
	http.Handler
	// Close ends the sessions gracefully.
	Close()
	// Logger is that of the handler's server.
	Logger() *slog.Logger
}

// ListenAndServe serves the sessions of a handler at a path of a TCP address, such as "/mcp"
// of "localhost:8080", until ctx ends or the process gets SIGINT or SIGTERM. Then it shuts
// down gracefully, see [Handler.Shutdown], and returns nil. A second signal ends the process
// at once. It logs the URL to the logger of the handler's server.
func ListenAndServe(ctx context.Context, address, path string, h SessionHandler) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(path, h)
	h.Logger().Info("listening", "url", "http://"+l.Addr().String()+path)
	return Serve(ctx, l, NewServer(mux), h)
}

// Serve is [ListenAndServe] for a listener and a server of the caller's, whose handler leads
// to those of the sessions. It is for servers with TLS, middleware or further paths. It
// closes the listener.
func Serve(ctx context.Context, l net.Listener, server *http.Server, sessions ...SessionHandler) error {
	ctx, stop := signals.Context(ctx)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	// The sessions end first: a client may need a connection to answer a question of a
	// call in flight, or to come back for the result of one.
	var open sync.WaitGroup
	for _, h := range sessions {
		open.Go(h.Close)
	}
	open.Wait()
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWait)
	defer cancel()
	if server.Shutdown(bound) != nil {
		_ = server.Close() // nothing is left to be told
	}
	if err == http.ErrServerClosed {
		return nil // the caller has shut it down
	}
	return err
}
