package runtime

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The defaults of the options.
const (
	defaultMaxMessage        = 4 << 20  // bytes, of a server
	DefaultMaxClientMessage  = 64 << 20 // bytes; results carry images and files
	defaultMaxConcurrent     = 100      // requests
	DefaultGrace             = 5 * time.Second
	DefaultTimeout           = time.Minute
	defaultMaxTimeout        = time.Hour
	defaultKeepAliveFailures = 3 // pings
	defaultMaxRounds         = 10
	defaultMaxListeners      = 10_000
	defaultMaxSubscriptions  = 1000 // resources
)

// Limits are the limits of a session. The options of servers and clients embed them.
type Limits struct {
	// MaxMessage is the length in bytes of the longest message that a session reads. A longer
	// message is refused and skipped. 0 means 4 MiB for a server and
	// DefaultMaxClientMessage for a client.
	MaxMessage int
	// MaxConcurrent is how many requests of the peer a session handles at a time. Further
	// requests wait up to a second and are then refused as busy. 0 means 100.
	MaxConcurrent int

	// Timeout is how long a request of this side waits for its answer if its context has no
	// deadline. If the request asks for progress (WithProgress), each report starts the time
	// anew. When the time is up, the peer is told that the request is cancelled, and the error is
	// a *TimeoutError. Requests that wait for a person or for a task (elicitation/create,
	// sampling/createMessage, tasks/result) have MaxTimeout instead. 0 means DefaultTimeout; a
	// negative Timeout means no timeout.
	Timeout time.Duration
	// MaxTimeout bounds that wait regardless of progress. 0 means an hour; a negative
	// MaxTimeout means no bound.
	MaxTimeout time.Duration

	// KeepAlive is how long the peer may be silent before it is pinged, and how long it has to
	// answer. If it is 0, the peer is never pinged. Messages served without a session are not
	// pinged either, nor is a client over Streamable HTTP that has no GET open.
	KeepAlive time.Duration
	// KeepAliveFailures is how many pings in a row must fail to end the session with
	// ErrUnresponsive. 0 means 3.
	KeepAliveFailures int
}

// ServerOptions are the options of [NewServer].
type ServerOptions struct {
	Name    string // of the program
	Version string
	Title   string // a name for display; sent from 2025-06-18 on
	// Details are further members of the server's Implementation, such as description, websiteUrl and
	// icons; sent from 2025-11-25 on.
	Details      wire.Members
	Instructions string // how to use the server, for the client's model
	// Unnamed leaves the name and version out of the results of stateless revisions, which otherwise
	// all have them in _meta.
	Unnamed bool

	// Capabilities is the ServerCapabilities object of the answers to initialize and server/discover;
	// nil is an empty object. It is used if the binding's handler of the request returns MethodNotFound, as a
	// generated UnimplementedServer does. A message that the method table of the revision makes
	// depend on a capability is neither answered nor sent unless the capability is declared.
	Capabilities wire.Appender

	// Logger logs what happens in sessions. If it is nil, only warnings and errors are logged, to
	// slog.Default: errors that the client does not get to see, panics, results that are not valid,
	// handlers that do not return, what handlers do in vain, and what is refused or dropped. To discard
	// those too, use slog.DiscardHandler.
	Logger *slog.Logger
	// Receiving wraps what handles the messages of the peer, and Sending the way of this side's messages to it,
	// in every session. The first is the outermost.
	Receiving, Sending []Middleware

	Limits
	// Grace is how long requests may go on when their session shuts down: when the context of Serve
	// ends, the client's input ends, or an HTTP handler is closed. Then their contexts end with the
	// cause ErrShutdown, and those without an answer get an error. 0 means DefaultGrace; a negative
	// Grace means none.
	Grace time.Duration

	// MaxListeners is how many clients may listen for notifications at a time with subscriptions/listen.
	// Each takes a goroutine and some kilobytes, and over HTTP a connection, until its client ends it.
	// Further ones get the error jsonrpc.CodeUnavailable, over HTTP with status 503, and should try again
	// later. 0 means 10,000; a negative MaxListeners means no limit.
	MaxListeners int
	// MaxSubscriptions is how many resources a session can subscribe to with resources/subscribe. 0 means
	// 1,000; a negative MaxSubscriptions means no limit.
	MaxSubscriptions int

	// Cache says how long clients may keep the results of stateless revisions that say so, such as
	// lists and contents of resources. A handler overrides it with [Call.Cache], or with the members
	// ttlMs and cacheScope of its result. The default is not at all.
	Cache CacheHints

	// Rounds configures requests of stateless revisions whose handlers ask the client.
	Rounds Rounds

	// Replicas, if not nil, are the other replicas of the server, which have the same Name. What one
	// sends to its clients with [Server.Publish], such as changes of a catalog, they send to theirs. No call waits for
	// them; failures are logged. share.Announce returns replicas that a bus connects.
	Replicas Replicas
}

// ClientOptions are the options of [NewClient].
type ClientOptions struct {
	Name    string // of the program
	Version string
	Title   string // a name for display; sent from 2025-06-18 on
	// Details are further members of the client's Implementation, such as description, websiteUrl and
	// icons; sent from 2025-11-25 on.
	Details wire.Members

	// Capabilities is the ClientCapabilities object sent with initialize; nil is an empty object. A
	// message that the method table of the revision makes depend on a capability is neither
	// answered nor sent unless the capability is declared.
	Capabilities wire.Appender

	// Logger logs what happens in sessions. If it is nil, only warnings and errors are logged, to
	// slog.Default; see [ServerOptions].
	Logger *slog.Logger
	// Receiving wraps what handles the messages of the peer, and Sending the way of this side's messages to it,
	// in every session. The first is the outermost.
	Receiving, Sending []Middleware

	Limits

	// MaxRounds is how often a request may be repeated because the server asks for input in place of a
	// result, from revision 2026-07-28 on. The handlers of the client's requests answer. 0 means
	// 10. If MaxRounds is negative, the client does not answer: calls return the
	// InputRequiredResult.
	MaxRounds int

	// Reconnect makes sessions open their connection again when it was lost: a server process has ended,
	// or the server has forgotten the session. The next request does that. A request that was in flight is
	// sent again if it only reads, such as tools/list, if it calls a tool that the server has listed with
	// readOnlyHint or idempotentHint, or if the server has refused it unread; otherwise the call returns a
	// *LostError. Subscriptions are made again, except those by resources/subscribe in
	// a revision with sessions. The transport must be a [Remote].
	Reconnect bool

	// Cache, if not nil, makes sessions keep results, from revision 2026-07-28 on.
	Cache *CacheOptions

	// Eras remembers the revisions that servers speak. If it is nil, the client has one of its own.
	Eras *Eras

	// CheckOutput, if not nil, makes calls of tools return an error for structured content that does not
	// match the output schema of the tool, as the server has listed it on this connection ("Output Schema" in
	// server/tools). It is called once for each schema that is used, and returns the function that checks
	// content; an error of it means that the tool is not checked, which is logged. A result of a tool that
	// has not been listed, or not since its server has announced a change of the list, of a tool that failed
	// and of a task is not checked. [runtime/schema/fallback.Validator] is such a function. Generated clients
	// of known tools need none: they check the results themselves.
	CheckOutput func(schema wire.Raw) (check func(content wire.Raw) error, err error)

	// Lenient says what the client accepts from servers that do not follow the schema. The zero
	// value is LenientLists.
	Lenient Lenience
	// Deviated, if not nil, is called with what was accepted in a result because of Lenient, before
	// the call returns the result. It is called concurrently. The logger gets it too.
	Deviated func(ctx context.Context, d *Deviations)
}

// settings are the options that all sessions of a server or client share, and their buffers.
type settings struct {
	log      *slog.Logger
	limits   limits
	buffers  buffers
	layers   layers
	transmit Handler // sends a message once, within the middleware

	rounds   int                                          // see ClientOptions.MaxRounds; not 0
	output   func(wire.Raw) (func(wire.Raw) error, error) // see ClientOptions.CheckOutput; nil for a server
	lenient  Lenience
	deviated func(context.Context, *Deviations) // nil for none
}

func newSettings(log *slog.Logger, receiving, sending []Middleware, l Limits, grace time.Duration) *settings {
	c := &settings{
		log:      logs.Or(log, slog.LevelWarn),
		limits:   limits{l.withDefaults(), cmp.Or(grace, DefaultGrace)},
		layers:   slices.Clone(receiving),
		transmit: layers(sending).around(transmitOne),
	}
	return c
}

// limits are Limits without zero values.
type limits struct {
	Limits
	grace time.Duration // 0 or less means none
}

// withDefaults replaces zero values by the defaults.
func (l Limits) withDefaults() Limits {
	l.MaxMessage = cmp.Or(max(l.MaxMessage, 0), defaultMaxMessage)
	l.MaxConcurrent = cmp.Or(max(l.MaxConcurrent, 0), defaultMaxConcurrent)
	l.Timeout = cmp.Or(l.Timeout, DefaultTimeout)
	l.MaxTimeout = cmp.Or(l.MaxTimeout, defaultMaxTimeout)
	l.KeepAliveFailures = cmp.Or(max(l.KeepAliveFailures, 0), defaultKeepAliveFailures)
	return l
}

// patience returns how long a request of the method waits for its answer. A deadline of ctx takes
// precedence. Requests that wait for a person or a task report no progress, so the maximum applies to
// them.
func (l *limits) patience(ctx context.Context, method string) engine.Patience {
	if _, ok := ctx.Deadline(); ok {
		return engine.Patience{}
	}
	p := engine.Patience{Quiet: max(l.Timeout, 0), Total: max(l.MaxTimeout, 0)}
	switch method {
	case methodElicit, methodSample, methodTaskResult:
		p.Quiet = p.Total
	case methodListen: // it lasts until the server ends it
		return engine.Patience{}
	}
	if p.Total > 0 && (p.Quiet == 0 || p.Quiet > p.Total) {
		p.Quiet = p.Total
	}
	return p
}

// checkNotNil returns an error with the type of v if v is nil or an interface that holds a nil pointer,
// such as the result of a constructor that failed.
func checkNotNil(what string, v any) error {
	if v == nil {
		return fmt.Errorf("runtime: the %s is nil", what)
	}
	if fmt.Sprintf("%p", v) == "0x0" { // as package fmt prints nil pointers, maps and functions
		return fmt.Errorf("runtime: the %s is a nil %T", what, v)
	}
	return nil
}

// checkCapabilities returns an error if the capabilities in the options are an interface that holds a nil
// pointer. A nil interface means none.
func checkCapabilities(v any) error {
	if v == nil {
		return nil
	}
	return checkNotNil("value of Capabilities in the options", v)
}
