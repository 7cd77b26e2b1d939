package runtime

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ErrShutdown is the cause (context.Cause) with which the context of a handler ends when its session
// shuts down and the request has not been answered within the grace period.
var ErrShutdown = errors.New("runtime: the session is shutting down")

// The answers of a session that shuts down.
var (
	errNotBegun = jsonrpc.Errorf(jsonrpc.CodeServerBusy, "unavailable: shutting down; the request was not begun, send it again in a new session")
	errCutShort = jsonrpc.Errorf(jsonrpc.CodeInternalError, "cancelled: shutting down before the request was done")
)

// drain refuses new requests and waits until those in flight are answered. Messages are still read,
// because handlers may wait for answers of the peer. When bound ends, drain expels the remaining
// requests. Ended, if not nil, gets the error that ends the reading; drain reports whether it came. It does not
// wait long for a peer that reads no answers; a session that Open has begun leaves that to its transport.
func (p *peer) drain(bound context.Context, ended <-chan error) (over bool) {
	drained := p.serving.Refuse()
	var served <-chan struct{}
	if p.source != nil {
		served = p.serving.Served()
	}
	var unread <-chan time.Time
	for {
		select {
		case <-drained:
			return over
		case <-served:
			served, unread = nil, time.After(waits.Unread)
		case <-unread:
			return over
		case <-p.life.Context().Done():
			return over
		case err := <-ended:
			over, ended = true, nil
			p.hangUp(err)
			if err != io.EOF {
				return over
			}
		case <-bound.Done():
			p.expel()
			return over
		}
	}
}

// expel ends the contexts of the requests in flight. The requests of handlers that do not return soon
// are answered with an error.
func (p *peer) expel() {
	over := p.life.Context().Done()
	for _, c := range p.serving.All() {
		c.cancel(ErrShutdown)
	}
	engine.Wait(p.serving.Refuse(), waits.Cancelled, over)
	var calls []*Call
	p.serving.RemoveAll(func(r registered) {
		r.abandoned = true
		calls = append(calls, r.Call)
	})
	if len(calls) == 0 {
		return
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for _, c := range calls {
			p.logFailure("handler has not returned although its context has ended", "method", c.method, "id", c.id)
			c.answerAbandoned()
		}
	}()
	engine.Wait(answered, waits.Sending, over)
}

// answerAbandoned answers a request in place of its handler.
func (c *Call) answerAbandoned() {
	p := c.peer
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	code := p.encodeError(buf, c.id, errCutShort) // not c.fail, because the handler's goroutine may run
	p.send(p.life.Context(), buf, c.reply, Outgoing{Kind: jsonrpc.Response, ID: c.id, Code: code, Abandoned: true})
}
