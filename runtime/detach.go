package runtime

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Detached configures a call that continues after the answer to its request, see [Call.Detach]. Each
// field may be nil. The functions are called concurrently.
type Detached struct {
	// Params returns the params that are sent in place of params, which may be nil. It is called for
	// each message of the call.
	Params func(method string, params wire.Appender) wire.Appender
	// Reply returns where a message is sent; nil means where messages without a request go.
	Reply func() Reply
	// Asking is called before the call sends a request. It may delay the request, but must return
	// when ctx ends. If it returns an error, the request fails with it. The function that it returns
	// is called when the request has been answered or has failed.
	Asking func(ctx context.Context) (answered func(), err error)
}

// detachment connects a call with the detached one that continues it. Both have one.
type detachment struct {
	Detached
	call     *Call         // the detached one
	answered chan struct{} // closed when the first call is over
}

// Detach runs f after the answer to the request, in a goroutine that belongs to the session. A handler
// calls it before it returns. The context of f has the values of ctx and a Call of its own ([CallOf]),
// which sends to the Reply that how.Reply returns and reports progress until f returns; the Call of a
// stateless request can send nothing after the answer. The context ends when cancel is called, when
// the session stops reading from the peer, and, with context.Canceled, when the request is not
// answered. If ok is false, the session is ending and f is not run. F must not panic.
func (c *Call) Detach(ctx context.Context, how Detached, f func(ctx context.Context)) (cancel context.CancelCauseFunc, ok bool) {
	p := c.peer
	d := &Call{peer: p, terms: c.terms, handle: c.handle, id: c.id, method: c.method, params: c.params}
	d.context.call = d
	d.context.Context, d.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	own := &detachment{Detached: how, call: d}
	d.detached.Store(own)
	if !c.key.IsZero() && !c.over.Load() {
		first := &detachment{call: d, answered: make(chan struct{})}
		if c.detached.CompareAndSwap(nil, first) {
			own.answered = first.answered
		}
	}
	release := context.AfterFunc(p.life.Background(), func() { d.cancel(ErrClosed) })
	ok = p.life.Go(func() {
		defer d.cancel(nil)
		defer release()
		defer d.finishDetached()
		if own.answered != nil {
			<-own.answered
		}
		f(&d.context)
	})
	if !ok {
		release()
		d.cancel(ErrClosed)
	}
	return d.cancel, ok
}

// finishDetached ends a detached call: it sends no more progress.
func (c *Call) finishDetached() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over.Store(true)
}

// release starts the detached call of c, which is over.
func (c *Call) release() {
	d := c.detached.Load()
	if d == nil || d.call == c {
		return
	}
	if c.unanswered {
		d.call.cancel(context.Canceled)
	}
	close(d.answered)
}

// detachedHow returns the configuration of a detached call, or nil for other calls.
func (c *Call) detachedHow() *Detached {
	if d := c.detached.Load(); d != nil && d.call == c {
		return &d.Detached
	}
	return nil
}

// outgoing returns the params that c sends in place of params.
func (c *Call) outgoing(method string, params wire.Appender) wire.Appender {
	if how := c.detachedHow(); how != nil && how.Params != nil {
		return how.Params(method, params)
	}
	return params
}

// Kept returns the session's value for key. It calls made to create the value on first use. The value
// lives as long as the session. The context of made ends when the session stops reading from the peer.
// Its Call does not belong to a message, so the value may keep it, whereas c would retain the memory of
// its request. Made must be quick and must not use the session. A stateless request has no session, so
// each call of Kept makes a value, with the context of the request.
func (c *Call) Kept(key any, made func(ctx context.Context) any) any {
	if c.terms.serving() {
		return made(&c.context)
	}
	ctx := c.peer.life.Background()
	return c.peer.life.Value(key, func() any {
		session := &Call{peer: c.peer, terms: c.terms}
		session.context = callContext{Context: ctx, call: session}
		session.over.Store(true)
		return made(&session.context)
	})
}
