package runtime

import (
	"context"
	"sync"

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
	conn   *conn
	terms  *terms // nil until the session is announced
	closed func() // result of Binding.Opened

	subscriber *subscriber // nil unless it is one

	subscriptions subscriptions
}

// subscriptions are the subscriptions of a session, as changed at another server.
type subscriptions struct {
	mu   sync.Mutex
	uris []string
	set  func(uris []string) // nil before RestoreSubscriptions is called and after the session has ended
}

// Revision returns the negotiated revision.
func (s *ServerSession) Revision() string { return s.terms.revision }

// PeerInfo returns the Implementation object with which the client introduced itself.
func (s *ServerSession) PeerInfo() wire.Object { return s.terms.info }

// PeerCapabilities returns the capabilities that the client declared.
func (s *ServerSession) PeerCapabilities() wire.Object { return s.terms.capabilities }

// Call implements [Caller].
func (s *ServerSession) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	return s.conn.call(ctx, s.terms, method, params, result)
}

// Notify implements [Caller].
func (s *ServerSession) Notify(ctx context.Context, method string, params wire.Appender) error {
	if s.subscriber != nil {
		return s.subscriber.notify(ctx, method, params)
	}
	return s.conn.notify(ctx, s.terms, method, params)
}

// Go runs f in a goroutine that belongs to the session: its context ends with the session, and
// [Server.Serve] waits for it. If Go returns false, the session is ending and f is not run. It lets
// code send to many sessions without waiting for a client that does not read.
func (s *ServerSession) Go(f func(ctx context.Context)) bool {
	ctx := s.conn.life.Context()
	if s.subscriber != nil {
		ctx = s.subscriber.context
	}
	return s.conn.life.Go(func() { f(ctx) })
}

// KeepSubscription stores that the client has subscribed to a resource or ended its subscription, for other
// servers that continue the session. Code that handles resources/subscribe calls it before it answers. If no
// other server can have the session, KeepSubscription does nothing.
func (s *ServerSession) KeepSubscription(ctx context.Context, uri string, subscribed bool) error {
	switch {
	case s.subscriber != nil:
		return nil
	case subscribed:
		return s.conn.keep(ctx, Change{Subscribed: uri})
	}
	return s.conn.keep(ctx, Change{Unsubscribed: uri})
}

// RestoreSubscriptions calls set with all subscriptions of a session that another server has begun, and
// again with the current ones whenever the client has changed them at another server. Calls do not
// overlap, and set must not call methods of the session. Code that handles resources/subscribe calls
// RestoreSubscriptions in Binding.Opened.
func (s *ServerSession) RestoreSubscriptions(set func(uris []string)) {
	s.subscriptions.mu.Lock()
	defer s.subscriptions.mu.Unlock()
	s.subscriptions.set = set
	if len(s.subscriptions.uris) > 0 {
		set(s.subscriptions.uris)
		s.subscriptions.uris = nil
	}
}

// restore sets the subscriptions.
func (s *ServerSession) restore(uris []string) {
	s.subscriptions.mu.Lock()
	defer s.subscriptions.mu.Unlock()
	if s.subscriptions.set != nil {
		s.subscriptions.set(uris)
	} else {
		s.subscriptions.uris = uris
	}
}

// end is called when the session is over.
func (s *ServerSession) end() {
	s.subscriptions.mu.Lock()
	s.subscriptions.set = nil
	s.subscriptions.mu.Unlock()
	if s.closed != nil {
		s.closed()
	}
}
