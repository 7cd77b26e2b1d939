package runtime

import (
	"context"

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
// read one after the other, requests handled at the same time. The zero Inbox is that of no
// session, which can only be ended.
type Inbox struct{ peer *peer }

// Handle handles a message and returns when that is done, that of a request when it is
// answered. The requests of a batch may go on.
func (i Inbox) Handle(in Incoming) {
	if c := i.take(&in); c != nil {
		c.serve()
	}
}

// Deliver is Handle that does not wait for the handler of a request.
func (i Inbox) Deliver(in Incoming) {
	if serve := i.Accept(in); serve != nil {
		go serve()
	}
}

// Accept is Handle without the handler of a request, which is called by the function it
// returns; nil when there is none. It must be called, in a goroutine of its own or otherwise.
func (i Inbox) Accept(in Incoming) (serve func()) {
	if c := i.take(&in); c != nil {
		return c.serve
	}
	return nil
}

func (i Inbox) take(in *Incoming) *Call {
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

// Lose ends the wait for the answer to a request of this side, which cannot come.
func (i Inbox) Lose(answer *AnswerError) {
	i.peer.resolve(answer.ID, reply{err: answer.Err})
}

// End ends the session as an error of Receive does. It does not wait for that.
func (i Inbox) End(why error) {
	if i.peer != nil {
		i.peer.end(why)
	}
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
		return Inbox{}, err
	}
	p.ended = func(err error) {
		l.session.end()
		ended(err)
	}
	l.begin(h)
	return Inbox{p}, nil
}
