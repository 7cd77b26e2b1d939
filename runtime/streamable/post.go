package streamable

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// post accepts a message (section Sending Messages to the Server).
func (h *Handler) post(w http.ResponseWriter, r *http.Request) error {
	h.posts.Add(1)
	defer h.posts.Add(-1)
	if refusal := web.CheckPost(r, true); refusal != nil {
		return refusal
	}
	if h.isStateless(r) {
		return h.postStateless(w, r, runtime.Incoming{})
	}
	if h.opts.Stateless || r.Header.Get(headerSession) == "" {
		return h.postFirst(w, r)
	}
	s, err := h.find(r)
	if err != nil {
		return err
	}
	defer s.Leave()
	c, err := h.read(w, r)
	defer c.release()
	if err != nil {
		return err
	}
	if err := h.admit(c); err != nil {
		return c.refused(err)
	}
	_, err = h.exchange(newStream(s), c)
	return c.refused(err)
}

// read reads the message of a POST.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (*connection, error) {
	c := &connection{request: r}
	c.Init(w, h.opts.IOTimeout, h.budget)
	text, err := c.ReadBody(r, h.server.MaxMessage(), web.CodeBusy(false))
	c.in = runtime.Incoming{Text: text, Header: r.Header, Context: r.Context()}
	return c, err
}

// refused returns an error with the id of the request that the connection has brought, if the error
// is a refusal.
func (c *connection) refused(err error) error {
	if _, ok := errors.AsType[*web.Refusal](err); !ok {
		return err
	}
	if m := c.in.Content(); m.Err == nil && m.Kind == jsonrpc.Request {
		return web.For(m.ID, err)
	}
	return err
}

// postFirst accepts a message without a session: it is initialize, or the server keeps no sessions.
func (h *Handler) postFirst(w http.ResponseWriter, r *http.Request) error {
	c, err := h.read(w, r)
	defer c.release()
	if err != nil {
		return err
	}
	m := c.in.Content()
	if err := web.CheckMessage(m); err != nil {
		return err
	}
	initialize := m.Kind == jsonrpc.Request && m.Method == "initialize"
	if !initialize && h.carriesTerms(&m.Message) {
		in := c.in
		c.in = runtime.Incoming{}
		return h.postStateless(w, r, in)
	}
	if err := h.admit(c); err != nil {
		return c.refused(err)
	}
	switch {
	case h.opts.Stateless:
		err = h.postSingle(c, initialize)
	case initialize:
		err = h.postInitialize(c)
	case slices.ContainsFunc(m.Batch, func(item jsonrpc.Item) bool { return item.Method == "initialize" }):
		err = errBatched
	case len(h.stateless) > 0 && !h.speaks(r.Header.Get(headerRevision)):
		err = h.unsupported(r)
	default:
		err = errSessionID
	}
	return c.refused(err)
}

// postInitialize opens a session.
func (h *Handler) postInitialize(c *connection) error {
	id := rand.Text()
	key, err := h.Key(c.request, id)
	if err != nil {
		return err
	}
	s, outbox := h.newSession(id, key), ownOutbox
	if h.opts.Sharing != nil {
		outbox = h.opts.Sharing.Outbox
	}
	s.usage.active = 1
	if err := h.open(s, c.request, runtime.Handshake{Shared: h.opts.Sharing != nil}, outbox); err != nil {
		return err
	}
	st := newStream(s)
	st.opening = true
	sent, err := h.exchange(st, c)
	if !sent || s.negotiated() == "" {
		s.end(runtime.ErrClosed) // no client knows its id
	} else {
		s.Leave()
	}
	return err
}

// exchange hands the message to the session and waits until the stream that answers it has ended or
// the connection is gone. It reports whether the client has got everything.
func (h *Handler) exchange(st *stream, c *connection) (bool, error) {
	s, ctx := st.session, c.request.Context()
	c.stream = st
	st.admission, c.admission = c.admission, nil
	st.body, c.Body = c.Body, web.Hold{}
	st.connect(c)
	defer st.disconnect(c)
	c.in.Reply = st
	switch run := s.inbox.Accept(c.in); {
	case run == nil:
		st.end(false)
	case h.opts.Disconnect:
		c.startBeats(st.patience())
		go func() {
			defer st.end(true)
			run()
		}()
	default:
		c.startBeats(st.patience())
		h.run(c, run)
	}
	if !st.over.Load() && !st.wait(ctx, c) {
		st.disconnect(c)
		if s.isGone() && !c.Streaming() && !st.answered {
			return false, h.sessions.NoSession()
		}
		return false, nil
	}
	return true, st.close(c)
}

// run runs the message's handler in the goroutine of the connection. With another goroutine, a
// call takes a tenth longer.
func (h *Handler) run(c *connection, run func()) {
	c.held = true
	returned := false
	defer func() {
		c.stream.end(true)
		if !returned { // the handler has ended the goroutine, and net/http closes the connection
			c.stream.lock <- struct{}{}
			defer c.stream.release()
			c.Flush()
		}
	}()
	run()
	returned = true
}

// close ends the response to a POST. Without a message it was for a notification, a response, or a
// request that gets no answer.
func (st *stream) close(c *connection) error {
	st.lock <- struct{}{}
	defer st.release()
	switch {
	case st.answered || c.Streaming():
		return nil
	case st.unanswered && st.session.isGone():
		return st.session.handler.sessions.NoSession()
	case st.unanswered:
		return c.Begin()
	}
	c.Empty(http.StatusAccepted)
	return nil
}

// revisionAssumed is the revision of a request without a session that does not name one (section
// Protocol Version Header).
const revisionAssumed = "2025-03-26"

// postSingle serves a message without a session: it opens one for the message alone. A request other
// than initialize is served under the revision that it names.
func (h *Handler) postSingle(c *connection, initialize bool) error {
	s := h.newSession("", "")
	var handshake runtime.Handshake
	if !initialize {
		revision, err := h.revisionOf(c.request)
		if err != nil {
			return err
		}
		s.revision, handshake.Revision = revision, revision
	}
	if err := h.open(s, c.request, handshake, ownOutbox); err != nil {
		return err
	}
	stop := context.AfterFunc(c.request.Context(), func() { s.end(runtime.ErrClosed) })
	defer stop()
	sent, err := h.exchange(newStream(s), c)
	if sent {
		s.end(io.EOF)
	} else {
		s.end(runtime.ErrClosed) // no client can get the answer or cancel the request
	}
	return err
}

// revisionOf returns the revision of a request without a session.
func (h *Handler) revisionOf(r *http.Request) (string, error) {
	revision := r.Header.Get(headerRevision)
	switch {
	case revision == "" && len(h.revisions) > 0 && !slices.Contains(h.revisions, revisionAssumed):
		return h.revisions[0], nil
	case revision == "":
		return revisionAssumed, nil
	case !h.speaks(revision):
		return "", errRevision
	}
	return revision, nil
}
