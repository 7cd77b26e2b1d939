package runtime

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
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
	// content; an error of it means that the tool is not checked, which is logged. The result of a call is
	// not checked if the tool has not been listed since its list last changed, if the tool failed, or if the
	// call runs as a task. [runtime/schema/fallback.Validator] is such a function. Generated clients of known
	// tools need none: they check the results themselves.
	CheckOutput func(schema wire.Raw) (check func(content wire.Raw) error, err error)

	// Lenient says what the client accepts from servers that do not follow the schema. The zero
	// value is LenientLists.
	Lenient Lenience
	// Deviated, if not nil, is called with what was accepted in a result because of Lenient, before
	// the call returns the result. It is called concurrently. The logger gets it too.
	Deviated func(ctx context.Context, d *Deviations)
}

// DefaultStateLifetime is the default of Rounds.Lifetime. Users have that long to answer.
const DefaultStateLifetime = 15 * time.Minute

// Rounds configures the requests of stateless revisions whose handlers ask the client ("Multi Round-Trip
// Requests" in basic/patterns/mrtr, 2026-07-28). The progress of such a request goes to the client as
// requestState, and comes back with the answers. It consists of the answers so far, the values of [Once],
// and the state of a handler that makes its results by hand. It is sealed, so that a client can neither
// read nor change it, and is accepted only from the same principal, for the same method with the same
// params, until it expires. Otherwise, the client gets an error with CodeInvalidParams, and the logger
// gets the reason.
type Rounds struct {
	// Keys seal states: the first seals, and all of them open, so that keys can be replaced. Each has
	// at least 32 random bytes. All replicas of a server need the same keys. Without keys, the server
	// makes one that lives as long as the Server. The states of tasks stay in their store and are not
	// sealed.
	Keys [][]byte
	// Lifetime is how long a state is accepted. 0 means DefaultStateLifetime.
	Lifetime time.Duration
	// Principal returns the authenticated user that a request comes from, given the context of its
	// handler; "" if there is none. If Principal is nil, it is that of [WithPrincipal], which the
	// transports over HTTP and the middleware of runtime/auth set.
	Principal func(ctx context.Context) string
	// Use, if not nil, is called with the id of each state before its request is handled, and reports whether
	// the state may be used. [UseOnce] and share.UseOnce allow each state once. A client whose connection
	// breaks during a retry then has to start over. The id is remembered at least until expires. An error
	// fails the request.
	Use func(ctx context.Context, id string, expires time.Time) (bool, error)
}

// Replicas are the other replicas of a server. Package share implements it.
type Replicas interface {
	// Join connects a server with the replicas that have the same name. From then on, published is called with what
	// another one publishes, one call at a time, and missed after some of that may have been lost. The server calls
	// announce with what it publishes, which does not wait.
	Join(name string, log *slog.Logger, published func(Notification), missed func()) (announce func(Notification), err error)
}

// CacheHint says how long a client may keep a result and who may see it ("Cacheable Model" in
// server/utilities/caching, 2026-07-28). The zero value is a result that is stale at once and private.
type CacheHint struct {
	// TTL is how long the result is fresh. It is sent in whole milliseconds and must not be negative.
	TTL time.Duration
	// Public means that the result has no data of a user, so that caches may serve it to every user. A
	// server must check access by other means.
	Public bool
}

// CacheHints are the hints of a server's results.
type CacheHints struct {
	CacheHint                      // of all results that may be kept
	Methods   map[string]CacheHint // of the results of some methods instead: "tools/list"
}

func (h *CacheHints) of(method string) CacheHint {
	if own, ok := h.Methods[method]; ok {
		return own
	}
	return h.CacheHint
}

// check returns an error for a negative TTL.
func (h *CacheHints) check() error {
	if h.TTL < 0 {
		return fmt.Errorf("runtime: Cache: the TTL %v is negative", h.TTL)
	}
	for method, hint := range h.Methods {
		if hint.TTL < 0 {
			return fmt.Errorf("runtime: Cache: the TTL %v of %s is negative", hint.TTL, method)
		}
	}
	return nil
}

// scope returns the cacheScope as JSON.
func (h CacheHint) scope() string { return `"` + h.scopeName() + `"` }

func (h CacheHint) scopeName() string {
	if h.Public {
		return "public"
	}
	return "private"
}

// CacheOptions make a client keep the results of lists and reads for as long as the server allows
// ("Caching" in server/utilities/caching, 2026-07-28). Each session keeps its own.
//
// A kept result is used for a request with the same method and params. It is dropped when its time is up,
// and when the server notifies the client of a change, for which the client has to listen. Results of
// requests that were repeated with input are never kept.
type CacheOptions struct {
	// MaxBytes limits the results that a session keeps. Those used least recently are dropped first. 0
	// means 16 MiB.
	MaxBytes int
	// Authorization, if not nil, returns the authorization context of a request, such as the user. A
	// private result is used only within the context that it came in. If it is nil, all requests of a
	// session have the same one.
	Authorization func(ctx context.Context) string
}

// maxEras limits the servers that Eras knows. Beyond it, all are forgotten, and each is probed again.
const maxEras = 10_000

// Eras remembers the revisions that servers speak, so that a client which connects again need not find
// out whether they have sessions ("Backward Compatibility with Initialization-Based Versions" in
// basic/versioning, 2026-07-28). Several clients may share one, and a program may store what All yields
// and Set it when it runs again. A client that is refused corrects the entry. What a client assumes because a
// server was silent is not remembered. The zero value knows no server. Eras is safe for concurrent use.
type Eras struct {
	mu    sync.Mutex
	known map[string]string
}

// Get returns the revision that a server speaks, or "" if that is unknown. See [Remote] for the names
// of servers.
func (e *Eras) Get(server string) (revision string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known[server]
}

// Set sets the revision that a server speaks. It ignores a server without a name.
func (e *Eras) Set(server, revision string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if server == "" {
		return
	}
	if e.known == nil || len(e.known) >= maxEras {
		e.known = make(map[string]string)
	}
	e.known[server] = revision
}

// All yields the names of servers and their revisions, in no order.
func (e *Eras) All() iter.Seq2[string, string] {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.All(maps.Clone(e.known))
}

// Lenience determines which results a client accepts although their schema does not allow them. It
// applies to results that are decoded into generated types. A result that is decoded into a [wire.Raw]
// or [wire.Object] is not changed.
type Lenience uint8

const (
	// LenientLists, the default, treats an optional member that is null as absent, and a list that is
	// null as empty. In results of list methods, such as tools/list, it also leaves out elements that
	// cannot be decoded, so that one bad definition does not hide the others.
	LenientLists Lenience = iota
	// LenientAlways leaves such elements out of all results, such as the content of tools/call, the
	// messages of prompts/get and the contents of resources/read.
	LenientAlways
	// LenientNever accepts only what the schema allows.
	LenientNever
)

// of returns the lenience of package wire for a result. List is true for list methods.
func (l Lenience) of(list bool) wire.Lenience {
	switch {
	case l == LenientNever:
		return 0
	case l == LenientAlways || list:
		return wire.AbsentNulls | wire.LeaveOut
	}
	return wire.AbsentNulls
}

// Deviations lists the deviations from the schema that a client has accepted in one result, see
// [ClientOptions].
type Deviations struct {
	Method string           // of the request
	All    []wire.Deviation // in the order of the text; at most 1,000
	More   int              // number of deviations that are not in All
}

// LeftOut returns how many of the deviations in All are elements that were left out of lists.
func (d *Deviations) LeftOut() int {
	n := 0
	for i := range d.All {
		if d.All[i].LeftOut {
			n++
		}
	}
	return n
}

// String returns the method, the first deviation and how many there are.
func (d *Deviations) String() string {
	if len(d.All) == 0 {
		return fmt.Sprintf("result of %s: no deviations", d.Method)
	}
	return fmt.Sprintf("result of %s: %.300s (%d of %d)", d.Method, d.All[0], 1, len(d.All)+d.More)
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
func (l *Limits) patience(ctx context.Context, method string) engine.Patience {
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
