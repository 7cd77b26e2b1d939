// Package runtime runs MCP servers and clients on generated code.
//
// It knows the machinery of the protocol and none of its types. The types of a revision, its method
// table and the switch from a method to a typed handler are generated, and reach this package as a
// [Binding]. The package adds JSON-RPC over a [Transport], the handshake, capabilities, cancellation,
// progress, timeouts, and protection against what the peer may send.
//
// # Words
//
// The peer is the other side of a connection. A revision is a dated version of the protocol. A session is one
// conversation over one transport; revisions up to 2025-11-25 open it with the initialize handshake. Later
// ones are stateless: each request carries what a session would have agreed on, independently of the requests
// before it. A [Call] is one request or notification that is being handled, and all that a handler sees. The
// route of a message is the stream of the transport that it belongs to.
//
// # Order
//
// Messages are read one after the other. Before the next one is read, a response reaches its caller, a
// cancellation takes effect, and initialize is answered. Requests are handled at the same time, each in
// its own goroutine; the notifications of a session are handled one after the other, in a goroutine of
// their own. So a cancellation always finds the request it follows, and handlers of notifications see
// them in order, but a request does not wait for the handlers of earlier notifications.
//
// The messages that a handler sends through its Call are sent in order, and the response is sent last.
//
// # Capabilities
//
// A side does what it has declared when the session was opened. A request that needs a capability which
// this side has not declared is answered with "method not found". A request that needs a capability of
// the peer is not sent and fails with a [CapabilityError], and so does a notification that needs a
// capability of this side. A message that the negotiated revision does not have fails with a
// [MethodError]. In these cases the runtime leaves out the notifications that it sends itself: log
// messages, progress, changes of lists, the status of tasks.
//
// # Stateless requests
//
// A server answers a request that carries its revision in _meta on its own terms, also on the connection of
// a session ("Versioning and Compatibility", 2026-07-28). It answers server/discover from its options, adds
// the members that all results have, and sends log messages only at the level that the request asks for. A
// handler of a session serves it unchanged, with three differences: [Call.Session] is nil, notifications
// other than progress and log messages fail with [ErrNotRequested], and a request to the client is answered
// when the client repeats its own.
//
// # Limits
//
// A session reads messages up to a maximum length and handles a maximum number of requests at a time
// ([Limits]). Further requests wait for up to a second, during which nothing is read, and are then
// refused as busy, so that cancellations and responses get through however long the handlers take. No
// message ends the process or the session: bad messages and failing handlers are answered with errors.
//
// A request waits for its answer until the deadline of its context or, without one, for the timeout of
// the session; the peer is then told that the request is cancelled.
//
// When [Server.Serve] or [Session.Close] returns, no goroutine of the session is left, except for a read
// from a source that cannot be interrupted, such as a terminal; it ends with the next input.
package runtime
