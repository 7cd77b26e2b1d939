package runtime

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The limits of a session where the options leave them zero.
const (
	DefaultMaxMessage        = 4 << 20  // bytes, of a server
	DefaultMaxClientMessage  = 64 << 20 // bytes; results carry images and files
	DefaultMaxConcurrent     = 100      // requests
	DefaultGrace             = 5 * time.Second
	DefaultTimeout           = time.Minute
	DefaultMaxTimeout        = time.Hour
	DefaultKeepAliveFailures = 3 // pings
)

// Limits bound what a session takes up and how long it waits. Servers and clients embed them in
// their options.
type Limits struct {
	// MaxMessage is the length in bytes of the longest message that a session reads. A longer
	// message is refused and skipped. 0 means DefaultMaxMessage for a server and
	// DefaultMaxClientMessage for a client.
	MaxMessage int
	// MaxConcurrent is how many requests of the peer a session handles at a time. Further
	// requests wait up to a second and are then refused as busy. 0 means DefaultMaxConcurrent.
	MaxConcurrent int

	// Timeout is how long a request of this side waits for its answer if its context has no
	// deadline. If the request asks for progress (WithProgress), each report starts the time
	// anew. When the time is up, the peer is told that the request is cancelled, and the error is
	// a *TimeoutError. Requests that wait for a person or for a task (elicitation/create,
	// sampling/createMessage, tasks/result) have MaxTimeout instead. 0 means DefaultTimeout; a
	// negative Timeout means no timeout.
	Timeout time.Duration
	// MaxTimeout bounds that wait regardless of progress. 0 means DefaultMaxTimeout; a negative
	// MaxTimeout means no bound.
	MaxTimeout time.Duration

	// KeepAlive is how long the peer may be silent before it is pinged, and how long it has to
	// answer. If it is 0, the peer is never pinged. Messages served without a session are not
	// pinged either.
	KeepAlive time.Duration
	// KeepAliveFailures is how many pings in a row must fail to end the session with
	// ErrUnresponsive. 0 means DefaultKeepAliveFailures.
	KeepAliveFailures int
}

// ServerOptions say who a server is and what it allows a session.
type ServerOptions struct {
	Name         string // of the program, for clients' eyes
	Version      string
	Title        string // a name for display; sent from 2025-06-18 on
	Instructions string // how to use the server, for the client's model

	// Capabilities is the ServerCapabilities object of the answer to initialize; nil is
	// an empty one. The answer comes from the options when the binding's handler of
	// initialize says MethodNotFound, as a generated UnimplementedServer does. What the
	// method table of the revision makes depend on a capability that was not declared
	// is neither answered nor sent.
	Capabilities wire.Appender

	Logger     *slog.Logger // nil: nothing is logged
	Middleware []Middleware // the outermost first

	Limits
	// Grace is how long requests may go on when their session shuts down: when the
	// context of Serve or the session's input ends, or an HTTP handler is closed. Then
	// their contexts end with the cause ErrShutdown, and those that have no answer get an
	// error. 0 is DefaultGrace, less is none.
	Grace time.Duration
}

// Server serves sessions. It is safe for concurrent use and holds nothing that is a
// session's own.
type Server struct {
	opts     ServerOptions
	bindings []*bound // newest revision first
	err      error    // why it cannot serve
	*common
}

// NewServer makes a server that speaks the revisions of the bindings, one binding for
// each. A client that asks for another revision is answered with the newest. What is
// wrong with the bindings is told by Serve.
func NewServer(opts ServerOptions, bindings ...Binding) *Server {
	s := &Server{
		opts:   opts,
		common: newCommon(opts.Logger, opts.Middleware, opts.Limits, opts.Grace),
	}
	s.bindings, s.err = bindAll(ToServer, bindings, s.layers)
	s.err = errors.Join(s.err, checkCapabilities(opts.Capabilities))
	return s
}

// Err returns why the server cannot serve: a mistake in the options or the bindings that
// NewServer was called with. Serve returns it too.
func (s *Server) Err() error { return s.err }

// Serve serves one session until the client ends it, the transport fails, or ctx ends. It
// returns nil, the error of the transport or the cause of ctx.
//
// Requests in flight when ctx or the client's input ends are answered within the options'
// Grace; meanwhile new ones are refused with an error, which says that they were not
// begun. Handlers get the values of ctx but not its end: their contexts end when Grace is
// over. The transport is closed when Serve returns, and all handlers have returned, except
// those that go on for seconds after the end of their contexts; these are logged.
func (s *Server) Serve(ctx context.Context, t Transport) error {
	return s.serve(ctx, t, Handshake{})
}

// choose is the binding for a client that asks for a revision.
func (s *Server) choose(revision string) *bound {
	for _, b := range s.bindings {
		if b.Revision == revision {
			return b
		}
	}
	return s.bindings[0]
}

// greeting is the result of initialize as the options say it.
func (s *Server) greeting(b Binding) (wire.Appender, error) {
	capabilities, err := b.declare(s.opts.Capabilities)
	if err != nil {
		return nil, err
	}
	self := implementation{s.opts.Name, s.opts.Title, s.opts.Version}
	return appendFunc(func(dst []byte) ([]byte, error) {
		return appendGreeting(dst, b.Revision, capabilities, "serverInfo", self, s.opts.Instructions)
	}), nil
}
