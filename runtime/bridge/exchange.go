package bridge

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// exchange is a request of a client without a session to a server with one that may ask the client. The call
// to the server goes on while the client is asked: the request is answered with the questions of the server,
// and continues when the client repeats it with the answers. The runtime seals the exchange's name into the
// requestState, bound to the principal, the method and the params.
type exchange struct {
	id       string
	link     *link
	request  *clientRequest
	repeated bool // this is not the first round; only the attached request uses it

	ctx    context.Context // of the call to the server
	cancel context.CancelCauseFunc
	begun  bool // the call has begun; only the attached request uses it
	done   chan struct{}
	result wire.Raw // of the call; valid after done is closed, as is err
	err    error

	wake      chan struct{} // holds a token if there may be a question
	expiry    *time.Timer   // ends the exchange; nil unless it is held; guarded by held.mu
	questions int           // how many there were so far; guarded by link.mu
}

type exchangeKey struct{}

// question is a request of a server with a session for a client without one.
type question struct {
	of       *exchange // whose client is asked; nil while there is none; guarded by link.mu
	key      string    // among the inputRequests of the exchange
	method   string
	params   wire.Raw
	answered chan reply // has room for one
}

type reply struct {
	answer wire.Raw
	err    error
}

// newExchange returns an exchange that has taken the link.
func newExchange(l *link, id string) *exchange {
	x := &exchange{id: id, link: l, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	x.request = &clientRequest{exchange: x}
	x.ctx, x.cancel = context.WithCancelCause(context.Background())
	return x
}

// handleRound handles one of the rounds of the request.
func (x *exchange) handleRound(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
	defer func() {
		if !x.begun { // the request could not be converted
			x.link.entry.Release(true)
		}
	}()
	return x.link.answerStateless(context.WithValue(ctx, exchangeKey{}, x), m)
}

// awaitOutcome begins the call to the server in the first round. Then it waits for the result or for questions,
// which it passes to the client.
func (x *exchange) awaitOutcome(ctx context.Context, call *runtime.Call, method string, params wire.Raw) (wire.Appender, error) {
	x.clientWaits(call)
	if !x.begun {
		x.begun = true
		go x.callServer(method, params)
	}
	for {
		select {
		case <-x.done: // it is checked first, because then its questions have no effect
			x.link.bridge.held.remove(x)
			if x.err != nil {
				return nil, x.err
			}
			return x.result, nil
		default:
		}
		switch asked, err := x.askClient(ctx, call); {
		case err != nil:
			x.cancel(err)
			return nil, err
		case asked:
			l := x.link
			l.mu.Lock()
			x.request.call = nil // no client waits until the request is repeated
			l.mu.Unlock()
			l.bridge.held.put(x)
			return nil, runtime.ErrInputRequired
		}
		select {
		case <-x.done:
		case <-x.wake:
		case <-ctx.Done():
			x.link.bridge.held.remove(x)
			x.cancel(context.Cause(ctx))
			return nil, context.Cause(ctx)
		}
	}
}

// callServer calls the server.
func (x *exchange) callServer(method string, params wire.Raw) {
	l := x.link
	x.result, x.err = l.callServer(x.ctx, x.request, method, params)
	l.endRequest(x.request)
	l.mu.Lock()
	for _, q := range l.open {
		if q.of == x {
			q.of = nil // for another exchange
		}
	}
	l.mu.Unlock()
	close(x.done)
	x.cancel(nil)
	l.entry.Release(true)
}

// askClient passes the open questions to the client. Asked is true if the client has not answered all of them in
// this round. It returns an error, and asks nothing, if too many exchanges are held.
func (x *exchange) askClient(ctx context.Context, call *runtime.Call) (asked bool, err error) {
	l := x.link
	l.mu.Lock()
	var open []*question
	for _, q := range l.open {
		if q.of == x {
			open = append(open, q)
		}
	}
	l.mu.Unlock()
	if len(open) > 0 && !l.bridge.held.reserve(x) {
		return false, errTooMany
	}
	for _, q := range open {
		answer, err := l.askClient(runtime.WithInputKey(ctx, q.key), call, q.method, q.params, nil)
		if errors.Is(err, runtime.ErrInputRequired) {
			asked = true
			continue
		}
		l.forget(q)
		q.answered <- reply{answer, err}
	}
	return asked, nil
}

// clientWaits begins the time in which a client waits for the exchange.
func (x *exchange) clientWaits(call *runtime.Call) {
	l := x.link
	l.mu.Lock()
	defer l.mu.Unlock()
	x.request.call = call
	if x.begun {
		return
	}
	l.requests = append(l.requests, x.request)
	for _, q := range l.open {
		if q.of == nil {
			x.take(q)
		}
	}
}

// take makes a question one of the exchange. The caller holds link.mu.
func (x *exchange) take(q *question) {
	x.questions++
	q.of, q.key = x, strconv.Itoa(x.questions)
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

// awaitAnswer has a client answer a request of the server: in the newest exchange or, if there is none, in the
// next one.
func (l *link) awaitAnswer(ctx context.Context, method string, params wire.Raw) (wire.Appender, error) {
	if !canBeAsked(l.of.revision, l.of.capabilities) {
		return nil, runtime.MethodNotFound(method)
	}
	q := &question{method: method, params: params.Clone(), answered: make(chan reply, 1)}
	l.mu.Lock()
	l.open = append(l.open, q)
	for _, p := range slices.Backward(l.requests) {
		if p.exchange != nil {
			p.exchange.take(q)
			break
		}
	}
	l.mu.Unlock()
	select {
	case r := <-q.answered:
		if r.err != nil {
			return nil, r.err
		}
		return r.answer, nil
	case <-ctx.Done():
		l.forget(q)
		return nil, context.Cause(ctx)
	}
}

// forget removes a question.
func (l *link) forget(q *question) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = slices.DeleteFunc(l.open, func(other *question) bool { return other == q })
}

// held are the exchanges whose clients are asked.
type held struct {
	bridge *Bridge

	mu  sync.Mutex
	all map[string]*exchange
}

var (
	errNotHeld = jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /requestState: the server no longer waits for the answer; send the request without it to start over")
	errTooMany = jsonrpc.Errorf(jsonrpc.CodeUnavailable, "unavailable: too many requests wait for the answers of their clients; try again later")
)

// reserve makes room for an exchange. It returns false if there is none.
func (h *held) reserve(x *exchange) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all[x.id] == nil && len(h.all) >= h.bridge.opts.MaxHeld {
		return false
	}
	if h.all == nil {
		h.all = make(map[string]*exchange)
	}
	h.all[x.id] = x
	return true
}

// put keeps an exchange with a reservation until it is taken, or for the lifetime of states.
func (h *held) put(x *exchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// A client that never comes back must not hold the server's session for ever. The state that the
	// client was given expires at the same time. A timer takes 160 bytes, a waiting goroutine 3 KB.
	x.expiry = time.AfterFunc(h.bridge.opts.Rounds.Lifetime, func() {
		if x, err := h.take(x.id); err == nil {
			h.remove(x)
			x.cancel(errNotHeld)
		}
	})
}

// take returns a held exchange for the request that continues it. Only one request can take it.
func (h *held) take(id string) (*exchange, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.all[id]
	if x == nil || x.expiry == nil {
		return nil, errNotHeld
	}
	x.expiry.Stop()
	x.expiry = nil
	x.repeated = true
	return x, nil
}

// remove ends the reservation of an exchange.
func (h *held) remove(x *exchange) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.all, x.id)
}
