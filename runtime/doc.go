// Package runtime runs MCP servers and clients on generated code.
//
// It knows the protocol's machinery and none of its types: a revision's types, its
// method table and the switch from a method to a typed handler are generated, and
// reach this package as a [Binding]. What this package adds is the JSON-RPC engine over
// a [Transport], the lifecycle of a session, cancellation, progress and the protection
// against what the other side may send.
//
// # Words
//
// The peer is the other side. A revision is a dated version of the protocol. A session
// is one conversation over one transport; revisions up to 2025-11-25 open it with the
// initialize handshake, which only the lifecycle code knows of. A [Call] is one request
// or notification being handled, and all a handler sees. The route of a message is the
// transport's stream it belongs to.
//
// # Order
//
// Messages are read one after the other. For each, in order of arrival and before the
// next is read: a response is handed to its caller, a cancellation takes effect, and the
// lifecycle moves on; initialize is answered. Then each request is handled in a
// goroutine of its own, and the notifications of a session one after the other in a
// goroutine of theirs. So a cancellation always finds the request it follows, and handlers of
// notifications need no order of their own; a request does not wait for the handlers of
// notifications that came before it.
//
// What a handler sends through its Call leaves in the order in which it is sent, and
// the response leaves last.
//
// # Capabilities
//
// What a side declares when the session is opened is what it does. A request that needs
// a capability this side has not declared is answered with "method not found", and one
// that needs a capability of the peer fails with a [CapabilityError] before anything is
// sent; so does a notification that this side may not send. What the negotiated revision
// does not have is not sent either, but fails with a [MethodError]. What the runtime
// sends by itself (log messages, progress, changes of lists, the status of tasks) is
// left out in these cases.
//
// # Limits
//
// A session takes messages up to a size and handles a number of requests at a time
// ([ServerOptions], [ClientOptions]). Further requests wait up to a second, during which
// nothing is read, and are then refused as busy, so that cancellations and responses
// get through however long the handlers take. Nothing a peer sends ends the process or
// the session: bad messages and failing handlers are answered with errors.
//
// The answer to a request is waited for until the deadline of its context or, without
// one, for the session's timeout; the peer is then told that the request is cancelled.
//
// No goroutine of a session is left when [Server.Serve] or [Session.Close] returns, but
// for a read from a source that cannot be interrupted, such as a terminal: it ends with
// the next input.
package runtime
