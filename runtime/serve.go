package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// takeRequest makes a request ready to be served. It returns the function that serves it, or nil if it is
// answered.
func (p *conn) takeRequest(m *jsonrpc.Message, in *Incoming, to Reply) (serve func()) {
	c, err := p.begin(m, in, to)
	switch {
	case err != nil:
		p.debug("request refused", slog.String("method", m.Method), loggedID(m.ID), slog.Any("error", err))
		_, busy := err.(busyError)
		_, duplicate := err.(duplicateError)
		_, batch := to.(*batched)
		switch {
		case busy && to == nil:
			p.refuseLater(m.ID.Clone(), err)
		case duplicate && (to == nil || batch):
			p.refuse(wire.Scalar{}, err, to)
		default:
			p.refuse(m.ID, err, to)
		}
	case c.inline: // no cancellation can be read meanwhile
		p.life.Do(c.run)
		if p.life.Stopped() {
			return unanswered
		}
	default:
		return c.serve
	}
	return nil
}

// busyError refuses a request because too many are in flight.
type busyError struct{ error }

func (e busyError) Unwrap() error { return e.error }

// duplicateError refuses a request with the id of one in flight. Where the answers to both share a channel, the
// refusal has no id: the peer would take it for the answer to the first.
type duplicateError struct{ error }

func (e duplicateError) Unwrap() error { return e.error }

// refuseLater refuses a request in another goroutine, so that a peer that does not read answers does not keep this
// side from reading, and from noticing that the peer has closed its output.
func (p *conn) refuseLater(id wire.Scalar, err error) {
	if !p.queue.Add(p.life.Context(), 0, func() { p.refuse(id, err, nil) }) {
		p.giveUp(errUnread)
	}
}

// begin admits a request and registers it, so that it can be cancelled.
func (p *conn) begin(m *jsonrpc.Message, in *Incoming, to Reply) (*Call, error) {
	admitted, err := p.side.admit(*m, in.Header)
	if err != nil {
		return nil, err
	}
	c := p.newCall(m, admitted, in, to)
	if c.inline {
		return c, nil
	}
	if err := c.checkToken(); err != nil {
		return nil, err
	}
	if c.stateless != nil && c.m.Method == methodListen {
		if err := c.stateless.shrink(); err != nil {
			return nil, err
		}
	}
	if !p.life.Enter() {
		return nil, c.terms.refused(errNotBegun)
	}
	c.key = c.id.Canonical()
	switch p.serving.Begin(p.life.Context(), registered{c}) {
	case engine.Begun:
		if in.Bound {
			c.unbind = context.AfterFunc(in.Context, c.disconnected)
		}
		return c, nil
	case engine.Busy:
		err = busyError{c.terms.refused(jsonrpc.Errorf(jsonrpc.CodeServerBusy, "busy: %d requests in flight", p.limits.MaxConcurrent))}
		p.logger().Warn("too many requests in flight", "method", m.Method, "id", m.ID)
	case engine.Duplicate:
		err = duplicateError{jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: id %.100s is that of a request in flight", c.id.String())}
	case engine.Refused:
		err = c.terms.refused(errNotBegun)
	}
	p.life.Leave()
	return nil, err
}

func (p *conn) newCall(m *jsonrpc.Message, a admission, in *Incoming, to Reply) *Call {
	c := a.newCall()
	c.conn, c.terms = p, a.terms
	c.id = m.ID
	c.m.receive(m.Kind, m.Method, m.Params, c)
	c.reply, c.inline, c.remote = to, a.inline, in.Header != nil
	c.context = callContext{Context: p.life.Context(), call: c}
	if m.Kind == jsonrpc.Request && !c.inline {
		c.context.Context, c.cancel = context.WithCancelCause(p.values)
	}
	if in.Context != nil {
		c.context.values = context.WithoutCancel(in.Context) // the end and the cause of that context do not apply to the handler
	}
	return c
}

// serve handles a registered request. After it, its goroutine does not use the session.
func (c *Call) serve() {
	defer c.conn.life.Leave()
	defer c.conn.serving.End()
	defer c.ended()
	defer c.cancel(nil)
	if c.unbind != nil {
		defer c.unbind()
	}
	c.run()
}

// ended starts the call that Detach made.
func (c *Call) ended() {
	c.release()
	if c.unanswered && !c.abandoned {
		skip(c.reply)
	}
}

// run calls the handler and sends its answer.
func (c *Call) run() {
	buf := c.conn.buffers.get()
	defer c.conn.buffers.put(buf)
	c.encode(buf)
	c.answer(buf)
}

// answer sends the text in buf unless the request was cancelled. It uses the context of the session,
// because a cancellation that arrives while the answer is being sent is too late.
func (c *Call) answer(buf *[]byte) {
	p := c.conn
	answered := c.finish()
	c.telling.Wait()
	if !answered {
		c.unanswered = true
		return
	}
	out := Outgoing{Kind: jsonrpc.Response, ID: c.id, Denied: c.denied}
	if c.stateless != nil {
		out.Code = c.stateless.code
	}
	p.send(p.life.Context(), buf, c.reply, out)
	if c.stateless != nil && c.stateless.session != nil && out.Code == 0 {
		c.stateless.session.subscriber.sendEnd()
	}
}

// finish ends the call: it sends no more progress and cannot be cancelled. It returns false if the
// request must not be answered, because it was cancelled or the session is over. The id is released
// before the answer is sent, because the peer may reuse it as soon as it has the answer.
func (c *Call) finish() bool {
	if c.stateless != nil {
		c.stateless.close()
	}
	c.mu.Lock()
	c.over.Store(true)
	c.mu.Unlock()
	p := c.conn
	return (c.inline || p.serving.Finish(registered{c})) && p.life.Context().Err() == nil
}

// encode calls the handler and writes the text of the answer to buf. If the handler or the encoding
// of its result panics or fails, the answer is an error.
func (c *Call) encode(buf *[]byte) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover() // nil after runtime.Goexit, which also ends run
		c.conn.logFailure("handler panicked", "method", c.m.Method, "id", c.id, "panic", v, "stack", string(debug.Stack()))
		c.fail(buf, errInternal)
		if v == nil {
			c.answer(buf)
		}
	}()
	result, err := c.terms.handle(&c.context, &c.m)
	if err == nil && result == nil {
		err = errors.New("runtime: the handler returned no result")
	}
	if err == nil {
		err = c.encodeResult(buf, result)
	}
	if err != nil {
		c.encodeError(buf, err)
	}
	returned = true
}

func (c *Call) encodeResult(buf *[]byte, result wire.Appender) error {
	if c.stateless == nil {
		text, err := jsonrpc.AppendResult(*buf, c.id, result)
		if err == nil {
			*buf = text
		}
		return err
	}
	text, err := jsonrpc.BeginResult(*buf, c.id)
	if err != nil {
		return err
	}
	if text, err = c.stateless.appendResult(text, result); err != nil {
		return err
	}
	*buf = append(text, '}')
	return nil
}

func (c *Call) encodeError(buf *[]byte, err error) {
	c.denied = deniedBy(err)
	if c.stateless != nil {
		err = c.stateless.restated(err)
	}
	if peerError(err) == errInternal && context.Cause(&c.context) == ErrShutdown {
		err = errCutShort
	}
	if peerError(err) == errInternal && c.context.Err() == nil {
		c.conn.logFailure("request failed", "method", c.m.Method, "id", c.id, "error", err)
	}
	c.fail(buf, err)
}

// fail writes the error answer for err to buf.
func (c *Call) fail(buf *[]byte, err error) {
	if c.stateless != nil {
		c.stateless.code = peerError(err).Code
	}
	c.conn.encodeError(buf, c.id, err)
}

// takeNotification queues a notification for its handler. If it has no order among others, the handler is called
// by the function that takeNotification returns, which is nil otherwise.
func (p *conn) takeNotification(m *jsonrpc.Message, in *Incoming) (handle func()) {
	if m.Method == methodCancelled && !p.cancelRequest(m.Params) {
		p.forward(m, in)
	}
	admitted, err := p.side.admit(*m, in.Header)
	if err != nil {
		p.debug("notification ignored", slog.String("method", m.Method), slog.Any("error", err))
		return nil
	}
	if m.Method == methodProgress && p.takeProgress(m.Params) || p.side.notified(*m) {
		return nil
	}
	if m.Method == methodProgress && !p.forward(m, in) && in.Forwarded {
		return nil // the server that received it first has a handler for it
	}
	c := p.newCall(m, admitted, in, in.Reply)
	if p.many {
		return c.notified
	}
	if !p.queue.Add(p.life.Context(), len(m.Params), c.notified) {
		p.logger().Warn("notification dropped: too many are waiting", "method", m.Method)
	}
	return nil
}

// notified calls the handler of a notification.
func (c *Call) notified() {
	returned := false
	defer func() {
		c.over.Store(true)
		if !returned {
			c.conn.logFailure("handler panicked", "method", c.m.Method, "panic", recover(), "stack", string(debug.Stack()))
		}
	}()
	_, err := c.terms.handle(&c.context, &c.m)
	returned = true
	switch {
	case err == nil:
	case isMethodNotFound(err):
		c.conn.debug("notification ignored", slog.String("method", c.m.Method), slog.Any("error", err))
	default:
		c.conn.logger().Warn("notification failed", "method", c.m.Method, "error", err)
	}
}

// cancelRequest cancels the request with the id in the params of notifications/cancelled. It returns false
// if no such request is being handled; the protocol requires that the notification is then ignored.
func (p *conn) cancelRequest(params wire.Raw) bool {
	id, _ := wire.Object(params).GetScalar("requestId")
	c := p.serving.Remove(id.Canonical()).Call
	if c != nil {
		c.withdrawn(fmt.Sprintf("%.200s", wire.Object(params).GetString("reason")))
	}
	return c != nil
}

// disconnected cancels a request whose client has closed the response.
func (c *Call) disconnected() {
	if c.conn.serving.Finish(registered{c}) {
		c.withdrawn("the client has closed the connection")
	}
}

// withdrawn ends the context of a request that the client has cancelled.
func (c *Call) withdrawn(reason string) {
	c.conn.debug("request cancelled by the peer", slog.String("method", c.m.Method), loggedID(c.id), slog.String("reason", reason))
	c.cancel(&CancelledError{Reason: reason})
}
