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
	DefaultStreamAfter           = 100 * time.Microsecond
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

	// User returns the user that sent a request, which a middleware in front of the handler
	// has determined. A session belongs to its user: for others it does not exist (status 404).
	// An error is answered with status 403. If User is nil, every client that knows the id of a
	// session can use it, which suits servers with one user or none.
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

	// MaxSessions limits the open sessions. At the limit, a new session replaces one whose
	// client has sent nothing after initialize, or else the least recently used one. A session
	// is in use, and is not replaced, while a request of its client is in progress, such as the
	// GET of an open stream. If all are in use, the new session is refused with status 503. It
	// defaults to DefaultMaxSessions.
	MaxSessions int
	// MaxSessionsPerUser bounds the sessions of each user that User tells apart, as MaxSessions
	// bounds all. 0 is DefaultMaxSessionsPerUser, less is no limit.
	MaxSessionsPerUser int
	// MaxSessionsPerAddress bounds the sessions that clients at each address have opened, as
	// MaxSessions bounds all. 0 is DefaultMaxSessionsPerAddress, less is no limit.
	MaxSessionsPerAddress int
	// Address returns the address of the client of a request, in any form. Sessions whose
	// address is "" are not limited by address. If Address is nil, it is the address of the
	// connection (for IPv6 the network of 64 bits), and "" for loopback and private addresses,
	// which may be those of a proxy. A server behind a proxy should return the address from the
	// proxy's header.
	Address func(r *http.Request) string
	// IdleTimeout is how long a session stays open while no request of its client is
	// in progress, the GET that holds a stream open included. 0 is DefaultIdleTimeout,
	// less is for ever. A session whose client sends nothing after initialize ends after 10
	// seconds.
	IdleTimeout time.Duration
	// StreamAfter is the time after which an answer becomes an event stream, from revision
	// 2025-11-25 on, in which clients can resume a stream from its beginning. An answer that has
	// not begun is lost with its connection, so the default is short. 0 is DefaultStreamAfter,
	// less is never.
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
