package bridge

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file bridges subscriptions/listen of clients without a session. A server without sessions has the
// same request. At a server with sessions, the bridge subscribes to the resources, and passes its
// notifications on to all clients that listen.

const (
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"
	methodUpdated     = "notifications/resources/updated"
	methodAck         = "notifications/subscriptions/acknowledged"
)

// maxHeard limits the notifications that wait for a slow client. Equal ones count once.
const maxHeard = 1000

// listen handles subscriptions/listen.
func (l *link) listen(ctx context.Context, call *runtime.Call, params wire.Object) (wire.Appender, error) {
	asked, _ := params.Get("notifications")
	if asked.Kind() != wire.KindObject {
		return call.Listen(ctx, params, func(context.Context, *runtime.ServerSession) {}) // it returns an error
	}
	if !l.stateless {
		return l.listenSession(ctx, call, wire.Object(asked))
	}
	next, stop := iter.Pull2(l.session.Listen(ctx, wire.Object(asked)))
	defer stop()
	first, err, ok := next()
	if !ok {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, refusedListen(err)
	}
	honoured, _ := wire.Object(first.Params).Get("notifications")
	return call.Listen(ctx, filter(honoured), func(ctx context.Context, s *runtime.ServerSession) {
		for {
			n, err, ok := next()
			if !ok || err != nil {
				return
			}
			if n.Method != methodAck {
				_ = l.tell(ctx, s, n.Method, n.Params)
			}
		}
	})
}

// refusedListen returns the error for a client whose subscription the server refuses. It must not be
// MethodNotFound, because the runtime would then answer the request itself.
func refusedListen(err error) error {
	err = failure(methodListen, "server", err)
	if e, ok := err.(*jsonrpc.Error); ok && e.Code == jsonrpc.CodeMethodNotFound {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "the server has no subscriptions: %.500s", e.Message)
	}
	return err
}

func filter(notifications wire.Raw) wire.Object {
	if notifications.Kind() != wire.KindObject {
		notifications = "{}"
	}
	return wire.Object(`{"notifications":` + notifications + `}`)
}

// listenSession handles subscriptions/listen for a server with sessions.
func (l *link) listenSession(ctx context.Context, call *runtime.Call, asked wire.Object) (wire.Appender, error) {
	own := &listener{link: l, news: make(chan struct{}, 1)}
	l.mu.Lock()
	l.listeners[own] = true
	l.mu.Unlock()
	defer l.mute(ctx, own)
	return call.Listen(context.WithValue(ctx, listenerKey{}, own), filter(wire.Raw(l.offered(asked))), own.feed)
}

// offered returns the part of a filter that the server offers.
func (l *link) offered(asked wire.Object) wire.Object {
	offered := wire.Object("{}")
	for name, value := range asked.All() {
		sent := slices.ContainsFunc(l.native.Methods, func(m runtime.Method) bool {
			return m.Filter == name && (m.Capability == "" || runtime.Declares(l.session.ServerCapabilities(), m.Capability))
		})
		if sent {
			offered, _ = offered.With(name, value) // both are well-formed
		}
	}
	return offered
}

// listener is a client without a session that listens at a server with sessions.
type listener struct {
	link *link
	uris []string // that it has subscribed to

	news chan struct{} // holds a token if something is heard

	mu    sync.Mutex
	heard []runtime.Notification
	full  bool // too much waited
}

type listenerKey struct{}

// subscribe implements Binding.Listen. A server without sessions has accepted the resource already.
func subscribe(ctx context.Context, notification, uri string) error {
	own, ok := ctx.Value(listenerKey{}).(*listener)
	if !ok || notification != methodUpdated {
		return nil
	}
	l := own.link
	select {
	case l.subscribing <- struct{}{}:
		defer func() { <-l.subscribing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if l.watched[uri] == 0 {
		if err := l.session.Call(ctx, methodSubscribe, uriParams(uri), nil); err != nil {
			return err
		}
	}
	l.watched[uri]++
	own.uris = append(own.uris, uri)
	return nil
}

// mute ends what a listener has begun.
func (l *link) mute(ctx context.Context, own *listener) {
	l.mu.Lock()
	delete(l.listeners, own)
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), waits.Unlisten)
	defer cancel()
	select {
	case l.subscribing <- struct{}{}:
		defer func() { <-l.subscribing }()
	case <-ctx.Done():
		return // the server goes on to send updates, which are dropped
	}
	for _, uri := range own.uris {
		if l.watched[uri]--; l.watched[uri] == 0 {
			delete(l.watched, uri)
			// An error means that the session is over, or that the server continues to send updates, which
			// are dropped.
			_ = l.session.Call(ctx, methodUnsubscribe, uriParams(uri), nil)
		}
	}
}

func uriParams(uri string) wire.Appender {
	text, err := wire.AppendString([]byte(`{"uri":`), uri)
	if err != nil {
		return wire.Raw(`{}`) // the runtime has read the URI, so that it is valid
	}
	return wire.Raw(append(text, '}'))
}

// put adds a notification for the client. If too many wait, the subscription ends, and the client has to
// read everything again.
func (h *listener) put(n runtime.Notification) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.heard, n) {
		return
	}
	if h.full = h.full || len(h.heard) == maxHeard; !h.full {
		h.heard = append(h.heard, runtime.Notification{Method: n.Method, Params: n.Params.Clone()})
	}
	select {
	case h.news <- struct{}{}:
	default:
	}
}

// feed sends what the listener hears to the client, until ctx or the session with the server ends.
func (h *listener) feed(ctx context.Context, s *runtime.ServerSession) {
	for {
		select {
		case <-h.news:
		case <-h.link.entry.Done():
			return
		case <-ctx.Done():
			return
		}
		h.mu.Lock()
		heard, full := h.heard, h.full
		h.heard = nil
		h.mu.Unlock()
		if full {
			return
		}
		for _, n := range heard {
			if h.link.tell(ctx, s, n.Method, n.Params) != nil {
				return
			}
		}
	}
}
