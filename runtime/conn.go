package runtime

import (
	"context"
	"errors"
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

	peer     *peer                    // of the session; nil before the handshake has fixed the revision
	opened   atomic.Int64             // the time of the handshake, in nanoseconds; 0 before
	logLevel atomic.Int32             // the lowest severity of the log messages that the client of the session wants
	wanted   atomic.Pointer[LogLevel] // of the log messages that a client's stateless requests ask for; nil for none

	life    engine.Lifetime
	values  context.Context // of the handlers of requests, which endContexts ends
	pending engine.Pending
	serving engine.Serving[request]
	queue   engine.Queue // notifications for their handlers

	silence *silence // nil without KeepAlive

	source atomic.Pointer[source] // nil unless the connection reads by itself
	ended  func(error)            // called with the error of the session after its end
	ending sync.Once              // begins the end
	taking sync.Mutex             // held while a message is taken, if several goroutines receive messages
	bad    atomic.Uint32          // number of texts that were not messages

	// many means that the messages are of many peers, as those of all requests over HTTP without a session.
	// They have no order, and are taken at the same time.
	many bool
}

// source is a transport from which the connection reads by itself, see [inbox.Read].
type source struct {
	engine.Reader
	ended chan struct{} // gets a token when the reading has ended
}

// newConn returns a connection. Its handlers get the values of ctx, which must not end.
func newConn(ctx context.Context, t Outbox, shared *settings, many bool) *conn {
	p := &conn{settings: shared, transport: t, many: many}
	limit := shared.limits.MaxConcurrent
	if many {
		limit = 0
	}
	p.serving = engine.NewServing[request](limit)
	p.silence = newSilence(&shared.limits)
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
	for _, c := range p.serving.All() {
		c.cancel(cause)
	}
}

// giveUp ends the session from this side.
func (p *conn) giveUp(why error) {
	p.endContexts(why)
	p.end(context.Cause(p.life.Context())) // of the first call: a ping may fail because its session is being closed
}

// finish ends the session because of err. When it returns, no goroutine of the session is left, except those that it
// does not wait for. It returns nil if the peer has ended the session.
func (p *conn) finish(err error) error {
	from := p.source.Load()
	reads := from != nil && from.Stop()
	over := p.life.Context().Done()
	p.hangUp(err)
	p.life.Stop()
	drained := p.serving.Refuse()
	if err == io.EOF { // the peer sends nothing more but still reads answers
		start := time.Now()
		left := func() time.Duration { return p.limits.grace - time.Since(start) }
		served := engine.Wait(p.serving.Served(), left(), over)
		if !served || engine.Wait(drained, min(waits.Unread, left()), over) {
			p.life.Wait(left(), over)
			p.cutShort()
		}
	}
	p.endContexts(ErrClosed)
	p.life.Wait(waits.Sending, nil)
	if err := p.transport.Close(); err != nil {
		p.debug("closing the transport failed", slog.Any("error", err))
	}
	p.life.Wait(waits.Abandoned, nil)
	if left := p.life.Running(); left > 0 {
		p.logFailure("handlers have not returned although their contexts have ended", "handlers", left)
	}
	if reads {
		engine.Wait(from.ended, waits.Sending, nil)
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

// encodeError writes the text of an error answer to buf. It returns the error of the answer, which is another one if err
// cannot be encoded.
func (p *conn) encodeError(buf *[]byte, id wire.Scalar, err error) error {
	text, failed := jsonrpc.AppendError((*buf)[:0], id, peerError(err))
	if failed != nil {
		p.logFailure("an error could not be encoded", "error", failed)
		text, _ = jsonrpc.AppendError((*buf)[:0], id, errInternal)
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

// drain refuses new requests and waits until those in flight are answered. Messages are still read,
// because handlers may wait for answers of the peer. When deadline ends, drain cuts short the remaining requests.
// If the peer reads no answers, drain returns soon after all requests are handled, unless something other than a Transport
// puts the messages into the inbox, and limits that time.
func (p *conn) drain(deadline context.Context) {
	drained := p.serving.Refuse()
	var served <-chan struct{}
	if _, ok := p.transport.(Transport); ok {
		served = p.serving.Served()
	}
	var unread <-chan time.Time
	for {
		select {
		case <-drained:
			return
		case <-served:
			served, unread = nil, time.After(waits.Unread)
		case <-unread:
			return
		case <-p.life.Context().Done():
			return
		case <-deadline.Done():
			p.cutShort()
			return
		}
	}
}

// cutShort ends the contexts of the requests in flight. The requests of handlers that do not return soon
// are answered with an error.
func (p *conn) cutShort() {
	over := p.life.Context().Done()
	for _, c := range p.serving.All() {
		c.cancel(ErrShutdown)
	}
	engine.Wait(p.serving.Refuse(), waits.Cancelled, over)
	var calls []request
	p.serving.RemoveAll(func(r request) {
		r.abandoned = true
		calls = append(calls, r)
	})
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

// answerAbandoned answers a request in place of its handler.
func (c request) answerAbandoned() {
	p := c.conn
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	p.encodeError(buf, c.id, errCutShort) // not c.encodeError, because the handler's goroutine may run
	p.send(p.life.Context(), buf, c.reply, Outgoing{Kind: jsonrpc.Response, ID: c.id, Err: errCutShort, Abandoned: true})
}

// silence tells how long the peer has sent nothing.
type silence struct {
	began time.Time
	heard atomic.Int64 // when the last message came, as time.Duration since began
}

// newSilence returns nil if silence does not matter.
func newSilence(l *limits) *silence {
	if l.KeepAlive <= 0 {
		return nil
	}
	return &silence{began: time.Now()}
}

// end is called when a message comes.
func (s *silence) end() {
	if s != nil {
		s.heard.Store(int64(time.Since(s.began)))
	}
}

// lasts returns how long the peer has been silent.
func (s *silence) lasts() time.Duration {
	return time.Since(s.began) - time.Duration(s.heard.Load())
}

// keepAlive starts a goroutine that pings the peer when it has been silent for a while, and ends the session
// when too many pings in a row have failed (basic/utilities/ping).
func (p *conn) keepAlive() {
	if p.silence == nil {
		return
	}
	every := p.limits.KeepAlive
	p.life.Go(func() {
		for failed := 0; ; {
			wait, began := every-p.silence.lasts(), time.Now()
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
	heard := p.silence.heard.Load()
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
		return ok || p.silence.heard.Load() != heard
	case <-ctx.Done():
		return p.silence.heard.Load() != heard
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
