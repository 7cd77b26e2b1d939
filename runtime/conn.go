package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
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

// side is what differs between a server's and a client's side of a connection. Each message has a peer: a
// revision, an identity and capabilities. In revisions with sessions, both sides agree on them once, in the
// initialize handshake. In stateless revisions, each request carries its own. A connection may have messages of
// both. The rest of the package needs only the peer of a message.
type side interface {
	// admit returns how a request or notification is handled. If it returns an error, a request is
	// answered with the error, and a notification is dropped. The headers are those of the HTTP request
	// that brought the message, or nil. It is called in order of arrival. The message is a copy, because a pointer
	// that is passed to an interface would put every message that is received on the heap.
	admit(m jsonrpc.Message, h headers.Header) (admission, error)
	// notified is called for each notification that is admitted. If it returns true, the
	// notification is not passed to a handler.
	notified(m jsonrpc.Message) bool
	// ask sends a request. A client repeats it where the protocol allows or requires that; servers do not link
	// what that needs.
	ask(ctx context.Context, m *Message) (wire.Appender, error)
	// complete returns the complete result of a request without the parts that this side cannot use. The error is
	// a *[QuestionsError] if the server asks instead.
	complete(ctx context.Context, m *Message, text wire.Raw) (wire.Raw, error)
}

// keep passes a change of the session to a transport that keeps changes.
func (p *conn) keep(ctx context.Context, c Change) error {
	if k, ok := p.transport.(Replicated); ok {
		return k.Keep(ctx, c)
	}
	return nil
}

// negotiated begins the session with the peer of the handshake. The goroutine that reads calls it.
func (p *conn) negotiated(t *peer) error {
	if n, ok := p.transport.(Identified); ok {
		h := Handshake{Revision: t.Revision, PeerInfo: t.info, PeerCapabilities: t.capabilities, Capabilities: t.declared}
		if err := n.Negotiated(h); err != nil {
			return err
		}
	}
	p.peer = t
	p.beginSession("session opened")
	return nil
}

// beginSession logs that the session is open and starts the pings.
func (p *conn) beginSession(event string) {
	p.opened.Store(time.Now().UnixNano())
	p.logConnected(event)
	p.keepAlive()
}

func (p *conn) logConnected(event string) {
	if !p.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	p.logger().Info(event, "revision", p.peer.Revision,
		"peer", fmt.Sprintf("%.100s", p.peer.info.GetString("name")),
		"version", fmt.Sprintf("%.100s", p.peer.info.GetString("version")))
}

// logEnd logs the end of a session that was open. Err is nil after a normal end.
func (p *conn) logEnd(err error) {
	opened := p.opened.Load()
	if opened == 0 {
		return
	}
	attrs := []slog.Attr{slog.Duration("duration", time.Since(time.Unix(0, opened)))}
	level := slog.LevelInfo
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
		if !errors.Is(err, context.Canceled) { // a cancelled context is a normal end of the program
			level = slog.LevelWarn
		}
	}
	p.event(level, "session ended", attrs...)
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

// settings are the options that all sessions of a server or client share, and their buffers.
type settings struct {
	log      *slog.Logger
	limits   Limits        // without zero values
	grace    time.Duration // 0 or less means none
	buffers  buffers
	layers   layers
	transmit Handler // sends a message once, within the middleware

	rounds   int                                          // see ClientOptions.MaxRounds; not 0
	output   func(wire.Raw) (func(wire.Raw) error, error) // see ClientOptions.CheckOutput; nil for a server
	lenient  Lenience
	deviated func(context.Context, *Deviations) // nil for none
}

func newSettings(log *slog.Logger, receiving, sending []Middleware, l Limits, grace time.Duration) *settings {
	c := &settings{
		log:      logs.Or(log, slog.LevelWarn),
		limits:   l.withDefaults(),
		grace:    cmp.Or(grace, DefaultGrace),
		layers:   slices.Clone(receiving),
		transmit: layers(sending).around(transmitOne),
	}
	return c
}

// sleep waits for d.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
