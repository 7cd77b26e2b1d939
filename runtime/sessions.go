package runtime

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServerSession is a server's session with a client, for code that has something to say
// when no request is being handled: that a list has changed, that a resource was
// updated. A handler uses its [Call] instead, so that what it sends belongs to the
// request. It is safe for concurrent use, and a [Caller] that sends on no particular
// stream.
type ServerSession struct {
	peer   *peer
	terms  *terms // nil until the session is open
	closed func() // what Binding.Opened returned
}

// Revision is the negotiated revision.
func (s *ServerSession) Revision() string { return s.terms.revision }

// PeerInfo is the Implementation object by which the client introduced itself.
func (s *ServerSession) PeerInfo() wire.Object { return s.terms.info }

// PeerCapabilities are the capabilities the client declared.
func (s *ServerSession) PeerCapabilities() wire.Object { return s.terms.capabilities }

// Call implements [Caller].
func (s *ServerSession) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	return s.peer.call(ctx, s.terms, method, params, result, nil)
}

// Notify implements [Caller].
func (s *ServerSession) Notify(ctx context.Context, method string, params wire.Appender) error {
	return s.peer.notify(ctx, s.terms, method, params, nil)
}

// Go runs f in a goroutine that belongs to the session: its context ends with the
// session, and [Server.Serve] waits for it. False: the session is ending, and f is not
// run. What takes long to send is sent this way, so that one client that does not read
// holds up nobody else.
func (s *ServerSession) Go(f func(ctx context.Context)) bool {
	return s.peer.spawn(func() { f(s.peer.ctx) })
}

// Session is the session that the call belongs to; nil on a client's side and for a
// handler of initialize. The value is the same for all calls of a session, so it can
// be the key to what is kept for one; see Binding.Opened for when to forget that.
func (c *Call) Session() *ServerSession {
	l, ok := c.peer.lifecycle.(*serverLifecycle)
	if !ok || l.session.terms == nil {
		return nil
	}
	return l.session
}

// session makes a session; one whose handshake is known is resumed.
func (s *Server) session(ctx context.Context, out Outbox, h Handshake) (*serverLifecycle, *peer, error) {
	l := &serverLifecycle{server: s}
	if err := checkNotNil("transport", out); err != nil {
		return nil, nil, errors.Join(s.err, err)
	}
	err := s.err
	if err == nil && h.Revision != "" {
		err = l.resume(h)
	}
	if err != nil {
		return nil, nil, errors.Join(err, out.Close())
	}
	p := newPeer(ctx, out, l, s.common)
	l.session = &ServerSession{peer: p}
	return l, p, nil
}

// serve runs a session from its first message to its end.
func (s *Server) serve(ctx context.Context, t Transport, h Handshake) error {
	l, p, err := s.session(context.WithoutCancel(ctx), t, h)
	if err != nil {
		return err
	}
	defer l.session.end()
	p.receiveFrom(t)
	l.begin(h)
	p.listen()
	return p.run(ctx)
}

// begin announces a session that is resumed.
func (l *serverLifecycle) begin(h Handshake) {
	if l.bound != nil {
		l.session.peer.resumed(l.terms, h.LogLevel)
		l.open()
	}
}

// open announces the session once the client is known to have the answer to initialize,
// which its next message shows; before that a server does not speak on its own
// ("Initialization" in basic/lifecycle). Reading goroutine.
func (l *serverLifecycle) open() {
	s := l.session
	if s.terms != nil {
		return
	}
	s.terms = l.terms
	if l.bound.Opened == nil || s.peer.ctx.Err() != nil {
		return
	}
	// A goroutine of the session, so that its end waits for this.
	done := make(chan struct{})
	if s.peer.spawn(func() {
		defer close(done)
		s.closed = l.bound.Opened(s)
	}) {
		<-done
	}
}

// end is called when the session is over.
func (s *ServerSession) end() {
	if s.closed != nil {
		s.closed()
	}
}
