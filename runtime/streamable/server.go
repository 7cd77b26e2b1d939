package streamable

import (
	"net/http"
	"time"
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
