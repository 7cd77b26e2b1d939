package proxy

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/pool"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	// defaultMaxSessions is as many as streamable.Options.MaxRequests allows requests by default.
	defaultMaxSessions = 10_000
	// maxIdle limits the sessions with the server that are kept for later requests without a session.
	maxIdle = 256
	// idleTimeout is how long such a session is kept.
	idleTimeout = 5 * time.Minute
)

// stateless is the inbox for requests without a session, of any clients. Each request has a session with the server
// to itself while it lasts, because clients choose the ids of their requests and no message is changed.
type stateless struct {
	proxy    *Proxy
	ctx      context.Context
	ended    func(error)
	over     sync.Once
	sessions *pool.Pool[struct{}, *session]
}

// entry is the place of a session among those of requests without one.
type entry = pool.Entry[struct{}, *session]

func (p *Proxy) openStateless(ctx context.Context, ended func(error)) *stateless {
	l := &stateless{proxy: p, ctx: ctx, ended: ended}
	l.sessions = pool.New(pool.Options[struct{}, *session]{
		Open: func(_ struct{}, e *entry) (*session, error) {
			return p.open(ctx, nowhere{}, e, func(err error) {
				if err != nil {
					p.opts.Logger.Warn("proxy: a session for requests without one has failed", "error", err)
				}
				e.Gone()
			})
		},
		End:   func(s *session) { s.end(nil) },
		Alone: true,
		Most:  p.opts.MaxSessions, MaxIdle: maxIdle, Idle: idleTimeout,
	})
	return l
}

// Accept implements runtime.Inbox. A session with the server that ends before it has taken the message is
// replaced by another.
func (l *stateless) Accept(in runtime.Incoming) (run func()) {
	if err := l.checkText(&in); err != nil {
		return l.refuse(in, err)
	}
	for {
		e, err := l.sessions.Take(l.ctx, struct{}{}, runtime.PrincipalOf(in.Context), false)
		switch {
		case err == pool.ErrBusy:
			return l.refuse(in, err)
		case err != nil:
			l.proxy.opts.Logger.Error("proxy: the server cannot be reached", "error", err)
			return l.refuse(in, errUnreachable)
		}
		wait, taken := fromClient{e.Session}.take(in)
		if wait != nil {
			return func() {
				wait()
				e.Release(false)
			}
		}
		if !taken {
			e.Retire()
		}
		e.Release(false)
		switch {
		case taken:
			return nil
		case !e.Reused:
			return l.refuse(in, errUnreachable)
		}
	}
}

// checkText returns the error for a text that is not passed to the server, or nil. The server may find a request where
// the proxy finds none, and the next client of the session would get its answer.
func (l *stateless) checkText(in *runtime.Incoming) error {
	m := in.Content()
	switch {
	case m.IsBatch, m.Err == nil && m.Kind == jsonrpc.Response:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the text must be a request or a notification")
	case m.Err != nil:
		return m.Err
	case m.Kind == jsonrpc.Request && revisionOf(m.Message) == "":
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /_meta: missing io.modelcontextprotocol/protocolVersion")
	}
	return l.proxy.checkHeaders(in, m.Message)
}

// refuse answers a text that is not passed to the server, unless it is a notification or a response.
func (l *stateless) refuse(in runtime.Incoming, why error) (run func()) {
	m := in.Content()
	if m.Kind == jsonrpc.Notification || m.Kind == jsonrpc.Response {
		return nil
	}
	if err := in.Reply.Send(l.ctx, refusal(m.ID, why)); err != nil {
		l.proxy.opts.Logger.Warn("proxy: a request could not be refused", "error", err)
	}
	return nil
}

var errUnreachable = jsonrpc.Errorf(jsonrpc.CodeUnavailable, "unavailable: the server cannot be reached")

// Lose implements runtime.Inbox. Clients answer no requests.
func (l *stateless) Lose(wire.Scalar, error) {}

// Restore implements runtime.Inbox. No other server has the sessions.
func (l *stateless) Restore(runtime.Handshake) {}

// Listens implements runtime.Inbox.
func (l *stateless) Listens(bool) {}

// End implements runtime.Inbox.
func (l *stateless) End(error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	go l.Shutdown(ctx)
}

// Shutdown implements runtime.Inbox.
func (l *stateless) Shutdown(ctx context.Context) {
	l.sessions.Close(func(s *session) { fromClient{s}.Shutdown(ctx) })
	l.over.Do(func() { l.ended(nil) })
}

// nowhere is the client of a session in a pool, for messages of the server that belong to no request.
type nowhere struct{}

var errNowhere = errors.New("proxy: the message belongs to no request")

// Send implements runtime.Outbox.
func (nowhere) Send(context.Context, runtime.Outgoing) error { return errNowhere }

// Close implements runtime.Outbox.
func (nowhere) Close() error { return nil }
