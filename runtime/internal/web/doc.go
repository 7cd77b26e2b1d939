// Package web is what the HTTP transports share: on a server's side the checks that a
// request must pass before a session sees it, the reading of its body and the writing of
// answers, errors and events; on a client's side the limits on what it reads
// and where it may be redirected.
//
// Every error that a server answers has a JSON-RPC error as its body, without an id
// because none was read.
package web
