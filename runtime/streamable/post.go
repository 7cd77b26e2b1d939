package streamable

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// post is a POST request with its message, and the stream that answers it.
type post struct {
	connection
	answer    stream
	in        runtime.Incoming
	stateless bool         // the message is of a revision without sessions
	kind      jsonrpc.Kind // of the message
	id        wire.Scalar  // of the request, if the message is one
}

func (h *Handler) newPost(w http.ResponseWriter, r *http.Request) *post {
	p := &post{}
	p.connection.init(h, w, r)
	p.stream = &p.answer
	p.answer.lock, p.answer.admission.gate = make(chan struct{}, 1), h.gate
	return p
}

// post accepts a message (section Sending Messages to the Server).
func (h *Handler) post(w http.ResponseWriter, r *http.Request) error {
	h.posts.Add(1)
	defer h.posts.Add(-1)
	if refusal := checkPost(r, true); refusal != nil {
		return refusal
	}
	p := h.newPost(w, r)
	p.stateless = h.isStateless(r)
	defer p.leaveIfRefused()
	serve := p.serveWithoutSession
	if !p.stateless && !h.opts.Stateless && r.Header.Get(headerSession) != "" {
		serve = p.serveInSession
	}
	if err := serve(); err != nil {
		return web.For(p.id, err)
	}
	return nil
}

// leaveIfRefused gives back what the request occupies if it is refused. Otherwise its stream does so when it has ended.
func (p *post) leaveIfRefused() {
	if p.answer.session == nil {
		p.answer.admission.leave()
	}
}

// serveInSession serves a message of an open session.
func (p *post) serveInSession() error {
	s, err := p.handler.checkSessionID(p.request)
	if err != nil {
		return err
	}
	defer s.Leave()
	if err = p.read(); err == nil {
		err = p.answer.admission.enterCalls(p.request, userOf(s.Key()), p.in.Content(), false)
	}
	if err == nil {
		_, err = p.serveBy(s, false)
	}
	return err
}

// serveWithoutSession serves a message that names no session: it is of a revision without sessions, it is initialize,
// or the server keeps no sessions.
func (p *post) serveWithoutSession() error {
	h, r := p.handler, p.request
	user, err := h.user(r)
	if err != nil {
		_ = p.read() // the refusal has the id of the request
		return err
	}
	if err = p.answer.admission.enterPost(r, user); err == nil {
		err = p.read()
	}
	if err != nil {
		return err
	}
	m := p.in.Content()
	initialize := m.Kind == jsonrpc.Request && m.Method == "initialize"
	if !p.stateless {
		if err := checkMessage(m); err != nil {
			return err
		}
		p.stateless = !initialize && h.isStatelessMessage(&m.Message)
	}
	if err = p.answer.admission.enterCalls(r, user, m, p.stateless); err != nil {
		return err
	}
	switch {
	case p.stateless:
		if user != runtime.PrincipalOf(r.Context()) {
			p.request = r.WithContext(runtime.WithPrincipal(r.Context(), user))
		}
		s := h.sharedSession()
		if s == nil {
			return h.unreachable()
		}
		_, err = p.serveBy(s, false)
		return err
	case h.opts.Stateless:
		return p.serveAlone(initialize)
	case initialize:
		return p.initialize(user)
	case slices.ContainsFunc(m.Batch, func(item jsonrpc.Text) bool { return item.Method == "initialize" }):
		return errBatched
	case len(h.statelessRevisions) > 0 && !h.speaks(r.Header.Get(headerRevision)):
		return h.unsupported(r)
	}
	return errSessionID
}

// read reads the message. Its text must arrive within Options.IOTimeout and takes room in the admission. An error is a
// *web.Refusal, and the connection is closed after it.
func (p *post) read() (err error) {
	r, a, most := p.request, &p.answer.admission, p.handler.server.MaxMessage()
	switch {
	case r.ContentLength > int64(most):
		err = new(http.MaxBytesError)
	case !a.gate.fits(a.gate.bytes.Load(), int(r.ContentLength)):
		err = errBytes
	default:
		if timeout := p.handler.opts.IOTimeout; timeout > 0 && p.rc.SetReadDeadline(time.Now().Add(timeout)) == nil {
			// The deadline must not outlast the reading: it would end a request that is handled for
			// longer (https://go.dev/issue/70834).
			defer p.rc.SetReadDeadline(time.Time{})
		}
		body := io.Reader(r.Body)
		if r.ContentLength < 0 { // otherwise net/http reads only that much
			body = http.MaxBytesReader(p.w, r.Body, int64(most))
		}
		p.in.Text, err = web.ReadAll(body, r.ContentLength, a.grow)
	}
	if err != nil {
		p.w.Header().Set("Connection", "close")
		_, tooLarge := errors.AsType[*http.MaxBytesError](err)
		switch {
		case tooLarge:
			return web.Refuse(http.StatusRequestEntityTooLarge, "invalid request: a message longer than "+strconv.Itoa(most)+" bytes")
		case err == errBytes:
			return errNoRoom(p.stateless)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return web.Refuse(http.StatusRequestTimeout, "invalid request: the body took too long")
		}
		return web.Refuse(http.StatusBadRequest, "invalid request: the body could not be read")
	}
	m := p.in.Content()
	if p.kind = m.Kind; m.Err == nil && m.Kind == jsonrpc.Request {
		p.id = m.ID
	}
	return nil
}

// initialize opens a session for a user.
func (p *post) initialize(user string) error {
	h, id := p.handler, rand.Text()
	s := h.newSession(id, keyOf(user, id))
	var outbox func(*Session) runtime.Outbox
	if h.opts.Sharing != nil {
		outbox = h.opts.Sharing.Outbox
	}
	s.busy = 1
	if err := h.open(s, p.request, runtime.Handshake{}, outbox); err != nil {
		return err
	}
	sent, err := p.serveBy(s, true)
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

// serveAlone serves a message without a session: it opens one for the message alone. A request other
// than initialize is served under the revision that it names.
func (p *post) serveAlone(initialize bool) error {
	h := p.handler
	s := h.newSession("", "")
	s.busy = 1
	var handshake runtime.Handshake
	if !initialize {
		revision, err := h.revisionOf(p.request)
		if err != nil {
			return err
		}
		s.revision, handshake.Revision = revision, revision
	}
	if err := h.open(s, nil, handshake, nil); err != nil {
		return err
	}
	stop := context.AfterFunc(p.request.Context(), func() { s.end(runtime.ErrClosed) })
	defer stop()
	sent, err := p.serveBy(s, false)
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

// serveBy hands the message to the session and waits until the stream that answers it has ended or the connection is
// gone. If opening is true, the message opens the session. Delivered says that the client has got everything.
func (p *post) serveBy(s *Session, opening bool) (delivered bool, err error) {
	r, text := p.request, p.in.Content()
	st := &p.answer
	st.session = s
	st.opening = opening
	st.answers = !opening && (!p.id.IsZero() || text.IsBatch && s.negotiated() == revisionBatches)
	if text.Method == methodListen { // the server does not keep the text of such a request, of which the id is a part
		st.admission.leaveBody()
		p.id = wire.Scalar{}
	}
	st.request = p.id
	st.conn.Store(&p.connection)
	inline := !p.handler.opts.Disconnect || s.stateless // no client comes back for its answer
	if inline {
		st.inline = &p.connection
	}
	defer func() {
		st.disconnect(&p.connection)
		p.request = nil // a handler that goes on keeps the post
	}()
	p.in.Reply, p.in.Header, p.in.Context, p.in.ContextCancels = st, r.Header, r.Context(), s.stateless
	run := s.inbox.Accept(p.in)
	p.in = runtime.Incoming{} // a request that lasts long does not keep it
	if run != nil {
		p.startKeepAlive(true)
	}
	switch {
	case run == nil:
		st.end(false)
	case inline:
		st.run(run)
	default:
		go st.run(run)
	}
	if st.over.Load() || st.wait(r.Context(), &p.connection) {
		return true, p.finishResponse()
	}
	st.disconnect(&p.connection)
	if s.over.Load() && !p.streaming && !st.wroteJSON {
		return false, p.handler.sessions.refusal()
	}
	return false, nil
}

// run runs the handler of the stream's message. It does so in the goroutine of the POST if it can: with another
// goroutine, a call takes a tenth longer.
func (st *stream) run(handle func()) {
	returned := false
	defer func() {
		st.end(true)
		if c := st.inline; !returned && c != nil { // the handler has ended the goroutine, and net/http closes the connection
			_ = c.flush()
		}
	}()
	handle()
	returned = true
}

// finishResponse ends the response to a POST whose stream has ended. Without a message it was for a notification, a
// response, or a request that gets no answer.
func (p *post) finishResponse() error {
	st, h := &p.answer, p.handler
	switch {
	case st.wroteJSON || p.streaming:
		return nil
	case st.session.stateless:
		switch {
		case p.request.Context().Err() != nil:
			return nil
		case p.kind == jsonrpc.Request:
			return h.unreachable()
		case p.kind != jsonrpc.Notification: // "Sending Messages", 4 and 5: a client sends no responses
			return errNoRequest
		}
	case st.unanswered && st.session.over.Load():
		return h.sessions.refusal()
	case st.unanswered:
		return p.startStream()
	}
	p.writeEmpty(http.StatusAccepted)
	return nil
}

// status returns the HTTP status of an answer. Errors of handlers get status 200: some clients treat a different status
// as a failure of the transport. Without sessions, the protocol gives some codes a status of their own, and status 400
// to a request without the right _meta.
func status(m *runtime.Outgoing, stateless bool) int {
	denied, ok := errors.AsType[*runtime.DeniedError](m.Err)
	code := m.Code()
	bad := m.Refused
	if !stateless {
		// The answer has no id, or the headers name a session and the message belongs to none.
		bad = m.ID.IsZero() && len(m.Text) > 0 && m.Text[0] == '{' || m.ID.Is(wire.KindNull) || m.Refused && code == jsonrpc.CodeHeaderMismatch
	}
	switch {
	case ok:
		return denied.Status
	case stateless && code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case stateless && (code == jsonrpc.CodeHeaderMismatch || code == jsonrpc.CodeMissingCapability || code == jsonrpc.CodeUnsupportedVersion):
		return http.StatusBadRequest
	case m.NotBegun || stateless && code == jsonrpc.CodeUnavailable:
		return http.StatusServiceUnavailable
	case bad:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
