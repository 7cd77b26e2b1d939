package runtime

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Call is the request or notification that a handler handles. It belongs to a message, not to a
// session, so that handlers also work in revisions without sessions.
//
// A Call is a [Caller]. What it sends belongs to the request: a transport with several streams
// sends it on the stream of the request, or on no particular stream after the answer. A Call is
// safe for concurrent use.
type Call struct {
	context callContext
	cancel  context.CancelCauseFunc // nil for a notification, which cannot be cancelled

	peer   *peer
	terms  *terms
	handle Handler
	id     wire.Scalar // zero for a notification
	key    wire.Scalar // the canonical id, under which the request is registered
	place  int         // see engine.Serving
	method string
	params wire.Raw
	reply  Reply       // nil if the answer goes where messages without a request go
	unbind func() bool // ends the effect of Incoming.Bound; nil without it

	inline     bool // handled before the next message is read
	remote     bool // it has come over HTTP
	unanswered bool // it has ended without an answer; only its own goroutine uses it
	abandoned  bool // it was answered in place of its handler; written under the lock of peer.serving

	// mu is held while progress is sent and while over is set, so that no progress is sent after
	// the answer.
	mu       sync.Mutex
	over     atomic.Bool
	reported bool // progress is the last value that was sent
	fell     bool // a value that does not grow was logged
	progress float64

	// telling counts the cancellations of requests of the call that are being sent. The answer comes after
	// them, because it may end the stream that they go to. Only a call that is not over adds to it, under mu.
	telling sync.WaitGroup

	alone  *alone       // nil in a session
	denied *DeniedError // why the request is refused; only its own goroutine uses it

	detached atomic.Pointer[detachment] // nil unless it goes on after its answer
}

type callKey struct{}

// callContext is the context of a handler.
type callContext struct {
	context.Context
	call   *Call
	values context.Context // of the message; nil for none
}

// Value returns the call for the package's own key. The values of the message take precedence over
// those of the session.
func (c *callContext) Value(key any) any {
	if _, ok := key.(callKey); ok {
		return c.call
	}
	if c.values != nil {
		if v := c.values.Value(key); v != nil {
			return v
		}
	}
	return c.Context.Value(key)
}

// CallOf returns the call of the handler that ctx, or the context it was derived from, was passed to.
// It returns nil outside of handlers.
func CallOf(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// Revision returns the revision under which the message is handled, or "" before it is negotiated.
func (c *Call) Revision() string { return c.terms.revision }

// Method returns the method of the message.
func (c *Call) Method() string { return c.method }

// Known reports whether the method is in the method table of the revision. A peer may send other
// methods too.
func (c *Call) Known() bool {
	return c.terms.bound == nil || c.terms.bound.rows[c.method].kind != 0
}

// ID returns the id of the request; zero for a notification.
func (c *Call) ID() wire.Scalar { return c.id }

// registered is a Call as the connection registers it, by its canonical id.
type registered struct{ *Call }

// Canonical implements engine.Request.
func (r registered) Canonical() wire.Scalar { return r.key }

// Place implements engine.Request.
func (r registered) Place() *int { return &r.place }

// SessionID returns the transport's name of the session, or "" if it has none.
func (c *Call) SessionID() string {
	if c.terms.stateless() {
		return ""
	}
	return c.peer.sessionID()
}

// Lasts reports whether the session may go on at another server after it has ended here, see [Lasting].
func (c *Call) Lasts() bool {
	t, ok := c.peer.transport.(Lasting)
	return ok && !c.terms.stateless() && t.Lasts()
}

// Session returns the server's session that the call belongs to. It returns nil on a client's side,
// in a handler of initialize and for a stateless request, except for one that listens for notifications.
// All calls of a session return the same value, so it can be the key of a map with data of sessions. The
// function that Binding.Opened returns can delete the data.
func (c *Call) Session() *ServerSession {
	if c.alone != nil {
		return c.alone.session
	}
	if c.terms.stateless() {
		return nil
	}
	return c.peer.era.server()
}

// Stateless reports whether the message belongs to no session, so that everything known about the peer
// comes from the message itself.
func (c *Call) Stateless() bool { return c.terms.stateless() }

// PeerInfo returns the Implementation object with which the peer introduced itself.
func (c *Call) PeerInfo() wire.Object { return c.terms.info }

// PeerCapabilities returns the capabilities that the peer declared.
func (c *Call) PeerCapabilities() wire.Object { return c.terms.capabilities }

// Declared reports whether this side has declared the capability at a dotted path, such as
// "tasks.requests.tools.call". It returns true if that is not known.
func (c *Call) Declared(capability string) bool {
	declared := c.terms.declared
	if c.terms.serving() {
		declared = c.terms.bound.offered.current().text
	}
	return declared == "" || Declares(declared, capability)
}

// Meta returns the _meta object of the params, or "" if there is none.
func (c *Call) Meta() wire.Object {
	meta, ok := wire.Object(c.params).Get("_meta")
	if !ok || meta.Kind() != wire.KindObject {
		return ""
	}
	return wire.Object(meta)
}

// errInline is the error of a request by a handler of initialize. Its answer could not be read before
// the handler returns.
var errInline = errors.New("runtime: a handler of initialize cannot wait for an answer of the peer")

// Call implements [Caller]. A handler of initialize cannot use it.
func (c *Call) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	if c.inline && !c.over.Load() {
		return errInline
	}
	if how := c.detachedHow(); how != nil && how.Asking != nil {
		answered, err := how.Asking(ctx)
		if err != nil {
			return err
		}
		defer answered()
	}
	return c.caller().callAround(ctx, method, c.outgoing(method, params), result)
}

// Notify implements [Caller].
func (c *Call) Notify(ctx context.Context, method string, params wire.Appender) error {
	return c.caller().notifyAround(ctx, method, c.outgoing(method, params))
}

func (c *Call) caller() unwrappedCaller {
	return unwrappedCaller{peer: c.peer, terms: c.terms, to: c.Reply(), call: c}
}

// Reply returns where the call sends its messages. It returns nil after the answer, and if the transport
// sends all messages in one way. It is for code that knows the transport.
func (c *Call) Reply() Reply {
	if c.over.Load() {
		return nil
	}
	if how := c.detachedHow(); how != nil && how.Reply != nil {
		return how.Reply()
	}
	return c.reply
}

// cancelled reports whether the peer has cancelled the request, for which nothing more is sent then. It returns
// false for a detached call, which is not cancelled with a request, and for nil.
func (c *Call) cancelled() bool {
	if c == nil || c.context.Err() == nil || c.detachedHow() != nil {
		return false
	}
	_, is := errors.AsType[*CancelledError](context.Cause(&c.context))
	return is
}

// withdrawing delays the answer until told is called. Outside of calls, and after the answer, it does nothing.
func (c *Call) withdrawing() (told func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() {
		return func() {}
	}
	c.telling.Add(1)
	return c.telling.Done
}
