package runtime

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file answers subscriptions/listen ("Subscriptions" in basic/patterns/subscriptions, 2026-07-28). Such
// a request lasts until the client cancels it or the server shuts down. To the code that sends notifications
// of changes, it is a ServerSession.

// changeMethods are the notifications of lists that a client can listen to, by their members of the filter.
var changeMethods = map[string]string{
	"toolsListChanged":     "notifications/tools/list_changed",
	"promptsListChanged":   "notifications/prompts/list_changed",
	"resourcesListChanged": "notifications/resources/list_changed",
}

// subscriber is the stream of notifications that a request has opened.
type subscriber struct {
	call     *Call
	context  context.Context // ends with the request, or when the server ends the stream
	methods  []string        // the notifications of lists that are sent
	uris     []string        // the resources whose updates are sent
	filtered []filtered      // what extensions add
	ready    chan struct{}   // closed when the request is acknowledged; nothing is sent before
}

// maxFilter limits the filter of a subscription, in bytes. The server keeps it as long as the client listens,
// and looks up each of its resources.
const maxFilter = 64 << 10

// shrink replaces what a call of subscriptions/listen shares with its message by copies of what it needs,
// because it lasts as long as its client likes, and the message may be long.
func (c *Call) shrink() error {
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
	c.params = wire.Raw(text)
	c.id, c.method = c.id.Clone(), methodListen
	return nil
}

// listen handles subscriptions/listen.
func (c *Call) listen(ctx context.Context, params wire.Raw) (wire.Appender, error) {
	return c.Listen(ctx, params, nil)
}

// Listen handles subscriptions/listen for a handler that gets the notifications from elsewhere, such as
// another server. It acknowledges the part of the filter in the params that the server has declared and
// Binding.Subscribe accepts. Then it calls feed, which sends notifications to the session until its context
// ends, or until it returns, which ends the subscription. The session drops what the client has not asked
// for. If feed is nil, the session gets what Binding.Opened sends. The handler must return what Listen
// returns. In a session, Listen returns MethodNotFound.
func (c *Call) Listen(ctx context.Context, params wire.Raw, feed func(ctx context.Context, s *ServerSession)) (wire.Appender, error) {
	if c.alone == nil {
		return nil, MethodNotFound(c.method)
	}
	notifications, _ := wire.Object(params).Get("notifications")
	asked := wire.Object(notifications)
	lists, uris, err := readFilter(asked)
	if err != nil {
		return nil, err
	}
	server := c.terms.bound.offered.server
	defer server.listening.Add(-1)
	if n := server.listening.Add(1); n > server.maxListeners() {
		c.peer.logger().Warn("too many clients listen for notifications", "id", c.id)
		return nil, c.terms.refused(jsonrpc.Errorf(jsonrpc.CodeServerBusy, "busy: %d clients listen for notifications", n-1))
	}
	l := &subscriber{call: c, ready: make(chan struct{})}
	if l.filtered, err = c.readExtensions(asked); err != nil {
		return nil, err
	}
	own, end := context.WithCancel(&c.context)
	defer end()
	l.context = own
	session := &ServerSession{peer: c.peer, terms: c.terms, subscriber: l}
	c.alone.session = session
	if opened := c.terms.bound.Opened; opened != nil && feed == nil {
		session.closed = opened(session)
	}
	defer session.end()
	if err := l.honour(ctx, lists, uris); err != nil {
		return nil, err
	}
	l.honourExtensions(ctx)
	if err := c.peer.announce(ctx, c.terms, methodAck, l.tagged(l.acknowledgement(asked)), c.reply, c); err != nil {
		return nil, err
	}
	close(l.ready)
	result := l.tagged(emptyResult)
	if len(l.methods) == 0 && len(l.uris) == 0 && len(l.filtered) == 0 {
		return result, nil // nothing will ever be sent
	}
	var fed chan struct{} // closed when feed has returned
	if feed != nil {
		fed = make(chan struct{})
		defer func() {
			end()
			<-fed
		}()
		if !c.peer.life.Go(func() {
			defer close(fed)
			feed(own, session)
		}) {
			close(fed)
		}
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.peer.serving.Refused():
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
	return int64(cmp.Or(s.opts.MaxListeners, DefaultMaxListeners))
}

// readFilter returns the members of the filter for lists, and the resources, that a client asks for.
func readFilter(filter wire.Object) (lists, uris []string, err error) {
	if filter.Kind() != wire.KindObject {
		return nil, nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications: expected an object")
	}
	for name, value := range filter.All() {
		if value == "null" {
			continue
		}
		if _, ok := changeMethods[name]; ok {
			if value.Kind() != wire.KindBool {
				return nil, nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications/%s: expected a boolean", name)
			}
			if value == "true" {
				lists = append(lists, name)
			}
		}
		if name != memberResources {
			continue
		}
		if value.Kind() != wire.KindArray {
			return nil, nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications/%s: expected an array", name)
		}
		for i, element := range value.Elements() {
			uri, ok := element.Str()
			if !ok {
				return nil, nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "invalid params: /notifications/%s/%d: expected a string", name, i)
			}
			uris = append(uris, strings.Clone(uri))
		}
	}
	slices.Sort(uris)
	return lists, slices.Compact(uris), nil
}

// honour selects the part of the filter that is honoured: what the server has declared and, among resources,
// what the binding accepts. The error is a *DeniedError if the sender may not use a resource. The
// acknowledgement could leave it out as it leaves out one that does not exist, but then the client would not
// learn which scopes it lacks. A request with insufficient scope should get a challenge with all scopes of
// the operation ("Runtime Insufficient Scope Errors"), as resources/subscribe and resources/read give one.
func (l *subscriber) honour(ctx context.Context, lists, uris []string) error {
	t := l.call.terms
	for _, name := range lists {
		if _, err := t.sending(jsonrpc.Notification, changeMethods[name]); err == nil {
			l.methods = append(l.methods, changeMethods[name])
		}
	}
	if _, err := t.sending(jsonrpc.Notification, methodUpdated); err != nil {
		return nil
	}
	ctx, all := gatherScopes(ctx)
	var denied *DeniedError
	for _, uri := range uris {
		if subscribe := t.bound.Subscribe; subscribe != nil {
			if err := subscribe(ctx, uri); err != nil {
				denied = cmp.Or(denied, deniedBy(err))
				l.call.peer.debug("subscription refused", slog.String("uri", uri), slog.Any("error", err))
				continue
			}
		}
		l.uris = append(l.uris, uri)
	}
	if denied == nil {
		return nil
	}
	return cmp.Or(all(), denied)
}

// acknowledgement returns the params of the first notification: the honoured part of the filter.
func (l *subscriber) acknowledgement(filter wire.Object) wire.Appender {
	return appendFunc(func(dst []byte) ([]byte, error) {
		w := wire.NewWriter(dst)
		w.BeginObject()
		w.Name("notifications")
		w.BeginObject()
		for name, value := range filter.All() {
			if method, ok := changeMethods[name]; ok && value == "true" && slices.Contains(l.methods, method) {
				w.Bool(name, true)
			}
		}
		if len(l.uris) > 0 {
			w.Name(memberResources)
			w.BeginArray()
			for _, uri := range l.uris {
				w.Element()
				w.PutString(uri)
			}
			w.EndArray()
		}
		for _, f := range l.filtered {
			w.Name(f.Member)
			w.BeginArray()
			for _, value := range f.values {
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
	return metaParams{params, metaSubscription, l.call.id}
}

// sends reports whether the client has asked for a notification. An update may be of a part of a resource
// that the client listens to.
func (l *subscriber) sends(method string, params wire.Appender) bool {
	if method != methodUpdated {
		return slices.Contains(l.methods, method) || l.sendsExtension(method, params)
	}
	text, err := wire.MarshalString(params)
	if err != nil {
		return true // so that the sender gets the error
	}
	uri := wire.Object(text).GetString("uri")
	return slices.ContainsFunc(l.uris, func(of string) bool {
		rest, ok := strings.CutPrefix(uri, of)
		return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(of, "/"))
	})
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
	return c.notifyAround(ctx, method, params)
}

// farewell is sent after the result with which the server ends a stream, if all streams share a channel. The
// revision demands it in basic/patterns/cancellation, and the result in basic/patterns/subscriptions;
// clients ignore the cancellation of a request that is answered. Over HTTP, the end of the response takes
// its place.
func (l *subscriber) farewell() {
	c := l.call
	if c.reply != nil {
		return
	}
	c.peer.tell(c.peer.life.Context(), c.terms, methodCancelled, l.tagged(cancelledParams{c.id, "the server ends the subscription"}), nil)
}
