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

// request is a request to the peer.
type request struct {
	method   string
	params   wire.Appender
	to       Reply  // nil if it belongs to no request of the peer
	terms    *terms // nil before the handshake
	row      row
	call     *Call                           // the call that sends it; nil outside of calls
	key      string                          // of a question that a stateless call has asked and the client answered; "" otherwise
	id       int64                           // 0 before it is sent
	accept   func(engine.Reply) engine.Reply // see engine.Terms
	progress func(engine.Report)             // nil if the caller does not want any
	begun    func(id int64)                  // called with the id before the request is sent; nil for none
	kept     *lookup                         // with which the result is kept; nil if it is not
	follow   *engine.Feed                    // gets the progress also after the answer; nil for none
}

// unwrappedCaller is the Caller that Binding.Around wraps.
type unwrappedCaller struct {
	peer  *peer
	terms *terms
	to    Reply // nil for messages without a request
	call  *Call // the call that sends; nil outside of calls

	subscriber *subscriber // that gets the notification; nil if the call itself sends it
}

// Call implements Caller.
func (c unwrappedCaller) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	row, err := c.terms.sending(jsonrpc.Request, method)
	if err != nil {
		return specified(err, params)
	}
	q := request{method: method, params: params, to: c.to, terms: c.terms, row: row, call: c.call}
	q.progress, q.follow = reporterOf(ctx, c.peer)
	return c.peer.era.ask(ctx, &q, result)
}

// Notify implements Caller.
func (c unwrappedCaller) Notify(ctx context.Context, method string, params wire.Appender) error {
	p := c.peer
	row, err := c.terms.sending(jsonrpc.Notification, method)
	if err != nil {
		return err
	}
	if c.subscriber != nil {
		if !c.subscriber.sends(method, params) {
			return nil
		}
		params = c.subscriber.tagged(params)
	} else if c.call != nil && c.terms.serving() {
		if err := c.call.scoped(method, row); err != nil {
			return err
		}
	}
	if p.sender != nil {
		q := request{method: method, to: c.to, terms: c.terms, call: c.call}
		return p.sender(ctx, &Message{Params: params, peer: p, kind: jsonrpc.Notification, request: q})
	}
	return p.announce(ctx, c.terms, method, params, c.to, c.call)
}

// call sends a request and waits for its answer.
func (p *peer) call(ctx context.Context, t *terms, method string, params wire.Appender, result wire.Value) error {
	return unwrappedCaller{peer: p, terms: t}.callAround(ctx, method, params, result)
}

// notify sends a notification.
func (p *peer) notify(ctx context.Context, t *terms, method string, params wire.Appender) error {
	return unwrappedCaller{peer: p, terms: t}.notifyAround(ctx, method, params)
}

// callAround is Call within Binding.Around.
func (c unwrappedCaller) callAround(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	if c.terms.around() {
		return c.terms.bound.Around(c).Call(ctx, method, params, result)
	}
	return c.Call(ctx, method, params, result)
}

// notifyAround is Notify within Binding.Around.
func (c unwrappedCaller) notifyAround(ctx context.Context, method string, params wire.Appender) error {
	if c.terms.around() {
		return c.terms.bound.Around(c).Notify(ctx, method, params)
	}
	return c.Notify(ctx, method, params)
}

// ask sends a request through the middleware, waits for its answer and decodes it.
func (p *peer) ask(ctx context.Context, q *request, result wire.Value) error {
	if p.sender != nil {
		return p.sender(ctx, &Message{Params: q.params, Result: result, peer: p, kind: jsonrpc.Request, request: *q})
	}
	r, err := p.exchange(ctx, q)
	if err != nil {
		return err
	}
	return p.decodeResult(ctx, q, r, result)
}

// exchange sends a request and waits for its answer, or takes the answer from a stateless call. If it
// stops waiting, it tells the peer that the request is cancelled, except for initialize, where the
// protocol forbids it, and for server/discover, which the server may not know.
func (p *peer) exchange(ctx context.Context, q *request) (wire.Raw, error) {
	if q.terms.serving() {
		return q.call.input(ctx, q)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if q.call.cancelled() {
		return "", context.Cause(&q.call.context)
	}
	w, err := p.pending.Begin(engine.Terms{Accept: q.accept, Progress: q.progress != nil, Follow: q.follow})
	if err != nil {
		return "", unsentError{err}
	}
	q.id = w.ID
	if q.begun != nil {
		q.begun(w.ID)
	}
	defer p.pending.Done(w)
	limit := p.limits.patience(ctx, q.method)
	sent := false
	var r engine.Reply
	if err = p.sendRequest(ctx, q); err == nil {
		sent = true
		r, err = p.await(ctx, w, limit, q)
	} else {
		sent = ctx.Err() != nil // the transport may still be sending it
	}
	if err != nil && !p.pending.GiveUp(w) {
		// The answer or the end of the session came first. The reason for the end of the session
		// says more than the error of sending.
		r, err = <-w.Reply(), nil
	}
	switch {
	case err == engine.ErrExpired || err == nil && r.Err == engine.ErrExpired:
		err = &TimeoutError{Method: q.method, Quiet: limit.Quiet, Total: limit.Total}
	case err == nil:
		return r.Result, r.Err
	}
	if sent && q.method != methodInitialize && q.method != methodDiscover {
		p.withdraw(q, reasonOf(ctx, err))
	}
	return "", err
}

// await waits for the answer until ctx or the caller's patience ends.
func (p *peer) await(ctx context.Context, w *engine.Call, limit engine.Patience, q *request) (engine.Reply, error) {
	p.pending.Limit(w, limit)
	if s := p.source; s != nil && s.pusher == nil {
		if q.progress != nil {
			s.reader.Resume()
		} else if r, ok := s.reader.Await(w); ok {
			return r, nil
		}
	}
	return w.Await(ctx, limit, q.progress)
}

// withdraw tells the peer that a request is cancelled. It uses a goroutine, so that the caller does not
// wait for a peer that does not read; the answer of the call that has sent the request waits. The context of
// the session does not apply, because many callers close the session immediately after a cancelled call.
func (p *peer) withdraw(q *request, reason string) {
	params := cancelledParams{wire.IntScalar(q.id), reason}
	terms, to, told := q.terms, q.to, q.call.withdrawing()
	begun := p.life.Go(func() {
		defer told()
		p.tell(context.WithoutCancel(p.life.Context()), terms, methodCancelled, params, to)
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

func (p *peer) sendRequest(ctx context.Context, q *request) error {
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	id := wire.IntScalar(q.id)
	params := q.params
	if q.progress != nil {
		params = metaParams{params, "progressToken", id}
	}
	text, err := jsonrpc.BeginRequest(*buf, id, q.method)
	if err == nil {
		text, err = p.era.appendParams(text, q.terms, q.method, params)
	}
	if err != nil {
		return prefix.Errorf("runtime: request %s: %w", q.method, err)
	}
	text = append(text, '}')
	if err := q.terms.refine(q.row, text); err != nil {
		return err
	}
	*buf = text
	return p.send(ctx, buf, q.to, Outgoing{Kind: jsonrpc.Request, ID: id, Method: q.method, Revision: q.terms.revisionSent(), NameParam: q.row.nameParam})
}

// announce sends a notification of a call, or of none. It sends nothing if ctx has ended or the peer has
// cancelled the request, whatever the transport would do.
func (p *peer) announce(ctx context.Context, t *terms, method string, params wire.Appender, to Reply, of *Call) error {
	if of != nil && t.serving() {
		if !of.hold() {
			return errAnswered
		}
		defer of.unhold()
	} else if of.cancelled() {
		return errAnswered
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return p.tell(ctx, t, method, params, to)
}

// tell sends a notification without middleware.
func (p *peer) tell(ctx context.Context, t *terms, method string, params wire.Appender, to Reply) error {
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	text, err := jsonrpc.BeginNotification(*buf, method)
	if err == nil {
		text, err = p.era.appendParams(text, t, method, params)
	}
	if err != nil {
		return prefix.Errorf("runtime: notification %s: %w", method, err)
	}
	text = append(text, '}')
	if method == methodMessage && !p.wantsMessage(t, text) {
		return nil
	}
	*buf = text
	return p.send(ctx, buf, to, Outgoing{Kind: jsonrpc.Notification, Method: method, Revision: t.revisionSent()})
}

// cancelledParams are the params of notifications/cancelled.
type cancelledParams struct {
	id     wire.Scalar
	reason string
}

// AppendJSON appends the params object.
func (p cancelledParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := p.id.AppendJSON(append(dst, `{"requestId":`...))
	if err != nil {
		return dst, err
	}
	if dst, err = wire.AppendString(append(dst, `,"reason":`...), p.reason); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}
