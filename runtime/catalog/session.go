package catalog

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/pace"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// change is a set of lists that have changed.
type change uint8

const (
	toolsChanged change = 1 << iota
	promptsChanged
	resourcesChanged

	allChanged = toolsChanged | promptsChanged | resourcesChanged
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

// session is what the catalog keeps of a session: its limit, its subscriptions, and the notifications that it has
// not yet sent, each of them once. So a client that does not read does not delay other clients, and takes a
// constant amount of memory.
type session struct {
	*runtime.ServerSession // nil for calls outside of sessions

	mu         sync.Mutex
	calls      pace.Limiter
	updated    []string        // URIs of resources
	subscribed map[string]bool // URIs, true if they are in updated
	changed    change
	sending    bool // a goroutine sends
}

// admit counts a tool call. It returns how long to wait for another one if there have been too many, or 0.
func (s *session) admit(o *Options) time.Duration {
	s.mu.Lock()
	if s.ServerSession != nil && s.calls == (pace.Limiter{}) {
		s.calls = pace.New(o.callLimit())
	}
	calls := s.calls
	s.mu.Unlock()
	return calls.Admit(1)
}

// opened adds a session.
func (c *Catalog) opened(s *runtime.ServerSession) {
	own := &session{ServerSession: s}
	c.sessions.Store(s, own)
	c.open.Add(1)
	s.RestoreSubscriptions(func(uris []string) { c.subscribers.set(own, uris) })
}

// closed removes a session.
func (c *Catalog) closed(s *runtime.ServerSession) {
	if own, ok := c.sessions.LoadAndDelete(s); ok {
		c.open.Add(-1)
		c.subscribers.set(own.(*session), nil)
	}
}

// sessionOf returns the session of a handler's context, or sessionless.
func (c *Catalog) sessionOf(ctx context.Context) *session {
	if call := runtime.CallOf(ctx); call != nil {
		if own, ok := c.sessions.Load(call.Session()); ok {
			return own.(*session)
		}
	}
	return c.sessionless
}

// announce notifies the open sessions and the other replicas of changes. Sessions are notified after a delay,
// because several changes often follow each other. Replicas are notified at once, so that replicas that make the
// same change at the same time notify each client once.
func (c *Catalog) announce(what change) {
	r := c.replicas.Load()
	if what == 0 || c.open.Load() == 0 && r == nil {
		return
	}
	added := c.schedule(&c.changed, what)
	for _, of := range changes {
		if r != nil && added&of.change != 0 {
			r.Announce(runtime.Notification{Method: of.method})
		}
	}
}

// schedule adds changes to c.changed or c.changedAtReplicas, and returns the new ones. The first change starts a
// timer, so no goroutine waits for changes.
func (c *Catalog) schedule(to *change, what change) (added change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed|c.changedAtReplicas == 0 {
		time.AfterFunc(waits.ListChanged, c.notifyChanged)
	}
	added = what &^ *to
	*to |= what
	return added
}

// notifyChanged passes the changes to the sessions, which does not wait for their clients.
func (c *Catalog) notifyChanged() {
	c.mu.Lock()
	what := c.changed | c.changedAtReplicas
	c.changed, c.changedAtReplicas = 0, 0
	c.mu.Unlock()
	c.sessions.Range(func(_, s any) bool {
		s.(*session).notify(what, "")
		return true
	})
}

// ResourceUpdated notifies the sessions that have subscribed to a resource of an update,
// here and at the other replicas of the server (runtime.ServerOptions.Bus). It does not wait
// for them. Updates that follow each other before a client has received the first
// notification are sent as one.
func (c *Catalog) ResourceUpdated(uri string) {
	if r := c.replicas.Load(); r != nil {
		// A URI that is not valid UTF-8 has no subscribers.
		if params, err := wire.MarshalString(updatedParams(uri)); err == nil {
			r.Announce(runtime.Notification{Method: methodUpdated, Params: wire.Raw(params)})
		}
	}
	c.subscribers.notify(uri)
}

// join connects the catalog with the replicas of its first server.
func (c *Catalog) join(r *runtime.Replicas) {
	if c.replicas.CompareAndSwap(nil, r) {
		r.Follow(c.receive, c.missed)
	}
}

// receive handles a notification of another replica.
func (c *Catalog) receive(n runtime.Notification) {
	if n.Method == methodUpdated {
		c.subscribers.notify(wire.Object(n.Params).GetString("uri"))
		return
	}
	for _, of := range changes {
		if of.method == n.Method && c.open.Load() != 0 {
			c.schedule(&c.changedAtReplicas, of.change)
		}
	}
}

// missed notifies the sessions of everything that may have changed at other replicas.
func (c *Catalog) missed() {
	if c.open.Load() == 0 {
		return
	}
	c.schedule(&c.changedAtReplicas, allChanged)
	c.subscribers.notifyAll()
}

// notify queues notifications of changed lists, and of an updated resource unless the URI is "".
func (s *session) notify(what change, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed |= what
	if queued, ok := s.subscribed[uri]; ok && !queued {
		s.subscribed[uri] = true
		s.updated = append(s.updated, uri)
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
		if len(s.updated) > 0 {
			uri := s.updated[0]
			s.updated, s.subscribed[uri] = s.updated[1:], false
			return methodUpdated, updatedParams(uri)
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

// subscribers are the sessions that have subscribed to resources, by URI ("Subscriptions" in
// server/resources of every revision).
type subscribers struct {
	mu    sync.Mutex // locked before the mutex of a session
	byURI map[string]map[*session]bool
}

// change adds and removes subscriptions of a session. The update of a resource that is queued is not sent after the
// end of its subscription.
func (a *subscribers) change(s *session, add, remove []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, uri := range remove {
		delete(s.subscribed, uri)
		s.updated = slices.DeleteFunc(s.updated, func(queued string) bool { return queued == uri })
		if delete(a.byURI[uri], s); len(a.byURI[uri]) == 0 {
			delete(a.byURI, uri)
		}
	}
	for _, uri := range add {
		if _, ok := s.subscribed[uri]; ok {
			continue
		}
		uri = strings.Clone(uri) // the request that contains it ends before the subscription
		if s.subscribed == nil {
			s.subscribed = make(map[string]bool)
		}
		if a.byURI[uri] == nil {
			a.byURI[uri] = make(map[*session]bool)
		}
		s.subscribed[uri], a.byURI[uri][s] = false, true
	}
}

// set makes the subscriptions of a session those that its client has with other replicas.
func (a *subscribers) set(s *session, uris []string) {
	s.mu.Lock()
	over := slices.Collect(maps.Keys(s.subscribed))
	s.mu.Unlock()
	over = slices.DeleteFunc(over, func(uri string) bool { return slices.Contains(uris, uri) })
	a.change(s, uris, over)
}

// notify notifies the subscribers of a resource of an update.
func (a *subscribers) notify(uri string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.byURI[uri] {
		s.notify(0, uri)
	}
}

// notifyAll notifies all subscribers of updates of their resources.
func (a *subscribers) notifyAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for uri, sessions := range a.byURI {
		for s := range sessions {
			s.notify(0, uri)
		}
	}
}

// maySubscribe reports whether the session can subscribe to a resource without exceeding the maximum number of
// subscriptions.
func (s *session) maySubscribe(uri string, most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, already := s.subscribed[uri]
	return already || len(s.subscribed) < most
}

// subscribe handles resources/subscribe.
func (c *Catalog) subscribe(ctx context.Context, q *request) (wire.Appender, error) {
	if _, _, err := c.findResource(ctx, q.key); err != nil {
		return nil, err
	}
	s := c.sessionOf(ctx)
	if s.ServerSession == nil {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: subscriptions require a session")
	}
	if !s.maySubscribe(q.key, c.opts.MaxSubscriptions) {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session has %d subscriptions, which is the maximum", c.opts.MaxSubscriptions)
	}
	if err := s.KeepSubscription(ctx, q.key, true); err != nil {
		return nil, err
	}
	c.subscribers.change(s, []string{q.key}, nil)
	return empty, nil
}

// unsubscribe handles resources/unsubscribe. It succeeds if there is no subscription.
func (c *Catalog) unsubscribe(ctx context.Context, q *request) (wire.Appender, error) {
	s := c.sessionOf(ctx)
	if s.ServerSession != nil {
		if err := s.KeepSubscription(ctx, q.key, false); err != nil {
			return nil, err
		}
	}
	c.subscribers.change(s, nil, []string{q.key})
	return empty, nil
}

// empty is an EmptyResult.
const empty = wire.Object("{}")
