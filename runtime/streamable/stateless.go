package streamable

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

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
	errUnreachable = &web.Refusal{Status: http.StatusServiceUnavailable, Code: jsonrpc.CodeUnavailable, Message: "unavailable: the server cannot be reached"}
	errClosing     = &web.Refusal{Status: http.StatusServiceUnavailable, Reason: web.ReasonDraining, Code: jsonrpc.CodeUnavailable, Message: "unavailable: shutting down; try again later"}
	errNoRequest   = web.Refuse(http.StatusBadRequest, "invalid request: the body must be a request or a notification")
)

// statelessOutbox is the connection with the server for all requests without a session. It is the runtime.Outbox of
// that connection, on which nothing can be sent but the replies to requests.
type statelessOutbox struct {
	handler *Handler
	over    chan struct{} // closed when the connection is over

	mu    sync.Mutex
	inbox runtime.Inbox // nil before the first request
}

// open returns the inbox for requests.
func (o *statelessOutbox) open() (runtime.Inbox, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.handler.sessions.Closing() {
		return nil, errClosing
	}
	if o.inbox != nil {
		return o.inbox, nil
	}
	in, err := o.handler.server.Open(context.Background(), o, runtime.Handshake{Stateless: true}, o.ended)
	if err != nil {
		o.handler.log.Error("requests without a session cannot be served", "error", err)
		return nil, errUnreachable
	}
	o.inbox = in
	return in, nil
}

// refusal returns the error for a request that was not answered.
func (o *statelessOutbox) refusal() error {
	if o.handler.sessions.Closing() {
		return errClosing
	}
	return errUnreachable
}

// shutdown returns when the requests in flight are answered, as runtime.Inbox.Shutdown does. open refuses new ones
// already.
func (o *statelessOutbox) shutdown(ctx context.Context) {
	o.mu.Lock()
	in := o.inbox
	o.mu.Unlock()
	if in != nil {
		in.Shutdown(ctx)
		<-o.over
	}
}

// ended is called when the connection is over.
func (o *statelessOutbox) ended(err error) {
	if err != nil && !errors.Is(err, runtime.ErrClosed) {
		o.handler.log.Warn("requests without a session failed", "error", err)
	}
	close(o.over)
}

// Send implements runtime.Outbox.
func (*statelessOutbox) Send(context.Context, runtime.Outgoing) error { return errStateless }

// Close implements runtime.Outbox.
func (*statelessOutbox) Close() error { return nil }

// postStateless accepts a message of a revision without sessions. If its body was not read yet, the message
// has no text.
func (h *Handler) postStateless(w http.ResponseWriter, r *http.Request, in runtime.Incoming) error {
	user, err := h.userOf(r)
	if err != nil {
		return err
	}
	counted, err := h.requests.Enter(r, user)
	if err != nil {
		return err
	}
	defer h.requests.Leave(counted)
	if user != runtime.PrincipalOf(r.Context()) {
		r = r.WithContext(runtime.WithPrincipal(r.Context(), user))
	}
	e := &statelessReply{handler: h}
	e.Init(w, h.opts.IOTimeout, h.budget)
	defer func() { e.Body.Release() }()
	if in.Text == "" {
		if in.Text, err = e.ReadBody(r, h.server.MaxMessage(), web.CodeBusy(true)); err != nil {
			return err
		}
	}
	admission, err := h.traffic.Enter(r, user, in.Content(), true)
	if err != nil {
		return err
	}
	defer admission.Leave()
	in.Reply, in.Header, in.Context, in.ContextCancels = e, r.Header, r.Context(), true
	return e.serve(in)
}

// statelessReply is the response to a request without a session. It is the runtime.Reply of the request.
type statelessReply struct {
	web.Response
	handler *Handler

	mu       sync.Mutex  // also held while the response is written
	timer    *time.Timer // calls keepAlive
	answered bool        // the response is complete
	over     bool        // the HTTP request is over, and net/http may use the response for another one
}

// serve serves the message in the goroutine of its HTTP request.
func (r *statelessReply) serve(in runtime.Incoming) error {
	inbox, err := r.handler.statelessOutbox.open()
	if err != nil {
		return err
	}
	returned := false
	defer func() { r.end(returned) }()
	// The message is not used after Accept, so that a request that lasts long does not keep it.
	ctx, kind, listens := in.Context, in.Content().Kind, in.Content().Method == web.MethodListen
	if run := inbox.Accept(in); run != nil {
		if listens {
			r.Body.Release() // the server does not keep the text of such a request either
		}
		r.startKeepAlive()
		run()
	}
	returned = true
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.answered || r.Streaming() || ctx.Err() != nil:
		return nil
	case kind == jsonrpc.Request:
		return r.handler.statelessOutbox.refusal()
	case kind != jsonrpc.Notification: // "Sending Messages", 4 and 5: a client sends no responses
		return errNoRequest
	}
	r.Empty(http.StatusAccepted)
	return nil
}

// startKeepAlive begins to keep the connection of a request in use that takes a while.
func (r *statelessReply) startKeepAlive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if every := r.handler.opts.KeepAlive; every > 0 && !r.answered {
		r.timer = time.AfterFunc(every, r.keepAlive) // a timer takes 160 bytes, a goroutine 3 KB
	}
}

// keepAlive is called by the timer.
func (r *statelessReply) keepAlive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over && !r.answered && r.Comment() == nil {
		r.timer.Reset(r.handler.opts.KeepAlive)
	}
}

// end ends the response.
func (r *statelessReply) end(returned bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if r.timer != nil {
		r.timer.Stop()
	}
	if !returned { // the handler has ended the goroutine, and net/http closes the connection
		_ = r.Flush()
	}
	r.Finish()
}

// Send implements runtime.Reply.
func (r *statelessReply) Send(_ context.Context, m runtime.Outgoing) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over || r.answered || m.Kind == jsonrpc.Request:
		return errStateless
	case m.Kind == jsonrpc.Notification:
		return r.Event(nil, "", 0, m.Text)
	}
	r.answered = true
	if !r.Streaming() {
		return r.handler.answer(&r.Response, statelessStatus(&m), &m)
	}
	err := r.Put(nil, "", 0, m.Text)
	if err == web.ErrBudget {
		err = r.Put(nil, "", 0, r.handler.lostAnswer(&m))
	}
	if err == nil && m.Abandoned {
		err = r.Flush()
	}
	return err
}
