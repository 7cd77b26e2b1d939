package streamable

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/signals"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// The limits that NewServer sets.
const (
	// DefaultReadHeaderTimeout limits the time for the header of a request to arrive, from the
	// connection or the end of the previous request on.
	DefaultReadHeaderTimeout = 10 * time.Second
	// DefaultKeptConnection limits how long a connection stays open without a request.
	DefaultKeptConnection = 2 * time.Minute
	// DefaultMaxHeader limits the header of a request, in bytes; net/http adds 4 KiB to it. A larger
	// header gives status 431.
	DefaultMaxHeader = 64 << 10
)

// NewServer returns a server for a [Handler], for the handler of package sse, or for a mux or
// middleware with them. It limits what happens before a request reaches the handler, where an
// http.Server has no limits by default: otherwise clients could keep connections by sending little.
// Its fields may be changed before use.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: DefaultReadHeaderTimeout,
		IdleTimeout:       DefaultKeptConnection,
		MaxHeaderBytes:    DefaultMaxHeader,
	}
}

// SessionHandler is a [Handler], or the handler of package sse.
type SessionHandler interface {
	http.Handler
	// Close ends the sessions gracefully.
	Close()
	// Ready reports whether the handler takes new requests: it becomes false when Close is called.
	Ready() bool
	// Logger returns the logger of the handler's server.
	Logger() *slog.Logger
}

// ListenAndServe serves a handler at a path of a TCP address, such as "/mcp" at "localhost:8080",
// until ctx ends or the process gets SIGINT or SIGTERM. Then it shuts down gracefully, as
// [Handler.Close] does, and returns nil. A second signal ends the process at once. It logs the URL. It
// also answers the probes of [MountProbes].
//
//	handler := streamable.NewHandler(server, streamable.Options{})
//	err := streamable.ListenAndServe(ctx, "localhost:8080", "/mcp", handler)
func ListenAndServe(ctx context.Context, address, path string, h SessionHandler) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(path, h)
	MountProbes(mux, h)
	h.Logger().Info("listening", "url", "http://"+l.Addr().String()+path)
	return Serve(ctx, l, NewServer(mux), h)
}

// Serve is [ListenAndServe] for an existing listener and server, such as one with TLS, middleware or
// more paths. The handler of the server must lead to the handlers of the sessions, which Serve shuts
// down. It closes the listener. If a handler has an error in its options, Serve returns it at once.
func Serve(ctx context.Context, l net.Listener, server *http.Server, sessions ...SessionHandler) error {
	for _, h := range sessions {
		if checked, ok := h.(interface{ Err() error }); ok && checked.Err() != nil {
			_ = l.Close()
			return checked.Err()
		}
	}
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
