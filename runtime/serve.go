package runtime

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func (p *conn) newCall(m *jsonrpc.Message, a admission, in *Incoming, to Reply) *Call {
	c := a.newCall()
	c.conn, c.peer = p, a.peer
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
func (c request) serve() {
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
func (c request) ended() {
	if d := c.detached.Load(); d != nil && d.call != c.Call {
		if c.unanswered {
			d.call.cancel(context.Canceled)
		}
		close(d.answered)
	}
	if c.unanswered && !c.abandoned {
		skip(c.reply)
	}
}

// run calls the handler and sends its answer.
func (c request) run() {
	buf := c.conn.buffers.get()
	defer c.conn.buffers.put(buf)
	c.encode(buf)
	c.answer(buf)
}

// answer sends the text in buf unless the request was cancelled. It uses the context of the session,
// because a cancellation that arrives while the answer is being sent is too late.
func (c request) answer(buf *[]byte) {
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
func (c request) finish() bool {
	if c.stateless != nil {
		c.stateless.close()
	}
	c.finished()
	p := c.conn
	return (c.inline || p.serving.Finish(c)) && p.life.Context().Err() == nil
}

// encode calls the handler and writes the text of the answer to buf. If the handler or the encoding
// of its result panics or fails, the answer is an error.
func (c request) encode(buf *[]byte) {
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
	result, err := c.peer.handle(&c.context, &c.m)
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

func (c request) encodeResult(buf *[]byte, result wire.Appender) error {
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

func (c request) encodeError(buf *[]byte, err error) {
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
func (c request) fail(buf *[]byte, err error) {
	if c.stateless != nil {
		c.stateless.code = peerError(err).Code
	}
	c.conn.encodeError(buf, c.id, err)
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
	_, err := c.peer.handle(&c.context, &c.m)
	returned = true
	switch {
	case err == nil:
	case isMethodNotFound(err):
		c.conn.debug("notification ignored", slog.String("method", c.m.Method), slog.Any("error", err))
	default:
		c.conn.logger().Warn("notification failed", "method", c.m.Method, "error", err)
	}
}

// disconnected cancels a request whose client has closed the response.
func (c request) disconnected() {
	if c.conn.serving.Finish(c) {
		c.withdrawn("the client has closed the connection")
	}
}

// withdrawn ends the context of a request that the client has cancelled.
func (c request) withdrawn(reason string) {
	c.conn.debug("request cancelled by the peer", slog.String("method", c.m.Method), loggedID(c.id), slog.String("reason", reason))
	c.cancel(&CancelledError{Reason: reason})
}
