package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// sender sends the messages of this side's code to the peer. It is the Caller behind Call, Session and
// ServerSession.
type sender struct {
	conn *conn
	peer *peer // nil before the handshake
	to   Reply // nil for messages without a request
	call *Call // the call that sends; nil outside of calls

	subscriber *subscriber // that gets the notification; nil if the call itself sends it
	way        Handler     // nil for that of the peer
}

// message returns a message, which is one allocation.
func (s sender) message(kind jsonrpc.Kind, method string, params wire.Appender) *Message {
	m := &struct {
		Message
		own sent
	}{Message: Message{Kind: kind, Method: method, Params: params}, own: sent{sender: s, row: &noRow}}
	m.sent = &m.own
	return &m.Message
}

// handler returns the way of the messages.
func (s sender) handler() Handler {
	switch {
	case s.way != nil:
		return s.way
	case s.peer != nil && s.peer.protocol != nil:
		return s.peer.protocol.way
	}
	return deliver
}

// Call implements Caller.
func (s sender) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	m := s.message(jsonrpc.Request, method, params)
	m.sent.into = result
	return s.do(ctx, m, s.handler())
}

// do sends a request and decodes its result.
func (s sender) do(ctx context.Context, m *Message, way Handler) error {
	result, err := way(ctx, m)
	if err != nil || m.sent.into == nil || m.sent.decoded {
		return err
	}
	text, err := TextOf(result)
	if err == nil && text == "" {
		err = fmt.Errorf("runtime: middleware returned no result of %s", m.Method)
	}
	if err != nil {
		return err
	}
	return m.Decode(ctx, text)
}

// Notify implements Caller.
func (s sender) Notify(ctx context.Context, method string, params wire.Appender) error {
	_, err := s.handler()(ctx, s.message(jsonrpc.Notification, method, params))
	return err
}

// Around returns a Caller whose messages go through wrap before c sends them.
func Around(c Caller, wrap Middleware) Caller {
	return sender{way: wrap(func(ctx context.Context, m *Message) (wire.Appender, error) {
		if m.Kind == jsonrpc.Notification {
			return nil, c.Notify(ctx, m.Method, m.Params)
		}
		var result wire.Raw
		if err := c.Call(ctx, m.Method, m.Params, &result); err != nil {
			return nil, err
		}
		return result, nil
	})}
}

// deliver is the innermost Handler of a message of this side: it sends it, if the revision and the capabilities
// of both sides allow that.
func deliver(ctx context.Context, m *Message) (wire.Appender, error) {
	s := m.sent
	var err error
	if s.row, err = s.peer.sending(m.Kind, m.Method); err != nil {
		if m.Kind == jsonrpc.Request {
			err = specified(err, m.Params)
		}
		return nil, err
	}
	if m.Kind == jsonrpc.Request {
		s.progress, s.follow = reporterOf(ctx, s.conn)
		return s.conn.side.ask(ctx, m)
	}
	if s.subscriber != nil {
		if !s.subscriber.sends(m.Method, m.Params) {
			return nil, nil
		}
		m = m.With(s.subscriber.tagged(m.Params))
	} else if s.call != nil && s.peer.serving() {
		if err := s.call.scoped(m.Method, s.row); err != nil {
			return nil, err
		}
	}
	return s.conn.transmit(ctx, m)
}

// transmitOne is the innermost Handler within the middleware for messages of this side.
func transmitOne(ctx context.Context, m *Message) (wire.Appender, error) {
	s := m.sent
	if m.Kind == jsonrpc.Notification {
		return nil, s.announce(ctx, m.Method, m.Params, s.change)
	}
	s.id, s.answer = 0, ""
	var err error
	if s.answer, err = s.exchange(ctx, m); err != nil {
		return nil, err
	}
	if s.answer, err = s.conn.side.complete(ctx, m, s.answer); err != nil {
		return nil, err
	}
	return &s.answer, nil // valid until the request is sent again
}

// exchange sends a request and waits for its answer, or takes the answer from a stateless call. If it
// stops waiting, it tells the peer that the request is cancelled, except for initialize, where the
// protocol forbids it, and for server/discover, which the server may not know.
func (s *sent) exchange(ctx context.Context, m *Message) (wire.Raw, error) {
	p := s.conn
	if s.peer.serving() {
		if s.call == nil || s.call.stateless == nil {
			return "", errNoInput(m.Method)
		}
		return s.call.stateless.input(ctx, m)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if s.call.cancelled() {
		return "", context.Cause(&s.call.context)
	}
	w, err := p.pending.Begin(engine.Options{Accept: s.accept, Progress: s.progress != nil, Follow: s.follow})
	if err != nil {
		return "", unsentError{err}
	}
	s.id = w.ID
	if s.begun != nil {
		s.begun(w.ID)
	}
	defer p.pending.Done(w)
	limit := p.limits.patience(ctx, m.Method)
	written := false
	var r engine.Reply
	if err = s.sendRequest(ctx, m); err == nil {
		written = true
		r, err = s.await(ctx, w, limit)
	} else {
		written = ctx.Err() != nil // the transport may still be sending it
	}
	if err != nil && !p.pending.GiveUp(w) {
		// The answer or the end of the session came first. The reason for the end of the session
		// says more than the error of sending.
		r, err = <-w.Reply(), nil
	}
	switch {
	case err == engine.ErrExpired || err == nil && r.Err == engine.ErrExpired:
		err = &TimeoutError{Method: m.Method, Quiet: limit.Quiet, Total: limit.Total}
	case err == nil:
		return r.Result, r.Err
	}
	if written && m.Method != methodInitialize && m.Method != methodDiscover {
		s.withdraw(reasonOf(ctx, err))
	}
	return "", err
}

// await waits for the answer until ctx or the caller's patience ends.
func (s *sent) await(ctx context.Context, w *engine.Call, limit engine.Patience) (engine.Reply, error) {
	s.conn.pending.Limit(w, limit)
	if from := s.conn.source.Load(); from != nil {
		if s.progress != nil {
			from.Resume()
		} else if r, ok := from.Await(w); ok {
			return r, nil
		}
	}
	return w.Await(ctx, limit, s.progress)
}

// withdraw tells the peer that a request is cancelled. It uses a goroutine, so that the caller does not
// wait for a peer that does not read; the answer of the call that has sent the request waits. The context of
// the session does not apply, because many callers close the session immediately after a cancelled call.
func (s *sent) withdraw(reason string) {
	params := cancelledParams{wire.IntScalar(s.id), reason}
	from, life, told := s.sender, &s.conn.life, s.call.withdrawing()
	begun := life.Go(func() {
		defer told()
		from.tell(context.WithoutCancel(life.Context()), methodCancelled, params, false)
	})
	if !begun {
		told()
	}
}

// reasonOf returns the reason that the peer gets for the cancellation of a request that was made with ctx and
// failed with err.
func reasonOf(ctx context.Context, err error) string {
	if e, ok := errors.AsType[*TimeoutError](err); ok {
		return fmt.Sprintf("no answer within %v", e.Quiet)
	}
	if e, ok := errors.AsType[*CancelledError](context.Cause(ctx)); ok && e.Reason != "" {
		return e.Reason
	}
	if ctx.Err() == context.DeadlineExceeded {
		return "no answer in time"
	}
	return "the request was cancelled"
}

func (s *sent) sendRequest(ctx context.Context, m *Message) error {
	buf := s.conn.buffers.get()
	defer s.conn.buffers.put(buf)
	id := wire.IntScalar(s.id)
	meta := ""
	if s.progress != nil {
		meta = metaMember("progressToken", id)
	}
	text, err := jsonrpc.BeginRequest(*buf, id, m.Method)
	if err == nil {
		text, err = s.appendParams(text, m.Method, m.Params, meta)
	}
	if err != nil {
		return prefix.Errorf("runtime: request %s: %w", m.Method, err)
	}
	text = append(text, '}')
	if err := s.peer.refine(s.row, text); err != nil {
		return err
	}
	*buf = text
	return s.conn.send(ctx, buf, s.to, Outgoing{Kind: jsonrpc.Request, ID: id, Method: m.Method, Revision: s.peer.revisionSent(), NameParam: s.row.nameParam})
}

// announce sends a notification. It sends nothing if ctx has ended or the peer has
// cancelled the request, whatever the transport would do.
func (s *sender) announce(ctx context.Context, method string, params wire.Appender, change bool) error {
	if s.call != nil && s.peer.serving() {
		if !s.call.stateless.hold() {
			return errAnswered
		}
		defer s.call.stateless.unhold()
	} else if s.call.cancelled() {
		return errAnswered
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.tell(ctx, method, params, change)
}

// tell sends a notification without middleware. Change is Outgoing.Change.
func (s *sender) tell(ctx context.Context, method string, params wire.Appender, change bool) error {
	buf := s.conn.buffers.get()
	defer s.conn.buffers.put(buf)
	text, err := jsonrpc.BeginNotification(*buf, method)
	if err == nil {
		text, err = s.appendParams(text, method, params, "")
	}
	if err != nil {
		return prefix.Errorf("runtime: notification %s: %w", method, err)
	}
	text = append(text, '}')
	if method == methodMessage && !s.wantsMessage(text) {
		return nil
	}
	*buf = text
	return s.conn.send(ctx, buf, s.to, Outgoing{Kind: jsonrpc.Notification, Method: method, Revision: s.peer.revisionSent(), Change: change})
}

// cancelledParams are the params of notifications/cancelled.
type cancelledParams struct {
	id     wire.Scalar
	reason string
}

// AppendJSON appends the params object.
func (p cancelledParams) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	w.Value("requestId", &p.id)
	w.String("reason", p.reason)
	return w.Close()
}
