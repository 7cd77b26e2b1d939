// Package dial opens sessions with servers of which only the URL is known. The URL may be
// that of Streamable HTTP or that of its predecessor, HTTP with SSE. If you know the
// transport, use package streamable or sse directly.
//
// It implements the section Backwards Compatibility of basic/transports, revision
// 2025-11-25.
package dial

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/sse"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// Connect opens a session over Streamable HTTP. If the server refuses that with status 400,
// 404 or 405, Connect tries HTTP with SSE. For that, the client must be bound to a revision
// that the server speaks, such as 2024-11-05, and MaxRetries and Logger of opts are
// ignored. If the server refuses both, the error wraps a *[streamable.StatusError] of each.
func Connect(ctx context.Context, c *runtime.Client, url string, opts streamable.ClientOptions) (*runtime.Session, error) {
	newer, err := streamable.NewTransport(url, opts)
	if err != nil {
		return nil, err
	}
	session, err := c.Connect(ctx, newer)
	if err == nil || !older(err) {
		return session, err
	}
	transport, sseErr := sse.Dial(ctx, url, sse.ClientOptions{HTTPClient: opts.HTTPClient, Header: opts.Header, MaxMessage: opts.MaxMessage})
	if sseErr != nil {
		return nil, fmt.Errorf("dial: server accepts neither Streamable HTTP (%w) nor HTTP with SSE (%w)", err, sseErr)
	}
	return c.Connect(ctx, transport)
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
