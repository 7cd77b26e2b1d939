package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
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
	opts.MaxRounds = cmp.Or(opts.MaxRounds, defaultMaxRounds)
	c := &Client{opts: opts, eras: cmp.Or(opts.Eras, new(Eras)), settings: newSettings(opts.Logger, opts.Receiving, opts.Sending, opts.Limits, -1)}
	c.lenient, c.deviated = opts.Lenient, opts.Deviated
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
// The error is a *[VersionError] if the sides have no revision in common, also if the server does not know
// server/discover and the client has no binding with initialize. Connect owns the transport, even if it fails. Ctx
// applies to the opening only: the session lasts until Close or until the server ends it.
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

// dial opens a connection. Older means that the transport has only revisions with sessions.
func (c *Client) dial(ctx context.Context, t Transport, older bool) (*clientSide, error) {
	if err := checkNotNil("transport", t); err != nil {
		return nil, errors.Join(c.err, err)
	}
	if c.err != nil {
		return nil, errors.Join(c.err, t.Close())
	}
	if o, ok := t.(Remote); ok {
		if err := o.Open(ctx); err != nil {
			return nil, errors.Join(prefix.Errorf("runtime: connect: %w", err), t.Close())
		}
	}
	cs := &clientSide{conn: newConn(context.WithoutCancel(ctx), t, c.settings, false), client: c, done: make(chan struct{}), cache: newCache(c.opts.Cache)}
	cs.origin, _ = t.(Remote)
	cs.side = cs
	cs.ended = func(err error) {
		cs.err = err
		close(cs.done)
	}
	t.Start(inbox{cs.conn}, cs.limits.MaxMessage)
	name := nameOf(t)
	server, err := cs.open(ctx, c.eras.Get(name), older)
	if err != nil {
		cs.close()
		if cs.origin != nil && !older && c.diedOfProbe(ctx, err) {
			if next, failed := cs.origin.Restart(); failed == nil {
				return c.dial(ctx, next, true)
			}
		}
		if cs.origin != nil && c.newest(false) != nil && !ofStateless(err) {
			next, err := cs.origin.Fallback(ctx, err)
			if err != nil {
				return nil, prefix.Errorf("runtime: connect: %w", err)
			}
			other, err := c.dial(ctx, next, true)
			if err == nil && other.origin == nil {
				other.origin = cs.origin
			}
			return other, err
		}
		return nil, prefix.Errorf("runtime: connect: %w", err)
	}
	cs.server.Store(server)
	if !cs.guessed {
		c.eras.Set(name, server.Revision)
	}
	return cs, nil
}

// diedOfProbe reports whether the server may have exited because of a request before initialize, as a
// few servers of older revisions do.
func (c *Client) diedOfProbe(ctx context.Context, err error) bool {
	return errors.Is(err, ErrClosed) && ctx.Err() == nil && c.newest(true) != nil && c.newest(false) != nil
}

// The code below determines whether a server speaks revisions in which each message carries its revision and
// capabilities, or revisions with sessions ("Backward Compatibility" in basic/versioning and in both pages of
// basic/transports, 2026-07-28).

// unavailable is an error of a transport that may say that the server could not be reached, or handled no
// request at the time. It shows nothing about the revisions of the server.
type unavailable interface {
	error
	Unavailable() bool
}

// open determines whether the server has sessions, and opens one if it has. Known is the revision that the
// server is known to speak, or "". Older means that the transport has only revisions with sessions.
func (cs *clientSide) open(ctx context.Context, known string, older bool) (*peer, error) {
	stateless, session := cs.client.newest(true), cs.client.newest(false)
	if older {
		stateless = nil
	}
	first := ofRevision(cs.client.bindings, known) // nil if it is unknown
	switch {
	case stateless == nil && session == nil:
		return nil, errNoSessions
	case session == nil:
		server, err := cs.discover(ctx, stateless)
		if err != nil && ctx.Err() == nil && isRefusal(err) && !ofStateless(err) {
			err = &VersionError{Supported: revisions(cs.client.bindings), Err: err}
		}
		return server, err
	case stateless == nil:
		first = session
	case first != nil && first.stateless:
		stateless = first
	}
	if first != nil && !first.stateless {
		server, err := cs.initialize(ctx, first)
		if next := cs.supportedBinding(err); next != nil {
			return cs.discover(ctx, next)
		}
		if err == nil || stateless == nil || ctx.Err() != nil || !isRefusal(err) {
			return server, err
		}
		cs.debug("the server has changed its revisions", slog.Any("error", err))
	}
	return cs.probe(ctx, stateless, session)
}

// probe asks the server for its revisions, and opens a session if the server does not know the method.
func (cs *clientSide) probe(ctx context.Context, stateless, session *protocol) (*peer, error) {
	probing, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan probed, 1)
	if !cs.life.Go(func() {
		server, err := cs.discover(probing, stateless)
		answers <- probed{server, err}
	}) {
		return nil, ErrClosed
	}
	limit := time.Duration(-1)
	if t, ok := cs.transport.(prober); ok {
		limit = t.ProbeTimeout()
	}
	answer, late := awaitProbe(answers, limit)
	_, expired := errors.AsType[*TimeoutError](answer.err)
	silent := late || expired && limit >= 0
	switch choice, ok := errors.AsType[*initializeError](answer.err); {
	case ok:
		return cs.initialize(ctx, choice.protocol)
	case !silent && (answer.err == nil || ctx.Err() != nil || !isRefusal(answer.err) || ofStateless(answer.err)):
		return answer.server, answer.err
	}
	cs.debug("the server does not answer server/discover", slog.Any("error", answer.err))
	server, err := cs.initialize(ctx, session)
	_, refused := asError(err)
	next := cs.supportedBinding(err)
	switch {
	case err == nil:
		cs.guessed = silent
	case late && (next != nil || err == errAfterProbe): // the server answers in another order, or has answered
		answer = <-answers
		return answer.server, answer.err
	case late && refused: // the answer to the probe may still come
		if answer, late = awaitProbe(answers, limit); !late && answer.err == nil {
			return answer.server, nil
		}
	case next != nil:
		return cs.discover(ctx, next)
	}
	return server, err
}

// supportedBinding returns the newest binding for one of the revisions without sessions that a refusal of initialize
// lists, or nil. The server has that revision, whatever it answered to server/discover before.
func (cs *clientSide) supportedBinding(refusal error) *protocol {
	b, _ := cs.client.chooseRevision(supportedBy(refusal))
	return b
}

// probed is the outcome of a probe.
type probed struct {
	server *peer
	err    error
}

// awaitProbe waits for the outcome of the probe, without a limit if that is negative. Late is true if it did
// not come in time.
func awaitProbe(answers <-chan probed, limit time.Duration) (answer probed, late bool) {
	if limit < 0 {
		return <-answers, false
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case answer = <-answers:
		return answer, false
	case <-timer.C:
		return probed{}, true
	}
}

// errAfterProbe is the error of initialize if the server has answered the probe meanwhile.
var errAfterProbe = errors.New("runtime: the server has answered server/discover after all")

// greet sends the first request to a server. The goroutine that reads passes the result to accept, so that the next
// message of the server is handled under the revision of the answer.
func (cs *clientSide) greet(ctx context.Context, m *Message, accept func(result wire.Raw) (*peer, error)) (server *peer, err error) {
	m.sent.accept = func(r engine.Answer) engine.Answer {
		if r.Err == nil {
			server, r.Err = accept(r.Result)
		}
		return r
	}
	_, err = cs.transmit(ctx, m)
	return server, err
}

// initialize opens a session: it sends initialize with the revision of a binding and, if the client has a
// binding for the revision in the answer, notifications/initialized. If ctx ends, no cancellation is
// sent, because initialize cannot be cancelled.
func (cs *clientSide) initialize(ctx context.Context, b *protocol) (*peer, error) {
	own, err := b.declared(cs.client.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	params := appendFunc(func(dst []byte) ([]byte, error) {
		return appendGreeting(dst, b.Revision, own, "clientInfo", cs.client.self(), "")
	})
	m := sender{conn: cs.conn}.message(jsonrpc.Request, methodInitialize, params)
	server, err := cs.greet(ctx, m, func(result wire.Raw) (*peer, error) { return cs.acceptInitialize(result, own) })
	if err != nil {
		return nil, err
	}
	limit := cs.limits.patience(ctx, methodInitialized).Quiet
	ctx, stop := limited(ctx, limit, 0, &TimeoutError{Method: methodInitialized, Quiet: limit})
	defer stop()
	return server, sender{conn: cs.conn, peer: server}.Notify(ctx, methodInitialized, nil)
}

// acceptInitialize processes the answer to initialize.
func (cs *clientSide) acceptInitialize(result wire.Raw, own wire.Object) (*peer, error) {
	if cs.peer.Revision != "" {
		return nil, errAfterProbe
	}
	var server greeting
	if err := server.read(result, "protocolVersion", "capabilities", "serverInfo"); err != nil {
		return nil, prefix.Errorf("runtime: result of initialize: %w", err)
	}
	for _, b := range cs.client.bindings {
		if b.Revision == server.revision && !b.stateless {
			p := b.peer(server.info, server.capabilities, own)
			p.instructions = server.instructions
			return p, cs.negotiated(p)
		}
	}
	return nil, &VersionError{Answered: server.revision, Supported: revisions(ofEra(cs.client.bindings, false))}
}

// discover asks the server for its revisions and capabilities under the revision of a binding and, if the
// server does not speak that revision, under one that it lists, which may be the same. The error is an
// *[initializeError] if the sides have only a revision with sessions in common.
func (cs *clientSide) discover(ctx context.Context, b *protocol) (*peer, error) {
	tried := map[*protocol]int{}
	for {
		tried[b]++
		p, err := cs.statelessPeer(b, greeting{})
		if err != nil {
			return nil, err
		}
		m := sender{conn: cs.conn, peer: p}.message(jsonrpc.Request, methodDiscover, nil)
		m.sent.row = b.row(methodDiscover)
		server, err := cs.greet(ctx, m, cs.acceptDiscover)
		supported := supportedBy(err)
		if err == nil || supported == nil {
			return server, err
		}
		next, choice := cs.client.chooseRevision(supported)
		if choice != nil {
			return nil, choice
		}
		if tried[next] > 1 {
			return nil, err
		}
		b = next
	}
}

// acceptDiscover processes the answer to server/discover.
func (cs *clientSide) acceptDiscover(result wire.Raw) (*peer, error) {
	if cs.peer.Revision != "" && !cs.peer.stateless {
		return nil, fmt.Errorf("runtime: the answer to server/discover came after that to initialize")
	}
	var server greeting
	if err := server.read(result, "supportedVersions", "capabilities"); err != nil {
		return nil, prefix.Errorf("runtime: result of server/discover: %w", err)
	}
	b, err := cs.client.chooseRevision(server.versions)
	if err != nil {
		return nil, err
	}
	p, err := cs.statelessPeer(b, server)
	if err != nil {
		return nil, err
	}
	cs.peer = p
	if cs.opened.CompareAndSwap(0, time.Now().UnixNano()) {
		cs.logConnected("server discovered")
	}
	return p, nil
}

// statelessPeer returns the server of requests under a binding.
func (cs *clientSide) statelessPeer(b *protocol, server greeting) (*peer, error) {
	own, err := b.declared(cs.client.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	p := b.peer(server.info, server.capabilities, own)
	p.instructions = server.instructions
	meta, err := fixedMeta(b.Revision, own, cs.client.self())
	p.envelope = meta
	return p, err
}

// fixedMeta returns the members of _meta that all requests have. A client without a name sends no
// clientInfo.
func fixedMeta(revision string, capabilities wire.Object, self implementation) (string, error) {
	dst, err := wire.AppendString(wire.AppendName(nil, metaRevision), revision)
	if err == nil {
		dst, err = capabilities.AppendJSON(wire.AppendName(dst, metaCapabilities))
	}
	if err == nil && self.name != "" {
		dst, err = self.in(revision).AppendJSON(wire.AppendName(dst, metaClientInfo))
	}
	return string(dst), err
}

// chooseRevision returns the newest binding for one of the server's revisions. The error is an *initializeError if
// the binding needs a session, and a *VersionError if there is none.
func (c *Client) chooseRevision(supported []string) (*protocol, error) {
	for _, b := range c.bindings { // newest first
		if !slices.Contains(supported, b.Revision) {
			continue
		}
		if !b.stateless {
			return nil, &initializeError{b}
		}
		return b, nil
	}
	return nil, &VersionError{Answered: fmt.Sprintf("%.200s", strings.Join(supported, ", ")), Supported: revisions(c.bindings)}
}

// newest returns the newest binding of one of the eras, or nil.
func (c *Client) newest(stateless bool) *protocol {
	for _, b := range c.bindings {
		if b.stateless == stateless {
			return b
		}
	}
	return nil
}

// initializeError means that client and server have only revisions with sessions in common.
type initializeError struct{ protocol *protocol }

func (e *initializeError) Error() string {
	return "runtime: the server speaks revision " + e.protocol.Revision + ", which needs initialize"
}

// isRefusal reports whether an error of server/discover or initialize is what the server says to it, so that
// it shows something about its revisions. That must not depend on its code, because servers respond in many
// ways to a request that they do not know.
func isRefusal(err error) bool {
	_, version := errors.AsType[*VersionError](err)
	_, lost := errors.AsType[*LostError](err)
	_, expired := errors.AsType[*TimeoutError](err)
	passing, ok := errors.AsType[unavailable](err)
	return !version && !lost && !expired && !(ok && passing.Unavailable()) && !errors.Is(err, ErrClosed)
}

// ofStateless reports whether only servers of revisions without sessions send the error. A code alone does
// not show that, because servers of older revisions could choose codes freely.
func ofStateless(err error) bool {
	e, ok := asError(err)
	if !ok {
		return false
	}
	switch e.Code {
	case jsonrpc.CodeHeaderMismatch:
		return true
	case jsonrpc.CodeMissingCapability:
		needs, _ := wire.Object(e.Data).Get("requiredCapabilities")
		return needs.Kind() == wire.KindObject
	}
	return supportedBy(e) != nil
}

// supportedBy returns the revisions that a server lists in an UnsupportedProtocolVersionError. It returns
// nil for other errors.
func supportedBy(err error) []string {
	e, ok := asError(err)
	if !ok || e.Code != jsonrpc.CodeUnsupportedVersion || e.Data.Kind() != wire.KindObject {
		return nil
	}
	list, _ := wire.Object(e.Data).Get("supported")
	if list.Kind() != wire.KindArray {
		return nil
	}
	versions := []string{}
	for _, item := range list.Elements() {
		if v, ok := item.Str(); ok {
			versions = append(versions, strings.Clone(v))
		}
	}
	return versions
}

// nameOf returns the name of the server that a transport leads to, or "" if it has none.
func nameOf(t Transport) string {
	if l, ok := t.(Remote); ok {
		return l.Server()
	}
	return ""
}
