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
// before it. A [Call] is one request or notification that is being handled, and all that a handler sees.
//
// # The way of a message
//
// A message comes as an [Incoming], with a [Reply], the place where its answer goes. [Inbox] takes messages in
// order of arrival and returns the function that handles a request; messages that the package itself receives from
// a Transport go the same way. The function passes the message through Handlers, each of which may be wrapped in
// others: the middleware of the option Receiving, rounds of questions ([ErrInputRequired]), and Handle of the
// [Binding], which tasks, a catalog and a conversion may have wrapped. A generated binding calls [Answer] for the
// method. The messages of this side pass through Handlers too: Around of the binding, the check of the method table
// and the capabilities, the repetitions of a client, the middleware of the option Sending, and the Handler that
// writes the message and waits for its answer. [Session], [ServerSession] and Call are Callers; generated callers
// give their methods the types of a revision.
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
// A server answers a request that carries its revision in _meta under that revision, also on the connection of
// a session ("Versioning and Compatibility", 2026-07-28). It answers server/discover from its options, adds
// the members that all results have, replaces codes of errors that the revision does not allow, and sends log
// messages only at the level that the request asks for. A handler of a session serves it unchanged, with three
// differences: [Call.Session] is nil, notifications other than progress and log messages fail with
// [ErrNotRequested], and a request to the client is answered when the client repeats its own.
//
// # Clients without a session
//
// [Client.Connect] sends server/discover first and falls back to initialize. It remembers the outcome for each
// server ([Eras]), unless silence has decided it, as it may over stdio. A request carries the client's capabilities
// in its _meta. If the result asks questions, the handlers of the client's requests answer them, and the request is
// repeated ([ClientOptions].MaxRounds). [Session.Listen] yields the notifications of a subscription. The client
// keeps the log level and the subscriptions that a server keeps for a session, so code for sessions works
// unchanged. Results can be kept ([CacheOptions]), and a lost connection opened again ([ClientOptions].Reconnect).
// Over HTTP, the headers are those of package runtime/headers, and the end of a call ends its connection.
//
// # Lenience
//
// Generated decoders are strict. Some peers write null for an absent member: a server reads null params and null
// members of params as absent. A client follows [ClientOptions].Lenient, and reports each deviation to
// [ClientOptions].Deviated.
//
// # Shutdown
//
// A session ends at once if the peer is gone or the transport fails, because nothing can be answered. Otherwise it
// shuts down: new requests are refused with an error that says that they were not begun, reading continues for
// answers and cancellations, and the session ends when the last call is answered. If the grace period
// ([ServerOptions].Grace) ends first, the contexts of the handlers end with the cause [ErrShutdown], and a request
// without an answer a second later gets an error. The end of the context of Serve, the end of the input, and Shutdown
// and Close of an HTTP handler begin a shutdown; stdio.Serve and streamable.ListenAndServe add the signals.
//
// # Replicas
//
// [Server.Publish] sends a notification to the clients of the server and to the other replicas (ServerOptions.Replicas,
// see package runtime/share). What arrives from them goes into the same queues of sessions as changes of this process.
// A server that may have lost messages tells its sessions that every list and every resource may have changed. Tasks
// need no replicas, because their store has Watch.
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
//
// # Inside the package
//
// A conn is one connection. It connects a transport with the parts of package runtime/internal/engine, which know
// nothing of the meaning of messages, and with a side: the interface of four methods that differ between a server
// and a client. A side admits or refuses each message of a peer: its revision and name, the capabilities of
// both sides, and the Handler. Before the handshake of a session, only initialize and
// ping are admitted; after it, the method table of the revision and the capabilities decide. A revision
// whose table has no initialize is stateless: the peer of a request comes from its _meta. Equal members of _meta
// have the same peer, which a server keeps in a table of limited size. One connection may have messages of both kinds.
// The rest of the package asks the peer of a message only.
//
// Waking a goroutine takes longer than most handlers. Over stdio, the goroutine that has read a
// request handles it, and a caller reads its own answer, as long as nothing takes long. Other
// transports bring messages from goroutines of their own: in process from the sender's, over HTTP from that of the
// request. Their idle sessions have no goroutine. Durations that were chosen by judgement are constants of package
// runtime/internal/waits.
package runtime
