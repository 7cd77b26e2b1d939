package proxy

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

const (
	// defaultMaxSessions is as many as streamable.Options.MaxRequests allows requests by default.
	defaultMaxSessions = 10_000
	// maxIdle limits the sessions with the server that are kept for later requests without a session.
	maxIdle = 256
	// idleTimeout is how long such a session is kept.
	idleTimeout = 5 * time.Minute
)

// pool is the inbox for requests without a session, of any clients. Each request has a session with the server
// to itself while it lasts, because clients choose the ids of their requests and no message is changed.
type pool struct {
	proxy *Proxy
	ctx   context.Context
	ended func(error)

	mu      sync.Mutex
	open    map[*session]bool
	opening int            // sessions that are being opened
	busy    map[string]int // sessions that are not idle, by the principal of their request, if it has one
	idle    []*session     // those without a request, the one used last at the end
	closing bool
	running sync.WaitGroup // sessions that are open or being opened
	over    sync.Once
}

// Accept implements runtime.Inbox. A session with the server that ends before it has taken the message is
// replaced by another.
func (p *pool) Accept(in runtime.Incoming) (run func()) {
	if err := p.check(&in); err != nil {
		return p.refuse(in, err)
	}
	for {
		s, fresh, err := p.take(runtime.PrincipalOf(in.Context))
		switch {
		case err == errBusy:
			return p.refuse(in, errBusy)
		case err != nil:
			p.proxy.opts.Logger.Error("proxy: the server cannot be reached", "error", err)
			return p.refuse(in, errUnreachable)
		}
		wait, taken := fromClient{s}.take(in)
		switch {
		case taken && wait == nil:
			p.give(s)
			return nil
		case taken:
			return func() {
				wait()
				p.give(s)
			}
		case fresh:
			return p.refuse(in, errUnreachable)
		}
	}
}

// check returns the error for a text that is not passed to the server, or nil. The server may find a request where the
// proxy finds none, and the next client of the session would get its answer.
func (p *pool) check(in *runtime.Incoming) error {
	m := in.Content()
	switch {
	case m.IsBatch, m.Err == nil && m.Kind == jsonrpc.Response:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the text must be a request or a notification")
	case m.Err != nil:
		return m.Err
	case m.Kind == jsonrpc.Request && revisionOf(m.Message) == "":
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /_meta: missing io.modelcontextprotocol/protocolVersion")
	}
	if err := unambiguous(in.Text, m.Message); err != nil || m.Kind != jsonrpc.Request {
		return err
	}
	return p.proxy.contradiction(in.Header, m.Message)
}

// refuse answers a text that is not passed to the server, unless it is a notification or a response.
func (p *pool) refuse(in runtime.Incoming, why error) (run func()) {
	m := in.Content()
	if m.Kind == jsonrpc.Notification || m.Kind == jsonrpc.Response {
		return nil
	}
	if err := in.Reply.Send(p.ctx, refusal(m.ID, why)); err != nil {
		p.proxy.opts.Logger.Warn("proxy: a request could not be refused", "error", err)
	}
	return nil
}

var (
	errUnreachable = jsonrpc.Errorf(jsonrpc.CodeUnavailable, "unavailable: the server cannot be reached")
	errBusy        = error(jsonrpc.Errorf(jsonrpc.CodeUnavailable, "unavailable: all sessions with the server that requests like this one may have are in use; try again later"))
)

// take returns a session for a request of a principal. Fresh means that it was opened for it. A session that is
// being closed counts, because a process may take a while to end.
func (p *pool) take(principal string) (s *session, fresh bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	most := p.proxy.opts.MaxSessions
	switch {
	case p.closing:
		return nil, false, runtime.ErrClosed
	case principal != "" && p.busy[principal] >= max(most/4, 1):
		return nil, false, errBusy
	}
	for last := len(p.idle) - 1; last >= 0; last-- {
		s = p.idle[last]
		p.idle = p.idle[:last]
		s.idle.Stop()
		if s.ctx.Err() == nil { // otherwise the server has ended it
			p.count(principal, 1)
			s.principal = principal
			return s, false, nil
		}
	}
	if len(p.open)+p.opening >= most {
		return nil, false, errBusy
	}
	s, err = p.connect(principal)
	return s, true, err
}

// connect opens a session for a request of a principal. The mutex must be held; connect unlocks it meanwhile.
func (p *pool) connect(principal string) (s *session, err error) {
	p.count(principal, 1)
	p.opening++
	p.running.Add(1)
	p.mu.Unlock()
	defer func() { // also if the function of the program panics that returns the transport
		p.mu.Lock()
		p.opening--
		if s == nil || s.dead {
			p.count(principal, -1)
			p.running.Done()
			return
		}
		s.principal = principal
		p.open[s] = true
		if p.closing {
			s.end(nil)
		}
	}()
	return p.proxy.open(p.ctx, nowhere{}, p, nil)
}

// count changes the number of sessions that are busy for a principal. The mutex must be held.
func (p *pool) count(principal string, by int) {
	if p.busy[principal] += by; principal == "" || p.busy[principal] == 0 {
		delete(p.busy, principal)
	}
}

// give takes a session back whose request is answered.
func (p *pool) give(s *session) {
	p.mu.Lock()
	keep := !p.closing && !s.dead && s.ctx.Err() == nil && len(p.idle) < maxIdle
	if keep {
		p.count(s.principal, -1)
		s.principal = ""
		p.idle = append(p.idle, s)
		// A timer takes 160 bytes, a goroutine that waits 3 KB.
		s.idle = time.AfterFunc(idleTimeout, func() { p.expire(s) })
	}
	p.mu.Unlock()
	if !keep {
		s.end(nil)
	}
}

// retire makes sure that a session gets no further request.
func (p *pool) retire(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.dead = true
}

// expire ends a session unless a request has come meanwhile.
func (p *pool) expire(s *session) {
	if p.forget(s) {
		s.end(nil)
	}
}

// forget removes an idle session. It returns false if it is not idle.
func (p *pool) forget(s *session) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.idle, s)
	if i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		s.idle.Stop()
	}
	return i >= 0
}

// gone is called when a session has ended.
func (p *pool) gone(s *session, err error) {
	if err != nil {
		p.proxy.opts.Logger.Warn("proxy: a session for requests without one has failed", "error", err)
	}
	p.forget(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	s.dead = true
	if p.open[s] {
		p.count(s.principal, -1)
		delete(p.open, s)
		p.running.Done()
	}
}

// Lose implements runtime.Inbox. Clients answer no requests.
func (p *pool) Lose(*runtime.AnswerError) {}

// Restore implements runtime.Inbox. No other server has the sessions.
func (p *pool) Restore(runtime.Handshake) {}

// Listens implements runtime.Inbox.
func (p *pool) Listens(bool) {}

// End implements runtime.Inbox.
func (p *pool) End(error) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	go p.Shutdown(ctx)
}

// Shutdown implements runtime.Inbox.
func (p *pool) Shutdown(ctx context.Context) {
	p.mu.Lock()
	p.closing = true
	for s := range p.open {
		go fromClient{s}.Shutdown(ctx)
	}
	p.mu.Unlock()
	p.running.Wait()
	p.over.Do(func() { p.ended(nil) })
}

// nowhere is the client of a session in a pool, for messages of the server that belong to no request.
type nowhere struct{}

var errNowhere = errors.New("proxy: the message belongs to no request")

// Send implements runtime.Outbox.
func (nowhere) Send(context.Context, runtime.Outgoing) error { return errNowhere }

// Close implements runtime.Outbox.
func (nowhere) Close() error { return nil }
