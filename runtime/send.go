package runtime

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The way of a message that this side sends:
//
//	Call, Notify   of a Call, a Session or a ServerSession, each of which makes a sender
//	Around         of the binding, which may convert the message
//	sendChecked    asks maySend whether the revision and the capabilities allow the message
//	ask            of the side: a client repeats requests, and returns results that it has kept
//	transmit       the middleware of the option Sending, and within it sendOnce
//	exchange       registers a request, writes it and waits for its answer; sendNotification for notifications,
//	               fromRounds for the questions of a stateless call
//	write          encodes the message and passes it to the Reply or the transport

// sender sends the messages of this side's code to the peer. It is the Caller behind Call, Session and
// ServerSession.
type sender struct {
	conn *conn
	peer *peer // nil before the handshake
	to   Reply // nil for messages without a request
	call *Call // the call that sends; nil outside of calls

	subscriber *subscriber // that gets the notification; nil if the call itself sends it
	send       Handler     // nil for that of the peer
}

// sent is the part of a Message that only those of this side have. The copies of a message share it.
type sent struct {
	sender
	row     *Method    // of the message
	key     string     // of a question that a stateless call has asked and the client answered; "" otherwise
	id      int64      // 0 before it is sent
	answer  wire.Raw   // the last result; "" before
	into    wire.Value // see Message.Into
	decoded bool       // into holds the result

	accept   func(engine.Answer) engine.Answer // see engine.Options
	progress func(engine.Report)               // receives the progress until the answer; nil if the caller does not want any
	follow   *engine.Feed                      // receives it also after the answer, in place of progress; nil for none
	begun    func(id int64)                    // called with the id before the request is sent; nil for none
	lookup   *lookup                           // with which the result is kept; nil if it is not
}

// message returns a message, which is one allocation.
func (s sender) message(kind jsonrpc.Kind, method string, params wire.Appender) *Message {
	s.peer = cmp.Or(s.peer, unknownPeer)
	m := &struct {
		Message
		own sent
	}{Message: Message{Kind: kind, Method: method, Params: params}, own: sent{sender: s, row: &noRow}}
	m.sent = &m.own
	return &m.Message
}

// handler returns the Handler that the messages of s pass through.
func (s sender) handler() Handler {
	if s.send != nil {
		return s.send
	}
	return s.peer.send
}

// Call implements Caller.
func (s sender) Call(ctx context.Context, method string, params wire.Appender, result wire.Value) error {
	m := s.message(jsonrpc.Request, method, params)
	m.sent.into = result
	return s.do(ctx, m, s.handler())
}

// do sends a request and decodes its result.
func (s sender) do(ctx context.Context, m *Message, send Handler) error {
	result, err := send(ctx, m)
	if err != nil || m.sent.into == nil || m.sent.decoded {
		return err
	}
	text, err := TextOf(result)
	if err == nil && text == "" {
		err = fmt.Errorf("runtime: middleware returned no result of %s", m.Method)
	}
	if err != nil {
		return err
	}
	return m.Decode(ctx, text)
}

// Notify implements Caller.
func (s sender) Notify(ctx context.Context, method string, params wire.Appender) error {
	_, err := s.handler()(ctx, s.message(jsonrpc.Notification, method, params))
	return err
}

// Around returns a Caller whose messages go through wrap before c sends them.
func Around(c Caller, wrap Middleware) Caller {
	return sender{send: wrap(func(ctx context.Context, m *Message) (wire.Appender, error) {
		if m.Kind == jsonrpc.Notification {
			return nil, c.Notify(ctx, m.Method, m.Params)
		}
		var result wire.Raw
		if err := c.Call(ctx, m.Method, m.Params, &result); err != nil {
			return nil, err
		}
		return result, nil
	})}
}

// sendChecked sends a message if the revision and the capabilities of both sides allow that. It is the Handler that
// Around of a binding wraps.
func sendChecked(ctx context.Context, m *Message) (wire.Appender, error) {
	s := m.sent
	var err error
	if s.row, err = s.peer.maySend(m.Kind, m.Method, m.Params); err != nil {
		return nil, err
	}
	if m.Kind == jsonrpc.Request {
		s.progress, s.follow = reporterOf(ctx, s.conn)
		return s.conn.side.ask(ctx, m)
	}
	if s.subscriber != nil {
		if !s.subscriber.wants(m.Method, m.Params) {
			return nil, nil
		}
		m = m.With(s.subscriber.tagged(m.Params))
	} else if s.call != nil && s.peer.serving() {
		if err := s.call.scoped(m.Method, s.row); err != nil {
			return nil, err
		}
	}
	return s.conn.transmit(ctx, m)
}

// sendOnce sends a message once, and waits for the answer to a request. It is the Handler that the middleware of Sending
// wraps.
func sendOnce(ctx context.Context, m *Message) (wire.Appender, error) {
	s := m.sent
	if m.Kind == jsonrpc.Notification {
		return nil, s.sendNotification(ctx, m.Method, m.Params)
	}
	s.id, s.answer = 0, ""
	var err error
	if s.peer.serving() {
		s.answer, err = s.fromRounds(ctx, m)
	} else {
		s.answer, err = s.exchange(ctx, m)
	}
	if err != nil {
		return nil, err
	}
	if s.answer, err = s.conn.side.complete(ctx, m, s.answer); err != nil {
		return nil, err
	}
	return &s.answer, nil // valid until the request is sent again
}

// fromRounds returns the client's answer to a request of a stateless call, which is not sent but asked in its result.
func (s *sent) fromRounds(ctx context.Context, m *Message) (wire.Raw, error) {
	if s.call == nil || s.call.row == nil {
		return "", errNoInput(m.Method)
	}
	return statelessCall{s.call}.input(ctx, m)
}

// exchange sends a request and waits for its answer. If it stops waiting, it tells the peer that the request is
// cancelled, except for initialize, where the protocol forbids it, and for the probe with server/discover, which the
// server may not know.
func (s *sent) exchange(ctx context.Context, m *Message) (wire.Raw, error) {
	cn := s.conn
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if s.call.cancelled() {
		return "", context.Cause(&s.call.context)
	}
	feed := s.follow
	if s.progress != nil {
		feed = engine.NewFeed()
	}
	w, err := cn.pending.Begin(engine.Options{Accept: s.accept, Feed: feed, Follow: s.follow != nil})
	if err != nil {
		return "", unsentError{err}
	}
	s.id = w.ID
	if s.begun != nil {
		s.begun(w.ID)
	}
	over := false
	defer func() {
		if over {
			cn.pending.Done(w)
		} else { // a function of the program has panicked, and the answer may still come
			cn.pending.GiveUp(w)
		}
	}()
	limit := cn.limits.patience(ctx, m.Method)
	sending := ctx
	if _, ok := cn.transport.(prober); ok && limit.Quiet > 0 { // on others, sending does not wait for the peer
		limited := &sendLimit{parent: ctx, limit: limit.Quiet}
		defer limited.end()
		sending = limited
	}
	id, meta := wire.ScalarOf(w.ID), ""
	if s.wantsProgress() {
		meta = metaMember("progressToken", id)
	}
	err = s.write(sending, Outgoing{Kind: jsonrpc.Request, ID: id, Method: m.Method, NameParam: s.row.NameParam}, m.Params, s.row, meta)
	written := err == nil || sending.Err() != nil // the transport may still be sending it
	var r engine.Answer
	if err == nil {
		r, err = s.await(ctx, w, limit)
	}
	if err != nil && !cn.pending.GiveUp(w) {
		// The answer or the end of the session came first. The reason for the end of the session
		// says more than the error of sending.
		r, err = <-w.Reply(), nil
	}
	over = true
	switch {
	case errors.Is(err, engine.ErrExpired) || err == nil && r.Err == engine.ErrExpired:
		err = &TimeoutError{Method: m.Method, Quiet: limit.Quiet, Total: limit.Total}
	case err == nil:
		return r.Result, r.Err
	}
	if written && m.Method != methodInitialize && s.accept == nil {
		s.withdraw(reasonOf(ctx, err))
	}
	return "", err
}

// prober is a client's transport on which a server may be silent instead of refusing a request: one with a
// single stream for all answers. Other transports bring an answer or an error for each request.
type prober interface {
	// ProbeTimeout returns how long the client waits for the answer to server/discover before it sends
	// initialize as well. A negative duration means no limit.
	ProbeTimeout() time.Duration
}

// wantsProgress reports whether the request asks for progress.
func (s *sent) wantsProgress() bool { return s.progress != nil || s.follow != nil }

// await waits for the answer until ctx or the caller's patience ends.
func (s *sent) await(ctx context.Context, w *engine.Waiter, limit engine.Patience) (engine.Answer, error) {
	s.conn.pending.Limit(w, limit)
	if from := s.conn.reader.Load(); from != nil {
		if s.wantsProgress() {
			from.Resume()
		} else if r, ok := from.Await(w); ok {
			return r, nil
		}
	}
	return w.Await(ctx, s.progress)
}

// limited returns a context that ends with the error why when a call has taken as long as limit, of which a
// part has passed. It has no deadline, so that each request of the call keeps its own limit. If limit is 0, the
// call has none.
func limited(ctx context.Context, limit, passed time.Duration, why error) (context.Context, context.CancelFunc) {
	if limit <= 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	// A timer takes 160 bytes, where a goroutine that waits would take 3 KB.
	timer := time.AfterFunc(limit-passed, func() { cancel(why) })
	return ctx, func() {
		timer.Stop()
		cancel(nil)
	}
}

// sendLimit is a context that ends with engine.ErrExpired when a send has waited for the peer as long as limit. It
// allocates nothing more before the first call of Done, which a send to a peer that reads need not make.
type sendLimit struct {
	parent context.Context
	limit  time.Duration

	mu    sync.Mutex
	begun context.Context // nil before the first call of Done
	stop  context.CancelFunc
}

// now returns the context that decides, and lets the time begin if wait is true.
func (l *sendLimit) now(wait bool) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.begun != nil:
		return l.begun
	case !wait:
		return l.parent
	}
	l.begun, l.stop = limited(l.parent, l.limit, 0, engine.ErrExpired)
	return l.begun
}

func (l *sendLimit) Deadline() (time.Time, bool) { return l.parent.Deadline() }

func (l *sendLimit) Done() <-chan struct{} { return l.now(true).Done() }

func (l *sendLimit) Err() error { return l.now(false).Err() }

func (l *sendLimit) Value(key any) any { return l.now(false).Value(key) }

// end is called when the send has returned.
func (l *sendLimit) end() {
	if l.mu.Lock(); l.stop != nil {
		l.stop()
	}
	l.mu.Unlock()
}

// withdraw tells the peer that a request is cancelled. It uses a goroutine, so that the caller does not
// wait for a peer that does not read; the answer of the call that has sent the request waits. The context of
// the session does not apply, because many callers close the session immediately after a cancelled call.
func (s *sent) withdraw(reason string) {
	params := cancelledParams{wire.ScalarOf(s.id), reason}
	from, life, held := s.sender, &s.conn.life, s.call.hold()
	told := func() {
		if held {
			from.call.unhold()
		}
	}
	begun := life.Go(func() {
		defer told()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(life.Context()), DefaultTimeout)
		defer cancel()
		from.writeNotification(ctx, methodCancelled, params)
	})
	if !begun {
		told()
	}
}

// reasonOf returns the reason that the peer gets for the cancellation of a request that was made with ctx and
// failed with err.
func reasonOf(ctx context.Context, err error) string {
	if e, ok := errors.AsType[*TimeoutError](err); ok {
		return fmt.Sprintf("no answer within %v", e.Quiet)
	}
	if e, ok := errors.AsType[*CancelledError](context.Cause(ctx)); ok && e.Reason != "" {
		return e.Reason
	}
	if ctx.Err() == context.DeadlineExceeded {
		return "no answer in time"
	}
	return "the request was cancelled"
}

// write sends a request with the row of its method, or a notification without one. Meta is a member of their _meta, as
// text, or "".
func (s *sender) write(ctx context.Context, m Outgoing, params wire.Appender, r *Method, meta string) error {
	buf := s.conn.buffers.get()
	defer s.conn.buffers.put(buf)
	text, err := (&jsonrpc.Message{Kind: m.Kind, ID: m.ID, Method: m.Method}).Begin(*buf)
	if err == nil {
		text, err = s.appendParams(text, m.Method, params, meta)
	}
	if err != nil {
		return prefix.Errorf("runtime: %s %s: %w", m.Kind, m.Method, err)
	}
	text = append(text, '}')
	if r != nil {
		if err := s.peer.refine(r, text); err != nil {
			return err
		}
	}
	if m.Method == methodMessage && !s.logs(LogDebug) {
		params, _ := wire.Object(text).Get("params")
		if !s.logs(LogLevel(wire.Object(params).GetString("level"))) {
			return nil
		}
	}
	*buf = text
	if s.peer.stateless {
		m.Revision = s.peer.Revision
	}
	return s.conn.send(ctx, buf, s.to, m)
}

// appendParams appends the member params of a message. Meta is a member of their _meta, as text, or "". A request of a
// client without a session says in its _meta what a session would have agreed on ("_meta" in basic, 2026-07-28).
func (s *sender) appendParams(dst []byte, method string, params wire.Appender, meta string) ([]byte, error) {
	with := metaParams{params: params, members: meta}
	if p := s.peer; p.envelope != "" && p.row(method).Kind != jsonrpc.Notification {
		with.members = p.envelope
		if meta != "" {
			with.members += "," + meta
		}
		if wanted := s.conn.requestLevel.Load(); wanted != nil {
			with.level = *wanted
		}
	}
	var err error
	switch {
	case with.members != "":
		dst, err = with.AppendJSON(append(dst, `,"params":`...))
	case params != nil:
		dst, err = params.AppendJSON(append(dst, `,"params":`...))
	}
	return dst, wire.In(err, "params")
}

// sendNotification sends a notification. It sends nothing if ctx has ended or the peer has
// cancelled the request, whatever the transport would do.
func (s *sender) sendNotification(ctx context.Context, method string, params wire.Appender) error {
	if s.call != nil && s.peer.serving() {
		if s.call.context.Err() != nil || !s.call.hold() {
			return errAnswered
		}
		defer s.call.unhold()
	} else if s.call.cancelled() {
		return errAnswered
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.writeNotification(ctx, method, params)
}

// writeNotification sends a notification without middleware.
func (s *sender) writeNotification(ctx context.Context, method string, params wire.Appender) error {
	return s.write(ctx, Outgoing{Kind: jsonrpc.Notification, Method: method}, params, nil, "")
}

// cancelledParams are the params of notifications/cancelled.
type cancelledParams struct {
	id     wire.Scalar
	reason string
}

// AppendJSON appends the params object.
func (p cancelledParams) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	w.Value("requestId", &p.id)
	w.String("reason", p.reason)
	return w.Close()
}

// metaParams are params with members added to their _meta.
type metaParams struct {
	params  wire.Appender // nil for none
	members string        // as text, separated by commas; they replace those of the same names
	level   LogLevel      // of the log messages that a request asks for, unless it asks for another one; "" for none
}

// metaMember returns the text of a member that is an id of a request.
func metaMember(name string, id wire.Scalar) string {
	text, _ := id.AppendJSON(wire.AppendName(nil, name)) // ids are well-formed
	return string(text)
}

// AppendJSON appends the params object.
func (m metaParams) AppendJSON(dst []byte) ([]byte, error) {
	start := len(dst)
	if m.params == nil {
		dst = append(dst, "{}"...)
	} else {
		var err error
		if dst, err = m.params.AppendJSON(dst); err != nil {
			return dst, err
		}
	}
	if !extensible(dst[start:]) {
		return m.appendMerged(dst[:start], string(dst[start:]))
	}
	dst = m.appendMembers(append(wire.AppendComma(dst[:len(dst)-1]), `"_meta":{`...))
	return append(dst, "}}"...), nil
}

// appendMembers appends the members of m.
func (m metaParams) appendMembers(dst []byte) []byte {
	dst = append(dst, m.members...)
	if m.level != "" {
		dst = append(append(append(wire.AppendName(dst, metaLogLevel), '"'), m.level...), '"')
	}
	return dst
}

// extensible reports whether the text of an object is certain to have no _meta, so that the member
// can be appended.
func extensible(object []byte) bool {
	n := len(object)
	return n >= 2 && object[0] == '{' && object[n-1] == '}' && object[n-2] > ' ' &&
		!bytes.Contains(object, []byte("_meta")) && bytes.IndexByte(object, '\\') < 0 // as in \u005fmeta
}

// appendMerged is AppendJSON for the text of params that may have a _meta.
func (m metaParams) appendMerged(dst []byte, params string) ([]byte, error) {
	var meta wire.Object
	var err error
	dst = append(dst, '{')
	r := wire.NewStringReader(params)
	for r.BeginObject(); r.Member(); {
		if name := r.Name(); name == "_meta" {
			meta = r.ReadObject()
		} else if dst, err = wire.AppendKey(dst, name); err != nil {
			return dst, err
		} else {
			dst = append(dst, r.ReadRaw()...)
		}
	}
	if r.End(); r.Err() != nil {
		return dst, r.Err()
	}
	if meta.GetString(metaLogLevel) != "" {
		m.level = ""
	}
	dst = m.appendMembers(append(wire.AppendComma(dst), `"_meta":{`...))
	var added wire.Object
	for name, value := range meta.All() {
		if added == "" {
			added = wire.Object(append(m.appendMembers([]byte{'{'}), '}'))
		}
		if _, replaced := added.Get(name); replaced {
			continue
		}
		if dst, err = wire.AppendKey(dst, name); err != nil {
			return dst, err
		}
		dst = append(dst, value...)
	}
	return append(dst, "}}"...), nil
}
