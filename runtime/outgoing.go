package runtime

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// pending is a request to the peer that waits for its answer. When that is over it is
// used for another one.
type pending struct {
	reply chan reply  // takes one without blocking
	due   time.Time   // when it is given up; zero for never, and for a request with progress
	timer *time.Timer // of the waiting goroutine, for a request with progress; nil before the first use
	// apply, when there is one, turns the reply into what the caller gets. It runs on
	// the reading goroutine, so that its effect precedes every later message.
	apply   func(reply) reply
	news                  // of progress
	reports chan Progress // for news, between two uses empty; nil before the first
}

// maxSpare bounds the pendings that a session keeps for further use.
const maxSpare = 16

type reply struct {
	result  wire.Raw
	err     error
	expired bool // there is none, and nobody waits any more
}

// request is a request to the peer.
type request struct {
	method   string
	id       int64 // once there is one
	params   wire.Appender
	route    Route
	terms    *terms // nil before the handshake
	row      row
	apply    func(reply) reply // see pending
	progress func(Progress)    // nil when the caller does not want any
	followed *followed         // nil when progress is wanted until the answer
}

// straight is the Caller below Binding.Around.
type straight struct {
	peer  *peer
	terms *terms
	route Route
}

// Call implements Caller.
func (s straight) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	return s.peer.callStraight(ctx, s.terms, method, params, result, s.route)
}

// Notify implements Caller.
func (s straight) Notify(ctx context.Context, method string, params wire.Appender) error {
	return s.peer.notifyStraight(ctx, s.terms, method, params, s.route)
}

// around reports whether the binding has something around what it sends.
func (t *terms) around() bool { return t != nil && t.bound != nil && t.bound.Around != nil }

// call sends a request and waits for its answer.
func (p *peer) call(ctx context.Context, t *terms, method string, params wire.Appender, result wire.Value, route Route) error {
	if t.around() {
		return t.bound.Around(straight{p, t, route}).Call(ctx, method, params, result)
	}
	return p.callStraight(ctx, t, method, params, result, route)
}

// callStraight is call below Binding.Around.
func (p *peer) callStraight(ctx context.Context, t *terms, method string, params wire.Appender, result wire.Value, route Route) error {
	row, err := t.sending(jsonrpc.Request, method)
	if err != nil {
		return err
	}
	q := request{method: method, params: params, route: route, terms: t, row: row}
	q.progress, q.followed = reporterOf(ctx)
	return p.ask(ctx, &q, result)
}

// ask sends a request, through the middleware, and waits for its answer.
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

// exchange is ask without middleware and decoding. The peer is told when the answer is not waited for
// any more, but for that to initialize, which cannot be cancelled.
func (p *peer) exchange(ctx context.Context, q *request) (wire.Raw, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	n, w, err := p.expect(q)
	if err != nil {
		return "", err
	}
	q.id = n
	limit := p.limits.patience(ctx, q.method)
	sent := false
	var r reply
	if err = p.sendRequest(ctx, wire.IntScalar(n), q); err == nil {
		sent = true
		r, err = p.await(ctx, w, limit, q)
	} else {
		sent = ctx.Err() != nil // or will be, if the transport has begun with it
	}
	givenUp := err != nil && p.forget(n)
	switch {
	case givenUp:
		r.err = err
	case err != nil:
		// The answer, or the end of the session, came first. Why the session ended says
		// more than a failed sending.
		r = <-w.reply
	}
	if r.expired {
		givenUp, r.err = true, limit.spent(q.method)
	}
	if givenUp && sent && q.method != methodInitialize {
		p.withdraw(n, r.err, q.route)
	}
	p.release(w)
	return r.result, r.err
}

// await waits for the answer until ctx or the caller's patience ends.
func (p *peer) await(ctx context.Context, w *pending, limit patience, q *request) (reply, error) {
	if q.progress == nil {
		p.expire(w, limit)
		return p.awaitQuietly(ctx, w)
	}
	p.resumeReading()
	var expired <-chan time.Time
	start := time.Now()
	if limit.quiet > 0 {
		expired = w.start(limit.quiet)
		defer w.timer.Stop()
	}
	for {
		select {
		case r := <-w.reply:
			for len(w.progress) > 0 {
				q.progress(<-w.progress)
			}
			return r, nil
		case progress := <-w.progress:
			if limit.quiet > 0 {
				w.timer.Reset(limit.left(time.Since(start)))
			}
			q.progress(progress)
		case <-ctx.Done():
			return reply{}, ctx.Err()
		case <-expired:
			if len(w.progress) == 0 || limit.left(time.Since(start)) == 0 {
				return reply{}, limit.spent(q.method)
			}
		}
	}
}

// awaitQuietly is await for a request without progress, whose end by the caller's patience is
// a reply.
func (p *peer) awaitQuietly(ctx context.Context, w *pending) (reply, error) {
	if r, ok := p.readFor(w); ok {
		return r, nil
	}
	if t := p.turn; t != nil && t.slow.Load() > 0 {
		defer t.handled(time.Now())
	}
	done := ctx.Done()
	if done == nil {
		return <-w.reply, nil
	}
	select {
	case r := <-w.reply:
		return r, nil
	case <-done:
		return reply{}, ctx.Err()
	}
}

// start starts the timer.
func (w *pending) start(d time.Duration) <-chan time.Time {
	if w.timer == nil {
		w.timer = time.NewTimer(d)
	} else {
		w.timer.Reset(d)
	}
	return w.timer.C
}

// expire has w given up when the caller's patience ends. One timer does so for all requests
// of the session, and it is not set again for one that is answered in time.
func (p *peer) expire(w *pending, limit patience) {
	if limit.quiet == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unheard != nil {
		return
	}
	w.due = time.Now().Add(limit.quiet)
	if p.nextExpiry.IsZero() || w.due.Before(p.nextExpiry) {
		p.setExpiryLocked(w.due)
	}
}

func (p *peer) setExpiryLocked(at time.Time) {
	p.nextExpiry = at
	if p.expiry == nil {
		p.expiry = time.AfterFunc(time.Until(at), p.expired)
	} else {
		p.expiry.Reset(time.Until(at))
	}
}

// expired gives up the requests that are due.
func (p *peer) expired() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	var next time.Time
	for id, w := range p.pending {
		switch {
		case w.due.IsZero():
		case !w.due.After(now):
			delete(p.pending, id)
			w.reply <- reply{expired: true}
		case next.IsZero() || w.due.Before(next):
			next = w.due
		}
	}
	if p.nextExpiry = next; !next.IsZero() {
		p.setExpiryLocked(next)
	}
}

// withdraw tells the peer that the answer to a request is not waited for any more. It
// does so in a goroutine, because the caller must not wait for a peer that does not
// read; not bound to the session's context, because a caller that gives up often ends
// the session next.
func (p *peer) withdraw(n int64, why error, route Route) {
	params := cancelledParams{wire.IntScalar(n), why.Error()}
	p.spawn(func() {
		p.tell(context.WithoutCancel(p.ctx), methodCancelled, params, route)
	})
}

func (p *peer) sendRequest(ctx context.Context, id wire.Scalar, q *request) error {
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	params := q.params
	if q.progress != nil {
		params = metaParams{params, "progressToken", id}
	}
	text, err := jsonrpc.AppendRequest(*buf, id, q.method, params)
	if err != nil {
		return fmt.Errorf("runtime: request %s: %w", q.method, err)
	}
	if err := q.terms.refine(q.row, text); err != nil {
		return err
	}
	*buf = text
	return p.send(ctx, buf, Outgoing{Kind: jsonrpc.Request, ID: id, Method: q.method, Route: q.route})
}

// notify sends a notification.
func (p *peer) notify(ctx context.Context, t *terms, method string, params wire.Appender, route Route) error {
	if t.around() {
		return t.bound.Around(straight{p, t, route}).Notify(ctx, method, params)
	}
	return p.notifyStraight(ctx, t, method, params, route)
}

// notifyStraight is notify below Binding.Around, through the middleware.
func (p *peer) notifyStraight(ctx context.Context, t *terms, method string, params wire.Appender, route Route) error {
	if _, err := t.sending(jsonrpc.Notification, method); err != nil {
		return err
	}
	if p.sender != nil {
		q := request{method: method, route: route, terms: t}
		return p.sender(ctx, &Message{Params: params, peer: p, kind: jsonrpc.Notification, request: q})
	}
	return p.tell(ctx, method, params, route)
}

// tell is notify without middleware.
func (p *peer) tell(ctx context.Context, method string, params wire.Appender, route Route) error {
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	text, err := jsonrpc.AppendNotification(*buf, method, params)
	if err != nil {
		return fmt.Errorf("runtime: notification %s: %w", method, err)
	}
	if method == methodMessage && !p.wantsMessage(text) {
		return nil
	}
	*buf = text
	return p.send(ctx, buf, Outgoing{Kind: jsonrpc.Notification, Method: method, Route: route})
}

// expect gives a request an id and a place to wait.
func (p *peer) expect(q *request) (int64, *pending, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unheard != nil {
		return 0, nil, p.unheard
	}
	var w *pending
	if last := len(p.spare) - 1; last >= 0 {
		w, p.spare = p.spare[last], p.spare[:last]
	} else {
		w = &pending{reply: make(chan reply, 1)}
	}
	w.apply = q.apply
	if q.progress != nil {
		if w.reports == nil {
			w.reports = make(chan Progress, maxNews)
		}
		w.progress = w.reports
	}
	p.lastID++
	if p.pending == nil {
		p.pending = make(map[int64]*pending)
	}
	p.pending[p.lastID] = w
	if q.followed != nil {
		p.follow(q.followed, p.lastID)
	}
	p.stepAside() // the answer has to be read
	return p.lastID, w, nil
}

// release keeps w for another request. Nobody sends to it any more: it is not in
// p.pending, and its reply has been taken if there was one.
func (p *peer) release(w *pending) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(w.reports) > 0 {
		<-w.reports
	}
	w.apply, w.news, w.due = nil, news{}, time.Time{}
	if len(p.spare) < maxSpare {
		p.spare = append(p.spare, w)
	}
}

// awaited reports whether an answer is waited for.
func (p *peer) awaited() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending) > 0
}

// forget reports whether the request was still waiting; it is not any more. When it was
// not, its reply has been or is being sent.
func (p *peer) forget(id int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.pending[id]
	delete(p.pending, id)
	return ok
}

// receiveResponse hands a response to its caller. Reading goroutine.
func (p *peer) receiveResponse(m *jsonrpc.Message) {
	r := reply{result: m.Result}
	if m.Error != nil {
		r.err = m.Error
	}
	if p.turn != nil {
		p.turn.answered = true
	}
	if !p.resolve(m.ID, r) {
		if m.ID.IsZero() && m.Error != nil {
			p.log.Warn("the peer could not read a message", "error", m.Error)
			return
		}
		p.log.Debug("response to no request in flight dropped")
	}
}

// resolve gives the reply to the request that waits for it, if there is one.
func (p *peer) resolve(id wire.Scalar, r reply) bool {
	n, ok := id.Int64()
	if !ok {
		return false
	}
	p.mu.Lock()
	w, ok := p.pending[n]
	delete(p.pending, n)
	p.mu.Unlock()
	if !ok {
		return false
	}
	if w.apply != nil {
		r = w.apply(r)
	}
	w.reply <- r
	return true
}

// hangUp ends all calls that wait for an answer, and all later ones: no answer is read
// any more.
func (p *peer) hangUp(why error) {
	err := ErrClosed
	if why != nil && why != io.EOF && why != ErrClosed {
		err = fmt.Errorf("%w: %w", ErrClosed, why)
	}
	p.mu.Lock()
	waiting := p.pending
	p.pending, p.unheard = nil, err
	if p.expiry != nil {
		p.expiry.Stop()
	}
	if p.over != nil {
		close(p.over)
		p.over = nil
	}
	p.mu.Unlock()
	for _, w := range waiting {
		w.reply <- reply{err: err}
	}
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
