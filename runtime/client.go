package runtime

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Client opens sessions. It is safe for concurrent use and holds no state of a session.
type Client struct {
	opts     ClientOptions
	bindings []*protocol // newest revision first
	err      error       // error in the bindings or the options
	eras     *Eras
	*settings
}

// NewClient returns a client that speaks the revisions of the bindings. Each binding has another
// revision and handles the requests of servers. The binding of a generated UnimplementedClient suits a
// client that handles none. Errors in the bindings and the options are returned by Connect.
func NewClient(opts ClientOptions, bindings ...Binding) *Client {
	if opts.MaxMessage == 0 {
		opts.MaxMessage = DefaultMaxClientMessage
	}
	c := &Client{opts: opts, eras: cmp.Or(opts.Eras, new(Eras)), settings: newSettings(opts.Logger, opts.Receiving, opts.Sending, opts.Limits, -1)}
	c.lenient, c.deviated, c.rounds = opts.Lenient, opts.Deviated, cmp.Or(opts.MaxRounds, defaultMaxRounds)
	c.compileOutput = opts.CheckOutput
	c.bindings, c.err = bindAll(ToClient, bindings, c.layers)
	c.err = errors.Join(c.err, checkCapabilities(opts.Capabilities))
	return c
}

func (c *Client) self() implementation {
	return implementation{c.opts.Name, c.opts.Title, c.opts.Version, c.opts.Details}
}

// Connect opens a session. If the client has bindings of revisions without sessions, Connect first sends
// server/discover with the newest of them, and uses the newest revision that both sides speak. If the
// server answers with an error of an older revision, Connect sends initialize with the newest revision that
// has it, and accepts the answer if it names a bound revision. Over stdio, where servers of older revisions
// may be silent, Connect does so too when the answer takes longer than the ProbeWait of the transport. Over
// HTTP, a server that is busy or cannot be reached is an error.
//
// The error is a *[VersionError] if the sides have no revision in common, and an *[EraError] if the server
// does not know server/discover and the client has no binding with initialize. Connect owns the transport,
// even if it fails. Ctx applies to the opening only: the session lasts until Close or until the server
// ends it.
func (c *Client) Connect(ctx context.Context, t Transport) (*Session, error) {
	cs, err := c.dial(ctx, t, false)
	if err != nil {
		return nil, err
	}
	s := &Session{client: c, negotiating: make(chan struct{}, 1), subscription: handlerSubscription{turn: make(chan struct{}, 1)}}
	s.side.Store(cs)
	s.subscription.restore(ctx, s)
	return s, nil
}

// Session is a client's session with a server. It is a [Caller]; a generated ServerCaller on top of it
// gives the server's methods their types. It is safe for concurrent use.
type Session struct {
	client       *Client
	side         atomic.Pointer[clientSide]
	opening      sync.Mutex
	reopening    *reopening // replaces side; nil for none; guarded by opening
	closed       atomic.Bool
	negotiating  chan struct{} // has room for one: holds a token while the server of side is replaced
	subscription handlerSubscription
}

// current returns the current connection.
func (s *Session) current() *clientSide { return s.side.Load() }

// sender returns what sends messages to the server on the current connection.
func (s *Session) sender() sender { return s.current().sender() }

// Revision returns the negotiated revision.
func (s *Session) Revision() string { return s.current().server.Load().Revision }

// Has reports whether the revision of the session has a method.
func (s *Session) Has(method string) bool {
	return s.current().server.Load().row(method).Kind != 0
}

// ServerInfo returns the Implementation object with which the server introduced itself.
func (s *Session) ServerInfo() wire.Object { return s.current().server.Load().info }

// ServerCapabilities returns the capabilities that the server declared.
func (s *Session) ServerCapabilities() wire.Object { return s.current().server.Load().capabilities }

// Instructions returns the instructions for using the server, or "" if there are none.
func (s *Session) Instructions() string { return s.current().server.Load().instructions }

// Call implements [Caller]. If a server without sessions has changed its revisions, the request is sent
// again under another one ("Protocol Version Negotiation" in basic/versioning, 2026-07-28).
func (s *Session) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	cs := s.ready(ctx)
	again, err := s.reopenFor(ctx, cs, method, params, s.callOn(ctx, cs, method, params, result))
	if again {
		err = s.callOn(ctx, s.current(), method, params, result)
	}
	return err
}

// callOn is Call on one connection.
func (s *Session) callOn(ctx context.Context, cs *clientSide, method string, params wire.Appender, result wire.Value) error {
	p := cs.server.Load()
	if p.stateless {
		if done, err := s.adapt(ctx, p, method, params, result); done {
			return err
		}
	}
	uri := func() string { return (&Message{Params: params}).Object().GetString("uri") }
	if method == methodUnsubscribe && cs.listeners.release(uri()) {
		return decodeEmpty(result) // a listener still needs the updates
	}
	err := sender{conn: cs.conn, peer: p}.Call(ctx, method, params, result)
	if err == nil && method == methodSubscribe {
		cs.listeners.hold(uri())
	}
	if err != nil && p.stateless && supportedBy(err) != nil && s.renegotiate(ctx, cs, p, err) {
		err = cs.sender().Call(ctx, method, params, result)
	}
	return err
}

// renegotiate agrees on another revision after the server has refused the revision with an
// error. It returns false if there is none.
func (s *Session) renegotiate(ctx context.Context, cs *clientSide, refused *peer, why error) bool {
	select {
	case s.negotiating <- struct{}{}:
		defer func() { <-s.negotiating }()
	case <-ctx.Done():
		return false
	}
	if cs.server.Load() != refused {
		return true // another call has done it
	}
	b, err := s.client.chooseRevision(supportedBy(why))
	if err != nil || b == refused.protocol {
		return false
	}
	server, err := cs.discover(ctx, b)
	if err == nil {
		cs.server.Store(server)
	}
	return err == nil
}

// Notify implements [Caller].
func (s *Session) Notify(ctx context.Context, method string, params wire.Appender) error {
	return s.ready(ctx).sender().Notify(ctx, method, params)
}

// Settle waits until the handlers of the notifications that have come so far have returned, or ctx or the
// session has ended. The answer to a request may overtake the handlers of notifications that came before
// it; code that must keep their order calls Settle when it has the answer.
func (s *Session) Settle(ctx context.Context) {
	cn := s.current().conn
	select {
	case <-cn.queue.Settled():
	case <-ctx.Done():
	case <-cn.life.Context().Done():
	}
}

// Ping sends a ping and waits for the answer. In a revision without ping, it sends server/discover.
func (s *Session) Ping(ctx context.Context) error {
	if s.current().server.Load().stateless {
		return s.Call(ctx, methodDiscover, nil, nil)
	}
	return s.Call(ctx, methodPing, nil, nil)
}

// Close ends the session and waits until all its handlers have returned, so a handler must not call it.
// Calls that wait for an answer return ErrClosed.
func (s *Session) Close() error {
	s.closed.Store(true)
	s.opening.Lock()
	r := s.reopening
	s.opening.Unlock()
	if r != nil { // a connection that is being opened is closed too
		r.cancel()
		<-r.done
	}
	cs := s.current()
	cs.close()
	return cs.err
}

// Wait waits until the session is over. It returns nil if either side has closed it. With
// [ClientOptions].Reconnect, it waits until the current connection is over.
func (s *Session) Wait() error {
	cs := s.current()
	<-cs.done
	return cs.err
}

// The code below opens a session's connection again after it was lost ("Unexpected Termination" in
// basic/transports/stdio, 2026-07-28; "Session Management" in basic/transports, 2025-11-25).

// notBegun is an error of a transport that may say that the server has not begun the request.
type notBegun interface {
	error
	NotBegun() bool
}

// ready returns the connection, after opening it again if it is lost.
func (s *Session) ready(ctx context.Context) *clientSide {
	cs := s.current()
	select {
	case <-cs.done:
	default:
		return cs
	}
	if err := s.reopen(ctx, cs); err != nil && ctx.Err() == nil && s.reopens() {
		cs.logger().Warn("the connection could not be opened again", "error", err)
	}
	return s.current()
}

// reopens reports whether the session opens lost connections again.
func (s *Session) reopens() bool {
	return s.current().origin != nil && s.client.opts.Reconnect && !s.closed.Load()
}

// reopening is an attempt to replace a lost connection.
type reopening struct {
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid after done is closed
}

// reopen waits until a lost connection is replaced, or ctx ends. The calls that wait share an attempt, which does not
// end with the first of them.
func (s *Session) reopen(ctx context.Context, lost *clientSide) error {
	s.opening.Lock()
	r := s.reopening
	switch {
	case !s.reopens():
		s.opening.Unlock()
		return ErrClosed
	case s.current() != lost:
		s.opening.Unlock()
		return nil
	case r == nil:
		r = &reopening{done: make(chan struct{})}
		s.reopening = r
		var trying context.Context
		trying, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
		go func() {
			defer close(r.done)
			defer r.cancel()
			r.err = s.replace(trying, lost)
			s.opening.Lock()
			defer s.opening.Unlock()
			s.reopening = nil
		}()
	}
	s.opening.Unlock()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// replace replaces a lost connection.
func (s *Session) replace(ctx context.Context, lost *clientSide) error {
	next, err := lost.origin.Restart()
	if err != nil {
		return err
	}
	cs, err := s.client.dial(ctx, next, false)
	if err != nil {
		return err
	}
	cs.conn.requestLevel.Store(lost.conn.requestLevel.Load())
	s.side.Store(cs)
	if s.closed.Load() {
		cs.close()
		return ErrClosed
	}
	cs.logger().Info("connection opened again", "revision", cs.server.Load().Revision)
	s.subscription.restore(ctx, s)
	return nil
}

// reopenFor reports whether a request is to be sent on another connection. If the server may have begun it and
// it cannot be sent twice, the error is a *LostError.
func (s *Session) reopenFor(ctx context.Context, cs *clientSide, method string, params wire.Appender, err error) (bool, error) {
	if err == nil {
		return false, nil
	}
	_, unsent := errors.AsType[unsentError](err)
	begun, known := errors.AsType[notBegun](err)
	_, lost := errors.AsType[*LostError](err) // it may wrap the refusal of the stream of a request that was begun
	refused := !lost && (unsent || known && begun.NotBegun() && !errors.Is(err, ErrClosed))
	if !s.reopens() || ctx.Err() != nil || !refused && !errors.Is(err, ErrClosed) {
		return false, err
	}
	if !refused && !cs.mayRepeat(method, params, cs.server.Load().row(method)) {
		return false, &LostError{Err: err}
	}
	select {
	case <-cs.done: // it is about to be closed
	case <-ctx.Done():
		return false, err
	}
	if failed := s.reopen(ctx, cs); failed != nil {
		return false, prefix.Errorf("runtime: %w: %w", err, failed)
	}
	return true, nil
}
