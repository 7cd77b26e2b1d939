package runtime

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Server serves sessions. It is safe for concurrent use and holds no state of a session.
type Server struct {
	opts     ServerOptions
	bindings []*bound // newest revision first
	err      error    // why it cannot serve
	*common
}

// NewServer returns a server that speaks the revisions of the bindings, one binding for each. A client
// that asks for another revision is answered with the newest. Errors in the bindings and the options
// are returned by Serve.
func NewServer(opts ServerOptions, bindings ...Binding) *Server {
	s := &Server{opts: opts, common: newCommon(opts.Logger, opts.Middleware, opts.Limits, opts.Grace)}
	s.bindings, s.err = bindAll(ToServer, bindings, s.layers)
	s.err = errors.Join(s.err, checkCapabilities(opts.Capabilities))
	return s
}

// Err returns why the server cannot serve: an error in the options or the bindings that NewServer was
// called with. Serve returns it too.
func (s *Server) Err() error { return s.err }

// Serve serves one session until the client ends it, the transport fails, or ctx ends. It returns nil,
// the error of the transport or the cause of ctx.
//
// Requests in flight when ctx or the client's input ends are answered within the options' Grace;
// meanwhile new ones are refused with an error that says that they were not begun. Handlers get the
// values of ctx but not its end: their contexts end when Grace is over. When Serve returns, the
// transport is closed and all handlers have returned, except for those that ignore the end of their
// contexts for seconds, which are logged.
func (s *Server) Serve(ctx context.Context, t Transport) error {
	return s.serve(ctx, t, Handshake{})
}

// Resume is Serve for a session whose handshake is over: it was held with another Server, or there is
// none because the transport knows with each message what a handshake would tell. The server must have
// a binding of the revision.
func (s *Server) Resume(ctx context.Context, t Transport, h Handshake) error {
	if h.Revision == "" {
		return errors.Join(s.err, errors.New("runtime: a session without a revision"), t.Close())
	}
	return s.serve(ctx, t, h)
}

func (s *Server) serve(ctx context.Context, t Transport, h Handshake) error {
	e, err := s.session(context.WithoutCancel(ctx), t, h)
	if err != nil {
		return err
	}
	defer e.session.end()
	e.peer.receiveFrom(t)
	if e.terms != nil {
		e.resumed(h.LogLevel)
	}
	e.peer.listen()
	return e.peer.run(ctx)
}

// Open begins a session whose messages the caller puts into the inbox that Open returns. A session has
// no goroutine while nothing is being handled. It lasts until End or Shutdown is called or KeepAlive
// gives it up; ctx provides values for its handlers, and its end ends nothing. When
// all handlers have returned, except those that Serve would not wait for, and out is closed, ended is
// called in a goroutine with what Serve would have returned. A handshake with a revision is resumed, see
// Resume. If Open returns an error, out is closed and ended is not called.
func (s *Server) Open(ctx context.Context, out Outbox, h Handshake, ended func(error)) (Inbox, error) {
	e, err := s.session(context.WithoutCancel(ctx), out, h)
	if err != nil {
		return nil, err
	}
	p := e.peer
	p.ended = func(err error) {
		e.session.end()
		ended(err)
	}
	if e.terms != nil {
		e.resumed(h.LogLevel)
	}
	return inbox{p}, nil
}

// session makes a session; one whose handshake is known is resumed.
func (s *Server) session(ctx context.Context, out Outbox, h Handshake) (*serverEra, error) {
	if err := checkNotNil("transport", out); err != nil {
		return nil, errors.Join(s.err, err)
	}
	e := &serverEra{of: s}
	err := s.err
	if err == nil && h.Revision != "" {
		err = e.resume(h)
	}
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	e.peer = newPeer(ctx, out, s.common)
	e.peer.era = e
	e.session = &ServerSession{peer: e.peer}
	return e, nil
}

// MaxMessage returns the length in bytes of the longest message that sessions read. Transports that read
// messages before a session asks for them obey it.
func (s *Server) MaxMessage() int { return s.limits.MaxMessage }

// Grace returns how long requests may go on when their session shuts down; 0 is not at all.
func (s *Server) Grace() time.Duration { return max(s.limits.grace, 0) }

// Logger returns the Logger of the options, or one that discards.
func (s *Server) Logger() *slog.Logger { return s.log }

// Revisions returns the revisions that the server speaks, newest first.
func (s *Server) Revisions() []string { return revisions(s.bindings) }

// choose returns the binding for a client that asks for a revision.
func (s *Server) choose(revision string) *bound {
	for _, b := range s.bindings {
		if b.Revision == revision {
			return b
		}
	}
	return s.bindings[0]
}

// greeting returns the result of initialize that the options describe.
func (s *Server) greeting(b Binding) (wire.Appender, error) {
	capabilities, err := b.declare(s.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	self := implementation{s.opts.Name, s.opts.Title, s.opts.Version}
	return appendFunc(func(dst []byte) ([]byte, error) {
		return appendGreeting(dst, b.Revision, capabilities, "serverInfo", self, s.opts.Instructions)
	}), nil
}
