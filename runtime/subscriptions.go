package runtime

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"math"
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

// maxURI limits the URIs that a session can subscribe to, in bytes: it keeps up to MaxSubscriptions of them.
const maxURI = 8 << 10

// subscription handles resources/subscribe and resources/unsubscribe: it records the subscription if the
// implementation accepts it.
func (b *protocol) subscription(ctx context.Context, m *Message) (wire.Appender, error) {
	s := CallOf(ctx).Session()
	uri := m.Object().GetString("uri")
	on := m.Method == methodSubscribe
	of := s.conn.serverSide.server
	if on {
		if len(uri) > maxURI {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /uri: longer than %d bytes", maxURI)
		}
		if most := of.maxSubscriptions(); !of.audience.reserve(s, uri, most) {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: the session has %d subscriptions, which is the maximum", most)
		}
		defer of.audience.release(s, uri)
	}
	result, err := b.Handle(ctx, m)
	if isMethodNotFound(err) && b.Listen != nil {
		result, err = emptyResult, nil
		switch {
		case uri == "":
			err = jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /uri: missing")
		case on:
			err = b.Listen(ctx, methodUpdated, uri)
		}
	}
	if err != nil {
		return nil, err
	}
	kept := Change{Subscribed: uri}
	if !on {
		kept = Change{Unsubscribed: uri}
	}
	if err := s.conn.keep(ctx, kept); err != nil {
		return nil, err
	}
	of.audience.subscribe(s, uri, on)
	return result, nil
}

// maxSubscriptions returns how many resources a session can subscribe to.
func (s *Server) maxSubscriptions() int {
	if s.opts.MaxSubscriptions < 0 {
		return math.MaxInt
	}
	return cmp.Or(s.opts.MaxSubscriptions, defaultMaxSubscriptions)
}

// The code below answers subscriptions/listen ("Subscriptions" in basic/patterns/subscriptions, 2026-07-28). Such
// a request lasts until the client cancels it or the server shuts down. To the code that sends notifications
// of changes, it is a ServerSession.

// subscriber is the stream of notifications that a request has opened.
type subscriber struct {
	call    *Call
	context context.Context // ends with the request, or when the server ends the stream
	wanted  []wanted        // what is sent
	ready   chan struct{}   // closed when the request is acknowledged; nothing is sent before
}

// wanted is a member of a filter that asks for notifications.
type wanted struct {
	*Method          // the notification
	values  []string // of its FilterParam, sorted; nil if it has none
}

// maxFilter limits the filter of a subscription, in bytes. The server keeps it as long as the client listens,
// and looks up each of its resources.
const maxFilter = 64 << 10

// shrink replaces what a call of subscriptions/listen shares with its message by copies of what it needs,
// because it lasts as long as its client likes, and the message may be long.
func (c statelessCall) shrink() error {
	params, meta := wire.Object(c.params), c.Meta()
	filter, asked := params.Get("notifications")
	if len(filter) > maxFilter {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
			"invalid params: /notifications: a filter of %d bytes; at most %d are accepted, use several subscriptions", len(filter), maxFilter)
	}
	if len(meta) > maxPeerSize {
		meta = metaOf(c.params).object()
	}
	var own wire.Members
	if meta != "" {
		own.Set("_meta", wire.Raw(meta))
	}
	if asked {
		own.Set("notifications", filter)
	}
	text, err := wire.NewObject(own...)
	if err != nil {
		return err
	}
	c.m.Method, c.params, c.id = methodListen, wire.Raw(text), c.id.Clone()
	return nil
}

// Listen handles subscriptions/listen for a handler that gets the notifications from elsewhere, such as
// another server. It acknowledges the part of the filter in the params that the server has declared and
// Binding.Listen accepts. Then it calls feed, which sends notifications to the session until its context
// ends, or until it returns, which ends the subscription. The session drops what the client has not asked
// for. If feed is nil, the session gets what the server publishes. The handler must return what Listen
// returns. In a session, Listen returns MethodNotFound.
func (c *Call) Listen(ctx context.Context, params wire.Object, feed func(ctx context.Context, s *ServerSession)) (wire.Appender, error) {
	if c.row == nil {
		return nil, MethodNotFound(c.m.Method)
	}
	notifications, _ := params.Get("notifications")
	server := c.peer.server
	defer server.listening.Add(-1)
	if n := server.listening.Add(1); n > server.maxListeners() {
		c.conn.logger().Warn("too many clients listen for notifications", "id", c.id)
		return nil, c.peer.refusalFor(jsonrpc.Errorf(jsonrpc.CodeServerBusy, "busy: %d clients listen for notifications", n-1))
	}
	l := &subscriber{call: c, ready: make(chan struct{})}
	streaming, end := context.WithCancel(&c.context)
	defer end()
	l.context = streaming
	session := &ServerSession{conn: c.conn, peer: c.peer, subscriber: l}
	c.listener = session
	if err := l.honour(ctx, wire.Object(notifications)); err != nil {
		return nil, err
	}
	if feed == nil {
		server.audience.enter(session)
		defer server.audience.leave(session)
	}
	own := c.caller()
	if err := own.sendNotification(ctx, methodAck, l.tagged(l.acknowledgement())); err != nil {
		return nil, err
	}
	close(l.ready)
	result := l.tagged(emptyResult)
	if len(l.wanted) == 0 {
		return result, nil // nothing will ever be sent
	}
	var fed chan struct{} // closed when feed has returned
	if feed != nil {
		fed = make(chan struct{})
		defer func() {
			end()
			<-fed
		}()
		if !c.conn.life.Go(func() {
			defer close(fed)
			feed(streaming, session)
		}) {
			close(fed)
		}
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.conn.requests.stopped():
		return result, nil
	case <-fed:
		return result, nil
	}
}

// maxListeners returns how many clients may listen for notifications at a time.
func (s *Server) maxListeners() int64 {
	if s.opts.MaxListeners < 0 {
		return math.MaxInt64
	}
	return int64(cmp.Or(s.opts.MaxListeners, defaultMaxListeners))
}

// honour reads a filter and selects the part of it that is honoured: what the server has declared and, among values,
// what the binding accepts. A client that has not declared the extension of a member gets an error.
//
// The error is a *DeniedError if the sender may not use a resource. The acknowledgement could leave it out as it leaves
// out one that does not exist, but then the client would not learn which scopes it lacks. A request with insufficient
// scope should get a challenge with all scopes of the operation ("Runtime Insufficient Scope Errors"), as
// resources/subscribe and resources/read give one.
func (l *subscriber) honour(ctx context.Context, filter wire.Object) (err error) {
	if filter.Kind() != wire.KindObject {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications: expected an object")
	}
	ctx, scopes := gatherScopes(ctx)
	var denied *DeniedError
	p := l.call.peer
	for name, value := range filter.All() {
		i := slices.IndexFunc(p.Methods, func(m Method) bool { return m.Filter == name })
		if name == "" || i < 0 || value == "null" {
			continue
		}
		w := wanted{Method: &p.Methods[i]}
		if w.Extension != "" && !l.call.Extension(w.Extension) {
			return missingExtension(w.Extension)
		}
		if w.values, err = w.asked(value); err != nil {
			return err
		}
		if _, undeclared := p.maySend(jsonrpc.Notification, w.Name, nil); undeclared != nil || value == "false" {
			continue
		}
		w.values = slices.DeleteFunc(w.values, func(value string) bool {
			if p.Listen == nil {
				return false
			}
			err := p.Listen(ctx, w.Name, value)
			if err != nil {
				if own, ok := errors.AsType[*DeniedError](err); ok {
					denied = cmp.Or(denied, own)
				}
				l.call.conn.debug("subscription refused", slog.String("filter", w.Filter), slog.String("value", value), slog.Any("error", err))
			}
			return err != nil
		})
		if w.FilterParam == "" || len(w.values) > 0 {
			l.wanted = append(l.wanted, w)
		}
	}
	if denied == nil {
		return nil
	}
	return cmp.Or(scopes(), denied)
}

// resources returns the resources whose updates a listener gets; none for nil.
func (l *subscriber) resources() []string {
	if l == nil {
		return nil
	}
	i := slices.IndexFunc(l.wanted, func(w wanted) bool { return w.Name == methodUpdated })
	if i < 0 {
		return nil
	}
	return l.wanted[i].values
}

// acknowledgement returns the params of the first notification: the honoured part of the filter.
func (l *subscriber) acknowledgement() wire.Appender {
	return appendFunc(func(dst []byte) ([]byte, error) {
		w := wire.NewWriter(dst)
		w.BeginObject()
		w.Name("notifications")
		w.BeginObject()
		for _, wanted := range l.wanted {
			if wanted.FilterParam == "" {
				w.Bool(wanted.Filter, true)
				continue
			}
			w.Name(wanted.Filter)
			w.BeginArray()
			for _, value := range wanted.values {
				w.Element()
				w.PutString(value)
			}
			w.EndArray()
		}
		w.EndObject()
		w.EndObject()
		return w.End()
	})
}

// tagged returns the params of a notification, or a result, with the id of the stream. It is the id of the
// request, of the same type.
func (l *subscriber) tagged(params wire.Appender) wire.Appender {
	return metaParams{params: params, members: metaMember(metaSubscription, l.call.id)}
}

// wants reports whether the client has asked for a notification.
func (l *subscriber) wants(method string, params wire.Appender) bool {
	i := slices.IndexFunc(l.wanted, func(w wanted) bool { return w.Name == method })
	if i < 0 || l.wanted[i].FilterParam == "" {
		return i >= 0
	}
	text, err := wire.MarshalString(params)
	if err != nil {
		return true // so that the sender gets the error
	}
	return l.wanted[i].has(wire.Object(text).GetString(l.wanted[i].FilterParam))
}

// has reports whether the client has asked for a value.
func (w wanted) has(value string) bool {
	if w.Name == methodUpdated {
		return contains(w.values, value)
	}
	return slices.Contains(w.values, value)
}

// notify sends a notification, if the client has asked for it.
func (l *subscriber) notify(ctx context.Context, method string, params wire.Appender) error {
	select {
	case <-l.ready:
	case <-l.context.Done():
		return errAnswered
	case <-ctx.Done():
		return ctx.Err()
	}
	c := l.call.caller()
	c.subscriber = l
	return c.Notify(ctx, method, params)
}

// sendEnd is sent after the result with which the server ends a stream, if all streams share a channel. The
// revision demands it in basic/patterns/cancellation, and the result in basic/patterns/subscriptions;
// clients ignore the cancellation of a request that is answered. Over HTTP, the end of the response takes
// its place.
func (l *subscriber) sendEnd() {
	c := l.call
	if c.reply != nil {
		return
	}
	to := sender{conn: c.conn, peer: c.peer}
	to.writeNotification(c.conn.life.Context(), methodCancelled, l.tagged(cancelledParams{c.id, "the server ends the subscription"}))
}

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
