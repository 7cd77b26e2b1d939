// Package sse implements HTTP with SSE, the transport of revision 2024-11-05, for peers that have
// nothing newer. Package streamable implements its successor.
//
// A client opens an event stream by GET. The stream is the session and ends with it. Its first event,
// "endpoint", names the URL to which the client sends its messages by POST. The server's messages
// are message events. A lost stream cannot be resumed. Each stream is a session, so a server answers only
// in its revisions with sessions.
//
// [NewHandler] returns an http.Handler for both kinds of request. The clients are those of streamable.URL, which
// chooses between the transports, and of streamable.DialSSE. For the http.Server, use streamable.NewServer, or set
// ReadHeaderTimeout and IdleTimeout. WriteTimeout must stay zero, because a handler sets its own deadlines.
//
// The package implements section HTTP with SSE of basic/transports, revision 2024-11-05.
//
// Deprecated: The protocol replaced this transport in 2025-03-26. Use package streamable, and this one only
// beside it for peers that have nothing newer.
package sse
