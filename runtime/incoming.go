package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// receiveRequest makes a request ready to be served, which the caller sees to; nil when
// it has been answered. Reading goroutine.
func (p *peer) receiveRequest(m *jsonrpc.Message, in *Incoming, b *batch) *Call {
	admitted, err := p.lifecycle.admit(*m)
	if err != nil {
		p.log.Debug("request refused", "method", m.Method, "id", m.ID, "error", err)
		p.refuse(m.ID, err, in.Route, b)
		return nil
	}
	c := p.newCall(m, admitted, in, b)
	if c.inline {
		p.runInline(c)
		return nil
	}
	if !p.requests.enter(p.ctx) {
		err := jsonrpc.Errorf(jsonrpc.CodeServerBusy, "busy: %d requests in flight", p.limits.MaxConcurrent)
		p.log.Warn("request refused", "method", m.Method, "id", m.ID, "error", err)
		p.refuse(m.ID, err, in.Route, b)
		return nil
	}
	if err := p.register(c); err != nil {
		p.requests.leave()
		p.log.Warn("request refused", "method", m.Method, "id", m.ID, "error", err)
		p.refuse(m.ID, err, in.Route, b)
		return nil
	}
	return c
}

// runInline handles c before the next message is read. It has a goroutine nevertheless,
// because a handler may end the one it runs in. It is not registered: while the
// reading goroutine waits, nobody could cancel it.
func (p *peer) runInline(c *Call) {
	done := make(chan struct{})
	if p.spawn(func() {
		defer close(done)
		c.run()
	}) {
		<-done
	}
}

func (p *peer) newCall(m *jsonrpc.Message, a admission, in *Incoming, b *batch) *Call {
	c := &Call{
		peer:   p,
		terms:  a.terms,
		handle: a.handle,
		id:     m.ID,
		method: m.Method,
		params: m.Params,
		route:  in.Route,
		batch:  b,
		inline: a.inline,
	}
	c.context.call, c.context.parent = c, p.ctx
	if in.Context != nil {
		c.values = context.WithoutCancel(in.Context)
	}
	return c
}

// register makes c cancellable and counts its goroutine.
func (p *peer) register(c *Call) *jsonrpc.Error {
	c.key = c.id.Canonical()
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.served != nil:
		return errNotBegun
	case p.inflight.get(c.key) != nil:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: id %.100s is that of a request in flight", c.id.String())
	case !p.enterLocked():
		return errNotBegun
	}
	p.serving++
	p.inflight.add(c)
	return nil
}

// serve handles a request. It is the last thing a goroutine of the session does.
func (c *Call) serve() {
	defer c.peer.leaveRequest()
	defer c.ended()
	defer c.peer.requests.leave()
	defer c.context.cancel(nil)
	c.run()
}

// ended tells the transport that the route of a request is done with; a batch does so
// when all its requests are.
func (c *Call) ended() {
	c.release()
	if c.batch == nil && !c.abandoned {
		c.peer.done(c.route, c.unanswered)
	}
}

// run calls the handler and sends its answer.
func (c *Call) run() {
	p := c.peer
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	c.encode(buf)
	c.answer(buf)
}

// answer sends the text that encode left, if the request is still to be answered.
func (c *Call) answer(buf *[]byte) {
	if c.finish() {
		c.peer.answer(buf, c.id, c.route, c.batch)
		return
	}
	c.unanswered = true
	if c.batch != nil && !c.abandoned {
		c.batch.add(nil, true)
	}
}

// finish ends the call: no progress follows, and a cancellation finds nothing any more.
// False when the request must not be answered, because it was cancelled or because the
// session is over. The id is free before the answer leaves, as the peer may reuse it.
func (c *Call) finish() bool {
	c.mu.Lock()
	c.over.Store(true)
	c.mu.Unlock()
	p := c.peer
	if c.inline {
		return p.ctx.Err() == nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inflight.get(c.key) != c {
		return false
	}
	p.inflight.remove(c.key)
	return p.ctx.Err() == nil
}

// encode calls the handler and leaves the text of the answer in buf, whatever the
// handler or the encoding of its result does.
func (c *Call) encode(buf *[]byte) {
	returned := false
	defer func() {
		if returned {
			return
		}
		// Either a panic or, when there is no value, runtime.Goexit: then the goroutine
		// goes on to end, and run is not coming back.
		v := recover()
		c.peer.log.Error("handler panicked", "method", c.method, "id", c.id, "panic", v, "stack", string(debug.Stack()))
		c.peer.encodeError(buf, c.id, errInternal)
		if v == nil {
			c.answer(buf)
		}
	}()
	result, err := c.handle(&c.context, c.method, c.params)
	if err == nil && result == nil {
		err = errors.New("runtime: the handler returned no result")
	}
	if err == nil {
		var text []byte
		if text, err = jsonrpc.AppendResult(*buf, c.id, result); err == nil {
			*buf = text
		}
	}
	if err != nil {
		c.encodeError(buf, err)
	}
	returned = true
}

func (c *Call) encodeError(buf *[]byte, err error) {
	if peerError(err) == errInternal && context.Cause(&c.context) == ErrShutdown {
		err = errCutShort
	}
	if peerError(err) == errInternal && c.context.Err() == nil {
		c.peer.log.Error("request failed", "method", c.method, "id", c.id, "error", err)
	}
	c.peer.encodeError(buf, c.id, err)
}

// receiveNotification queues a notification for its handler. Reading goroutine.
func (p *peer) receiveNotification(m *jsonrpc.Message, in *Incoming) {
	if m.Method == methodCancelled {
		p.cancelRequest(m.Params)
	}
	admitted, err := p.lifecycle.admit(*m)
	if err != nil {
		p.log.Debug("notification ignored", "method", m.Method, "error", err)
		return
	}
	if m.Method == methodProgress && p.progressed(m.Params) {
		return
	}
	if !p.notifications.enter(p.ctx) {
		p.log.Warn("notification dropped: too many are waiting", "method", m.Method)
		return
	}
	c := p.newCall(m, admitted, in, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.draining {
		p.queue = append(p.queue, c)
	} else if p.enterLocked() {
		p.queue, p.draining = append(p.queue, c), true
		go p.notified()
	}
}

// notified is the goroutine that handles the notifications of a session one after the
// other; it ends when none is waiting.
func (p *peer) notified() {
	ended := true // by a handler, through runtime.Goexit
	defer func() {
		if ended {
			p.mu.Lock()
			if p.draining = p.enterLocked(); p.draining {
				go p.notified()
			}
			p.mu.Unlock()
		}
		p.leave()
	}()
	for c := p.nextNotification(); c != nil; c = p.nextNotification() {
		p.notifications.leave()
		c.take()
	}
	ended = false
}

// nextNotification takes one from the queue; nil when there is none or the session is
// over, and then draining has ended.
func (p *peer) nextNotification() *Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 || p.ctx.Err() != nil {
		p.queue, p.draining = nil, false
		return nil
	}
	c := p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	return c
}

// take calls the handler of a notification.
func (c *Call) take() {
	log := c.peer.log
	returned := false
	defer func() {
		c.over.Store(true)
		if !returned {
			log.Error("handler panicked", "method", c.method, "panic", recover(), "stack", string(debug.Stack()))
		}
	}()
	_, err := c.handle(&c.context, c.method, c.params)
	returned = true
	switch {
	case err == nil:
	case isMethodNotFound(err):
		log.Debug("notification ignored", "method", c.method, "error", err)
	default:
		log.Warn("notification failed", "method", c.method, "error", err)
	}
}

// cancelRequest ends the context of the request that the params of a cancelled
// notification name. What names none in flight is ignored, as the protocol demands.
func (p *peer) cancelRequest(params wire.Raw) {
	if params == "" {
		return
	}
	raw, ok := wire.Object(params).Get("requestId")
	if !ok {
		return
	}
	var id wire.Scalar
	if err := wire.UnmarshalString(string(raw), &id); err != nil {
		return
	}
	key := id.Canonical()
	p.mu.Lock()
	c := p.inflight.remove(key)
	p.mu.Unlock()
	if c == nil {
		return
	}
	reason := fmt.Sprintf("%.200s", stringMember(wire.Object(params), "reason"))
	p.log.Debug("request cancelled by the peer", "method", c.method, "id", c.id, "reason", reason)
	c.context.cancel(&CancelledError{Reason: reason})
}

// scalarMember is the member of o with that name if it is a scalar.
func scalarMember(o wire.Object, name string) (wire.Scalar, bool) {
	raw, ok := o.Get(name)
	if !ok {
		return wire.Scalar{}, false
	}
	var s wire.Scalar
	err := wire.UnmarshalString(string(raw), &s)
	return s, err == nil
}

// stringMember is the member of o with that name if it is a string, else "".
func stringMember(o wire.Object, name string) string {
	return o.GetString(name)
}
