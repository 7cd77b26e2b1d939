package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Client opens sessions. It is safe for concurrent use and holds no state of a session.
type Client struct {
	opts     ClientOptions
	bindings []*bound // newest revision first
	err      error    // error in the bindings or the options
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
	c := &Client{opts: opts, settings: newSettings(opts.Logger, opts.Middleware, opts.Limits, -1)}
	c.lenient, c.deviated = opts.Lenient, opts.Deviated
	c.bindings, c.err = bindAll(ToClient, bindings, c.layers)
	c.err = errors.Join(c.err, checkCapabilities(opts.Capabilities))
	return c
}

func (c *Client) self() implementation {
	return implementation{c.opts.Name, c.opts.Title, c.opts.Version}
}

// Connect opens a session: it sends initialize with the newest bound revision and accepts the server's
// answer if it names a bound revision; otherwise the error is a *VersionError. Connect owns the
// transport, also if it fails. Ctx applies to the opening only: the session lasts until Close or until
// the server ends it.
func (c *Client) Connect(ctx context.Context, t Transport) (*Session, error) {
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
	e := &clientEra{sessionEra: sessionEra{peer: p}, of: c}
	p.era = e
	s := &Session{peer: p, done: make(chan struct{})}
	p.receiveFrom(t)
	p.listen()
	go func() {
		defer close(s.done)
		s.err = p.run(context.Background())
	}()
	server, err := e.open(ctx)
	if err != nil {
		s.Close()
		if f, ok := t.(Fallback); ok {
			next, err := f.Fallback(ctx, err)
			if err != nil {
				return nil, fmt.Errorf("runtime: connect: %w", err)
			}
			return c.Connect(ctx, next)
		}
		return nil, fmt.Errorf("runtime: connect: %w", err)
	}
	s.server, s.terms = *server, e.terms
	return s, nil
}

// Session is a client's session with a server. It is a [Caller]; a generated ServerCaller on top of it
// gives the server's methods their types. It is safe for concurrent use.
type Session struct {
	peer   *peer
	server greeting
	terms  *terms
	done   chan struct{} // closed when the session is over
	err    error         // error of the session; valid after done is closed
}

// Revision returns the negotiated revision.
func (s *Session) Revision() string { return s.server.revision }

// ServerInfo returns the Implementation object with which the server introduced itself.
func (s *Session) ServerInfo() wire.Object { return s.server.info }

// ServerCapabilities returns the capabilities that the server declared.
func (s *Session) ServerCapabilities() wire.Object { return s.server.capabilities }

// Instructions returns the instructions for using the server, "" if there are none.
func (s *Session) Instructions() string { return s.server.instructions }

// Call implements [Caller].
func (s *Session) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	return s.peer.call(ctx, s.terms, method, params, result, nil)
}

// Notify implements [Caller].
func (s *Session) Notify(ctx context.Context, method string, params wire.Appender) error {
	return s.peer.notify(ctx, s.terms, method, params, nil)
}

// Ping sends a ping and waits for the answer.
func (s *Session) Ping(ctx context.Context) error {
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
