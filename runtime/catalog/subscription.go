package catalog

import (
	"context"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// subscription is a session's interest in a resource ("Subscriptions" in
// server/resources of every revision).
type subscription struct {
	uri string

	// The session's mu is held for these.
	waiting bool // an update is to be told
	over    bool // the session has unsubscribed
}

// watched knows who has subscribed to what.
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

// add subscribes a session, unless it has as many subscriptions as it may.
func (w *watched) add(s *session, uri string, most int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	own := w.bySession[s]
	if own[uri] != nil {
		return true
	}
	if len(own) >= most {
		return false
	}
	if own == nil {
		own = make(map[string]*subscription)
		w.bySession[s] = own
	}
	uri = strings.Clone(uri) // the subscription outlives the request, of which uri is a part
	if w.byURI[uri] == nil {
		w.byURI[uri] = make(map[*session]*subscription)
	}
	u := &subscription{uri: uri}
	own[uri], w.byURI[uri][s] = u, u
	return true
}

// remove ends a subscription, if there is one.
func (w *watched) remove(s *session, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
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

// unlink takes a session out of byURI.
func (w *watched) unlink(s *session, uri string) {
	of := w.byURI[uri]
	if delete(of, s); len(of) == 0 {
		delete(w.byURI, uri)
	}
}

// forget ends all subscriptions of a session.
func (w *watched) forget(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.bySession[s] {
		w.unlink(s, uri)
	}
	delete(w.bySession, s)
}

// subscribe answers resources/subscribe.
func (c *Catalog) subscribe(ctx context.Context, p *uriParams) (wire.Appender, error) {
	if _, err := c.reader(p.uri); err != nil {
		return nil, err
	}
	s := c.sessionOf(ctx)
	if s.ServerSession == nil {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: there is no session that could be subscribed")
	}
	if !c.watched.add(s, p.uri, c.opts.MaxSubscriptions) {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session has %d subscriptions and may have no more", c.opts.MaxSubscriptions)
	}
	return empty, nil
}

// unsubscribe answers resources/unsubscribe. It is no error that there was no
// subscription.
func (c *Catalog) unsubscribe(ctx context.Context, p *uriParams) (wire.Appender, error) {
	c.watched.remove(c.sessionOf(ctx), p.uri)
	return empty, nil
}

// empty is an EmptyResult.
const empty = wire.Object("{}")

// ResourceUpdated tells the sessions that have subscribed to a resource, and no others,
// that it was updated. It does not wait for them; a client that has not taken the last
// such message yet gets one more and not two.
func (c *Catalog) ResourceUpdated(uri string) {
	c.watched.mu.Lock()
	defer c.watched.mu.Unlock()
	for s, u := range c.watched.byURI[uri] {
		s.tell(0, u)
	}
}
