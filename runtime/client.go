package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ClientOptions say who a client is and what it allows a session.
type ClientOptions struct {
	Name    string // of the program, for servers' eyes
	Version string
	Title   string // a name for display; sent from 2025-06-18 on

	// Capabilities is the ClientCapabilities object sent with initialize; nil is an
	// empty one. What the method table of the revision makes depend on a capability
	// that is not declared here is neither answered nor sent.
	Capabilities wire.Appender

	Logger     *slog.Logger // nil: nothing is logged
	Middleware []Middleware // the outermost first

	Limits

	// Lenient says what the client accepts of servers that do not keep to the schema. The zero
	// value is LenientLists.
	Lenient Lenience
	// Deviated, if there is one, is called with what has been accepted in a result because of
	// Lenient, before the call returns it. It is called concurrently. The logger is told too.
	Deviated func(ctx context.Context, d *Deviations)
}

// Client opens sessions. It is safe for concurrent use and holds nothing that is a
// session's own.
type Client struct {
	opts     ClientOptions
	bindings []*bound // newest revision first
	err      error    // why it cannot connect
	*common
}

// NewClient makes a client that speaks the revisions of the bindings, one binding for
// each. A binding handles what servers ask; that of a generated UnimplementedClient
// does for a client that offers nothing. What is wrong with the bindings is told by
// Connect.
func NewClient(opts ClientOptions, bindings ...Binding) *Client {
	if opts.MaxMessage == 0 {
		opts.MaxMessage = DefaultMaxClientMessage
	}
	c := &Client{
		opts:   opts,
		common: newCommon(opts.Logger, opts.Middleware, opts.Limits, -1),
	}
	c.lenient, c.deviated = opts.Lenient, opts.Deviated
	c.bindings, c.err = bindAll(ToClient, bindings, c.layers)
	c.err = errors.Join(c.err, checkCapabilities(opts.Capabilities))
	return c
}

func (c *Client) self() implementation {
	return implementation{c.opts.Name, c.opts.Title, c.opts.Version}
}

// Connect opens a session: it sends initialize with the newest bound revision and
// accepts what the server answers if that is bound too; else the error is a
// *VersionError. It owns the transport, also when it fails. Ctx is for the opening
// alone; the session lasts until Close or until the server ends it.
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
	l := &clientLifecycle{client: c}
	s := &Session{
		peer: newPeer(context.WithoutCancel(ctx), t, l, c.common),
		done: make(chan struct{}),
	}
	l.peer = s.peer
	s.peer.receiveFrom(t)
	s.peer.listen()
	go func() {
		defer close(s.done)
		s.err = s.peer.run(context.Background())
	}()
	server, err := l.handshake(ctx, s.peer)
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("runtime: connect: %w", err)
	}
	s.server, s.terms = *server, l.terms
	return s, nil
}

// Session is a client's session with a server. It is a [Caller]; a generated
// ServerCaller on top of it gives the server's methods their types. It is safe for
// concurrent use.
type Session struct {
	peer   *peer
	server greeting
	terms  *terms
	done   chan struct{} // closed when the session is over
	err    error         // why; read after done
}

// Revision is the negotiated revision.
func (s *Session) Revision() string { return s.server.revision }

// ServerInfo is the Implementation object by which the server introduced itself.
func (s *Session) ServerInfo() wire.Object { return s.server.info }

// ServerCapabilities are the capabilities the server declared.
func (s *Session) ServerCapabilities() wire.Object { return s.server.capabilities }

// Instructions say how to use the server; "" when it gave none.
func (s *Session) Instructions() string { return s.server.instructions }

// Call implements [Caller].
func (s *Session) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	return s.peer.call(ctx, s.terms, method, params, result, nil)
}

// Notify implements [Caller].
func (s *Session) Notify(ctx context.Context, method string, params wire.Appender) error {
	return s.peer.notify(ctx, s.terms, method, params, nil)
}

// Ping asks the server for a sign of life.
func (s *Session) Ping(ctx context.Context) error {
	return s.Call(ctx, methodPing, nil, nil)
}

// Close ends the session and waits until all its handlers have returned, so a handler
// must not call it. Calls that wait for an answer return ErrClosed.
func (s *Session) Close() error {
	s.peer.cancel(ErrClosed)
	return s.Wait()
}

// Wait waits until the session is over. It returns nil when that was in order: closed
// by either side.
func (s *Session) Wait() error {
	<-s.done
	return s.err
}
