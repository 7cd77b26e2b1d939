// Package dial opens sessions with servers of which no more is known than their URL: it
// may be that of Streamable HTTP or that of HTTP with SSE, which was before it. Who knows
// which takes package streamable or sse.
//
// Rests on section Backwards Compatibility of basic/transports, revision 2025-11-25.
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

// Connect has the client open a session over Streamable HTTP. When the server refuses
// that with one of the statuses 400, 404 and 405, it is asked for a session over HTTP with
// SSE, for which the client must be bound to a revision that the server speaks, such as
// 2024-11-05. Of opts, MaxRetries and Logger have no use there. When the server refuses
// both, the error is a *[streamable.StatusError] of each.
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
		return nil, fmt.Errorf("dial: neither Streamable HTTP (%w) nor HTTP with SSE (%w)", err, sseErr)
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
