// Package streamable implements Streamable HTTP, the transport of revisions from 2025-03-26 on. It
// has one endpoint: a client sends messages by POST. In revisions with sessions it also opens a stream for
// the server's own messages by GET, and ends a session by DELETE.
//
// [NewHandler] returns an http.Handler for a runtime.Server, with sessions and without. It works in any mux,
// behind any middleware, and [ListenAndServe] serves it alone. [URL] returns a
// runtime.Transport for a runtime.Client that knows only the URL of a server: it uses the predecessor of the
// transport, HTTP with SSE, if the server has nothing newer. [NewTransport] and [DialSSE] are for one transport each.
// [NewSSEHandler] returns a handler for clients that have only the predecessor.
//
// # Answers
//
// The answer to a request is one JSON text if the handler sends nothing else and returns within
// Options.StreamAfter, a second by default. Otherwise the answer becomes an event stream: with the
// handler's first notification or request, or after that time if the revision is 2025-11-25 or later.
// The messages of a handler belong to the stream of its request. The server's own messages go to the
// stream that the client opened last by GET. All messages leave at once.
//
// # Requests without sessions
//
// From revision 2026-07-28 on, a request belongs to no session. One handler serves such requests and
// sessions at the same URL. The MCP-Protocol-Version header decides, and without one the _meta of the
// message. If the server has only revisions without sessions, GET and DELETE get status 405.
//
// The headers MCP-Protocol-Version, Mcp-Method, Mcp-Name and Mcp-Param-* must repeat the message;
// otherwise the status is 400 with the error HeaderMismatch. The answer is JSON, or an event stream if a
// notification comes first or after Options.KeepAlive. It has no ids. The end of the connection cancels
// the request. Options.MaxRequests limits the requests in progress.
//
// # Lost connections
//
// In a session, the loss of a connection cancels nothing. Each event has an id and is kept in an [EventStore]. A
// client that comes back by GET with Last-Event-ID gets the events of that stream that it has missed,
// and then new ones. If the stream has ended and there are no more events, the status is 405. From
// revision 2025-11-25 on, a stream begins with an event without data, from whose id a client can
// resume, so an answer that has begun as a stream is not lost with its connection. Every other answer
// is lost.
//
// # Replicas
//
// The replicas of a server serve each other's sessions with share.NewHandler of package runtime/share, so a proxy may
// send each request to any of them. Requests without sessions do not need it.
//
// # Clients
//
// A response without an answer to its request fails the call at once, with an error that quotes the
// response. It may be empty, have another status or content type, not be JSON, answer another
// request, or be an event stream without ids that ends too early. The server gets no error for it.
//
// In a session, a client requests a stream again if it was lost, or refused with status 408, 425, 429 or 5xx. It
// waits as long as the server asks for by a retry field or a Retry-After header, at least 100
// milliseconds and at most 5 minutes; the default is a second. The waits grow with each failure, to 30
// seconds, and while the streams carry no messages, to 5 seconds. A part of each wait is random. Without a
// session, a request whose answer is lost is sent again if it only reads, up to three times; any other
// fails with a *runtime.LostError.
//
// # Limits
//
// The server's options limit the size of messages. The options of the handler limit the time in which
// bodies must arrive and events be accepted, the number of sessions, and the time for which a session
// may be idle. The default event store has a maximum size.
//
// The http.Server limits what happens before a request reaches a handler: use [NewServer], or set
// ReadHeaderTimeout and IdleTimeout. ReadTimeout and WriteTimeout must stay zero, because they would
// end long streams; a handler sets its own deadlines. The system's limit of open files limits the
// connections.
//
// # Users
//
// A middleware in front of the handler determines who the client is. Handlers of messages see the
// values that it puts into the context of the request, even after the request has ended. With
// Options.User, the sessions of a user are closed to users who have learned their ids.
//
// # Errors
//
// A message gets an HTTP error status if its body is not a message and has no id to answer, if it
// names no session, or if the handler is shutting down (503). Every other request in a session gets
// status 200, even if its answer is an error. The body is a JSON-RPC error in both cases.
//
// A request without a session gets status 404 for an unknown method, 503 if too many are in progress, and
// 400 for a message that is not passed to a handler or needs a capability that the client has not
// declared. Other errors of handlers get status 200.
//
// # Inside the package
//
// A server's handler consists of sessions ([Session]), streams and connections. A stream is the answer to one POST, or
// the messages that the server sends by itself; a connection is a POST or GET whose response carries a stream. The
// table of sessions ends those that are idle, and a session knows its streams by their names. A stream is the
// runtime.Reply of its message: what belongs to the message is sent to it, the answer last. The goroutine of a POST
// calls Accept of the session's runtime.Inbox and the function that it returns, after which the stream ends. All
// requests without a session share one Session, which is not in the table. Their messages have no order, and their ids
// are independent of each other. A client marks a received answer with the id that it must answer
// (runtime.Incoming.Answers).
//
// A session over HTTP with SSE has no stream but that of the server's own messages, to which all answers go, and no events
// of it are kept.
//
// What several processes share of a session is behind [Sharing], and this package knows only the sessions and
// streams of its own process.
//
// Sections that comments name without a page are those of basic/transports, revision 2025-11-25.
package streamable
