// Package dial connects to servers when only their URL is known. The URL may be that of Streamable
// HTTP or that of its predecessor, HTTP with SSE. If you know the transport, use package streamable
// or sse directly.
//
// It implements the section Backwards Compatibility of basic/transports, revision
// 2025-11-25.
package dial

import (
	"context"
	"errors"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	//lint:ignore SA1019 It is for peers that have nothing newer.
	"github.com/mcpgen/mcpgen/runtime/sse"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// Transport is a client's runtime.Transport to a URL. Create it with URL or With.
type Transport struct {
	*streamable.Transport
	url  string
	opts streamable.ClientOptions
	err  error // of the URL
}

// URL returns a transport to a server. The session uses Streamable HTTP. If the server
// refuses that with status 400, 404 or 405, it uses HTTP with SSE; for that, the client must
// speak a revision that the server speaks, such as 2024-11-05. If the server refuses both,
// the error of connecting wraps a *[streamable.StatusError] of each.
func URL(url string) *Transport { return With(url, streamable.ClientOptions{}) }

// With is URL with options. HTTP with SSE ignores MaxRetries.
func With(url string, opts streamable.ClientOptions) *Transport {
	newer, err := streamable.NewTransport(url, opts)
	return &Transport{newer, url, opts, err}
}

// Open implements runtime.Remote. It returns an error for a text that is not an HTTP URL.
func (t *Transport) Open(context.Context) error { return t.err }

// Close implements runtime.Transport.
func (t *Transport) Close() error {
	if t.err != nil {
		return nil
	}
	return t.Transport.Close()
}

// Restart implements runtime.Remote.
func (t *Transport) Restart() (runtime.Transport, error) { return With(t.url, t.opts), nil }

// Fallback implements runtime.Remote.
func (t *Transport) Fallback(ctx context.Context, refused error) (runtime.Transport, error) {
	if !older(refused) {
		return nil, refused
	}
	transport, err := sse.Dial(ctx, t.url, t.opts)
	if err != nil {
		return nil, prefix.Errorf("dial: server accepts neither Streamable HTTP (%w) nor HTTP with SSE (%w)", refused, err)
	}
	return transport, nil
}

// older reports whether the error may be that of a server of HTTP with SSE.
func older(err error) bool {
	refused, ok := errors.AsType[*streamable.StatusError](err)
	if !ok {
		return false
	}
	switch refused.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	}
	return false
}
