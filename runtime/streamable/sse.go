package streamable

import (
	"crypto/rand"
	"net/http"
	"net/url"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// This file is the server of HTTP with SSE, the transport of revision 2024-11-05. A GET is a session, which has no stream
// but that of the server's own messages, and ends with it. Answers are such messages, too.

// NewSSEHandler returns a handler for the sessions of server over HTTP with SSE, for peers that have nothing newer: for
// the GET that opens a session, and the POSTs of its messages (section HTTP with SSE of basic/transports, 2024-11-05).
// Each session is an event stream, which cannot be resumed, so a server answers only in its revisions with sessions.
//
// A session with a request after initialize is not replaced by another one, a client that takes longer than IOTimeout
// for an event loses its session, as does one for whose request or notification MaxBytes has no room, and the options
// Stateless, Sharing, Events, MaxRequests, IdleTimeout, StreamAfter, Retry and Disconnect are about what this transport
// does not have.
//
// Deprecated: The protocol replaced this transport in 2025-03-26. Use [NewHandler], and this handler only beside it.
func NewSSEHandler(server runtime.SessionServer, opts Options) *Handler {
	opts.sse, opts.Stateless, opts.Sharing, opts.Events, opts.IdleTimeout = true, false, nil, nil, 0
	return NewHandler(server, opts)
}

// paramSession is the parameter of the endpoint's URL with the session's id.
const paramSession = "sessionId"

// getSSE opens a session, which lasts as long as the request.
func (h *Handler) getSSE(w http.ResponseWriter, r *http.Request) error {
	if refusal := checkGet(r); refusal != nil {
		return refusal
	}
	to, err := endpointOf(r, h.opts.Endpoint)
	if err != nil {
		h.log.Error("the endpoint is not a URL", "error", err)
		return web.Refuse(http.StatusInternalServerError, "internal error")
	}
	id := rand.Text()
	key, err := h.Key(r, id)
	if err != nil {
		return err
	}
	s := h.newSession(id, key)
	st := s.streams.claim(nil)
	c := &connection{stream: st}
	c.init(h, w, r)
	st.conn.Store(c)
	err = h.open(s, r, runtime.Handshake{SessionOnly: true}, nil)
	defer st.disconnect(c)
	defer s.end(runtime.ErrClosed)
	if err != nil {
		return err
	}
	query := to.Query()
	query.Set(paramSession, id)
	to.RawQuery = query.Encode()
	st.lock <- struct{}{} // which is free, because nothing else is sent before the client knows the endpoint
	err = c.writeEvent(nil, "endpoint", 0, []byte(to.String()))
	st.release()
	if err == nil {
		c.startKeepAlive(false)
		st.wait(r.Context(), c)
	}
	return nil
}

// endpointOf returns the URL to which the client of a GET sends its messages.
func endpointOf(r *http.Request, endpoint string) (*url.URL, error) {
	if endpoint != "" {
		return url.Parse(endpoint)
	}
	u, err := url.ParseRequestURI(r.RequestURI) // a mux may have removed a prefix from r.URL.Path
	if err != nil {
		return nil, err
	}
	return &url.URL{Path: u.Path, RawPath: u.RawPath}, nil
}

// postSSE accepts a message.
func (h *Handler) postSSE(w http.ResponseWriter, r *http.Request) error {
	if refusal := checkPost(r, false); refusal != nil {
		return refusal
	}
	key, err := h.Key(r, r.URL.Query().Get(paramSession))
	if err != nil {
		return err
	}
	s := h.sessions.find(key)
	if s == nil {
		return h.sessions.refusal()
	}
	p := h.newPost(w, r)
	defer p.leaveIfRefused()
	if err = p.read(); err == nil {
		err = checkMessage(p.in.Content())
	}
	if err == nil {
		err = p.answer.admission.enterCalls(r, userOf(key), p.in.Content(), false)
	}
	if err != nil {
		return web.For(p.id, err)
	}
	uses := s.begun.Swap(true)
	if s.over.Load() || h.sessions.enter(key, uses) == nil {
		return web.For(p.id, h.sessions.refusal())
	}
	p.answer.session = s
	p.in.Header, p.in.Context = r.Header, r.Context() // without a Reply, the answer goes to the GET
	leave := func() {
		if !uses { // from the second message on, the session stays busy, because its client holds a connection open
			s.Leave()
		}
	}
	if run := s.inbox.Accept(p.in); run == nil {
		p.answer.end(false)
		leave()
	} else {
		p.in = runtime.Incoming{}
		go func() {
			defer leave() // only now, because a server behind a proxy may take long for initialize
			p.answer.run(run)
		}()
	}
	p.writeEmpty(http.StatusAccepted)
	p.finish()
	p.request = nil // a handler that goes on keeps the post
	return nil
}
