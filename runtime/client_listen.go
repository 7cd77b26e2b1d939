package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	// maxWaiting and maxWaitingBytes limit the notifications that wait for a slow listener, here and at a server.
	maxWaiting      = 1000
	maxWaitingBytes = 4 << 20
	// maxFailedListens is how many attempts to listen may fail in a row.
	maxFailedListens = 10
)

// errOverrun ends a stream whose listener is too slow. Listen then opens another one.
var errOverrun = errors.New("runtime: too many notifications wait for the listener")

// Listen yields the notifications that the server sends because of a subscription. Filter is the
// SubscriptionFilter object that says which ("subscriptions/listen" in basic/patterns/subscriptions,
// 2026-07-28); nil asks for none.
//
// The first notification, notifications/subscriptions/acknowledged, has the part of the filter that the server
// honours. If the stream is lost, Listen opens another one after a pause that grows until a stream lasts and is
// partly random, and yields its acknowledgement: what changed in between is unknown. Notifications that wait for
// the loop are kept up to a limit, each text once. Beyond it, Listen opens another stream too.
//
// The sequence ends when ctx ends, after what was received until then; when the server ends the subscription; or with
// an error if the server refuses it, cannot be reached ten times in a row, or the session has ended. In a session of a
// revision without subscriptions/listen, Listen subscribes to the resources of the filter with
// resources/subscribe; those that the server refuses are not part of the acknowledgement.
func (s *Session) Listen(ctx context.Context, filter wire.Appender) iter.Seq2[Notification, error] {
	return s.listen(ctx, filter, false)
}

// listen is Listen. If it is lasting, it also opens another stream when the server has ended the subscription.
func (s *Session) listen(ctx context.Context, filter wire.Appender, lasting bool) iter.Seq2[Notification, error] {
	return func(yield func(Notification, error) bool) {
		asked, err := objectOf(filter)
		if err != nil {
			yield(Notification{}, err)
			return
		}
		failed, pauses := 0, 0 // attempts in a row without an acknowledgement, and without a stream that lasted
		for {
			l := newListener(asked, s.ready(ctx))
			more, err := s.listenOnce(ctx, l, yield)
			ended := err == errEnded
			if !more || ctx.Err() != nil || ended && !lasting {
				return
			}
			if ended || !l.acknowledged.IsZero() {
				failed = 0
			}
			if !l.acknowledged.IsZero() && time.Since(l.acknowledged) >= waits.Lasting {
				pauses = 0
			}
			failed, pauses = failed+1, pauses+1
			if final(err) && !(errors.Is(err, ErrClosed) && s.reopens()) || failed >= maxFailedListens {
				yield(Notification{}, err)
				return
			}
			l.side.debug("listening again", slog.Any("error", err))
			if sleep(ctx, waits.Backoff(pauses)) != nil {
				return
			}
		}
	}
}

// TypedNotifications decodes the notifications of [Session.Listen]. One that decode refuses is an error after
// which the sequence continues. Generated code calls it.
func TypedNotifications[N any](heard iter.Seq2[Notification, error], decode func(text []byte) (N, error)) iter.Seq2[N, error] {
	return func(yield func(N, error) bool) {
		for n, err := range heard {
			var typed, none N
			if err == nil {
				var text []byte
				if text, err = (&jsonrpc.Message{Kind: jsonrpc.Notification, Method: n.Method, Params: n.Params}).AppendJSON(nil); err == nil {
					typed, err = decode(text)
				}
				if err != nil {
					typed, err = none, prefix.Errorf("runtime: notification %s: %w", n.Method, err)
				}
			}
			if !yield(typed, err) {
				return
			}
		}
	}
}

// final reports whether another attempt to listen would fail in the same way.
func final(err error) bool {
	if e, ok := asError(err); ok {
		return e.Code != jsonrpc.CodeServerBusy && e.Code != jsonrpc.CodeUnavailable && e.Code != jsonrpc.CodeInternalError
	}
	_, method := errors.AsType[*MethodError](err)
	_, capability := errors.AsType[*CapabilityError](err)
	return method || capability || errors.Is(err, ErrClosed)
}

// errEnded is the end of a stream whose server has ended the subscription.
var errEnded = errors.New("runtime: the server has ended the subscription")

// listenOnce opens one stream and yields what it carries. More is false if yield has returned false.
func (s *Session) listenOnce(ctx context.Context, l *listener, yield func(Notification, error) bool) (more bool, err error) {
	defer l.side.listeners.remove(l)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	subscribe := s.subscribeStream
	if !l.side.server.Load().stateless {
		subscribe = s.subscribeSession
	}
	if !l.side.life.Go(func() { l.end(cmp.Or(subscribe(ctx, l), errEnded)) }) {
		return true, ErrClosed
	}
	for {
		heard, over := l.take()
		for _, n := range heard {
			if l.acknowledged.IsZero() && n.Method == methodAck {
				l.acknowledged = time.Now()
				s.warnNotHonoured(l.filter, n.Params)
			}
			if !yield(n, nil) {
				return false, nil
			}
		}
		if over != nil {
			return true, over
		}
		select {
		case <-l.news:
		case <-ctx.Done():
			l.end(ctx.Err()) // what was received before is not lost
		}
	}
}

// subscribeStream sends subscriptions/listen and waits for its answer, which ends the subscription.
func (s *Session) subscribeStream(ctx context.Context, l *listener) error {
	p := l.side.server.Load()
	r, err := p.maySend(jsonrpc.Request, methodListen, nil)
	if err != nil {
		return err
	}
	defer l.side.listeners.remove(l) // listenOnce may have returned before the request has begun
	params := wire.Object(`{"notifications":` + string(l.filter) + `}`)
	m := sender{conn: l.side.conn, peer: p}.message(jsonrpc.Request, methodListen, params)
	m.sent.row, m.sent.begun = r, func(id int64) {
		l.id = wire.ScalarOf(id)
		l.side.listeners.add(l)
	}
	_, err = l.side.transmit(ctx, m)
	return err
}

// subscribeSession subscribes in a session to what the server honours of the filter, until ctx ends.
func (s *Session) subscribeSession(ctx context.Context, l *listener) error {
	p, of := l.side.server.Load(), &l.side.listeners
	var honoured wire.Members
	for name, value := range l.filter.All() {
		for method, r := range p.rows {
			if name == "" || name != r.Filter || value == "null" {
				continue
			}
			if _, err := r.asked(value); err != nil {
				return err // as a server without sessions would answer
			}
			if r.FilterParam == "" && p.theirs.has(r.need()) {
				if honoured.Set(name, value); value == "true" {
					l.methods = append(l.methods, method)
				}
			}
		}
	}
	of.add(l)
	defer of.unsubscribe(l)
	var accepted []wire.Raw
	resources, _ := l.filter.Get(memberResources)
	for _, item := range resources.Elements() {
		uri, _ := item.Str()
		switch err := of.subscribe(ctx, l, uri); {
		case err == nil:
			accepted = append(accepted, item)
		case refuses(err):
			l.side.debug("subscription refused", slog.String("uri", uri), slog.Any("error", err))
		default:
			return err
		}
	}
	if len(accepted) > 0 {
		honoured.Set(memberResources, wire.ArrayOf(accepted))
	}
	text, err := wire.NewObject(honoured...)
	if err != nil {
		return err
	}
	of.acknowledge(l, text)
	select {
	case <-ctx.Done():
	case <-l.side.life.Background().Done():
		return ErrClosed
	}
	return ctx.Err()
}

// refuses reports whether an error of a subscription in a session means that there is none.
func refuses(err error) bool {
	_, refused := asError(err)
	return refused || final(err) && !errors.Is(err, ErrClosed)
}

// warnNotHonoured logs which parts of the filter the server does not honour ("Acknowledgment" in
// basic/patterns/subscriptions).
func (s *Session) warnNotHonoured(asked wire.Object, ack wire.Raw) {
	honoured, _ := wire.Object(ack).Get("notifications")
	for name, want := range asked.All() {
		if got, _ := wire.Object(honoured).Get(name); !honours(got, want) && want != "false" {
			s.current().logger().Warn("the server does not honour a part of the subscription", "notifications", name, "asked", fmt.Sprintf("%.200s", want), "honoured", fmt.Sprintf("%.200s", got))
		}
	}
}

// honours reports whether a member of an acknowledged filter has all that was asked for.
func honours(got, want wire.Raw) bool {
	if want.Kind() != wire.KindArray {
		return wire.Equal(got, want)
	}
	var all []wire.Raw
	if got.Kind() == wire.KindArray {
		all = got.Elements()
	}
	return !slices.ContainsFunc(want.Elements(), func(item wire.Raw) bool {
		return !slices.ContainsFunc(all, func(other wire.Raw) bool { return wire.Equal(other, item) })
	})
}

// listener collects the notifications of one stream.
type listener struct {
	side         *clientSide
	filter       wire.Object
	id           wire.Scalar // of the request; zero in a session
	methods      []string    // in a session: those it wants
	asked        []string    // in a session: URIs of resources that it is or may become subscribed to
	uris         []string    // in a session: those of them that it is subscribed to
	ready        bool        // in a session: the filter is acknowledged, and nothing is taken before
	acknowledged time.Time   // zero before that

	news chan struct{} // holds a token if there may be something to take

	mu    sync.Mutex
	heard []Notification
	bytes int
	over  error // why nothing more comes; nil before
}

func newListener(filter wire.Object, on *clientSide) *listener {
	return &listener{side: on, filter: filter, news: make(chan struct{}, 1)}
}

// put adds a notification unless an equal one waits.
func (l *listener) put(n Notification) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.over != nil || slices.Contains(l.heard, n):
		return
	case len(l.heard) == maxWaiting || l.bytes+len(n.Params) > maxWaitingBytes:
		l.over = errOverrun
	default:
		l.heard, l.bytes = append(l.heard, n), l.bytes+len(n.Params)
	}
	l.wake()
}

// end says why nothing more comes.
func (l *listener) end(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = cmp.Or(l.over, why)
	l.wake()
}

func (l *listener) wake() {
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// take removes and returns the notifications that wait, and why nothing comes after them.
func (l *listener) take() (heard []Notification, over error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	heard, l.heard, l.bytes = l.heard, nil, 0
	return heard, l.over
}

// wants reports whether a notification is for the listener.
func (l *listener) wants(m *jsonrpc.Message, subscription wire.Scalar) bool {
	if !l.id.IsZero() {
		return subscription == l.id
	}
	return l.ready && (slices.Contains(l.methods, m.Method) || m.Method == methodUpdated && contains(l.uris, wire.Object(m.Params).GetString("uri")))
}

// listeners are the listeners of a connection. The zero value is ready for use.
type listeners struct {
	mu  sync.Mutex
	all []*listener
	own map[string]bool // the resources of a session that the program has subscribed to by itself

	requesting sync.RWMutex // keeps the end of a subscription apart from those that are being made
}

func (s *listeners) add(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, l)
}

func (s *listeners) remove(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.all, l); i >= 0 {
		s.all = slices.Delete(s.all, i, i+1)
	}
}

// subscribe subscribes to a resource of a session for a listener, unless the server sends its updates already.
func (s *listeners) subscribe(ctx context.Context, l *listener, uri string) error {
	s.requesting.RLock()
	defer s.requesting.RUnlock()
	s.mu.Lock()
	subscribed := s.own[uri] || slices.ContainsFunc(s.all, func(l *listener) bool { return slices.Contains(l.uris, uri) })
	l.asked = append(l.asked, uri) // so that release keeps the subscription
	s.mu.Unlock()
	var err error
	if !subscribed {
		err = l.side.sender().Call(ctx, methodSubscribe, uriParams(uri), nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		l.uris = append(l.uris, uri)
	} else if refuses(err) {
		l.asked = l.asked[:len(l.asked)-1]
	}
	return err
}

// acknowledge passes to a listener of a session the part of its filter that is honoured, and then notifications.
func (s *listeners) acknowledge(l *listener, honoured wire.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.put(Notification{methodAck, wire.Raw(`{"notifications":` + string(honoured) + `}`)})
	l.ready = true
}

// unsubscribe removes the listener of a session, and ends the subscriptions that nobody else needs. The session goes
// on, so the server is told after the end of the context of the listener. unsubscribe does not wait for that.
func (s *listeners) unsubscribe(l *listener) {
	s.remove(l)
	if len(l.asked) == 0 {
		return
	}
	l.side.life.Go(func() {
		s.requesting.Lock()
		defer s.requesting.Unlock()
		ctx, cancel := context.WithTimeout(l.side.life.Context(), waits.Delete)
		defer cancel()
		var all sync.WaitGroup
		for _, uri := range l.asked {
			if !s.needs(uri) {
				all.Go(func() { _ = l.side.sender().Call(ctx, methodUnsubscribe, uriParams(uri), nil) })
			}
		}
		all.Wait()
	})
}

// release ends what hold has begun. It returns false if no listener needs the resource either, so that the server has
// to be told.
func (s *listeners) release(uri string) bool {
	s.mu.Lock()
	delete(s.own, uri)
	s.mu.Unlock()
	return s.needs(uri)
}

// needs reports whether a listener or the program is subscribed to a resource of a session, or a listener may become so.
func (s *listeners) needs(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.own[uri] || slices.ContainsFunc(s.all, func(l *listener) bool { return slices.Contains(l.asked, uri) })
}

// hold is called when the program itself has subscribed to a resource of a session.
func (s *listeners) hold(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own == nil {
		s.own = make(map[string]bool)
	}
	s.own[uri] = true
}

// has reports whether a request is that of a listener.
func (s *listeners) has(id wire.Scalar) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !id.IsZero() && slices.ContainsFunc(s.all, func(l *listener) bool { return l.id == id })
}

// take passes a notification to its listeners. It returns true if the handlers must not get it as
// well, as they do in a session.
func (s *listeners) take(m *jsonrpc.Message) (taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		return false
	}
	meta, _ := wire.Object(m.Params).Get("_meta")
	id, _ := wire.Object(meta).GetScalar(metaSubscription)
	for _, l := range s.all {
		if l.wants(m, id.Canonical()) {
			l.put(Notification{m.Method, m.Params.Clone()})
			taken = taken || !l.id.IsZero() // in a session, the notification has no single receiver
		}
	}
	return taken
}
