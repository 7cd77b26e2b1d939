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
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// post is a POST request of a session, or one that opens a session, with its message.
type post struct {
	connection
	handler   *Handler
	in        runtime.Incoming
	id        wire.Scalar    // of the request, if the message is one
	admission *web.Admission // of the requests in the message; nil when the stream has it
}

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
	p := &post{connection: connection{request: r}, handler: h}
	p.Init(w, h.opts.IOTimeout, h.budget)
	defer p.release()
	if h.opts.Stateless || r.Header.Get(headerSession) == "" {
		return p.first(w)
	}
	s, err := h.find(r)
	if err != nil {
		return err
	}
	defer s.Leave()
	if err = p.read(); err == nil {
		err = p.admit(web.UserOf(s.Key()))
	}
	if err == nil {
		_, err = p.exchange(newStream(s))
	}
	return web.For(p.id, err)
}

// read reads the message.
func (p *post) read() error {
	r := p.request
	text, err := p.ReadBody(r, p.handler.server.MaxMessage(), web.CodeBusy(false))
	if err != nil {
		return err
	}
	p.take(runtime.Incoming{Text: text, Header: r.Header, Context: r.Context()})
	return nil
}

// take sets the message.
func (p *post) take(in runtime.Incoming) {
	p.in = in
	if m := p.in.Content(); m.Err == nil && m.Kind == jsonrpc.Request {
		p.id = m.ID
	}
}

// admit counts the requests in the message, which a user has sent.
func (p *post) admit(user string) (err error) {
	p.admission, err = p.handler.traffic.Enter(p.request, user, p.in.Content(), false)
	return err
}

// release ends what no stream has taken.
func (p *post) release() {
	p.admission.Leave()
	p.Body.Release()
}

// first accepts a message without a session: it is initialize, or the server keeps no sessions.
func (p *post) first(w http.ResponseWriter) error {
	if err := p.read(); err != nil {
		return err
	}
	h, m := p.handler, p.in.Content()
	if err := web.CheckMessage(m); err != nil {
		return err
	}
	initialize := m.Kind == jsonrpc.Request && m.Method == "initialize"
	if !initialize && h.isStatelessMessage(&m.Message) {
		in := p.in
		p.in = runtime.Incoming{}
		return h.postStateless(w, p.request, in)
	}
	user, err := h.userOf(p.request)
	if err == nil {
		err = p.admit(user)
	}
	switch {
	case err != nil:
	case h.opts.Stateless:
		err = p.single(user, initialize)
	case initialize:
		err = p.initialize(user)
	case slices.ContainsFunc(m.Batch, func(item jsonrpc.Item) bool { return item.Method == "initialize" }):
		err = errBatched
	case len(h.statelessRevisions) > 0 && !h.speaks(p.request.Header.Get(headerRevision)):
		err = h.unsupported(p.request)
	default:
		err = errSessionID
	}
	return web.For(p.id, err)
}

// initialize opens a session for a user.
func (p *post) initialize(user string) error {
	h, id := p.handler, rand.Text()
	s, outbox := h.newSession(id, web.Key(user, id)), ownOutbox
	if h.opts.Sharing != nil {
		outbox = h.opts.Sharing.Outbox
	}
	s.seat.Busy = 1
	if err := h.open(s, p.request, runtime.Handshake{}, outbox); err != nil {
		return err
	}
	st := newStream(s)
	st.opening = true
	sent, err := p.exchange(st)
	if !sent || s.negotiated() == "" {
		s.end(runtime.ErrClosed) // no client knows its id
	} else {
		s.Leave()
	}
	return err
}

// revisionAssumed is the revision of a request without a session that does not name one (section
// Protocol Version Header).
const revisionAssumed = "2025-03-26"

// single serves a message without a session: it opens one for the message alone. A request other
// than initialize is served under the revision that it names.
func (p *post) single(user string, initialize bool) error {
	h := p.handler
	counted, err := h.requests.Enter(p.request, user)
	if err != nil {
		return err
	}
	defer h.requests.Leave(counted)
	s := h.newSession("", "")
	s.seat.Busy = 1
	var handshake runtime.Handshake
	if !initialize {
		revision, err := h.revisionOf(p.request)
		if err != nil {
			return err
		}
		s.revision, handshake.Revision = revision, revision
	}
	if err := h.open(s, nil, handshake, ownOutbox); err != nil {
		return err
	}
	stop := context.AfterFunc(p.request.Context(), func() { s.end(runtime.ErrClosed) })
	defer stop()
	sent, err := p.exchange(newStream(s))
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

// exchange hands the message to the session and waits until the stream that answers it has ended or
// the connection is gone. It reports whether the client has got everything.
func (p *post) exchange(st *stream) (bool, error) {
	s, ctx := st.session, p.request.Context()
	p.stream = st
	st.admission, p.admission = p.admission, nil
	st.body, p.Body = p.Body, web.Hold{}
	st.request, st.answers = p.id, !st.opening && p.asks(s)
	st.conn.Store(&p.connection)
	if !p.handler.opts.Disconnect {
		st.inline = &p.connection
	}
	defer st.disconnect(&p.connection)
	p.in.Reply = st
	run := s.inbox.Accept(p.in)
	p.in = runtime.Incoming{} // a request that lasts long does not keep it
	switch {
	case run == nil:
		st.end(false)
	case p.handler.opts.Disconnect:
		p.startKeepAlive(st.streamAfter())
		go func() {
			defer st.end(true)
			run()
		}()
	default:
		p.startKeepAlive(st.streamAfter())
		p.run(run)
	}
	if !st.over.Load() && !st.wait(ctx, &p.connection) {
		st.disconnect(&p.connection)
		if s.isGone() && !p.Streaming() && !st.answered {
			return false, p.handler.sessions.NoSession()
		}
		return false, nil
	}
	return true, st.close(&p.connection)
}

// asks reports whether the message has requests.
func (p *post) asks(s *Session) bool {
	if p.in.Content().IsBatch {
		return s.batches()
	}
	return !p.id.IsZero()
}

// run runs the message's handler in the goroutine of the POST. With another goroutine, a
// call takes a tenth longer.
func (p *post) run(run func()) {
	st := p.stream
	returned := false
	defer func() {
		st.end(true)
		if !returned { // the handler has ended the goroutine, and net/http closes the connection
			st.lock <- struct{}{}
			defer st.release()
			_ = p.Flush()
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

// answer writes a whole response as one JSON text.
func (h *Handler) answer(r *web.Response, status int, m *runtime.Outgoing) error {
	if status == http.StatusServiceUnavailable {
		r.Header().Set("Retry-After", web.RetryAfter)
	}
	if denied, ok := errors.AsType[*runtime.DeniedError](m.Err); ok {
		r.Header()["Www-Authenticate"] = denied.Challenges
	}
	h.countAnswer(m)
	err := r.JSON(status, m.Text)
	if err == web.ErrBudget {
		err = r.JSON(http.StatusInternalServerError, h.lostAnswer(m))
	}
	if err == nil && m.Abandoned {
		err = r.Flush()
	}
	return err
}

// countAnswer counts a request that the server has refused because of load.
func (h *Handler) countAnswer(m *runtime.Outgoing) {
	switch {
	case m.NotBegun:
		h.refusals.Add(web.ReasonDraining)
	case m.Refused && m.Code() == jsonrpc.CodeServerBusy:
		h.refusals.Add(web.ReasonSession)
	}
}

// sessionStatus returns the HTTP status of an answer in a session, which is 200 also for errors of handlers.
func sessionStatus(m *runtime.Outgoing) int {
	denied, ok := errors.AsType[*runtime.DeniedError](m.Err)
	switch {
	case ok:
		return denied.Status
	case m.NotBegun:
		return http.StatusServiceUnavailable
	case m.Refused && m.Code() == jsonrpc.CodeHeaderMismatch: // the headers name a session, the message belongs to none
		return http.StatusBadRequest
	case m.ID.IsZero() && len(m.Text) > 0 && m.Text[0] == '{' || m.ID.Is(wire.ScalarNull): // answers no message with an id
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// statelessStatus returns the HTTP status of an answer to a request without a session. The protocol gives some
// codes a status of their own, and status 400 to a request without the right _meta. Other errors of handlers get
// status 200: some clients treat a different status as a failure of the transport.
func statelessStatus(m *runtime.Outgoing) int {
	if denied, ok := errors.AsType[*runtime.DeniedError](m.Err); ok {
		return denied.Status
	}
	switch m.Code() {
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

// lostAnswer returns the error in place of an answer for which Options.MaxBytes leaves no room.
func (h *Handler) lostAnswer(m *runtime.Outgoing) []byte {
	h.log.Warn("answer lost: too many bytes wait for clients", "bytes", len(m.Text))
	return replaced(m, "the answer of %d bytes is lost, because too many bytes wait for clients that do not read; the request was handled", len(m.Text))
}

// replaced returns the text of an error that takes the place of an answer.
func replaced(m *runtime.Outgoing, format string, args ...any) []byte {
	// An id that was read can be written.
	text, _ := jsonrpc.AppendError(nil, m.ID, jsonrpc.Errorf(jsonrpc.CodeInternalError, format, args...))
	return text
}
