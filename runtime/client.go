package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Client opens sessions. It is safe for concurrent use and holds no state of a session.
type Client struct {
	opts     ClientOptions
	bindings []*bound // newest revision first
	err      error    // error in the bindings or the options
	eras     *Eras
	*settings
}

// NewClient returns a client that speaks the revisions of the bindings. Each binding has another
// revision and handles the requests of servers. The binding of a generated UnimplementedClient suits a
// client that handles none.
// Errors in the bindings and the options are returned by Connect.
func NewClient(opts ClientOptions, bindings ...Binding) *Client {
	if opts.MaxMessage == 0 {
		opts.MaxMessage = DefaultMaxClientMessage
	}
	c := &Client{opts: opts, eras: cmp.Or(opts.Eras, new(Eras)), settings: newSettings(opts.Logger, opts.Middleware, opts.Limits, -1)}
	c.lenient, c.deviated, c.rounds = opts.Lenient, opts.Deviated, cmp.Or(opts.MaxRounds, DefaultMaxRounds)
	c.bindings, c.err = bindAll(ToClient, bindings, c.layers)
	c.err = errors.Join(c.err, checkCapabilities(opts.Capabilities))
	return c
}

func (c *Client) self() implementation {
	return implementation{c.opts.Name, c.opts.Title, c.opts.Version}
}

// Connect opens a session. If the client has bindings of revisions without sessions, Connect first sends
// server/discover with the newest of them, and uses the newest revision that both sides speak. If the
// server answers with an error of an older revision, or not within 3 seconds, Connect sends initialize
// with the newest revision that has it, and accepts the answer if it names a bound revision.
//
// The error is a *[VersionError] if the sides have no revision in common, and an *[EraError] if the server
// does not know server/discover and the client has no binding with initialize. Connect owns the transport,
// also if it fails. Ctx applies to the opening only: the session lasts until Close or until the server
// ends it.
func (c *Client) Connect(ctx context.Context, t Transport) (*Session, error) {
	return c.connect(ctx, t, false)
}

// connect is Connect. Older means that the transport has only revisions with sessions.
func (c *Client) connect(ctx context.Context, t Transport, older bool) (*Session, error) {
	if err := checkNotNil("transport", t); err != nil {
		return nil, errors.Join(c.err, err)
	}
	if c.err != nil {
		return nil, errors.Join(c.err, t.Close())
	}
	if o, ok := t.(Opener); ok {
		if err := o.Open(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("runtime: connect: %w", err), t.Close())
		}
	}
	p := newPeer(context.WithoutCancel(ctx), t, c.settings)
	e := &clientEra{sessionEra: sessionEra{peer: p}, of: c, stateless: stateless{cache: newCache(c.opts.Cache)}}
	p.era = e
	s := &Session{peer: p, done: make(chan struct{})}
	p.receiveFrom(t)
	p.listen()
	go func() {
		defer close(s.done)
		s.err = p.run(context.Background())
	}()
	name := nameOf(t)
	server, err := e.open(ctx, c.eras.Get(name), older)
	if err != nil {
		s.Close()
		refused, isAnswer := asError(err)
		if f, ok := t.(Fallback); ok && c.newest(false) != nil && !(isAnswer && ofStateless(refused)) {
			next, err := f.Fallback(ctx, err)
			if err != nil {
				return nil, fmt.Errorf("runtime: connect: %w", err)
			}
			return c.connect(ctx, next, true)
		}
		return nil, fmt.Errorf("runtime: connect: %w", err)
	}
	s.server.Store(server)
	c.eras.Set(name, server.revision)
	if server.terms.stateless() {
		s.watch.begin(ctx, s)
	}
	return s, nil
}

// Session is a client's session with a server. It is a [Caller]; a generated ServerCaller on top of it
// gives the server's methods their types. It is safe for concurrent use.
type Session struct {
	peer        *peer
	server      atomic.Pointer[opened]
	negotiating sync.Mutex // held while server is replaced
	watch       watch
	done        chan struct{} // closed when the session is over
	err         error         // error of the session; valid after done is closed
}

// Revision returns the negotiated revision.
func (s *Session) Revision() string { return s.server.Load().revision }

// ServerInfo returns the Implementation object with which the server introduced itself.
func (s *Session) ServerInfo() wire.Object { return s.server.Load().info }

// ServerCapabilities returns the capabilities that the server declared.
func (s *Session) ServerCapabilities() wire.Object { return s.server.Load().capabilities }

// Instructions returns the instructions for using the server, "" if there are none.
func (s *Session) Instructions() string { return s.server.Load().instructions }

// Call implements [Caller]. If a server without sessions has changed its revisions, the request is sent
// again under another one ("Protocol Version Negotiation" in basic/versioning, 2026-07-28).
func (s *Session) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	t := s.server.Load().terms
	if t.stateless() {
		if done, err := s.adapt(ctx, t, method, params, result); done {
			return err
		}
	}
	err := s.peer.call(ctx, t, method, params, result, nil)
	if err != nil && t.stateless() && supportedBy(err) != nil && s.renegotiate(ctx, t, err) {
		err = s.peer.call(ctx, s.server.Load().terms, method, params, result, nil)
	}
	return err
}

// renegotiate agrees on another revision after the server has refused that of the terms with an error. It
// returns false if there is none.
func (s *Session) renegotiate(ctx context.Context, refused *terms, why error) bool {
	s.negotiating.Lock()
	defer s.negotiating.Unlock()
	if s.server.Load().terms != refused {
		return true // another call has done it
	}
	e := s.peer.era.(*clientEra)
	b, err := e.of.choose(supportedBy(why))
	if err != nil || b == refused.bound {
		return false
	}
	server, err := e.discover(ctx, b)
	if err == nil {
		s.server.Store(server)
	}
	return err == nil
}

// Notify implements [Caller].
func (s *Session) Notify(ctx context.Context, method string, params wire.Appender) error {
	return s.peer.notify(ctx, s.server.Load().terms, method, params, nil)
}

// Ping sends a ping and waits for the answer. In a revision without ping, it sends server/discover.
func (s *Session) Ping(ctx context.Context) error {
	if s.server.Load().terms.stateless() {
		return s.Call(ctx, methodDiscover, nil, nil)
	}
	return s.Call(ctx, methodPing, nil, nil)
}

// Close ends the session and waits until all its handlers have returned, so a handler must not call it.
// Calls that wait for an answer return ErrClosed.
func (s *Session) Close() error {
	s.peer.endContexts(ErrClosed)
	return s.Wait()
}

// Wait waits until the session is over. It returns nil if either side has closed it.
func (s *Session) Wait() error {
	<-s.done
	return s.err
}
