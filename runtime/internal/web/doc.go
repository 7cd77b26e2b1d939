// Package web holds what the HTTP transports share. For servers it has the checks that a request
// must pass before a session sees it (guard.go, request.go), the table of sessions with its limits
// (sessions.go, places.go), the limits of requests (load.go, budget.go), and the responses (refusal.go,
// response.go). For clients it has the http.Client with its connections, requests that can be cancelled
// safely (client.go), and the reading of answers (answer.go).
//
// The body of every error response is a JSON-RPC error, with the id of the request if it is known.
package web
