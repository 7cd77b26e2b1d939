package runtime

import (
	"context"
	"errors"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Publish sends a notification that belongs to no request to the clients that want it: to every session, and in
// a stateless revision to the clients that listen for it (subscriptions/listen). An update of a resource
// (notifications/resources/updated) is sent to the clients that have subscribed to the resource. The clients
// of the other replicas in the options get it too.
//
// Publish does not wait for the clients. If a notification comes again before a client has read it, the client gets
// it once, after those that came in between. One without params says only that something has changed, so it is sent
// after a few milliseconds, together with others that come in the meantime. A session whose capabilities or
// revision do not have the notification does not get it.
//
// The error is a *MethodError if no revision of the server has the notification, and [Server.Err] if that is not nil.
// Otherwise it is one of encoding the params.
func (s *Server) Publish(method string, params wire.Appender) error {
	if s.err != nil {
		return s.err
	}
	if !s.publishes(method) {
		return &MethodError{Method: method, Kind: jsonrpc.Notification, To: ToClient, Revision: s.revisions[0]}
	}
	n := Notification{Method: method}
	if params != nil {
		text, err := wire.MarshalString(params)
		if err != nil {
			return prefix.Errorf("runtime: the params of %s: %w", method, err)
		}
		n.Params = wire.Raw(text)
	}
	if s.audience.publish(n, &s.audience.changes) && s.tellReplicas != nil {
		s.tellReplicas(n)
	}
	return nil
}

// join connects the server with its replicas.
func (s *Server) join() (err error) {
	if s.opts.Name == "" {
		return errors.New("runtime: a server with Replicas needs a Name, which its replicas have in common")
	}
	published := func(n Notification) { s.audience.publish(n, &s.audience.changesElsewhere) }
	s.tellReplicas, err = s.opts.Replicas.Join(s.opts.Name, s.log, published, s.missed)
	return err
}

// publishes reports whether a revision of the server has a notification for clients.
func (s *Server) publishes(method string) bool {
	for _, b := range slices.Concat(s.sessions, s.stateless) {
		if r := b.row(method); len(b.rows) == 0 || r.Kind == jsonrpc.Notification && r.Direction&ToClient != 0 {
			return true
		}
	}
	return false
}

// audience is the clients of a server that get what it publishes.
type audience struct {
	mu          sync.Mutex // locked before the mutex of a mailbox
	sessions    clients
	listeners   clients            // of stateless revisions
	subscribers map[string]clients // the sessions, by the URIs of the resources that they have subscribed to
	// The notifications without params that wait for a timer, from this server and from other replicas. They are
	// separate so that a change here is announced to the others, and one that was announced is not announced again.
	changes, changesElsewhere []Notification
}

// clients is a set of sessions and listeners.
type clients map[*ServerSession]struct{}

// publish passes a notification to the clients. One without params waits in *changes, which is a.changes or
// a.changesElsewhere; publish returns false if it waits there already.
func (a *audience) publish(n Notification, changes *[]Notification) (added bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case n.Params != "":
		a.post(n)
		return true
	case slices.Contains(*changes, n):
		return false
	case len(a.changes)+len(a.changesElsewhere) == 0:
		time.AfterFunc(waits.ListChanged, a.flush) // no goroutine waits for changes
	}
	*changes = append(*changes, n)
	return true
}

// flush passes the notifications without params to the clients.
func (a *audience) flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range a.changes {
		a.post(n)
	}
	for _, n := range a.changesElsewhere {
		if !slices.Contains(a.changes, n) {
			a.post(n)
		}
	}
	a.changes, a.changesElsewhere = nil, nil
}

// post puts a notification into the mailboxes of the clients that want it. The mutex must be held.
func (a *audience) post(n Notification) {
	to := a.sessions
	if n.Method == methodUpdated {
		to = a.subscribersOf(n.resource())
	}
	for s := range to {
		if !s.quiet {
			s.post(n)
		}
	}
	for s := range a.listeners {
		if s.subscriber.wants(n.Method, n.Params) {
			s.post(n)
		}
	}
}

// mailbox holds the subscriptions of a client and the notifications that it has not been sent yet, each once. So a
// client that does not read does not delay others, and takes a bounded amount of memory.
type mailbox struct {
	// The mutex of the audience guards these.
	subscribed map[string]struct{} // URIs of resources
	asking     map[string]int      // the requests to subscribe that are not answered, by URI
	left       bool
	quiet      bool // the session is resumed, and its client is not known to take messages of the server's own yet
	dropping   bool // notifications are dropped, and that is logged; until none waits

	waiting engine.Backlog[Notification]
}

// post queues a notification. A client that lets too many wait loses the oldest. The mutex of the audience must be
// held.
func (s *ServerSession) post(n Notification) {
	if s.waiting.Do == nil {
		s.waiting.Do, s.waiting.Go = s.send, s.conn.life.Go
	}
	s.waiting.Change(func(all []Notification) []Notification {
		s.dropping = s.dropping && len(all) > 0
		if i := slices.Index(all, n); i >= 0 {
			if n.Params == "" || n.resource() != "" {
				return all
			}
			all = slices.Delete(all, i, i+1) // the state that it describes may be the last of several
		}
		if len(all) >= s.most() {
			if !s.dropping {
				s.conn.logger().Warn("a client does not read notifications: the oldest are dropped until it does", "method", all[0].Method)
			}
			s.dropping = true
			all = all[1:]
		}
		return append(all, n)
	})
}

// most returns how many notifications may wait: enough for an update of each resource of the client. The mutex of the
// audience must be held.
func (s *ServerSession) most() int {
	return max(maxWaiting, 2*(len(s.subscribed)+len(s.subscriber.resources())))
}

// send sends a notification, unless the session is over.
func (s *ServerSession) send(n Notification) {
	ctx := s.Context()
	if ctx.Err() != nil {
		return
	}
	returned := false
	defer func() {
		if !returned {
			s.conn.logFailure("middleware panicked", "panic", recover(), "stack", string(debug.Stack()))
		}
	}()
	var params wire.Appender
	if n.Params != "" {
		params = n.Params
	}
	to := s.sender()
	if s.conn.serverSide.server.tellReplicas != nil && (n.resource() != "" || s.peer.row(n.Method).changes()) {
		to.to = change{s.conn.transport}
	}
	// An error means that the server has not declared the capability, or that the session is over. Both are normal.
	_ = s.notify(ctx, to, n.Method, params)
	returned = true
}

// change is where notifications go that mark a change of which each replica tells its clients.
type change struct{ Reply }

// Send implements Reply.
func (c change) Send(ctx context.Context, m Outgoing) error {
	m.Change = true
	return c.Reply.Send(ctx, m)
}

// Unwrap returns the Reply without the mark.
func (c change) Unwrap() Reply { return c.Reply }

// enter adds a client that has not left.
func (a *audience) enter(s *ServerSession) {
	a.mu.Lock()
	defer a.mu.Unlock()
	to := &a.sessions
	if s.subscriber != nil {
		to = &a.listeners
	}
	if *to == nil {
		*to = make(clients)
	}
	s.quiet = false
	if !s.left {
		(*to)[s] = struct{}{}
	}
}

// leave removes a client.
func (a *audience) leave(s *ServerSession) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.subscribeOnly(s, nil)
	s.left = true
	delete(a.sessions, s)
	delete(a.listeners, s)
}

// subscribe adds or removes a subscription of a session. An update that waits is not sent after the end of its
// subscription.
func (a *audience) subscribe(s *ServerSession, uri string, on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if on {
		a.add(s, uri)
	} else {
		a.remove(s, uri)
		a.dropUnwanted(s)
	}
}

// restore makes the subscriptions of a session those that its client has with other replicas.
func (a *audience) restore(s *ServerSession, uris []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.subscribeOnly(s, uris)
}

// subscribeOnly makes uris the subscriptions of a session. The mutex must be held.
func (a *audience) subscribeOnly(s *ServerSession, uris []string) {
	for uri := range s.subscribed {
		if !slices.Contains(uris, uri) {
			a.remove(s, uri)
		}
	}
	for _, uri := range uris {
		a.add(s, uri)
	}
	a.dropUnwanted(s)
}

// add adds a subscription of a session that has not left. The mutex must be held.
func (a *audience) add(s *ServerSession, uri string) {
	if _, ok := s.subscribed[uri]; ok || s.left {
		return
	}
	uri = strings.Clone(uri) // the request that contains it ends before the subscription
	if s.subscribed == nil {
		s.subscribed = make(map[string]struct{})
	}
	if a.subscribers == nil {
		a.subscribers = make(map[string]clients)
	}
	if a.subscribers[uri] == nil {
		a.subscribers[uri] = make(clients)
	}
	s.subscribed[uri], a.subscribers[uri][s] = struct{}{}, struct{}{}
}

// remove removes a subscription. The mutex must be held.
func (a *audience) remove(s *ServerSession, uri string) {
	delete(s.subscribed, uri)
	if delete(a.subscribers[uri], s); len(a.subscribers[uri]) == 0 {
		delete(a.subscribers, uri)
	}
}

// dropUnwanted drops the updates that wait although the session has not subscribed to their resources any more. The
// mutex must be held.
func (a *audience) dropUnwanted(s *ServerSession) {
	s.waiting.Change(func(all []Notification) []Notification {
		return slices.DeleteFunc(all, func(n Notification) bool { return n.resource() != "" && !s.wants(n.resource()) })
	})
}

// wants reports whether the session has subscribed to a resource, or to one that contains it. The mutex of the audience
// must be held.
func (s *ServerSession) wants(uri string) bool {
	for of := range containers(uri) {
		if _, ok := s.subscribed[of]; ok {
			return true
		}
	}
	return false
}

// subscribersOf returns the sessions that want the updates of a resource. The mutex must be held.
func (a *audience) subscribersOf(uri string) (all clients) {
	for of := range containers(uri) {
		switch found := a.subscribers[of]; {
		case len(found) == 0:
		case all == nil:
			all = found
		default:
			all = maps.Clone(all)
			maps.Copy(all, found)
		}
	}
	return all
}

// reserve counts a subscription of a session while the implementation decides about it, and reports whether the session
// may have it. If so, release must be called later.
func (a *audience) reserve(s *ServerSession, uri string, most int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(s.subscribed)
	for other := range s.asking {
		if _, counted := s.subscribed[other]; !counted && other != uri {
			n++
		}
	}
	if _, already := s.subscribed[uri]; !already && n >= most {
		return false
	}
	if s.asking == nil {
		s.asking = make(map[string]int)
	}
	s.asking[uri]++
	return true
}

// release ends what reserve has begun.
func (a *audience) release(s *ServerSession, uri string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s.asking[uri]--; s.asking[uri] == 0 {
		delete(s.asking, uri)
	}
}

// missed is called when notifications of other replicas may have been lost.
func (s *Server) missed() {
	s.audience.mu.Lock()
	defer s.audience.mu.Unlock()
	for _, all := range []clients{s.audience.sessions, s.audience.listeners} {
		for client := range all {
			client.postAll()
		}
	}
}

// missed is called when a session may have missed notifications.
func (a *audience) missed(s *ServerSession) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s.postAll()
}

// postAll queues the notifications that a list or a resource of the client has changed, for one that may have missed
// some. The mutex of the audience must be held.
func (s *ServerSession) postAll() {
	for i := range s.peer.Methods {
		if r := &s.peer.Methods[i]; r.changes() && r.Direction&ToClient != 0 && (s.subscriber == nil || s.subscriber.wants(r.Name, nil)) {
			s.post(Notification{Method: r.Name})
		}
	}
	for uri := range s.subscribed {
		s.post(updateOf(uri))
	}
	for _, uri := range s.subscriber.resources() {
		s.post(updateOf(uri))
	}
}
