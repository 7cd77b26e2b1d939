package streamable

import (
	"context"
	"net/http"
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file serves the requests of revisions without sessions (basic/transports/streamable-http,
// 2026-07-28). There are no ids of sessions or events, and the end of the connection cancels the request.

// isStateless reports whether a request is of a revision without sessions, judged by its headers. A
// handler of every revision, such as that of a proxy, does not know which revisions have sessions, but
// only clients of revisions without sessions send Mcp-Method.
func (h *Handler) isStateless(r *http.Request) bool {
	if h.any {
		return len(r.Header[headers.Method]) > 0
	}
	revision := r.Header[headerRevision]
	return len(revision) > 0 && slices.Contains(h.statelessRevisions, revision[0]) || len(h.revisions) == 0
}

// isStatelessMessage reports whether a message is of a revision without sessions, judged by its params. Its
// headers do not say so, so it is refused unless they may be absent.
func (h *Handler) isStatelessMessage(m *jsonrpc.Message) bool {
	return (h.any || len(h.statelessRevisions) > 0) && runtime.CarriesRevision(m.Params)
}

// unsupported refuses a request whose header names a revision that the server does not speak, and whose
// body does not name another one.
func (h *Handler) unsupported(r *http.Request) error {
	requested := r.Header.Get(headerRevision)
	if requested == "" {
		return errSessionID
	}
	all := slices.Sorted(slices.Values(slices.Concat(h.statelessRevisions, h.revisions)))
	slices.Reverse(all)
	return web.RefuseError(http.StatusBadRequest, jsonrpc.UnsupportedVersion(requested, all))
}

var (
	// errUnreachable refuses a request that the server has not answered although its client waits.
	errUnreachable      = &web.Refusal{Status: http.StatusServiceUnavailable, Code: jsonrpc.CodeUnavailable, Message: "unavailable: the server cannot be reached"}
	errClosingStateless = &web.Refusal{Status: http.StatusServiceUnavailable, Reason: reasonDraining, Code: jsonrpc.CodeUnavailable, Message: "unavailable: shutting down; try again later"}
	errNoRequest        = web.Refuse(http.StatusBadRequest, "invalid request: the body must be a request or a notification")
)

// sharedSession returns the session that all requests without one share, or nil if the server cannot open it or the
// handler is shut down. The first request opens it; after an error, the next one tries again. The session is not found by
// a key, sends nothing but the replies to requests, and ends with the handler.
func (h *Handler) sharedSession() *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch t := &h.sessions; {
	case t.closing.Load():
		return nil
	case h.shared == nil:
		s := h.newSession("", "")
		s.stateless = true
		var err error
		if s.inbox, err = h.server.Open(context.Background(), s, runtime.Handshake{Stateless: true}, s.ended); err != nil {
			h.log.Error("requests without a session cannot be served", "error", err)
			return nil
		}
		t.await(s)
		h.shared = s
	}
	return h.shared
}

// unreachable returns the error for a request without a session that was not answered.
func (h *Handler) unreachable() error {
	if h.sessions.closing.Load() {
		return errClosingStateless
	}
	return errUnreachable
}
