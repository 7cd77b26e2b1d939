package runtime

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Transport carries the messages of one session, whole and in order.
type Transport interface {
	Outbox

	// Start is called once, before anything is sent. From then on, the transport puts the messages of the peer
	// into the inbox in their order of arrival, and ends it after the last one. A text that is longer than max
	// bytes may be skipped, or cut off somewhere after max bytes; the inbox refuses what is left of it. Start does
	// not wait.
	Start(in Inbox, max int)
}

// Outbox is the part of a [Transport] that sends.
type Outbox interface {
	// Send writes one message. It is called concurrently. It must not keep m.Text after it returns,
	// but may append to it in place. An error is about this message alone, and is ErrClosed after
	// Close. A transport that can no longer send ends the inbox.
	Send(ctx context.Context, m Outgoing) error

	// Close ends the traffic in both directions and releases what the transport holds. A blocked
	// Send returns, if it can be interrupted.
	Close() error
}

// Reply is where the messages of a request go: those that its handler sends, and the answer last. It is
// comparable and safe for concurrent use. A Reply that wraps another one has the method Unwrap() Reply.
type Reply interface {
	// Send writes one message, as [Outbox] does. A message after the answer goes where messages without a
	// request go, or fails.
	Send(ctx context.Context, m Outgoing) error
}

// Inbox takes the messages of one session from a [Transport] or from the caller of [Server.Open]. It is
// safe for concurrent use: messages are taken one after the other, and requests are handled at the
// same time.
type Inbox interface {
	// Accept takes a message in its order of arrival: it registers requests, cancels them, and passes
	// answers on. It returns a function that handles the requests of the message, and returns when they
	// are answered or need no answer; nil if nothing is left to do. The function must be called, in any
	// goroutine.
	Accept(in Incoming) (run func())
	// Lose says that the request of this side with the id will not be answered. The call returns err.
	Lose(id wire.Scalar, err error)
	// End ends the session. io.EOF means that the peer sends no more but may read what is still to be answered;
	// ErrClosed means that it has gone. Every other error becomes that of the session. End does not wait.
	End(why error)
	// Shutdown ends the session gracefully: it refuses new requests with an error, waits until
	// those in flight are answered, and then ends the session as End does. When ctx ends first, the
	// contexts of the handlers that still run end with the cause [ErrShutdown], and requests that
	// stay unanswered are answered with an error.
	Shutdown(ctx context.Context)
	// Restore sets the log level and the subscriptions of the session to those of h, because the client has
	// changed them at another server, see [Replicated].
	Restore(h Handshake)
	// Listens says that the client of a session takes messages of the server's own, so that it has the answer to
	// initialize. If it may have missed notifications, it gets those which say that its lists and resources may have
	// changed.
	Listens(missed bool)
}

// Incoming is a message from the peer.
type Incoming struct {
	Text  string // one JSON text: a message or a batch
	Reply Reply  // nil if the answers go where messages without a request go, as over stdio

	// Answers, unless it is zero, is the id of the request of this side that the text must answer. A
	// transport sets it if answers arrive with their requests, as over HTTP. If the text is not the
	// answer, the call fails, and the peer gets no error.
	Answers wire.Scalar

	// Header, if not nil, has the headers of the HTTP request that brought the message, which must repeat
	// parts of a stateless request. A session's message is not compared with them.
	Header headers.Header

	// ContextCancels means that the end of Context cancels the request in the text, because its answer can no
	// longer be delivered. A transport sets it for stateless requests, whose client cancels them in
	// this way.
	ContextCancels bool

	// Forwarded means that the message comes from another server with the same session, see [Replicated].
	Forwarded bool

	// Context, if not nil, has values for the contexts of the handlers, such as the user that an HTTP
	// request has authenticated. Unless ContextCancels is set, its end has no effect,
	// because a handler may continue without the connection that brought the message.
	Context context.Context

	content jsonrpc.Text // valid if parsed
	parsed  bool
}

// Content returns what the text holds. The text is parsed once.
func (in *Incoming) Content() *jsonrpc.Text {
	if !in.parsed {
		in.content, in.parsed = jsonrpc.ParseText(in.Text), true
	}
	return &in.content
}

// Outgoing is a message to the peer, with the facts about it that a transport may need.
type Outgoing struct {
	Text   []byte       // one JSON text: a message or a batch of responses
	Kind   jsonrpc.Kind // a response is the last message of its Reply
	ID     wire.Scalar  // of a request or a response; zero for notifications, batches and errors without an id
	Method string       // of a request or a notification

	// Err is the error of an error answer, and nil for a result. A transport over HTTP gives the response the status
	// of the error and, if it is a *DeniedError, its challenges.
	Err error
	// Refused marks the error answer to a message that was not passed to a handler.
	Refused bool

	// Revision is the revision of a message that carries its revision and capabilities; "" for a message of a session.
	Revision string
	// NameParam is the member of the params that HTTP repeats in the header Mcp-Name; "" for none.
	NameParam string

	// Change marks a notification of [Server.Publish] that says that a list or a resource has changed, if the server
	// has Replicas. Each of them sends it.
	Change bool

	// NotBegun marks the error answer to a request that was refused because the session shuts down.
	NotBegun bool
	// Abandoned marks a response that is sent in place of a handler that does not return, so that no
	// function of Accept will return either. Send must not wait for the handler's goroutine.
	Abandoned bool
}

// Code returns the JSON-RPC code of an error answer, and 0 for a result.
func (m *Outgoing) Code() int64 {
	if m.Err == nil {
		return 0
	}
	return peerError(m.Err).Code
}

// Handshake is the result of initialize for one side and, on a server's side, the log level and the
// subscriptions that the client has set since. Another Server with the same bindings can continue the session with it.
type Handshake struct {
	Revision         string      // the negotiated revision
	PeerInfo         wire.Object // the peer's Implementation object; "" if unknown
	PeerCapabilities wire.Object // the capabilities that the peer declared; "" if unknown
	Capabilities     wire.Object // the capabilities that this side declared; "" for those of the options
	LogLevel         LogLevel    // the least severe log messages that the client wants; "" for all
	Subscriptions    []string    // the URIs of the resources that the client has subscribed to

	// Stateless means that there is no session and no handshake: each request carries its revision and capabilities,
	// and initialize is refused. The other members are ignored.
	Stateless bool
	// SessionOnly means that the transport belongs to revisions with sessions, so a request cannot carry
	// its revision and capabilities. Open returns an error if the server has no such revision.
	SessionOnly bool
}

// SessionServer is the part of a server that transports use. [*Server] implements it, and so does the
// proxy of package runtime/proxy.
type SessionServer interface {
	// Open begins a session whose messages are put into an inbox, as [Server.Open] does.
	Open(ctx context.Context, out Outbox, h Handshake, ended func(error)) (Inbox, error)
	// MaxMessage returns the maximum length of a message, in bytes.
	MaxMessage() int
	// Grace returns how long requests may go on when their session shuts down.
	Grace() time.Duration
	// Logger returns the logger for failures of sessions. It is not nil.
	Logger() *slog.Logger
	// Revisions returns the revisions that a session may have, newest first, and StatelessRevisions
	// those that have no sessions. If both lists are empty, the server speaks every revision.
	Revisions() []string
	StatelessRevisions() []string
}

// The interfaces below are hooks that a Transport, or an Outbox, may implement as well. A client's Transport may also
// have the methods ProbeTimeout (see prober) and ReadTool (see toolReader), and its errors the methods NotBegun,
// Unavailable and Unheard.

// Remote is a client's Transport to a server that it has to reach: a process that it starts, or an address.
type Remote interface {
	Transport
	// Open is called once, before every other method. The end of ctx ends the opening. If Open
	// returns an error, only Close is called.
	Open(ctx context.Context) error
	// Server returns the name of the server: its origin, such as https://example.com, or the command line of
	// a process. It is the key in [Eras].
	Server() string
	// Restart returns a new transport like this one, for another connection after this one has ended. It starts
	// nothing.
	Restart() (Transport, error)
	// Fallback returns the transport with which a client connects after the server has refused the handshake,
	// or the error with which it gives up: that of the refusal if there is no alternative.
	Fallback(ctx context.Context, refused error) (Transport, error)
}

// Identified is a Transport, or a server's Outbox, that has a name for the session.
type Identified interface {
	// SessionID returns the name, such as the session id of Streamable HTTP, or "" while there is none.
	SessionID() string
	// Negotiated is called for each session with a handshake: on a server's side before the answer to
	// initialize is sent, on a client's after it is received and before anything else is sent. An error
	// fails the handshake.
	Negotiated(h Handshake) error
}

// Replicated is a server's Outbox whose session other servers may have too.
type Replicated interface {
	// Keep is called with each change that the client makes of its session, before the request that makes it is
	// answered, so that another server can continue the session. An error fails the request.
	Keep(ctx context.Context, c Change) error
	// Forward is called with an answer to no request in flight here, and with notifications/cancelled and
	// notifications/progress about no request in flight here, because such a message may come to another server
	// than the one that has sent or serves the request. It is not called for a message that is Forwarded.
	// Forward must not wait for the other servers.
	Forward(m jsonrpc.Message)
	// Lasts reports whether the session may go on at another server after it has ended here. It returns
	// false if the client has ended the session.
	Lasts() bool
}

// Change is what a client changes in its session. Members that are "" change nothing.
type Change struct {
	LogLevel     LogLevel // the least severe log messages that the client wants from now on
	Subscribed   string   // the URI of a resource that the client subscribes to
	Unsubscribed string   // the URI of a resource whose subscription the client ends
}
