package runtime

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Detached says how a call goes on after the answer to its request, see [Call.Detach].
type Detached struct {
	// Params, if there is one, is given the params of each message of the call, nil for
	// none, and returns those that are sent. It is called concurrently.
	Params func(method string, params wire.Appender) wire.Appender
	// Route, if there is one, says on which of the transport's streams a message of the
	// call goes out; nil is no particular one. It is called concurrently.
	Route func() Route
	// Asking, if there is one, is called before the call sends a request, which it may
	// hold up, and must return when ctx ends. An error is that of the request. What it
	// returns is called when the answer is not waited for any more. It is called
	// concurrently.
	Asking func(ctx context.Context) (answered func(), err error)
}

// detachment is what a call keeps of Detach: the one it was called on when to start, the
// one made by it how to send.
type detachment struct {
	Detached
	call     *Call         // the one that goes on
	answered chan struct{} // closed when the first one is over
}

// Detach has f go on with the message when its request has been answered, in a goroutine
// that belongs to the session. The context of f has the values of ctx and a Call of its
// own ([CallOf]), which sends on the stream that how names and reports progress until f
// returns. It ends when cancel is called, when nothing more is read from the peer, and,
// with context.Canceled, when the request is not answered. False: the session is ending,
// and f is not run. F must not panic. A handler calls it before it returns.
func (c *Call) Detach(ctx context.Context, how Detached, f func(ctx context.Context)) (cancel context.CancelCauseFunc, ok bool) {
	p := c.peer
	d := &Call{peer: p, terms: c.terms, handle: c.handle, id: c.id, method: c.method, params: c.params}
	d.context.call, d.context.parent = d, context.WithoutCancel(ctx)
	made := &detachment{Detached: how, call: d}
	d.detached.Store(made)
	if !c.key.IsZero() && !c.over.Load() {
		first := &detachment{call: d, answered: make(chan struct{})}
		if c.detached.CompareAndSwap(nil, first) {
			made.answered = first.answered
		}
	}
	background := p.backgroundContext()
	release := context.AfterFunc(background, func() { d.context.cancel(ErrClosed) })
	ok = p.spawn(func() {
		defer d.context.cancel(nil)
		defer release()
		defer d.finishDetached()
		if made.answered != nil {
			<-made.answered
		}
		f(&d.context)
	})
	if !ok {
		release()
		d.context.cancel(ErrClosed)
	}
	return d.context.cancel, ok
}

// finishDetached ends a call that Detach made: no progress follows.
func (c *Call) finishDetached() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over.Store(true)
}

// release starts what was detached from c, which is over.
func (c *Call) release() {
	d := c.detached.Load()
	if d == nil || d.call == c {
		return
	}
	if c.unanswered {
		d.call.context.cancel(context.Canceled)
	}
	close(d.answered)
}

// detachedHow is what Detach was told of c; nil when c is not a call made by it.
func (c *Call) detachedHow() *Detached {
	if d := c.detached.Load(); d != nil && d.call == c {
		return &d.Detached
	}
	return nil
}

// outgoing are params as c sends them.
func (c *Call) outgoing(method string, params wire.Appender) wire.Appender {
	if how := c.detachedHow(); how != nil && how.Params != nil {
		return how.Params(method, params)
	}
	return params
}

// Declared reports whether this side has declared the capability at a dotted path
// ("tasks.requests.tools.call"), or whether that is not known.
func (c *Call) Declared(capability string) bool {
	return c.terms.declared == "" || declared(c.terms.declared, capability)
}

// Kept returns the session's value for key, which made returns on first use and which
// lives as long as the session. The context of made ends when nothing more is read from
// the peer, and its Call belongs to no message: unlike c, which keeps the memory of its
// request, it may be kept with the value. Made must be quick and must not use the session.
func (c *Call) Kept(key any, made func(ctx context.Context) any) any {
	ctx := c.peer.backgroundContext()
	c.peer.mu.Lock()
	defer c.peer.mu.Unlock()
	v, ok := c.peer.kept[key]
	if !ok {
		if c.peer.kept == nil {
			c.peer.kept = make(map[any]any)
		}
		session := &Call{peer: c.peer, terms: c.terms}
		session.context.call, session.context.parent = session, ctx
		session.over.Store(true)
		v = made(&session.context)
		c.peer.kept[key] = v
	}
	return v
}

// backgroundContext is the context of what belongs to the session and to no request.
func (p *peer) backgroundContext() context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.background == nil {
		p.background, p.endBackground = context.WithCancelCause(p.ctx)
		if p.closed {
			p.endBackground(ErrClosed)
		}
	}
	return p.background
}
