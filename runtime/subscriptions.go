package runtime

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"

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
