package runtime

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServerSession is a server's session with a client. Code outside of handlers uses it to send messages
// that belong to no request, for example when a list has changed or a resource was updated. A handler
// uses its [Call] instead. A ServerSession is a [Caller] that sends on no particular stream. It is
// safe for concurrent use.
//
// In a stateless revision, a client that listens for notifications (subscriptions/listen) is a
// ServerSession too, as long as it listens. It gets the notifications that it has asked for, on the stream
// of its request; others are dropped. It cannot be sent requests.
type ServerSession struct {
	peer   *peer
	terms  *terms // nil until the session is announced
	closed func() // result of Binding.Opened

	subscriber *subscriber // nil unless it is one
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
	if s.subscriber != nil {
		return s.subscriber.notify(ctx, method, params)
	}
	return s.peer.notify(ctx, s.terms, method, params, nil)
}

// Go runs f in a goroutine that belongs to the session: its context ends with the session, and
// [Server.Serve] waits for it. If Go returns false, the session is ending and f is not run. It lets
// code send to many sessions without waiting for a client that does not read.
func (s *ServerSession) Go(f func(ctx context.Context)) bool {
	ctx := s.peer.life.Context()
	if s.subscriber != nil {
		ctx = s.subscriber.context
	}
	return s.peer.life.Go(func() { f(ctx) })
}

// end is called when the session is over.
func (s *ServerSession) end() {
	if s.closed != nil {
		s.closed()
	}
}
