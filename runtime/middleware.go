package runtime

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Handler answers a request or takes a notification, as Binding.Handle does.
type Handler func(ctx context.Context, method string, params wire.Raw) (wire.Appender, error)

// Sender sends a message: a request, for whose answer it waits, or a notification.
type Sender func(ctx context.Context, m *Message) error

// Middleware is what is done around the messages of every session of a server or a
// client. Either function may be nil; each is called when a server, client or session is
// made, not for each message. What they return is called concurrently.
type Middleware struct {
	// Handle returns a handler around next for the requests and notifications of the peer,
	// initialize and what the runtime answers by itself included; CallOf tells more of
	// them. Before initialize is answered, the call has no revision. What the lifecycle
	// or the capabilities refuse does not get here. An error is told to the peer like
	// that of any handler. It must not go on after next has panicked.
	Handle func(next Handler) Handler

	// Send returns a sender around next for the requests and notifications of this side:
	// those made with a [Caller], what the methods of [Call] send, and the handshake. The
	// pings of KeepAlive and cancellations do not get here. CallOf tells of the call
	// because of which a message is sent, when the caller's context is the handler's.
	Send func(next Sender) Sender
}

// Message is a request or notification on its way to the peer. Middleware may change
// the exported fields before it sends the message on; it must not send one twice at the
// same time.
type Message struct {
	Params wire.Appender // nil for none
	Result wire.Value    // what the result is decoded into; nil to forget it, and for notifications

	peer    *peer
	kind    jsonrpc.Kind
	request request // of a notification: method, route and terms
	reply   wire.Raw
}

// Kind tells requests from notifications.
func (m *Message) Kind() jsonrpc.Kind { return m.kind }

// Method is the message's method.
func (m *Message) Method() string { return m.request.method }

// Revision is the negotiated revision. That of initialize is "" until it is answered.
func (m *Message) Revision() string {
	if m.request.terms == nil && m.request.method == methodInitialize {
		return stringMember(wire.Object(m.reply), "protocolVersion")
	}
	return m.request.terms.spoken()
}

// SessionID is the transport's name of the session, "" when it has none.
func (m *Message) SessionID() string { return m.peer.sessionID() }

// ID is the id that the request was sent with; zero before that, and for notifications.
func (m *Message) ID() wire.Scalar {
	if m.request.id == 0 {
		return wire.Scalar{}
	}
	return wire.IntScalar(m.request.id)
}

// Reply is the text of the result of a request that was answered with one, "" before.
func (m *Message) Reply() wire.Raw { return m.reply }

// transmit is the innermost Sender.
func transmit(ctx context.Context, m *Message) error {
	if m.kind == jsonrpc.Notification {
		return m.peer.tell(ctx, m.request.terms, m.request.method, m.Params, m.request.route)
	}
	m.request.params, m.request.id, m.reply = m.Params, 0, ""
	var err error
	if m.reply, err = m.peer.exchange(ctx, &m.request); err != nil {
		return err
	}
	return m.peer.decodeResult(ctx, &m.request, m.reply, m.Result)
}

// layers is the middleware of a server or client, the outermost first.
type layers []Middleware

// handler puts the layers around h.
func (l layers) handler(h Handler) Handler {
	for _, m := range slices.Backward(l) {
		if m.Handle != nil {
			h = m.Handle(h)
		}
	}
	return h
}

// sender is the layers around transmit; nil when none of them is for messages sent.
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
