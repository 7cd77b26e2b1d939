package streamable

import (
	"errors"
	"net/http"
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// This file serves the requests of revisions without sessions (basic/transports/streamable-http,
// 2026-07-28). Each is a POST of its own with a response of its own: JSON, or an event stream if a
// notification comes first. There are no ids of sessions or events, and the end of the connection cancels
// the request.

// isStateless reports whether a request is of a revision without sessions, judged by its headers. A
// handler of every revision, such as that of a proxy, does not know which revisions have sessions, but
// only clients of the others send Mcp-Method.
func (h *Handler) isStateless(r *http.Request) bool {
	if h.any {
		return len(r.Header[headers.Method]) > 0
	}
	revision := r.Header[headerRevision]
	return len(revision) > 0 && slices.Contains(h.stateless, revision[0]) || len(h.revisions) == 0
}

// carriesTerms reports whether a message is of a revision without sessions, judged by itself. Its headers
// do not match that, so it is refused unless they may be absent.
func (h *Handler) carriesTerms(m *jsonrpc.Message) bool {
	return (h.any || len(h.stateless) > 0) && runtime.CarriesTerms(m.Params)
}

// postStateless accepts a message of a revision without sessions. The text is that of the message, or ""
// if the body was not read yet.
func (h *Handler) postStateless(w http.ResponseWriter, r *http.Request, text string) error {
	counted, err := h.requests.Enter(r, h.log)
	if err != nil {
		return err
	}
	defer h.requests.Leave(counted)
	if user := counted.User(); user != runtime.PrincipalOf(r.Context()) {
		r = r.WithContext(runtime.WithPrincipal(r.Context(), user))
	}
	l, fresh, err := h.lanes.take()
	if err != nil {
		return err
	}
	defer func() { h.lanes.give(l) }()
	l.Init(w, h.opts.IOTimeout, h.budget)
	if text == "" {
		if text, err = l.ReadBody(r, h.server.MaxMessage(), web.CodeBusy(true)); err != nil {
			return err
		}
	}
	admission, err := h.enter(r, counted.User(), text, true)
	if err != nil {
		return err
	}
	defer admission.Leave()
	for {
		if err := l.serve(r, &text); err != errNotBegun {
			return err
		}
		if fresh {
			return h.lanes.refusal()
		}
		next, isFresh, err := h.lanes.take()
		if err != nil {
			return err
		}
		next.Init(w, h.opts.IOTimeout, h.budget)
		next.Body, l.Body = l.Body, web.Hold{}
		h.lanes.give(l)
		l, fresh = next, isFresh
	}
}

// errNotBegun reports that the connection of a lane has ended before it took the request.
var errNotBegun = errors.New("streamable: the connection with the server has ended")

// unsupported refuses a request whose header names a revision that the server does not speak, and whose
// body does not name another one.
func (h *Handler) unsupported(r *http.Request) error {
	requested := r.Header.Get(headerRevision)
	if requested == "" {
		return errSessionID
	}
	return web.RefuseError(http.StatusBadRequest, jsonrpc.UnsupportedVersion(requested, h.stateless))
}

// statusOf returns the HTTP status of an answer. The protocol gives some codes a status of their own, and
// status 400 to a request without the right _meta. Other errors of handlers get status 200: some clients
// treat a different status as a failure of the transport.
func statusOf(m *runtime.Outgoing) int {
	if m.Denied != nil {
		return m.Denied.Status
	}
	switch m.Code {
	case 0:
		return http.StatusOK
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case jsonrpc.CodeHeaderMismatch, jsonrpc.CodeMissingCapability, jsonrpc.CodeUnsupportedVersion:
		return http.StatusBadRequest
	case jsonrpc.CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	switch {
	case m.NotBegun:
		return http.StatusServiceUnavailable
	case m.Refused:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
