// Package streamable carries sessions over Streamable HTTP, the transport of revisions
// from 2025-03-26 on: one endpoint that takes messages by POST, opens a stream for the
// server's own messages by GET and ends a session by DELETE.
//
// [NewHandler] makes an http.Handler of a runtime.Server; put it into any mux, under any
// middleware. [NewTransport] makes a runtime.Transport that a runtime.Client connects
// through.
//
// # Answers
//
// A request is answered with one JSON text if its handler sends nothing else and returns within
// Options.StreamAfter, 100 µs by default. Otherwise the answer is an event stream, from the
// handler's first notification or request on, or after that time if the session's revision is
// 2025-11-25 or later. What a
// handler sends belongs to the stream of its request. What a server sends on its own goes to the
// stream that the client has opened by GET; a client that has opened several gets it on the one it
// has opened last. A notification of a handler leaves within a millisecond, together with what
// follows it by then, most often the answer; everything else leaves at once.
//
// # Lost connections
//
// The loss of a connection cancels nothing. Each event has an id and is kept in an
// [EventStore]. A client that comes back by GET with Last-Event-ID gets the events of that stream
// that it has missed, and then what comes. When nothing comes any more, because the stream has
// ended, it is answered with status 405. An id is the name of its stream and the number of the
// event in it. From revision 2025-11-25 on a stream begins with an event without data, from whose id
// a client can resume; an answer that has begun as a stream is not lost with its connection. An
// answer that has not, or is JSON, is lost.
//
// # Clients
//
// A response to a request that holds no answer to it fails the call at once, with an error
// that quotes what came. It may be empty, of another type or status, not JSON, the answer to
// another request, or an event stream that ends too early and has no event ids. The server is
// not sent an error for it.
//
// A client asks again for a stream that was lost or refused with status 408, 425, 429 or 5xx.
// It waits as long as the server has said with a retry field or a Retry-After header, at least
// 100 milliseconds and at most 5 minutes, or a second if the server has said nothing. The
// waits double with each failure up to 30 seconds, and up to 5 seconds while the streams
// bring nothing, and have a random part.
//
// # Limits
//
// A message has a maximum size, that of the server's options. Bodies must arrive and
// events be taken within a time. Sessions are limited in number, and end when nobody
// has used them for a time. The store of events that is there by default is limited in
// bytes.
//
// What comes before a request reaches a handler is for the http.Server to limit: make it with
// [NewServer], or set its ReadHeaderTimeout and IdleTimeout. Its ReadTimeout and
// WriteTimeout must stay zero, or they end long streams; a handler sets deadlines of its own.
// The number of open connections is limited by the open files that the system allows.
//
// # Users
//
// Who the client is a middleware in front of the handler finds out. What it puts into the
// context of a request is seen by the handlers of the messages that the request brings, in
// their contexts, also when they go on after the request has ended. With Options.User the
// sessions of one user are not open to another who has learned an id.
//
// A message is answered with an HTTP error status if its body is no message or has no id that
// could be answered, if it names no session, or, with status 503, if the handler is shutting
// down. Every other request is answered with status 200, even if the answer is an error. The
// body is a JSON-RPC error either way.
//
// Where a comment names a section without a page, it is one of basic/transports of
// revision 2025-11-25.
package streamable
