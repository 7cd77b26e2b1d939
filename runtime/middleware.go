package runtime

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handler answers a request or takes a notification, see Binding.Handle.
type Handler func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error)

// Sender sends a message: a request, for whose answer it waits, or a notification.
type Sender func(ctx context.Context, m *Message) error

// Middleware wraps the messages of every session of a server or a client. Either function may be nil. Each
// is called when a server, client or session is made, not for each message; the functions that they return
// are called concurrently.
type Middleware struct {
	// Handle returns a handler that wraps next, for the requests and notifications of the peer. They
	// include initialize and the requests that the runtime answers itself, but not messages that are
	// refused because of the handshake or a capability. CallOf returns more about a message; its
	// Revision is "" before initialize is answered. An error of the handler is sent to the peer like
	// that of any handler. The handler must not recover from a panic of next.
	Handle func(next Handler) Handler

	// Send returns a sender that wraps next, for the requests and notifications that this side sends
	// through a [Caller] or the methods of [Call], and for the handshake, but not for cancellations and
	// the pings of KeepAlive. If a handler sends a message with its own context, CallOf returns the
	// handler's call.
	Send func(next Sender) Sender
}

// Message is a request or notification on its way to the peer. Middleware may change the exported fields
// before it passes the message on. It must not send a message twice at the same time.
type Message struct {
	Params wire.Appender // nil for none
	Result wire.Value    // what the result is decoded into; nil to discard it, and for notifications

	peer    *peer
	kind    jsonrpc.Kind
	request request // of a notification: method, reply and terms
	reply   wire.Raw
}

// Kind returns jsonrpc.Request or jsonrpc.Notification.
func (m *Message) Kind() jsonrpc.Kind { return m.kind }

// Method returns the method.
func (m *Message) Method() string { return m.request.method }

// Revision returns the negotiated revision; for initialize it is "" until the answer has come.
func (m *Message) Revision() string {
	if m.request.terms == nil && m.request.method == methodInitialize {
		return wire.Object(m.reply).GetString("protocolVersion")
	}
	return m.request.terms.spoken()
}

// SessionID returns the transport's name of the session, or "" if it has none.
func (m *Message) SessionID() string { return m.peer.sessionID() }

// ID returns the id that the request was sent with; zero before that, and for notifications.
func (m *Message) ID() wire.Scalar {
	if m.request.id == 0 {
		return wire.Scalar{}
	}
	return wire.IntScalar(m.request.id)
}

// Reply returns the text of the result, or "" until the request is answered with one.
func (m *Message) Reply() wire.Raw { return m.reply }

// transmit is the innermost Sender.
func transmit(ctx context.Context, m *Message) error {
	if m.kind == jsonrpc.Notification {
		return m.peer.announce(ctx, m.request.terms, m.request.method, m.Params, m.request.to, m.request.call)
	}
	m.request.params, m.request.id, m.reply = m.Params, 0, ""
	var err error
	if m.reply, err = m.peer.exchange(ctx, &m.request); err != nil {
		return err
	}
	return m.peer.decodeResult(ctx, &m.request, m.reply, m.Result)
}

// layers is the middleware of a server or client; the first is the outermost.
type layers []Middleware

// handler wraps h in the layers.
func (l layers) handler(h Handler) Handler {
	for _, m := range slices.Backward(l) {
		if m.Handle != nil {
			h = m.Handle(h)
		}
	}
	return h
}

// sender wraps transmit in the layers. It returns nil if no layer has a Send.
func (l layers) sender() Sender {
	var s Sender
	for _, m := range slices.Backward(l) {
		if m.Send == nil {
			continue
		}
		if s == nil {
			s = transmit
		}
		s = m.Send(s)
	}
	return s
}
