package catalog

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// subscription is the subscription of a session to a resource ("Subscriptions" in
// server/resources of every revision).
type subscription struct {
	uri string

	// Guarded by the session's mu.
	waiting bool // a notification is queued
	over    bool // the session has unsubscribed
}

// watched holds all subscriptions.
type watched struct {
	mu        sync.Mutex
	byURI     map[string]map[*session]*subscription
	bySession map[*session]map[string]*subscription
}

func newWatched() watched {
	return watched{
		byURI:     make(map[string]map[*session]*subscription),
		bySession: make(map[*session]map[string]*subscription),
	}
}

// allows reports whether a session can subscribe to a resource without exceeding the maximum number
// of subscriptions.
func (w *watched) allows(s *session, uri string, most int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	own := w.bySession[s]
	return own[uri] != nil || len(own) < most
}

// add subscribes a session.
func (w *watched) add(s *session, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addLocked(s, uri)
}

func (w *watched) addLocked(s *session, uri string) {
	own := w.bySession[s]
	if own[uri] != nil {
		return
	}
	if own == nil {
		own = make(map[string]*subscription)
		w.bySession[s] = own
	}
	uri = strings.Clone(uri) // the request that contains it ends before the subscription
	if w.byURI[uri] == nil {
		w.byURI[uri] = make(map[*session]*subscription)
	}
	u := &subscription{uri: uri}
	own[uri], w.byURI[uri][s] = u, u
}

// set makes the subscriptions of a session those that its client has with other replicas.
func (w *watched) set(s *session, uris []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.bySession[s] {
		if !slices.Contains(uris, uri) {
			w.removeLocked(s, uri)
		}
	}
	for _, uri := range uris {
		w.addLocked(s, uri)
	}
}

// remove ends a subscription if it exists.
func (w *watched) remove(s *session, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.removeLocked(s, uri)
}

func (w *watched) removeLocked(s *session, uri string) {
	own := w.bySession[s]
	u := own[uri]
	if u == nil {
		return
	}
	s.mu.Lock()
	u.over = true
	s.mu.Unlock()
	if delete(own, uri); len(own) == 0 {
		delete(w.bySession, s)
	}
	w.unlink(s, uri)
}

// unlink removes a session from byURI.
func (w *watched) unlink(s *session, uri string) {
	of := w.byURI[uri]
	if delete(of, s); len(of) == 0 {
		delete(w.byURI, uri)
	}
}

// forget removes all subscriptions of a session.
func (w *watched) forget(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.bySession[s] {
		w.unlink(s, uri)
	}
	delete(w.bySession, s)
}

// subscribe handles resources/subscribe.
func (c *Catalog) subscribe(ctx context.Context, p *uriParams) (wire.Appender, error) {
	if _, err := c.reader(ctx, p.uri); err != nil {
		return nil, err
	}
	s := c.sessionOf(ctx)
	if s.ServerSession == nil {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: subscriptions require a session")
	}
	if !c.watched.allows(s, p.uri, c.opts.MaxSubscriptions) {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session has %d subscriptions, which is the maximum", c.opts.MaxSubscriptions)
	}
	if err := s.KeepSubscription(ctx, p.uri, true); err != nil {
		return nil, err
	}
	c.watched.add(s, p.uri)
	return empty, nil
}

// unsubscribe handles resources/unsubscribe. It succeeds if there is no subscription.
func (c *Catalog) unsubscribe(ctx context.Context, p *uriParams) (wire.Appender, error) {
	s := c.sessionOf(ctx)
	if s.ServerSession != nil {
		if err := s.KeepSubscription(ctx, p.uri, false); err != nil {
			return nil, err
		}
	}
	c.watched.remove(s, p.uri)
	return empty, nil
}

// empty is an EmptyResult.
const empty = wire.Object("{}")

// ResourceUpdated notifies the sessions that have subscribed to a resource of an update,
// here and at the other replicas of the server (runtime.ServerOptions.Bus). It does not wait
// for them. Updates that follow each other before a client has received the first
// notification are sent as one.
func (c *Catalog) ResourceUpdated(uri string) {
	c.tellReplicasUpdated(uri)
	c.updated(uri)
}

// updated notifies the sessions of this process.
func (c *Catalog) updated(uri string) {
	c.watched.mu.Lock()
	defer c.watched.mu.Unlock()
	for s, u := range c.watched.byURI[uri] {
		s.tell(0, u)
	}
}
