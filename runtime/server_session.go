package runtime

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServerSession is a server's session with a client, for code that sends when no request is being
// handled: that a list has changed, that a resource was updated. A handler uses its [Call] instead,
// so that what it sends belongs to the request. A ServerSession is a [Caller] that sends on no
// particular stream. It is safe for concurrent use.
type ServerSession struct {
	peer   *peer
	terms  *terms // nil until the session is announced
	closed func() // what Binding.Opened returned
}

// Revision returns the negotiated revision.
func (s *ServerSession) Revision() string { return s.terms.revision }

// PeerInfo returns the Implementation object with which the client introduced itself.
func (s *ServerSession) PeerInfo() wire.Object { return s.terms.info }

// PeerCapabilities returns the capabilities that the client declared.
func (s *ServerSession) PeerCapabilities() wire.Object { return s.terms.capabilities }

// Call implements [Caller].
func (s *ServerSession) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	return s.peer.call(ctx, s.terms, method, params, result, nil)
}

// Notify implements [Caller].
func (s *ServerSession) Notify(ctx context.Context, method string, params wire.Appender) error {
	return s.peer.notify(ctx, s.terms, method, params, nil)
}

// Go runs f in a goroutine that belongs to the session: its context ends with the session, and
// [Server.Serve] waits for it. If Go returns false, the session is ending and f is not run. Code that
// sends to many sessions uses it, so that a client that does not read holds up no other.
func (s *ServerSession) Go(f func(ctx context.Context)) bool {
	return s.peer.life.Go(func() { f(s.peer.life.Context()) })
}

// end is called when the session is over.
func (s *ServerSession) end() {
	if s.closed != nil {
		s.closed()
	}
}
