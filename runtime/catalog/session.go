package catalog

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/pace"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
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

// session holds the notifications that a session has not yet sent, each of them once. So a client
// that does not read does not delay other clients, and takes a constant amount of memory.
type session struct {
	*runtime.ServerSession // nil for calls outside of sessions

	mu      sync.Mutex
	calls   pace.Limiter
	called  bool // calls is set
	changed change
	updated []*subscription
	sending bool // a goroutine sends
}

// limiter returns the limiter of the session's calls, which the first call creates.
func (c *Catalog) limiter(s *session) pace.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.called && (s.ServerSession != nil || !c.unlimited) {
		s.calls = pace.New(pace.Limit{PerSecond: c.opts.CallRate, Burst: c.opts.CallBurst})
	}
	s.called = true
	return s.calls
}

// opened adds a session.
func (c *Catalog) opened(s *runtime.ServerSession) {
	own := &session{ServerSession: s}
	c.sessions.Store(s, own)
	c.open.Add(1)
	s.RestoreSubscriptions(func(uris []string) { c.watched.set(own, uris) })
}

// closed removes a session.
func (c *Catalog) closed(s *runtime.ServerSession) {
	if kept, ok := c.sessions.LoadAndDelete(s); ok {
		c.open.Add(-1)
		c.watched.forget(kept.(*session))
	}
}

// sessionOf returns the session of a handler's context.
func (c *Catalog) sessionOf(ctx context.Context) *session {
	if call := runtime.CallOf(ctx); call != nil {
		if kept, ok := c.sessions.Load(call.Session()); ok {
			return kept.(*session)
		}
	}
	return c.sessionless
}

// announce notifies the open sessions of changes after a delay, because several changes
// often follow each other. The first change starts the delay, so no goroutine waits for changes.
func (c *Catalog) announce(what change) {
	if what != 0 && (c.open.Load() != 0 || c.replicas.Load() != nil) {
		c.tellReplicas(c.note(&c.changed, what))
	}
}

// note adds changes to c.changed or c.heard, and returns the new ones. The first change starts the timer that
// calls tell.
func (c *Catalog) note(to *change, what change) (added change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed|c.heard == 0 {
		time.AfterFunc(waits.ListChanged, c.tell)
	}
	added = what &^ *to
	*to |= what
	return added
}

// tell passes the changes to the sessions, which does not wait for their clients.
func (c *Catalog) tell() {
	c.mu.Lock()
	what := c.changed | c.heard
	c.changed, c.heard = 0, 0
	c.mu.Unlock()
	c.sessions.Range(func(_, s any) bool {
		s.(*session).tell(what, nil)
		return true
	})
}

// tell queues notifications of changed lists, and of an updated resource if there is one.
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

// send sends the queued notifications, and returns when there are none left.
func (s *session) send(ctx context.Context) {
	for {
		method, params := s.next(ctx)
		if method == "" {
			return
		}
		// An error means that the server has not declared the capability, or that the
		// session is over. Both are normal.
		_ = s.Notify(ctx, method, params)
	}
}

// next returns the next notification. Method is "" if there is none.
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

// updatedParams is the URI in the params of notifications/resources/updated.
type updatedParams string

// AppendJSON implements wire.Appender.
func (p updatedParams) AppendJSON(dst []byte) ([]byte, error) {
	dst, err := wire.AppendString(append(dst, `{"uri":`...), string(p))
	return append(dst, '}'), err
}
