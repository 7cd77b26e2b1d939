package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// request is the Call of a message of the peer: takeRequest admits and registers it, serve calls its handler, and answer
// sends the answer, unless the request has been removed from the requests of the connection before. A notification has
// one, too, which serveNotification passes to its handler.
type request struct{ *Call }

// received returns the call of a message that the peer has sent.
func (cn *conn) received(m *jsonrpc.Message, a admission, in *Incoming) request {
	c := cn.newCall(cn.life.Context(), a.peer, m)
	c.reply, c.inline, c.remote = in.Reply, a.inline, in.Header != nil
	if a.peer.serving() {
		c.row = a.row
	}
	if m.Kind == jsonrpc.Request {
		c.context.Context, c.cancel = context.WithCancelCause(cn.handlerContext)
	}
	if in.Context != nil {
		// The end and the cause of the context do not apply to the handler.
		c.context.values = context.WithoutCancel(in.Context)
	}
	return request{c}
}

// serve calls the handler and sends its answer. If the handler or the encoding of its result panics or fails, the
// answer is an error. After serve, its goroutine does not use the session.
func (c request) serve() {
	cn := c.conn
	defer cn.requests.end()
	defer c.cancel(nil)
	if c.unbind != nil {
		defer c.unbind()
	}
	buf := cn.buffers.get()
	defer cn.buffers.put(buf)
	var failure error
	returned := false
	defer func() {
		if !returned { // recover returns nil after runtime.Goexit, which continues
			cn.logFailure("handler panicked", "method", c.m.Method, "id", c.id, "panic", recover(), "stack", string(debug.Stack()))
			failure = cn.encodeError(buf, c.id, errInternal)
		}
		c.answer(buf, failure)
	}()
	result, err := c.peer.serve(&c.context, &c.m)
	if err == nil && result == nil {
		err = errors.New("runtime: the handler returned no result")
	}
	if err == nil {
		err = c.encodeResult(buf, result)
	}
	if err != nil {
		failure = c.encodeError(buf, err)
	}
	returned = true
}

// serveNotification calls the handler of a notification.
func (c request) serveNotification() {
	returned := false
	defer func() {
		c.over.Store(true)
		if !returned {
			c.conn.logFailure("handler panicked", "method", c.m.Method, "panic", recover(), "stack", string(debug.Stack()))
		}
	}()
	_, err := c.peer.serve(&c.context, &c.m)
	returned = true
	switch {
	case err == nil:
	case isMethodNotFound(err):
		c.conn.debug("notification ignored", slog.String("method", c.m.Method), slog.Any("error", err))
	default:
		c.conn.logger().Warn("notification failed", "method", c.m.Method, "error", err)
	}
}

func (c request) encodeResult(buf *[]byte, result wire.Appender) error {
	text, err := (&jsonrpc.Message{Kind: jsonrpc.Response, ID: c.id}).Begin(*buf)
	if err != nil {
		return err
	}
	text = append(text, `,"result":`...)
	if c.row != nil {
		text, err = statelessCall(c).appendResult(text, result)
	} else if text, err = result.AppendJSON(text); err != nil {
		err = wire.In(err, "result")
	}
	if err == nil {
		*buf = append(text, '}')
	}
	return err
}

// encodeError writes the text of the answer for an error of the handler to buf. It returns the error that the text has.
func (c request) encodeError(buf *[]byte, err error) error {
	if c.row != nil {
		err = statelessCall(c).restated(err)
	}
	if peerError(err) == errInternal && context.Cause(&c.context) == ErrShutdown {
		err = errCutShort
	}
	if peerError(err) == errInternal && c.context.Err() == nil {
		c.conn.logFailure("request failed", "method", c.m.Method, "id", c.id, "error", err)
	}
	return c.conn.encodeError(buf, c.id, err)
}

// answer ends the call, after which it can send nothing more. It then sends the text in buf, which is that of a result
// or an error, unless the request was cancelled or the session is over. The id is released before the answer is sent,
// because the peer may reuse it as soon as it has the answer. The context is that of the session, because a
// cancellation that arrives while the answer is being sent is too late. In the end, answer starts the call that Detach
// made.
func (c request) answer(buf *[]byte, failure error) {
	cn := c.conn
	c.finished()
	answered := cn.requests.remove(c) && cn.life.Context().Err() == nil
	if answered {
		cn.send(cn.life.Context(), buf, c.reply, Outgoing{Kind: jsonrpc.Response, ID: c.id, Err: failure})
		if c.listener != nil && failure == nil {
			c.listener.subscriber.sendEnd()
		}
	} else if !c.abandoned {
		skip(c.reply)
	}
	if d := c.detached.Load(); d != nil && d.call != c.Call {
		if !answered {
			d.call.cancel(context.Canceled)
		}
		close(d.answered)
	}
}

// answerAbandoned answers a request in place of its handler.
func (c request) answerAbandoned() {
	cn := c.conn
	buf := cn.buffers.get()
	defer cn.buffers.put(buf)
	cn.encodeError(buf, c.id, errCutShort) // not c.encodeError, because the handler's goroutine may run
	cn.send(cn.life.Context(), buf, c.reply, Outgoing{Kind: jsonrpc.Response, ID: c.id, Err: errCutShort, Abandoned: true})
}

// disconnected cancels a request whose client has closed the response.
func (c request) disconnected() {
	c.cancelledByPeer("the client has closed the connection")
}

// cancelledByPeer ends the context of a request that the client has cancelled, unless it is answered.
func (c request) cancelledByPeer(reason string) {
	if c.conn.requests.remove(c) {
		c.conn.debug("request cancelled by the peer", slog.String("method", c.m.Method), loggedID(c.id), slog.String("reason", reason))
		c.cancel(&CancelledError{Reason: reason})
	}
}

// requests are the requests of the peer that are being handled.
type requests struct {
	limit int // how many are handled at a time; 0 for those of many peers: ids mean nothing, as each peer has its own

	mu       sync.Mutex
	all      []request     // those without an answer
	running  int           // number of handlers
	room     engine.Room   // for another handler
	drained  chan struct{} // not nil after stop; closed when running is 0
	served   chan struct{} // like drained; closed when all is empty
	stopping chan struct{} // closed by stop; nil until stopped is called
}

// verdict says whether a request is begun, or why it is not.
type verdict int

const (
	begun      verdict = iota
	notAllowed         // admit has refused the message, or its params are too long
	busy               // too many requests are being handled
	duplicate          // a request with the same id is being handled
	shutDown           // stop has been called
)

// begin registers a request. If too many are being handled, it waits, see [engine.Room]. Unless there are many peers,
// only the goroutine that reads calls it. After begun, end must be called.
func (s *requests) begin(ctx context.Context, c request) (verdict, error) {
	c.key = c.id.Canonical()
	s.mu.Lock()
	defer s.mu.Unlock()
	full := func() bool { return s.running == s.limit && s.limit > 0 && s.drained == nil }
	switch {
	case full() && !s.room.Wait(ctx, &s.mu, full):
		return busy, c.peer.refusalFor(jsonrpc.Errorf(jsonrpc.CodeServerBusy, "busy: %d requests in flight", s.limit))
	case s.drained != nil:
		return shutDown, c.peer.refusalFor(errNotBegun)
	case s.limit > 0 && slices.ContainsFunc(s.all, func(other request) bool { return other.key == c.key }):
		return duplicate, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: id %.100s is that of a request in flight", c.id.String())
	}
	c.index = len(s.all)
	s.all = append(s.all, c)
	s.running++
	return begun, nil
}

// cancel cancels the request with the id in the params of notifications/cancelled. It returns false if no such request
// is being handled; the protocol requires that the notification is then ignored.
func (s *requests) cancel(params wire.Raw) bool {
	id, _ := wire.Object(params).GetScalar("requestId")
	s.mu.Lock()
	i := slices.IndexFunc(s.all, func(c request) bool { return s.limit > 0 && c.key == id.Canonical() })
	var c request
	if i >= 0 {
		c = s.all[i]
	}
	s.mu.Unlock()
	if i >= 0 {
		c.cancelledByPeer(fmt.Sprintf("%.200s", wire.Object(params).GetString("reason")))
	}
	return i >= 0
}

// remove removes a request before it is answered. It returns false if it has been removed already and must not be
// answered. It keeps room for few requests only, because most connections are idle most of the time.
func (s *requests) remove(c request) bool {
	const keptRoom = 4
	s.mu.Lock()
	defer s.mu.Unlock()
	i, last := c.index, len(s.all)-1
	if i > last || s.all[i] != c {
		return false
	}
	s.all[last].index = i
	s.all[i], s.all[last] = s.all[last], request{}
	if s.all = s.all[:last]; last > 0 {
		return true
	}
	if cap(s.all) > keptRoom {
		s.all = nil
	}
	if s.served != nil {
		close(s.served)
	}
	return true
}

// end is called when the handler of a request has ended and its answer is sent.
func (s *requests) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == s.limit {
		s.room.Free()
	}
	s.running--
	if s.drained != nil && s.running == 0 {
		close(s.drained)
	}
}

// stop makes begin refuse further requests. Drained is closed when all handlers have ended, and served when all
// requests are answered or removed, although answers may still be on their way.
func (s *requests) stop() (drained, served <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drained == nil {
		s.drained, s.served = make(chan struct{}), make(chan struct{})
		if s.stopping != nil {
			close(s.stopping)
		}
		s.room.Free() // so that no request waits only to be refused
		if s.running == 0 {
			close(s.drained)
		}
		if len(s.all) == 0 {
			close(s.served)
		}
	}
	return s.drained, s.served
}

// stopped returns a channel that is closed by stop, for requests that last until then.
func (s *requests) stopped() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping == nil {
		s.stopping = make(chan struct{})
		if s.drained != nil {
			close(s.stopping)
		}
	}
	return s.stopping
}

// cancelAll ends the contexts of the requests without an answer.
func (s *requests) cancelAll(cause error) {
	s.mu.Lock()
	all := slices.Clone(s.all)
	s.mu.Unlock()
	for _, c := range all {
		c.cancel(cause)
	}
}

// abandon removes and returns the requests without an answer, which are answered in place of their handlers.
func (s *requests) abandon() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	for _, c := range all {
		c.abandoned = true
	}
	if s.all = nil; len(all) > 0 && s.served != nil {
		close(s.served)
	}
	return all
}

// handlers returns how many handlers have not ended.
func (s *requests) handlers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// batch collects the answers to the requests of one incoming batch. When the last one is ready, it
// sends them as one array, in the order in which they became ready.
type batch struct {
	conn *conn
	to   Reply

	mu   sync.Mutex
	left int    // number of missing answers, plus one until all messages are taken
	text []byte // the array so far, "[" and no "]"

	abandoned bool // a handler does not return, see Outgoing
}

// batched is the Reply of one message in a batch.
type batched struct{ *batch }

// Send implements Reply.
func (b *batched) Send(ctx context.Context, m Outgoing) error {
	if m.Kind == jsonrpc.Response {
		b.mu.Lock()
		b.abandoned = b.abandoned || m.Abandoned
		b.mu.Unlock()
		b.add(m.Text)
		return nil
	}
	return b.conn.send(ctx, &m.Text, b.to, m)
}

// Unwrap returns the Reply of the whole batch.
func (b *batched) Unwrap() Reply { return b.to }

// skip records that a message gets no answer, for a batch that waits for it.
func skip(to Reply) {
	if b, ok := to.(*batched); ok {
		b.add(nil)
	}
}

// add adds a copy of an answer. Text is nil if there is none.
func (b *batch) add(text []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if text != nil {
		sep := byte(',')
		if b.text == nil {
			sep = '['
		}
		b.text = append(append(b.text, sep), text...)
	}
	if b.left--; b.left == 0 && b.text != nil {
		b.text = append(b.text, ']')
		b.conn.send(b.conn.life.Context(), &b.text, b.to, Outgoing{Kind: jsonrpc.Response, Abandoned: b.abandoned})
	}
}
