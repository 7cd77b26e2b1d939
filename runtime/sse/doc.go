// Package sse carries sessions over HTTP with SSE, the transport of revision 2024-11-05,
// for programs that have nothing newer; package streamable is what replaced it.
//
// A client opens an event stream by GET, which is the session and ends with it. The first
// event, named endpoint, tells the URL to which the client sends its messages by POST; everything
// the server has to say comes as message events. Nothing is resumed.
//
// [NewHandler] makes an http.Handler of a runtime.Server that takes both kinds of request;
// [Dial] makes a runtime.Transport that a runtime.Client connects through.
//
// What comes before a request reaches a handler is for the http.Server to limit: make it with
// streamable.NewServer, or set its ReadHeaderTimeout and IdleTimeout. Its WriteTimeout must
// stay zero; a handler sets deadlines of its own.
//
// Rests on section HTTP with SSE of basic/transports, revision 2024-11-05.
package sse
