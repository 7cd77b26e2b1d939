package streamable

import (
	"cmp"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// The limits of a handler where the options leave them zero.
const (
	DefaultMaxSessions           = web.DefaultMaxSessions
	DefaultMaxSessionsPerUser    = web.DefaultMaxSessionsPerUser
	DefaultMaxSessionsPerAddress = web.DefaultMaxSessionsPerAddress
	DefaultIdleTimeout           = 30 * time.Minute
	DefaultStreamAfter           = time.Millisecond
	DefaultKeepAlive             = 30 * time.Second
	DefaultIOTimeout             = 30 * time.Second
	DefaultRetry                 = time.Second
)

// Options say how a handler serves. The zero value is safe: it protects a local server
// against web pages and limits what a client can take up.
type Options struct {
	// Hosts are the values of the Host header that are allowed, without ports; "*" is
	// any. Empty: what arrives at a loopback address must name a loopback host. A local
	// server behind a proxy needs the proxy's public name here.
	Hosts []string
	// Origins are the origins, such as "https://app.example.com", whose pages may send
	// requests, besides the pages of the server's own host; "*" is any. Headers that make
	// browsers allow it (CORS) are the business of a middleware.
	Origins []string

	// User tells who has sent a request, as a middleware in front of the handler has found
	// out. A session is its user's alone: for others it does not exist (status 404). An error
	// is answered with status 403. Nil: whoever knows the id of a session may use it, which
	// is for servers that have one user or none.
	User func(r *http.Request) (string, error)

	// Stateless serves each POST by itself: no session ids, no GET, no requests to the
	// client. The revision is that of the MCP-Protocol-Version header.
	Stateless bool

	// Sessions keeps what another process needs to take over a session. Nil: a session
	// lives in this handler alone.
	Sessions SessionStore
	// Events keeps events for clients that come back. Nil: NewMemoryEvents of
	// DefaultMemoryEvents bytes.
	Events EventStore

	// MaxSessions bounds the sessions that are open at a time. When there are that many, a new
	// one replaces a session whose client has sent nothing after initialize, or else the session
	// that has not been used for longest, if it is not in use: no request of its client is in
	// progress, the GET that holds a stream open included. When all are in use, the new one is
	// refused with status 503. 0 is DefaultMaxSessions.
	MaxSessions int
	// MaxSessionsPerUser bounds the sessions of each user that User tells apart, as MaxSessions
	// bounds all. 0 is DefaultMaxSessionsPerUser, less is no limit.
	MaxSessionsPerUser int
	// MaxSessionsPerAddress bounds the sessions that clients at each address have opened, as
	// MaxSessions bounds all. 0 is DefaultMaxSessionsPerAddress, less is no limit.
	MaxSessionsPerAddress int
	// Address returns the address at which the client of a request is, in any form; sessions of
	// clients at "" are not limited by address. Nil: the address of the connection, or of IPv6
	// its network of 64 bits, and "" for loopback and private addresses, at which a proxy may
	// stand. A server behind a proxy should read the header by which that tells the address.
	Address func(r *http.Request) string
	// IdleTimeout is how long a session stays open while no request of its client is
	// in progress, the GET that holds a stream open included. 0 is DefaultIdleTimeout,
	// less is for ever. A session whose client sends nothing after initialize ends after 10
	// seconds.
	IdleTimeout time.Duration
	// StreamAfter is how long an answer may take before it becomes an event stream, if its client
	// can resume that from the beginning: the revision is 2025-11-25 or later. An answer that has
	// not begun is lost with its connection; so the default is shorter than most handlers that do
	// more than compute. 0 is DefaultStreamAfter, less is never.
	StreamAfter time.Duration
	// KeepAlive is how often a comment is sent on a silent event stream, so that a
	// connection that is gone is noticed. A request whose handler takes longer is
	// answered with an event stream. 0 is DefaultKeepAlive, less is never.
	KeepAlive time.Duration
	// IOTimeout is how long a body may take to arrive, and how long a client may take to
	// accept an event. 0 is DefaultIOTimeout, less is for ever.
	IOTimeout time.Duration
	// Disconnect lets handlers call [Disconnect]. Each of them has a goroutine of its own then,
	// else it runs in that of the connection, which is faster.
	Disconnect bool
	// Retry is how long a client is told to wait before it comes back. 0 is
	// DefaultRetry, less is nothing said.
	Retry time.Duration
}

func (o Options) withDefaults() Options {
	if o.Events == nil {
		o.Events = NewMemoryEvents(DefaultMemoryEvents)
	}
	o.MaxSessions = cmp.Or(max(o.MaxSessions, 0), DefaultMaxSessions)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, DefaultIdleTimeout)
	o.StreamAfter = cmp.Or(o.StreamAfter, DefaultStreamAfter)
	o.KeepAlive = cmp.Or(o.KeepAlive, DefaultKeepAlive)
	o.IOTimeout = cmp.Or(o.IOTimeout, DefaultIOTimeout)
	o.Retry = cmp.Or(o.Retry, DefaultRetry)
	return o
}

func (o Options) guard() web.Guard { return web.Guard{Hosts: o.Hosts, Origins: o.Origins} }
