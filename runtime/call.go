package runtime

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Call is what a handler may know of the request or notification it handles. It stands
// for the message, not for a session, so that handlers also fit revisions that have no
// sessions.
//
// A Call is a [Caller]: what it sends belongs to the request, and a transport with
// several streams sends it on the stream of the request. After the request's answer it
// still sends, on no particular stream. It is safe for concurrent use.
type Call struct {
	context callContext     // what the handler gets
	values  context.Context // of the message, beside those of the session; nil for none

	peer   *peer
	terms  *terms
	handle Handler
	id     wire.Scalar // zero for a notification
	key    wire.Scalar // the canonical id, under which the request is in flight
	method string
	params wire.Raw
	route  Route
	batch  *batch // collects the answer; nil outside batches
	inline bool   // runs on the reading goroutine

	unanswered bool // it is over without an answer; its own goroutine's
	abandoned  bool // it was answered in place of its handler; written under the peer's mu while in flight
	reported   bool // progress is the last value sent; guarded by mu

	// mu is held while progress is sent and while over is set, so that no progress can
	// follow the answer.
	mu       sync.Mutex
	over     atomic.Bool
	progress float64

	detached atomic.Pointer[detachment] // nil but for what goes on after its answer
}

// terms are what a message is handled under. Several messages of a session share one
// value; nothing in it changes after it is made.
type terms struct {
	revision     string
	handle       Handler
	info         wire.Object // the peer's Implementation
	capabilities wire.Object // the peer's
	declared     wire.Object // this side's capabilities

	bound     *bound // nil before the handshake
	peer, own grants
}

// spoken is the negotiated revision, "" before there is one.
func (t *terms) spoken() string {
	if t == nil {
		return ""
	}
	return t.revision
}

type callKey struct{}

// callContext is a context that knows its call, of which it is a part, and can be cancelled.
// Both that and the context of package context it stands for, which is made when somebody
// waits for its end, save allocations: most handlers never do.
type callContext struct {
	parent context.Context
	call   *Call

	mu    sync.Mutex
	own   context.Context // nil before it is needed
	end   context.CancelCauseFunc
	ended bool // before there was own
	cause error
}

// cancel ends the context.
func (c *callContext) cancel(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.own != nil:
		c.end(cause)
	case !c.ended:
		c.ended, c.cause = true, cause
	}
}

// now returns a context that says the same as c does: its own if there is one or has to be.
func (c *callContext) now(awaited bool) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.own != nil:
	case c.ended || awaited:
		c.own, c.end = context.WithCancelCause(c.parent)
		if c.ended {
			c.end(c.cause)
		}
	default:
		return c.parent
	}
	return c.own
}

// Deadline implements context.Context.
func (c *callContext) Deadline() (time.Time, bool) { return c.parent.Deadline() }

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} { return c.now(true).Done() }

// Err implements context.Context.
func (c *callContext) Err() error { return c.now(false).Err() }

// Value returns the call for the package's own key. The values of the message come before
// those of the session.
func (c *callContext) Value(key any) any {
	if _, ok := key.(callKey); ok {
		return c.call
	}
	if c.call.values != nil {
		if v := c.call.values.Value(key); v != nil {
			return v
		}
	}
	return c.now(false).Value(key)
}

// CallOf returns the call whose handler got ctx or a context made from it; nil outside
// of handlers.
func CallOf(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// Revision is the revision the message is handled under.
func (c *Call) Revision() string { return c.terms.revision }

// Method is the message's method.
func (c *Call) Method() string { return c.method }

// Known reports whether the method is in the table of the revision. A peer may make up
// any other.
func (c *Call) Known() bool {
	return c.terms.bound == nil || c.terms.bound.rows[c.method].kind != 0
}

// ID is the request's id; zero for a notification.
func (c *Call) ID() wire.Scalar { return c.id }

// SessionID is the transport's name of the session, "" when it has none.
func (c *Call) SessionID() string { return c.peer.sessionID() }

// PeerInfo is the Implementation object by which the peer introduced itself.
func (c *Call) PeerInfo() wire.Object { return c.terms.info }

// PeerCapabilities are the capabilities the peer declared.
func (c *Call) PeerCapabilities() wire.Object { return c.terms.capabilities }

// Meta is the params' _meta object, "" when there is none.
func (c *Call) Meta() wire.Object {
	if c.params == "" {
		return ""
	}
	meta, ok := wire.Object(c.params).Get("_meta")
	if !ok || meta.Kind() != wire.KindObject {
		return ""
	}
	return wire.Object(meta)
}

// ProgressToken is the token under which the peer wants to be told of progress, if it
// does.
func (c *Call) ProgressToken() (wire.Scalar, bool) {
	raw, ok := c.Meta().Get("progressToken")
	if !ok {
		return wire.Scalar{}, false
	}
	var token wire.Scalar
	if err := wire.UnmarshalString(string(raw), &token); err != nil || !token.Is(wire.ScalarString|wire.ScalarInteger) {
		return wire.Scalar{}, false
	}
	return token, true
}

// errInline keeps a handler of initialize from waiting for an answer that cannot be
// read before it returns.
var errInline = errors.New("runtime: a handler of initialize cannot wait for an answer of the peer")

// Call implements [Caller]. A handler of initialize cannot use it: the next message is
// read when initialize is answered.
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
	return c.peer.call(ctx, c.terms, method, c.outgoing(method, params), result, c.currentRoute())
}

// Notify implements [Caller].
func (c *Call) Notify(ctx context.Context, method string, params wire.Appender) error {
	return c.peer.notify(ctx, c.terms, method, c.outgoing(method, params), c.currentRoute())
}

// Route is the transport's stream that what the call sends goes to; nil for no
// particular one, as after its answer. It is for code that knows the transport.
func (c *Call) Route() Route { return c.currentRoute() }

func (c *Call) currentRoute() Route {
	if c.over.Load() {
		return nil
	}
	if how := c.detachedHow(); how != nil && how.Route != nil {
		return how.Route()
	}
	return c.route
}
