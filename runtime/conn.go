package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// conn is one connection. It connects the parts of the engine with the transport and the side.
type conn struct {
	*settings
	side      side
	server    *serverSide // the side; nil for a client's
	transport Outbox

	peer     *peer                    // of the session; unknownPeer before the handshake has fixed the revision
	opened   atomic.Int64             // the time of the handshake, in nanoseconds; 0 before
	logLevel atomic.Int32             // the lowest severity of the log messages that the client of the session wants
	wanted   atomic.Pointer[LogLevel] // of the log messages that a client's stateless requests ask for; nil for none

	life     engine.Lifetime // without the handlers of requests
	values   context.Context // of the handlers of requests, which endContexts ends
	pending  engine.Pending
	requests requests
	queue    engine.Queue // notifications for their handlers

	heard atomic.Int64 // when the last message came, since started; only with KeepAlive

	reader atomic.Pointer[engine.Reader] // nil unless the connection reads by itself
	ended  func(error)                   // called with the error of the session after its end
	ending sync.Once                     // begins the end
	taking sync.Mutex                    // held while a message is taken, if several goroutines receive messages
	bad    atomic.Uint32                 // number of texts that were not messages

	// many means that the messages are of many peers, as those of all requests over HTTP without a session.
	// They have no order, and are taken at the same time.
	many bool
}

// newConn returns a connection. Its handlers get the values of ctx, which must not end.
func newConn(ctx context.Context, t Outbox, shared *settings, many bool) *conn {
	p := &conn{settings: shared, transport: t, peer: unknownPeer, many: many}
	if !many {
		p.requests.limit = shared.limits.MaxConcurrent
	}
	p.life.Init(ctx)
	p.values = ctx
	p.queue = engine.NewQueue(&p.life)
	return p
}

// end begins the end of the session, see [Inbox]. It may be called again.
func (p *conn) end(why error) {
	p.ending.Do(func() {
		go func() {
			err := p.finish(why)
			if e := p.server; e != nil {
				e.of.audience.leave(&e.session)
			}
			p.ended(err)
		}()
	})
}

// endContexts ends the contexts of all handlers. The contexts of requests are not derived from that of
// the session, which would have to keep a second list of them.
func (p *conn) endContexts(cause error) {
	p.life.End(cause)
	p.requests.cancelAll(cause)
}

// giveUp ends the session from this side.
func (p *conn) giveUp(why error) {
	p.endContexts(why)
	p.end(context.Cause(p.life.Context())) // of the first call: a ping may fail because its session is being closed
}

// finish ends the session because of err. It waits until the goroutines of the session have ended, but for a limited
// time. It returns nil if the peer has ended the session.
func (p *conn) finish(err error) error {
	var reading <-chan struct{}
	if r := p.reader.Load(); r != nil {
		reading = r.Stop()
	}
	p.hangUp(err)
	drained, _ := p.requests.refuse()
	p.life.Go(func() { <-drained }) // so that life.Wait waits for the handlers of requests, too
	p.life.Stop()
	if err == io.EOF { // the peer sends nothing more but still reads answers
		deadline := time.Now().Add(p.grace)
		ctx, cancel := context.WithDeadline(context.Background(), deadline)
		if p.drain(ctx) {
			p.life.Wait(time.Until(deadline), p.life.Context().Done())
		}
		cancel()
	}
	p.endContexts(ErrClosed)
	p.life.Wait(waits.Sending, nil)
	if err := p.transport.Close(); err != nil {
		p.debug("closing the transport failed", slog.Any("error", err))
	}
	p.life.Wait(waits.Abandoned, nil)
	if left := p.life.Running(); left > 0 {
		left += max(p.requests.handlers()-1, 0) // one goroutine waits for all of them
		p.logFailure("handlers have not returned although their contexts have ended", "handlers", left)
	}
	if reading != nil {
		engine.Wait(reading, waits.Sending, nil)
	}
	if err == io.EOF || err == ErrClosed {
		err = nil
	}
	p.logEnd(err)
	return err
}

// hangUp is called when the peer sends nothing more. It fails all current and later calls, and ends the
// background context of the session.
func (p *conn) hangUp(why error) {
	err := ErrClosed
	if why != nil && why != io.EOF && why != ErrClosed {
		err = prefix.Errorf("runtime: %w: %w", ErrClosed, why)
	}
	p.pending.Close(err)
	p.life.EndBackground(ErrClosed)
}

// encodeError writes the text of an error answer to buf. It returns the error of the answer, which is another one
// if err cannot be encoded.
func (p *conn) encodeError(buf *[]byte, id wire.Scalar, err error) error {
	text, failed := peerError(err).Answer(id).AppendJSON((*buf)[:0])
	if failed != nil {
		p.logFailure("an error could not be encoded", "error", failed)
		text, _ = errInternal.Answer(id).AppendJSON((*buf)[:0])
		err = errInternal
	}
	*buf = text
	return err
}

// send sends the text in buf. If to is nil, the message belongs to no request.
func (p *conn) send(ctx context.Context, buf *[]byte, to Reply, m Outgoing) error {
	m.Text = *buf
	if to == nil {
		to = p.transport
	}
	err := to.Send(ctx, m)
	if err != nil {
		p.debug("sending failed", slog.Any("kind", m.Kind), slog.String("method", m.Method), slog.Any("error", err))
	}
	return err
}

// sessionID returns the transport's name of the session, or "" if it has none.
func (p *conn) sessionID() string {
	if t, ok := p.transport.(Identified); ok {
		return t.SessionID()
	}
	return ""
}

// logger returns the logger of the options, with the LogID of the session. Sessions do not keep such a logger, to
// save memory.
func (p *conn) logger() *slog.Logger {
	if id := p.sessionID(); id != "" {
		return p.log.With("session", LogID(id))
	}
	return p.log
}

// event logs an event of the session. If the logger leaves out the level, event allocates nothing.
func (p *conn) event(level slog.Level, text string, attrs ...slog.Attr) {
	if ctx := context.Background(); p.log.Enabled(ctx, level) {
		p.logger().LogAttrs(ctx, level, text, attrs...)
	}
}

// debug is event with the level Debug.
func (p *conn) debug(text string, attrs ...slog.Attr) { p.event(slog.LevelDebug, text, attrs...) }

// logFailure logs a failure of this program.
func (p *conn) logFailure(text string, attrs ...any) { p.logger().Error(text, attrs...) }

// drain refuses new requests and waits until those in flight are answered. Messages are still read, because
// handlers may wait for answers of the peer. When deadline ends, drain cuts short the remaining requests. If the
// peer reads no answers, drain returns soon after all requests are handled, unless something other than a Transport
// puts the messages into the inbox, and limits that time. It reports whether all handlers have ended.
func (p *conn) drain(deadline context.Context) bool {
	drained, served := p.requests.refuse()
	if _, ok := p.transport.(Transport); !ok {
		served = nil
	}
	var unread <-chan time.Time
	for {
		select {
		case <-drained:
			return true
		case <-served:
			served, unread = nil, time.After(waits.Unread)
		case <-unread:
			return false
		case <-p.life.Context().Done():
			return false
		case <-deadline.Done():
			p.cutShort()
			return false
		}
	}
}

// cutShort ends the contexts of the requests in flight. The requests of handlers that do not return soon
// are answered with an error.
func (p *conn) cutShort() {
	over := p.life.Context().Done()
	p.requests.cancelAll(ErrShutdown)
	drained, _ := p.requests.refuse()
	engine.Wait(drained, waits.Cancelled, over)
	calls := p.requests.abandon()
	if len(calls) == 0 {
		return
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for _, c := range calls {
			p.logFailure("handler has not returned although its context has ended", "method", c.m.Method, "id", c.id)
			c.answerAbandoned()
		}
	}()
	engine.Wait(answered, waits.Sending, over)
}

// started is when the program started: times since then are monotonic.
var started = time.Now()

// keepAlive starts a goroutine that pings the peer when it has been silent for a while, and ends the session
// when too many pings in a row have failed (basic/utilities/ping).
func (p *conn) keepAlive() {
	every := p.limits.KeepAlive
	if every <= 0 {
		return
	}
	p.heard.Store(int64(time.Since(started)))
	p.life.Go(func() {
		for failed := 0; ; {
			wait, began := every+time.Duration(p.heard.Load())-time.Since(started), time.Now()
			switch {
			case wait > 0:
				failed = 0
			case p.answersPing(every):
				failed, wait = 0, every // also if the peer could not hear the ping
			default:
				failed++
				wait = every - time.Since(began)
				p.logger().Warn("ping failed", "failures", failed)
			}
			if failed == p.limits.KeepAliveFailures {
				p.giveUp(ErrUnresponsive)
				return
			}
			if sleep(p.life.Background(), wait) != nil {
				return
			}
		}
	})
}

// unheard is the error of a transport for a message that the peer cannot hear now, although the session goes on.
type unheard interface {
	error
	Unheard() bool
}

// answersPing reports whether the peer sends anything within limit after a ping. The ping has its own
// goroutine, because sending to a peer that does not read may be impossible to interrupt.
func (p *conn) answersPing(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(p.life.Context(), limit)
	defer cancel()
	heard := p.heard.Load()
	answered := make(chan bool, 1)
	if !p.life.Go(func() {
		ping := sender{conn: p}.message(jsonrpc.Request, methodPing, nil)
		_, err := ping.sent.exchange(ctx, ping)
		_, refused := asError(err)
		_, unheard := errors.AsType[unheard](err)
		answered <- err == nil || refused || unheard
	}) {
		return true
	}
	select {
	case ok := <-answered:
		return ok || p.heard.Load() != heard
	case <-ctx.Done():
		return p.heard.Load() != heard
	}
}

// maxKept is the maximum capacity, in bytes, of a buffer that is reused.
const maxKept = 1 << 20

// buffers keeps the buffers that messages are encoded into. Without it, a call in process takes 24
// allocations and 3.7 kB instead of 20 and 1.6 kB.
type buffers struct{ pool sync.Pool }

func (b *buffers) get() *[]byte {
	if buf, ok := b.pool.Get().(*[]byte); ok {
		return buf
	}
	buf := make([]byte, 0, 1<<10)
	return &buf
}

func (b *buffers) put(buf *[]byte) {
	if cap(*buf) <= maxKept {
		*buf = (*buf)[:0]
		b.pool.Put(buf)
	}
}

// inbox is the Inbox of a connection. It takes messages in their order of arrival: it registers and cancels requests,
// and passes answers on. What can be done in any order it leaves to its caller.
type inbox struct{ *conn }

func (p inbox) Accept(in Incoming) (run func()) {
	if !p.many {
		p.taking.Lock()
		defer p.taking.Unlock()
	}
	if p.life.Stopped() {
		return unanswered
	}
	step := p.take(&in)
	run = step.Serve
	step.Serve = nil
	step.Do()
	return run
}

func (p inbox) Restore(h Handshake) {
	if p.server != nil {
		p.server.restore(h)
	}
}

func (p inbox) Listens(missed bool) {
	if p.server == nil || p.server.session.peer == nil {
		return
	}
	p.server.announce()
	if missed {
		p.server.of.audience.missed(&p.server.session)
	}
}

func (p inbox) Lose(id wire.Scalar, err error) {
	p.pending.Resolve(id, engine.Answer{Err: err})
}

func (p inbox) End(why error) { p.end(why) }

func (p inbox) Shutdown(ctx context.Context) {
	p.drain(ctx)
	p.hangUp(ErrClosed)
	p.end(ErrClosed)
	p.endContexts(ErrClosed) // if the peer has ended its input meanwhile, the grace period does not begin again
}

// Read makes the session read from a transport by itself, so that a call need not wake another goroutine. The Start of
// package stdio calls it in place of Accept and End.
func (p inbox) Read(from engine.Source[Incoming]) {
	r := &engine.Reader{Ended: p.end, Waiting: p.pending.Waiting, Buffered: from.Buffered, Interrupt: from.Interrupt}
	r.Receive = func() (step engine.Step, err error) {
		in, err := from.Receive(p.life.Context(), p.limits.MaxMessage)
		if err == nil {
			step = p.take(&in)
		}
		return step, err
	}
	p.reader.Store(r)
	r.Start()
}

// tooLong refuses a message that is longer than the session allows.
func (p inbox) tooLong(in *Incoming) {
	err := jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", p.limits.MaxMessage)
	if !in.Answers.IsZero() {
		p.noAnswer(in, unwrapped(err))
		return
	}
	p.logBad("message refused", err, "")
	p.refuse(wire.Scalar{}, err, in.Reply)
}

// take handles a message or a batch, except for the part that is left to the step that it returns.
// Unless there are many peers, only one goroutine calls it at a time.
func (p inbox) take(in *Incoming) (step engine.Step) {
	if p.limits.KeepAlive > 0 {
		p.heard.Store(int64(time.Since(started)))
	}
	if len(in.Text) > p.limits.MaxMessage {
		p.tooLong(in)
		return step
	}
	if !in.Answers.IsZero() {
		return p.takeAnswer(in)
	}
	m := in.Content()
	switch {
	case m.IsBatch:
		step.Serve, _ = p.takeBatch(in)
	case m.Err != nil:
		p.malformed(&m.Message, m.Err, in.Text, in.Reply)
	case m.Kind == jsonrpc.Request:
		step.Serve = p.takeRequest(&m.Message, in)
	case m.Kind == jsonrpc.Notification:
		step.Serve = p.takeNotification(&m.Message, in)
	default:
		step = p.takeResponse(&m.Message, in)
	}
	return step
}

// unanswered is the function of Accept for a request that gets no answer.
func unanswered() {}

// refuseLater refuses a request in another goroutine, so that a peer that does not read answers does not keep this
// side from reading, and from noticing that the peer has closed its output.
func (p inbox) refuseLater(id wire.Scalar, err error) {
	if !p.queue.Add(p.life.Context(), 0, func() { p.refuse(id, err, nil) }) {
		p.giveUp(errUnread)
	}
}

// takeNotification queues a notification for its handler. If it has no order among others, the handler is called
// by the function that takeNotification returns, which is nil otherwise.
func (p inbox) takeNotification(m *jsonrpc.Message, in *Incoming) (handle func()) {
	if m.Method == methodCancelled && !p.requests.cancel(m.Params) {
		p.forward(m, in)
	}
	admitted, err := p.side.admit(*m, in.Header)
	if err != nil {
		p.debug("notification ignored", slog.String("method", m.Method), slog.Any("error", err))
		return nil
	}
	if m.Method == methodProgress && p.takeProgress(m.Params) || p.side.notified(*m) {
		return nil
	}
	if m.Method == methodProgress && !p.forward(m, in) && in.Forwarded {
		return nil // the server that received it first has a handler for it
	}
	c := p.received(m, admitted, in)
	if p.many {
		return c.notified
	}
	if !p.queue.Add(p.life.Context(), len(m.Params), c.notified) {
		p.logger().Warn("notification dropped: too many are waiting", "method", m.Method)
	}
	return nil
}

// takeAnswer takes a text that must be the answer to a request of this side. If it is not, the call
// that waits for the answer fails with an error that quotes the text.
func (p inbox) takeAnswer(in *Incoming) (step engine.Step) {
	var why error
	m := in.Content()
	if m.IsBatch {
		if step.Serve, why = p.takeBatch(in); why != nil {
			why = unwrapped(why)
		} else {
			why = errors.New("the batch has no answer to it")
		}
	} else if m.Err != nil {
		why = unwrapped(m.Err)
	} else if m.Kind != jsonrpc.Response {
		unasked := *in
		unasked.Answers = wire.Scalar{}
		step = p.take(&unasked) // it is handled although it is not the answer
		why = fmt.Errorf("it is a %s, %.100q", m.Kind, m.Method)
	} else if m.ID.IsZero() {
		why = prefix.Errorf("it is an error without an id: %w", m.Error)
	} else if step = p.takeResponse(&m.Message, in); m.ID.Canonical() == in.Answers.Canonical() {
		return step
	} else {
		why = fmt.Errorf("it answers the request with id %.100s", m.ID.String())
	}
	p.noAnswer(in, why)
	return step
}

// noAnswer fails the call whose answer a text should have been.
func (p inbox) noAnswer(in *Incoming, why error) {
	err := prefix.Errorf("runtime: the response holds no answer to request %s: %w; received %.200q", in.Answers.String(), why, in.Text)
	if p.pending.Resolve(in.Answers, engine.Answer{Err: err}) {
		p.logger().Warn("bad response", "error", err)
	}
}

// takeResponse returns the step that hands a response to its caller.
func (p inbox) takeResponse(m *jsonrpc.Message, in *Incoming) engine.Step {
	r := engine.Answer{Result: m.Result}
	if m.Error != nil {
		r.Err = m.Error
	}
	step, ok := p.pending.Take(m.ID, r)
	switch {
	case ok:
	case m.ID.IsZero() && m.Error != nil:
		p.logger().Warn("the peer could not read a message", "error", m.Error)
	case p.forward(m, in):
	default:
		p.debug("response to no request in flight dropped")
	}
	return step
}

// forward passes a message about a request that is not in flight here to a transport that knows other
// servers with the session. It returns false if there is none.
func (p inbox) forward(m *jsonrpc.Message, in *Incoming) bool {
	f, ok := p.transport.(Replicated)
	if ok = ok && !in.Forwarded; ok {
		f.Forward(*m)
	}
	return ok
}

// malformed answers a text that is not a valid message. The error for a bad response has no id,
// because the peer could confuse the id of the response with that of its own request. The call that
// waits for the response fails. An object of unknown kind is a bad response if a call waits for one with its id.
func (p inbox) malformed(m *jsonrpc.Message, err error, text string, to Reply) {
	p.logBad("bad message", err, text)
	id := m.ID
	if p.server == nil && m.Method == "" {
		id = wire.Scalar{}
	}
	bad := engine.Answer{Err: prefix.Errorf("runtime: bad response: %w", unwrapped(err))}
	if m.Kind == jsonrpc.Response || m.Kind == 0 {
		if p.pending.Resolve(m.ID, bad) || m.Kind == jsonrpc.Response {
			id = wire.Scalar{}
		}
	}
	p.refuse(id, err, to)
}

// maxBad is up to how many bad texts of a session each is logged. Beyond that, a text is logged when
// their number is a power of two.
const maxBad = 16

// logBad logs that a text is not a message. A client also logs the beginning of the text, which a
// server may have printed by mistake.
func (p inbox) logBad(event string, err error, text string) {
	count := p.bad.Add(1)
	if count > maxBad && count&(count-1) != 0 {
		return
	}
	attrs := []any{"error", err, "count", count}
	if p.server == nil && text != "" {
		attrs = append(attrs, "text", text[:min(len(text), 200)])
	}
	p.logger().Warn(event, attrs...)
}

// refuse answers a request with an error. A zero id means that the id is unknown. A client does not answer text that
// is not a message, such as a line of the server's log, because the server does not expect answers to it.
func (p inbox) refuse(id wire.Scalar, err error, to Reply) {
	if p.silent() {
		return
	}
	if id.IsZero() {
		if p.server == nil {
			skip(to)
			return
		}
		id = p.unknownID()
	}
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	p.send(p.life.Context(), buf, to, Outgoing{Kind: jsonrpc.Response, ID: id, Err: p.encodeError(buf, id, err),
		Refused: true, NotBegun: errors.Is(err, errNotBegun) || errors.Is(err, errNotBegunStateless)})
}

// unknownID returns the id in a server's error answer to a request whose id is unknown. JSON-RPC requires null, which
// no schema of the protocol allows. It is zero in revisions whose schema allows an absent id.
func (p inbox) unknownID() wire.Scalar {
	maybeStateless := p.peer.Revision == "" && p.server.stateless
	if maybeStateless || p.peer.Revision >= revisionNoID {
		return wire.Scalar{}
	}
	return wire.NullScalar()
}

// silent reports whether this side answers no requests: a client without a session gets none ("Sending
// Messages" in basic/transports/stdio, 2026-07-28).
func (p inbox) silent() bool { return p.server == nil && p.peer.stateless }

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

// takeBatch takes the messages of an array. It returns the function that waits for the requests in it, or nil.
// If the batch is not allowed, it sends an error and returns it.
func (p inbox) takeBatch(in *Incoming) (run func(), err error) {
	items, err := in.Content().Batch, in.Content().Err
	if err == nil && p.peer.Revision != revisionBatches {
		err = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: no batches in this revision or before initialize")
	}
	if err != nil {
		p.logBad("batch refused", err, in.Text)
		p.refuse(wire.Scalar{}, err, in.Reply)
		return nil, err
	}
	b := &batch{conn: p.conn, to: in.Reply, left: 1}
	for i := range items {
		if items[i].Err != nil || items[i].Kind == jsonrpc.Request {
			b.left++
		}
	}
	var serving sync.WaitGroup
	for i := range items {
		item := *in
		item.Text, item.Answers, item.Reply = "", wire.Scalar{}, &batched{b}
		item.content = items[i]
		step := p.take(&item)
		if step.Serve != nil {
			serving.Go(step.Serve) // at once, because those that follow may wait for its end
			step.Serve, run = nil, serving.Wait
		}
		step.Do()
	}
	b.add(nil)
	return run, nil
}
