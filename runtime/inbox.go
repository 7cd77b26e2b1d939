package runtime

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Outbox is the part of a [Transport] by which a session sends.
type Outbox interface {
	Send(ctx context.Context, m Outgoing) error
	Close() error
}

// Pusher is a Transport that puts messages into the session's inbox as they come. Receive is
// not called then, and no goroutine waits for the next message.
type Pusher interface {
	Transport
	// Start is called once, before anything is sent.
	Start(in Inbox)
}

// Inbox takes the messages of one session. It is safe for concurrent use: messages are
// read one after the other, and requests are handled at the same time.
type Inbox interface {
	// Handle handles a message. It returns when a notification or a response has been
	// taken, or a request answered. The requests of a batch may go on.
	Handle(in Incoming)
	// Deliver is Handle that does not wait for the handler of a request.
	Deliver(in Incoming)
	// Accept is Handle without the handler of a request. It returns a function that calls
	// the handler, or nil if there is none. The function must be called, in any goroutine.
	Accept(in Incoming) (serve func())
	// Lose ends the wait for the answer to a request of this side, which cannot come.
	Lose(answer *AnswerError)
	// End ends the session as an error of Receive does. It does not wait for that.
	End(why error)
	// Shutdown ends the session gracefully: it refuses new requests with an error, waits
	// until those in flight are answered, and then ends the session as End does. When ctx
	// ends first, the contexts of the handlers that still run end with the cause
	// [ErrShutdown], and requests that stay unanswered are answered with an error.
	Shutdown(ctx context.Context)
}

// SessionServer is what transports that accept sessions need of a server. [*Server]
// implements it, and so does a proxy that forwards each session to another server.
type SessionServer interface {
	// Serve serves one session, as [Server.Serve] does.
	Serve(ctx context.Context, t Transport) error
	// Open begins a session whose messages are put into an inbox, as [Server.Open] does.
	Open(ctx context.Context, out Outbox, h Handshake, ended func(error)) (Inbox, error)
	// MaxMessage returns the maximum length of a message, in bytes.
	MaxMessage() int
	// Grace returns how long requests may go on when their session shuts down.
	Grace() time.Duration
	// Logger returns the logger for what goes wrong with sessions. It is not nil.
	Logger() *slog.Logger
	// Revisions returns the revisions that a session may have, newest first. Without any,
	// it may have every revision.
	Revisions() []string
}

// inbox is the Inbox of a peer.
type inbox struct{ peer *peer }

func (i inbox) Handle(in Incoming) {
	if c := i.take(&in); c != nil {
		c.serve()
	}
}

func (i inbox) Deliver(in Incoming) {
	if serve := i.Accept(in); serve != nil {
		go serve()
	}
}

func (i inbox) Accept(in Incoming) (serve func()) {
	if c := i.take(&in); c != nil {
		return c.serve
	}
	return nil
}

func (i inbox) take(in *Incoming) *Call {
	p := i.peer
	p.reading.Lock()
	defer p.reading.Unlock()
	if p.stopped() {
		p.done(in.Route, true)
		return nil
	}
	if len(in.Text) > p.limits.MaxMessage {
		err := jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", p.limits.MaxMessage)
		if !in.Answers.IsZero() {
			p.unanswered(in, "%s", err.Message)
			return nil
		}
		p.failedToReceive(in, err)
		return nil
	}
	return p.take(in)
}

func (i inbox) Lose(answer *AnswerError) {
	i.peer.resolve(answer.ID, reply{err: answer.Err})
}

func (i inbox) End(why error) { i.peer.end(why) }

func (i inbox) Shutdown(ctx context.Context) {
	i.peer.drain(ctx, nil)
	i.peer.end(ErrClosed)
}

// Open begins a session whose messages are put into the inbox that it returns. It has no
// goroutine while nothing is being handled, nor one that waits for ctx, which gives its
// handlers values and their end: the session lasts until End or Shutdown is called or KeepAlive
// gives it up. When all its handlers have returned, except those that Serve would not wait for,
// and out is closed, ended is called in a goroutine with what Serve would have returned. A
// handshake with a revision is gone on with, see Resume.
// After an error out is closed, and ended is not called.
func (s *Server) Open(ctx context.Context, out Outbox, h Handshake, ended func(error)) (Inbox, error) {
	l, p, err := s.session(ctx, out, h)
	if err != nil {
		return nil, err
	}
	p.ended = func(err error) {
		l.session.end()
		ended(err)
	}
	l.begin(h)
	return inbox{p}, nil
}
