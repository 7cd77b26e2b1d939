package streamable

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// post takes a message (section Sending Messages to the Server).
func (h *Handler) post(w http.ResponseWriter, r *http.Request) error {
	if refusal := web.CheckPost(r, true); refusal != nil {
		return refusal
	}
	if h.opts.Stateless || r.Header.Get(headerSession) == "" {
		return h.postFirst(w, r)
	}
	s, err := h.find(r)
	if err != nil {
		return err
	}
	defer s.leave()
	p, err := h.read(w, r)
	if err != nil {
		return err
	}
	_, err = h.exchange(s, p)
	return p.refused(err)
}

// posted is a POST.
type posted struct {
	request *http.Request
	body    web.BodyReader
	text    string
	sink    web.Sink // of the response
	stream  *stream  // that answers it; nothing in it holds on to the rest when it has left the sink
	asks    bool     // it is known to be a request
}

// read reads a message.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) (*posted, error) {
	p := &posted{request: r, stream: new(stream)}
	p.sink.Init(w, h.opts.IOTimeout)
	var err error
	p.text, err = p.body.ReadBody(w, r, h.server.MaxMessage(), h.opts.IOTimeout, &h.alarms)
	return p, err
}

// patience returns how long the answer to a POST may take before the first beat, and the alarms
// for that; 0 is for ever.
func (st *stream) patience() (time.Duration, *web.Alarms) {
	h := st.session.handler
	if d := h.opts.StreamAfter; d > 0 && !st.opening && st.session.resumable() {
		return d, &h.openings
	}
	return h.opts.KeepAlive, &h.alarms
}

// beat is stream.beat for a message that is answered: a notification is not, and what is no request
// gets an HTTP status.
func (p *posted) beat() {
	if !p.asks {
		m, err := jsonrpc.Parse(p.text)
		p.asks = err == nil && m.Kind == jsonrpc.Request || jsonrpc.IsBatch(p.text) && p.stream.session.batches()
	}
	if p.asks {
		p.stream.beat(p.request.Context())
	}
}

// Ring implements web.Sleeper: the goroutine of the connection is busy.
func (p *posted) Ring() time.Duration {
	p.beat()
	return p.stream.session.handler.opts.KeepAlive
}

// refused returns an error of a POST whose message was read. That of a refusal gets the request's
// id.
func (p *posted) refused(err error) error {
	if _, ok := errors.AsType[*web.Refusal](err); !ok || jsonrpc.IsBatch(p.text) {
		return err
	}
	if m, bad := jsonrpc.Parse(p.text); bad == nil && m.Kind == jsonrpc.Request {
		return web.For(m.ID, err)
	}
	return err
}

// postFirst takes a message without a session: it is initialize, or the server keeps no
// sessions.
func (h *Handler) postFirst(w http.ResponseWriter, r *http.Request) error {
	p, err := h.read(w, r)
	if err != nil {
		return err
	}
	opens := false
	if !jsonrpc.IsBatch(p.text) {
		m, err := jsonrpc.Parse(p.text)
		if refusal, ok := errors.AsType[*jsonrpc.Error](err); ok && (m.ID.IsZero() || m.Kind == jsonrpc.Response) {
			return &web.Refusal{Status: http.StatusBadRequest, Code: refusal.Code, Message: refusal.Message}
		}
		opens = m.Kind == jsonrpc.Request && m.Method == "initialize"
	}
	switch {
	case h.opts.Stateless:
		err = h.postAlone(p, opens)
	case opens:
		err = h.postInitialize(p)
	default:
		err = errSessionID
	}
	return p.refused(err)
}

// postInitialize opens a session.
func (h *Handler) postInitialize(p *posted) error {
	id := rand.Text()
	key, err := web.User(h.opts.User).Key(p.request, id, h.log)
	if err != nil {
		return err
	}
	s := h.newSession(id, key, 1)
	if err := h.start(s, p.request); err != nil {
		return err
	}
	p.stream.opening = true
	sent, err := h.exchange(s, p)
	if !sent || !s.negotiated() {
		s.end(runtime.ErrClosed) // nobody knows its id
	} else {
		s.leave()
	}
	return err
}

// postAlone serves a message of a client without a session.
func (h *Handler) postAlone(p *posted, opens bool) error {
	s := h.newSession("", "", 0)
	if !opens {
		revision, err := h.revisionOf(p.request)
		if err != nil {
			return err
		}
		s.handshake.Revision = revision
	}
	if err := h.start(s, p.request); err != nil {
		return err
	}
	stop := context.AfterFunc(p.request.Context(), func() { s.end(runtime.ErrClosed) })
	defer stop()
	sent, err := h.exchange(s, p)
	if sent {
		s.end(io.EOF)
	} else {
		s.end(runtime.ErrClosed) // nobody can get the answer or cancel the request
	}
	return err
}

// revisionOf is the revision of a request without a session (section Protocol Version
// Header).
func (h *Handler) revisionOf(r *http.Request) (string, error) {
	revision := r.Header.Get(headerRevision)
	switch {
	case revision == "" && len(h.revisions) > 0 && !slices.Contains(h.revisions, revisionAssumed):
		return h.revisions[0], nil
	case revision == "":
		return revisionAssumed, nil
	case !h.speaks(revision):
		return "", errUnspoken
	}
	return revision, nil
}

// exchange hands a message to the session and waits until its stream is done or the
// connection is gone; false when the client has not got all of it.
func (h *Handler) exchange(s *session, p *posted) (bool, error) {
	st, sink, ctx := p.stream, &p.sink, p.request.Context()
	st.init(s)
	st.connect(sink)
	defer st.disconnect(sink)
	h.hand(p, runtime.Incoming{Text: p.text, Route: st, Context: ctx})
	if patience, _ := st.patience(); !st.over.Load() && !h.wait(ctx, st, sink, patience, p.beat) {
		st.disconnect(sink)
		if s.isGone() && !sink.Streaming() && !st.answered {
			return false, h.all.NoSession()
		}
		return false, nil
	}
	return true, st.close(sink)
}

// hand puts a message into the session's inbox. The handler runs in this goroutine, unless that
// may have to end the connection before: waking another one takes longer than most handlers do.
func (h *Handler) hand(p *posted, in runtime.Incoming) {
	inbox := p.stream.session.inbox
	if h.opts.Disconnect {
		inbox.Deliver(in)
		return
	}
	p.sink.Hold()
	if d, alarms := p.stream.patience(); d > 0 {
		alarm := alarms.Start(d, p)
		defer alarm.Stop()
	}
	returned := false
	defer func() {
		if !returned { // the handler has ended the goroutine, and net/http closes the connection
			p.stream.lock <- struct{}{}
			defer p.stream.release()
			p.sink.Flush()
		}
	}()
	inbox.Handle(in)
	returned = true
}

// wait waits until the stream is done; false when its sink is let go of before. The first beat is
// after the time given, if that is above 0.
func (h *Handler) wait(ctx context.Context, st *stream, sink *web.Sink, first time.Duration, beat func()) bool {
	done, left, ok := st.watch(ctx, sink)
	if !ok {
		return st.over.Load()
	}
	ticks, stop := web.Ticks(first)
	defer func() { stop() }()
	for {
		select {
		case <-done:
			return true
		case <-left:
			return false
		case <-st.session.gone:
			return st.over.Load() // without sessions that is why it is gone
		case <-ctx.Done():
			return false
		case <-ticks:
			beat()
			stop()
			ticks, stop = web.Ticks(h.opts.KeepAlive)
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// close ends the answer to a POST whose stream is done: one that nothing was sent on took
// a notification or response, or a request that gets no answer.
func (st *stream) close(sink *web.Sink) error {
	st.lock <- struct{}{}
	defer st.release()
	switch {
	case st.answered || sink.Streaming():
		return nil
	case st.unanswered && st.session.isGone():
		return st.session.handler.all.NoSession()
	case st.unanswered:
		return sink.Begin()
	}
	return sink.Empty(http.StatusAccepted)
}

// get opens a stream for the server's own messages, or resumes one (sections Listening for
// Messages from the Server, Resumability and Redelivery).
func (h *Handler) get(w http.ResponseWriter, r *http.Request) error {
	if !web.Accepts(r, eventstream.MediaType) {
		return web.Refuse(http.StatusNotAcceptable, "invalid request: the Accept header must have "+eventstream.MediaType)
	}
	s, err := h.find(r)
	if err != nil {
		return err
	}
	defer s.leave()
	sink := web.NewSink(w, h.opts.IOTimeout)
	defer sink.Finish()
	return replayError(h.stream(r, s, sink), sink)
}

// delete ends a session (section Session Management, 5).
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) error {
	s, err := h.find(r)
	if err != nil {
		return err
	}
	defer s.leave()
	if err := s.withdraw(r.Context()); err != nil {
		h.log.Error("a session could not be deleted", "error", err)
	}
	s.end(runtime.ErrClosed)
	w.WriteHeader(http.StatusNoContent)
	return nil
}
