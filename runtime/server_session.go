package runtime

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServerSession is a server's session with a client. Code outside of handlers uses it to send messages
// that belong to no request, for example when a list has changed or a resource was updated. A handler
// uses its [Call] instead. A ServerSession is a [Caller] that sends on no particular stream. It is
// safe for concurrent use.
type ServerSession struct {
	peer   *peer
	terms  *terms // nil until the session is announced
	closed func() // result of Binding.Opened
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
// [Server.Serve] waits for it. If Go returns false, the session is ending and f is not run. It lets
// code send to many sessions without waiting for a client that does not read.
func (s *ServerSession) Go(f func(ctx context.Context)) bool {
	return s.peer.life.Go(func() { f(s.peer.life.Context()) })
}

// end is called when the session is over.
func (s *ServerSession) end() {
	if s.closed != nil {
		s.closed()
	}
}
