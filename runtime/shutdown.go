package runtime

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ErrShutdown is the cause (context.Cause) with which the context of a handler ends when
// its session shuts down and the request has not been answered within the grace period.
var ErrShutdown = errors.New("runtime: the session is shutting down")

// The answers of a session that shuts down.
var (
	errNotBegun = jsonrpc.Errorf(jsonrpc.CodeServerBusy, "unavailable: shutting down; the request was not begun, send it again to a new session")
	errCutShort = jsonrpc.Errorf(jsonrpc.CodeInternalError, "cancelled: shutting down before the request was done")
)

const (
	// expelWait bounds the wait for handlers to return and be answered after their
	// contexts have ended because of a shutdown.
	expelWait = time.Second
	// abandonWait bounds the wait for handlers that do not heed the end of their
	// contexts, once the session is over.
	abandonWait = time.Second
)

// refuseRequests refuses requests from now on. It returns a channel that is closed when
// those in flight are answered.
func (p *peer) refuseRequests() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuseRequestsLocked()
	return p.served
}

func (p *peer) refuseRequestsLocked() {
	if p.served != nil {
		return
	}
	p.served = make(chan struct{})
	p.requests.unbind() // else a request waits for a place before it is refused
	if p.serving == 0 {
		close(p.served)
	}
}

// drain refuses new requests and waits until those in flight are answered. Reading goes
// on, because handlers may wait for answers of the peer. When bound ends first, the
// requests that are left are expelled. Ended, if not nil, takes the end of the reading;
// drain reports whether it came.
func (p *peer) drain(bound context.Context, ended <-chan error) (over bool) {
	served := p.refuseRequests()
	for {
		select {
		case <-served:
			return over
		case <-p.ctx.Done():
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

// expel ends the contexts of the requests in flight. Requests whose handlers do not return
// soon are answered with an error in their place. Call refuseRequests before.
func (p *peer) expel() {
	p.mu.Lock()
	calls := p.inflight.all()
	p.mu.Unlock()
	for _, c := range calls {
		c.context.cancel(ErrShutdown)
	}
	wait(p.served, expelWait, p.ctx.Done())
	p.mu.Lock()
	calls = p.inflight.all()
	for _, c := range calls {
		c.abandoned = true
	}
	p.inflight = inflight{}
	p.mu.Unlock()
	if len(calls) == 0 {
		return
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for _, c := range calls {
			p.log.Error("handler does not return though its context has ended", "method", c.method, "id", c.id)
			p.answerAbandoned(c)
		}
	}()
	wait(answered, closeWait, p.ctx.Done())
}

// logAbandoned logs how many handlers go on though the session is over.
func (p *peer) logAbandoned() {
	p.mu.Lock()
	left := p.active
	p.mu.Unlock()
	if left > 0 {
		p.log.Error("handlers do not return though their contexts have ended", "handlers", left)
	}
}

// answerAbandoned answers a request in place of its handler.
func (p *peer) answerAbandoned(c *Call) {
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	p.encodeError(buf, c.id, errCutShort)
	if c.batch != nil {
		c.batch.add(*buf, false)
		return
	}
	p.send(p.ctx, buf, Outgoing{Kind: jsonrpc.Response, ID: c.id, Route: c.route, Abandoned: true})
	p.done(c.route, false)
}

// leaveRequest is leave for the goroutine of a request.
func (p *peer) leaveRequest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serving--
	if p.served != nil && p.serving == 0 {
		close(p.served)
	}
	p.leaveLocked()
}
