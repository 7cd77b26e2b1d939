package catalog

import (
	"context"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// change is a set of lists that have changed.
type change uint8

const (
	toolsChanged change = 1 << iota
	promptsChanged
	resourcesChanged
)

// changes are the notifications of changes, in the order in which they are sent ("List
// Changed Notification" in server/tools, server/prompts and server/resources).
var changes = []struct {
	change
	method string
}{
	{toolsChanged, "notifications/tools/list_changed"},
	{promptsChanged, "notifications/prompts/list_changed"},
	{resourcesChanged, "notifications/resources/list_changed"},
}

const methodUpdated = "notifications/resources/updated"

// session is what the catalog keeps of one. What it is to be told waits here, each thing
// once, until the client has taken what was sent before: a client that does not read
// holds up nobody, and costs no more memory however much changes.
type session struct {
	*runtime.ServerSession // nil for calls that have none
	calls                  *counter

	mu      sync.Mutex
	changed change
	updated []*subscription
	sending bool // a goroutine is at it
}

func (c *Catalog) newSession(s *runtime.ServerSession) *session {
	r := rateOf(c.opts.CallRate, c.opts.CallBurst)
	if s == nil && c.unbound {
		r = rate{}
	}
	return &session{ServerSession: s, calls: newCounter(r)}
}

// opened and closed follow a session.
func (c *Catalog) opened(s *runtime.ServerSession) {
	c.sessions.Store(s, c.newSession(s))
	c.open.Add(1)
}

func (c *Catalog) closed(s *runtime.ServerSession) {
	if kept, ok := c.sessions.LoadAndDelete(s); ok {
		c.open.Add(-1)
		c.watched.forget(kept.(*session))
	}
}

// sessionOf is the session that a handler's context belongs to.
func (c *Catalog) sessionOf(ctx context.Context) *session {
	if call := runtime.CallOf(ctx); call != nil {
		if kept, ok := c.sessions.Load(call.Session()); ok {
			return kept.(*session)
		}
	}
	return c.sessionless
}

// announce tells the sessions of a change, a little later: changes rarely come alone.
func (c *Catalog) announce(what change) {
	if c.open.Load() == 0 {
		return
	}
	c.mu.Lock()
	c.changed |= what
	c.mu.Unlock()
	c.changes.Trigger()
}

// tell hands the changes to the sessions.
func (c *Catalog) tell() {
	c.mu.Lock()
	what := c.changed
	c.changed = 0
	c.mu.Unlock()
	c.sessions.Range(func(_, s any) bool {
		s.(*session).tell(what, nil)
		return true
	})
}

// tell has the client told of changed lists, or of an updated resource that it has
// subscribed to.
func (s *session) tell(what change, updated *subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed |= what
	if updated != nil && !updated.waiting {
		updated.waiting = true
		s.updated = append(s.updated, updated)
	}
	if !s.sending {
		s.sending = s.Go(s.send)
	}
}

// send is the goroutine that tells the client; it ends when there is nothing left.
func (s *session) send(ctx context.Context) {
	for {
		method, params := s.next(ctx)
		if method == "" {
			return
		}
		// An error is about a capability that was not declared, or about a session that
		// is over; neither is anybody's business.
		_ = s.Notify(ctx, method, params)
	}
}

// next is what the client is told next; method is "" when that is nothing.
func (s *session) next(ctx context.Context) (method string, params wire.Appender) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() == nil {
		for _, c := range changes {
			if s.changed&c.change != 0 {
				s.changed &^= c.change
				return c.method, nil
			}
		}
		for len(s.updated) > 0 {
			u := s.updated[0]
			s.updated[0] = nil
			s.updated = s.updated[1:]
			u.waiting = false
			if !u.over {
				return methodUpdated, updatedParams(u.uri)
			}
		}
	}
	s.updated, s.sending = nil, false
	return "", nil
}

// updatedParams are the params of notifications/resources/updated: the URI.
type updatedParams string

// AppendJSON implements wire.Appender.
func (p updatedParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"uri":`...), string(p))
	return append(dst, '}'), err
}
