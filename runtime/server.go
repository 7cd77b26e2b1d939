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
	DefaultMaxMessage        = 4 << 20 // bytes
	DefaultMaxConcurrent     = 100     // requests
	DefaultGrace             = 5 * time.Second
	DefaultTimeout           = time.Minute
	DefaultMaxTimeout        = time.Hour
	DefaultKeepAliveFailures = 3 // pings
)

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

	// MaxMessage is the longest message, in bytes, that is read; a longer one is refused
	// and skipped. 0 is DefaultMaxMessage.
	MaxMessage int
	// MaxConcurrent bounds the requests of a session that are handled at a time. 0 is
	// DefaultMaxConcurrent.
	MaxConcurrent int
	// Grace is how long requests may go on when their session shuts down: when the
	// context of Serve or the session's input ends, or an HTTP handler is closed. Then
	// their contexts end with the cause ErrShutdown, and those that have no answer get an
	// error. 0 is DefaultGrace, less is none.
	Grace time.Duration

	// Timeout is how long the answer to a request of this side may take when the
	// request's context has no deadline: the time without progress, if the request asks
	// for that (WithProgress). The peer is told that the request is cancelled, and the
	// error is a *TimeoutError. For requests that wait for a person or a task
	// (elicitation/create, sampling/createMessage, tasks/result) it is MaxTimeout. 0 is
	// DefaultTimeout, less is none.
	Timeout time.Duration
	// MaxTimeout is how long the answer may take however much progress there is. 0 is
	// DefaultMaxTimeout, less is none.
	MaxTimeout time.Duration

	// KeepAlive is how long the peer may say nothing before it is pinged, and how long it
	// may take to answer. 0 is for ever. What is served without a session is not pinged.
	KeepAlive time.Duration
	// KeepAliveFailures is how many pings in a row must fail to end the session with
	// ErrUnresponsive. 0 is DefaultKeepAliveFailures.
	KeepAliveFailures int
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
		opts: opts,
		common: newCommon(opts.Logger, opts.Middleware, limits{
			message:    opts.MaxMessage,
			concurrent: opts.MaxConcurrent,
			grace:      opts.Grace,
			quiet:      opts.Timeout,
			total:      opts.MaxTimeout,
			ping:       opts.KeepAlive,
			failures:   opts.KeepAliveFailures,
		}),
	}
	s.bindings, s.err = bindAll(ToServer, bindings, s.layers)
	s.err = errors.Join(s.err, checkCapabilities(opts.Capabilities))
	return s
}

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
