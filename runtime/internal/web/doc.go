// Package web is what the HTTP transports share: on a server's side the checks that a
// request must pass before a session sees it, whose the session is, how many there are,
// the reading of bodies and the writing of answers, errors and events; on a client's side
// the limits on what it reads and where it may be redirected, and the end of requests.
//
// Every error that a server answers has a JSON-RPC error as its body, with the request's id if
// that was read.
package web
