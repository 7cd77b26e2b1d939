package streamable

import (
	"cmp"
	"net/http"
	"time"
)

// The defaults of Options.
const (
	defaultKeepAlive   = 30 * time.Second
	defaultIOTimeout   = 30 * time.Second
	defaultIdleTimeout = 30 * time.Minute
	defaultStreamAfter = time.Second
	defaultRetry       = time.Second
)

// Options configure a Handler. The zero value is safe: it protects a local server against web pages
// and limits what clients can occupy.
type Options struct {
	// Hosts are the allowed values of the Host header, without ports; "*" allows any. If Hosts is
	// empty, requests to a loopback address must name a loopback host. A local server behind a proxy
	// needs the proxy's public name here.
	Hosts []string
	// Origins are the origins, such as "https://app.example.com", whose pages may send requests in
	// addition to pages of the server's own host; "*" allows any. The headers by which browsers
	// allow cross-origin requests (CORS) are up to a middleware.
	Origins []string
	// User returns the user that sent a request, as determined by a middleware in front of the
	// handler. A session belongs to its user: for others it does not exist (status 404). An error
	// gives status 403. If User is nil, it is the user of [runtime.WithPrincipal], as the middleware of
	// runtime/auth sets it. Every client that knows the id of a session without a user can use
	// it, which suits servers with one user or none.
	User func(r *http.Request) (string, error)

	// Endpoint is the path or URL to which clients over HTTP with SSE send their messages. It must lead to this
	// handler. "" means the path of the request that opens the session.
	Endpoint string
	// Stateless makes the handler serve each POST of revisions with sessions alone: without session
	// ids, GET requests, or requests to the client. The MCP-Protocol-Version header determines the
	// revision. Later revisions have no sessions anyway.
	Stateless bool
	// Sharing lets handlers in other processes serve the sessions too. share.NewHandler sets it.
	Sharing Sharing
	// Events stores events for clients that come back. If it is nil, the handler uses
	// NewMemoryEvents(DefaultMemoryEvents).
	Events EventStore

	// MaxSessions limits the open sessions. At the limit, a new session replaces one whose client
	// has sent nothing after initialize, or otherwise the least recently used one. A session with a
	// request in progress, such as the GET of an open stream, is not replaced. If all sessions have
	// one, the new session is refused with status 503. 0 means 10,000.
	MaxSessions int
	// MaxSessionsPerUser limits the sessions of each user that User returns, as MaxSessions limits
	// all. 0 means 1,000, a negative number no limit.
	MaxSessionsPerUser int
	// MaxSessionsPerAddress limits the sessions that clients at each address have opened, as
	// MaxSessions limits all. 0 means 1,000, a negative number no limit.
	MaxSessionsPerAddress int
	// MaxRequests limits the requests in progress that belong to no session: those of revision
	// 2026-07-28, and those that open a session. Further ones are refused with status 503. MaxSessionsPerUser and
	// MaxSessionsPerAddress limit those of each user and address as well. 0 means 10,000.
	MaxRequests int
	// MaxBytes limits the bytes of messages in memory at a time, of all clients: bodies of requests until
	// they are handled, and answers until their clients have read them. A request beyond it is refused with
	// status 503 before its body is read. An answer beyond it becomes an error, or waits for its client to
	// come back for it where clients can. The last quarter is for messages of up to 64 KB, and messages of
	// up to 4 KB do not count. 0 means 256 MiB, a negative number no limit.
	MaxBytes int
	// Address returns the address of a request's client, in any form. Sessions with the address ""
	// are not limited by address. If Address is nil, it is the address of the connection (for IPv6
	// its network of 64 bits), and "" for loopback and private addresses, which may be those of a
	// proxy. A server behind a proxy should return the address from the proxy's header.
	Address func(r *http.Request) string
	// Load limits the requests in flight and their rate, of each caller and of all. By default it does
	// not limit them further.
	Load Load

	// DrainDelay is how long Shutdown and Close continue to serve everything after Ready has become false,
	// so that load balancers notice and send new requests elsewhere. 0 means not at all.
	DrainDelay time.Duration
	// IdleTimeout is how long a session stays open without a request in progress, including the GET
	// of an open stream. 0 means 30 minutes, a negative duration no limit. A session whose
	// client sends nothing after initialize ends after 10 seconds.
	IdleTimeout time.Duration
	// StreamAfter is the time after which a call that has sent nothing becomes an event stream, from
	// revision 2025-11-25 on, where a client can resume a stream from its beginning. The response then
	// has status 200, also if the call is refused later. 0 means a second, a negative duration
	// never.
	StreamAfter time.Duration
	// KeepAlive is the interval between comments on a silent event stream, by which a lost connection
	// is noticed. A request that takes longer is answered with an event stream. 0 means
	// 30 seconds, a negative duration no comments.
	KeepAlive time.Duration
	// IOTimeout limits the time for a body to arrive and for a client to accept an event. 0 means
	// 30 seconds, a negative duration no limit.
	IOTimeout time.Duration
	// Retry is how long clients are asked to wait before they come back. 0 means a second; with
	// a negative duration they are not told.
	Retry time.Duration
	// Disconnect lets handlers call [Disconnect]. Each call then runs in a goroutine of its own,
	// not in that of the connection, and takes a tenth longer.
	Disconnect bool

	sse bool // see NewSSEHandler
}

// Load limits the JSON-RPC requests of clients, in sessions and without. A public server should set it.
// Zero means no limit in addition to those of Options and runtime.Limits. Notifications and the answers
// of clients are not limited, since calls in flight wait for them.
//
// A caller is the user that Options.User returns or, without one, the address that Options.Address
// returns. Requests without either are only limited together.
//
// A request beyond a limit is not begun. It is refused with the header Retry-After and a JSON-RPC error that
// has its id, with the code jsonrpc.CodeServerBusy, or jsonrpc.CodeUnavailable in revisions without sessions.
type Load struct {
	// MaxInFlight limits the requests in flight of all callers. Further ones get status 503. A request
	// is in flight until its handler has returned, even if its client has closed the connection. A call that
	// becomes a task is in flight until it is answered with the task; MaxRunning in tasks.Options limits those.
	// subscriptions/listen does not count, see MaxListeners in runtime.ServerOptions. A batch counts as
	// its requests; one that is larger than a limit is admitted when nothing else is in flight.
	MaxInFlight int
	// MaxInFlightPerCaller limits the requests in flight of each caller. Further ones get status 429.
	MaxInFlightPerCaller int

	// Rate limits the requests per second of each caller, on average. Further ones get status 429, and
	// the member retryAfterMs of the error's data says when the next one is admitted.
	Rate float64
	// Burst is how many requests of a caller may come at once. 0 means those of one second at Rate, and
	// at least one.
	Burst int
	// MaxCallers limits the callers that are remembered because of their rate. A new one replaces the one
	// that has sent nothing for longest. 0 means 10,000.
	MaxCallers int
}

func (o Options) withDefaults() Options {
	if o.Events == nil {
		o.Events = NewMemoryEvents(DefaultMemoryEvents)
	}
	if o.Address == nil {
		o.Address = addressOf
	}
	o.IdleTimeout = cmp.Or(o.IdleTimeout, defaultIdleTimeout)
	o.StreamAfter = cmp.Or(o.StreamAfter, defaultStreamAfter)
	o.KeepAlive = cmp.Or(o.KeepAlive, defaultKeepAlive)
	o.IOTimeout = cmp.Or(o.IOTimeout, defaultIOTimeout)
	o.Retry = cmp.Or(o.Retry, defaultRetry)
	return o
}
