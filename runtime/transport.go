package runtime

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Transport carries the messages of one session, whole and in order. A transport with
// one stream in each direction (stdio) ignores routes; one with a stream per request
// (Streamable HTTP) puts a route on what it receives and gets it back with everything
// that belongs to that request.
type Transport interface {
	// Receive returns the next message. It is called by one goroutine at a time.
	//
	// Of a text longer than max bytes it must not keep more than max; it returns an
	// error that is a *jsonrpc.Error, with the Route if there is one. The session sends
	// such an error to the peer and calls Receive again. io.EOF means that the peer
	// sends no more but may read what is still to be answered; ErrClosed, that it has
	// gone. An *AnswerError ends the wait for one answer. Every other error ends the
	// session too, and is its error.
	Receive(ctx context.Context, max int) (Incoming, error)

	// Send writes one message. It is called concurrently. It must not keep m.Text after
	// it returns, but may append to it in place. An error is that of this message alone,
	// ErrClosed after Close; a transport that can send no more makes Receive fail.
	Send(ctx context.Context, m Outgoing) error

	// Close ends the traffic in both directions and lets go of what the transport holds.
	// A Receive or Send that waits returns, if anything can interrupt what it waits for.
	Close() error
}

// Route marks the stream of a transport that a message belongs to. It is the
// transport's own, comparable value, which the runtime only carries from a request to
// what is sent because of it. Nil is no particular stream.
type Route any

// Incoming is a message from the peer.
type Incoming struct {
	Text  string // one JSON text: a message or a batch
	Route Route

	// Answers, unless it is zero, is the id of a request of this side that the text must
	// answer, because the transport keeps an answer with its request as HTTP does. The wait
	// for the answer ends with the text whatever it holds, and the peer is sent no error for
	// a text that is no message.
	Answers wire.Scalar

	// Context, if there is one, has values for the contexts of the handlers, such as who
	// the user is whom an HTTP request has authenticated. Its end ends nothing, because a
	// handler may go on without the connection that the message came by.
	Context context.Context
}

// Outgoing is a message to the peer with what a transport may want to know of it
// without reading it.
type Outgoing struct {
	Text   []byte       // one JSON text: a message or a batch of responses
	Kind   jsonrpc.Kind // a response with a Route is the last message of that route
	ID     wire.Scalar  // of a request or a response; zero for notifications, batches and errors without an id
	Method string       // of a request or a notification
	Route  Route        // of the request this message answers or belongs to; nil for none

	// NotBegun marks the error of a request that was refused because the session shuts
	// down.
	NotBegun bool
	// Abandoned marks a response that is sent in place of a handler that does not
	// return. It must not wait for the handler's goroutine.
	Abandoned bool
}

// Opener is a Transport that has to be opened before it is used, such as one that starts a
// process.
type Opener interface {
	// Open is called once, before every other method. The end of ctx ends the opening. If
	// Open returns an error, only Close is called.
	Open(ctx context.Context) error
}

// Backlog is a Transport that knows whether Receive would return a message at once. When it
// would not, a request is served without another goroutine being woken to wait for the next.
type Backlog interface {
	// Backlog is called by the goroutine that calls Receive.
	Backlog() bool
}

// ErrInterrupted is what Receive returns because of [Interrupter].
var ErrInterrupted = errors.New("runtime: interrupted")

// Interrupter is a Transport whose Receive can be made to return. With it, and Backlog, a call
// reads its own answer when nothing else is going on.
type Interrupter interface {
	// Interruptible reports whether it can. It is asked once.
	Interruptible() bool
	// Interrupt has the Receive that waits, or else the next one, return ErrInterrupted when
	// there is nothing to be received. Nothing of what comes is lost by that.
	Interrupt()
}

// RouteEnder is a Transport that wants to know when a route is done with, so that it can
// end the stream that the route stands for.
type RouteEnder interface {
	// Done tells that all that was received with the route has been dealt with and
	// nothing more is sent with it: a response or notification has been taken, a
	// request answered. It is called once for each Incoming with a Route, and for each
	// error of Receive that came with one. Unanswered tells that a request among what
	// was received gets no answer, because it was cancelled or the session is over.
	// What a handler of a notification sends may come later.
	Done(route Route, unanswered bool)
}

// Negotiator is a Transport that wants to know what the two sides have agreed on.
type Negotiator interface {
	// Negotiated is called for each session: on a server's side before the answer to
	// initialize is sent, on a client's after it is received and before anything else
	// is sent. On a server's side it is called again when the client has changed what the
	// handshake says, the log level, before that is answered. A session that is resumed
	// without a handshake gets only the later calls.
	Negotiated(h Handshake)
}
