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
	side       side
	serverSide *serverSide // the side; nil for a client's
	transport  Outbox

	peer         *peer                    // of the session; unknownPeer before the handshake has fixed the revision
	opened       atomic.Int64             // the time of the handshake, in nanoseconds; 0 before
	logLevel     atomic.Int32             // the lowest severity of the log messages that the client of the session wants
	requestLevel atomic.Pointer[LogLevel] // of the log messages that a client's stateless requests ask for; nil for none

	life           engine.Lifetime // without the handlers of requests
	handlerContext context.Context // the parent of the contexts of requests' handlers; it does not end, see endContexts
	pending        engine.Pending
	requests       requests
	queue          engine.Queue // notifications for their handlers

	heard atomic.Int64 // when the last message came, since started; only with KeepAlive

	reader atomic.Pointer[engine.Reader] // nil unless the connection reads by itself
	ended  func(error)                   // called with the error of the session after its end
	ending sync.Once                     // begins the end
	taking sync.Mutex                    // held while a message is taken, if several goroutines receive messages
	bad    atomic.Uint32                 // number of texts that were not messages

	// manyPeers means that the messages are of many peers, as those of all requests over HTTP without a session.
	// They have no order, and are taken at the same time.
	manyPeers bool
}

// newConn returns a connection. Its handlers get the values of ctx, which must not end.
func newConn(ctx context.Context, t Outbox, shared *settings, manyPeers bool) *conn {
	cn := &conn{settings: shared, transport: t, peer: unknownPeer, manyPeers: manyPeers}
	if !manyPeers {
		cn.requests.limit = shared.limits.MaxConcurrent
	}
	cn.life.Init(ctx)
	cn.handlerContext = ctx
	cn.queue = engine.NewQueue(&cn.life)
	return cn
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
	// consumes is called for each notification that is admitted. If it returns true, this side has dealt with the
	// notification, which is not passed to a handler.
	consumes(m jsonrpc.Message) bool
	// ask sends a request. A client repeats it where the protocol allows or requires that; servers do not link
	// what that needs.
	ask(ctx context.Context, m *Message) (wire.Appender, error)
	// complete returns the complete result of a request without the parts that this side cannot use. The error is
	// a *[QuestionsError] if the server asks instead.
	complete(ctx context.Context, m *Message, text wire.Raw) (wire.Raw, error)
}

// keep passes a change of the session to a transport that keeps changes.
func (cn *conn) keep(ctx context.Context, c Change) error {
	if k, ok := cn.transport.(Replicated); ok {
		return k.Keep(ctx, c)
	}
	return nil
}

// negotiated begins the session with the peer of the handshake. The goroutine that reads calls it.
func (cn *conn) negotiated(p *peer) error {
	if n, ok := cn.transport.(Identified); ok {
		h := Handshake{Revision: p.Revision, PeerInfo: p.info, PeerCapabilities: p.capabilities, Capabilities: p.declared}
		if err := n.Negotiated(h); err != nil {
			return err
		}
	}
	cn.peer = p
	cn.beginSession("session opened")
	return nil
}

// beginSession logs that the session is open and starts the pings.
func (cn *conn) beginSession(event string) {
	cn.opened.Store(time.Now().UnixNano())
	cn.logConnected(event)
	cn.keepAlive()
}

func (cn *conn) logConnected(event string) {
	if !cn.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	cn.logger().Info(event, "revision", cn.peer.Revision,
		"peer", fmt.Sprintf("%.100s", cn.peer.info.GetString("name")),
		"version", fmt.Sprintf("%.100s", cn.peer.info.GetString("version")))
}

// logEnd logs the end of a session that was open. Err is nil after a normal end.
func (cn *conn) logEnd(err error) {
	opened := cn.opened.Load()
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
	cn.event(level, "session ended", attrs...)
}

// encodeError writes the text of an error answer to buf. It returns the error of the answer, which is another one
// if err cannot be encoded.
func (cn *conn) encodeError(buf *[]byte, id wire.Scalar, err error) error {
	text, failed := peerError(err).Answer(id).AppendJSON((*buf)[:0])
	if failed != nil {
		cn.logFailure("an error could not be encoded", "error", failed)
		text, _ = errInternal.Answer(id).AppendJSON((*buf)[:0])
		err = errInternal
	}
	*buf = text
	return err
}

// send sends the text in buf. If to is nil, the message belongs to no request.
func (cn *conn) send(ctx context.Context, buf *[]byte, to Reply, m Outgoing) error {
	m.Text = *buf
	if to == nil {
		to = cn.transport
	}
	err := to.Send(ctx, m)
	if err != nil {
		cn.debug("sending failed", slog.Any("kind", m.Kind), slog.String("method", m.Method), slog.Any("error", err))
	}
	return err
}

// sessionID returns the transport's name of the session, or "" if it has none.
func (cn *conn) sessionID() string {
	if t, ok := cn.transport.(Identified); ok {
		return t.SessionID()
	}
	return ""
}

// logger returns the logger of the options, with the LogID of the session. Sessions do not keep such a logger, to
// save memory.
func (cn *conn) logger() *slog.Logger {
	if id := cn.sessionID(); id != "" {
		return cn.log.With("session", LogID(id))
	}
	return cn.log
}

// event logs an event of the session. If the logger leaves out the level, event allocates nothing.
func (cn *conn) event(level slog.Level, text string, attrs ...slog.Attr) {
	if ctx := context.Background(); cn.log.Enabled(ctx, level) {
		cn.logger().LogAttrs(ctx, level, text, attrs...)
	}
}

// debug is event with the level Debug.
func (cn *conn) debug(text string, attrs ...slog.Attr) { cn.event(slog.LevelDebug, text, attrs...) }

// logFailure logs a failure of this program.
func (cn *conn) logFailure(text string, attrs ...any) { cn.logger().Error(text, attrs...) }

// started is when the program started: times since then are monotonic.
var started = time.Now()

// keepAlive starts a goroutine that pings the peer when it has been silent for a while, and ends the session
// when too many pings in a row have failed (basic/utilities/ping).
func (cn *conn) keepAlive() {
	every := cn.limits.KeepAlive
	if every <= 0 {
		return
	}
	cn.heard.Store(int64(time.Since(started)))
	cn.life.Go(func() {
		for failed := 0; ; {
			wait, began := every+time.Duration(cn.heard.Load())-time.Since(started), time.Now()
			switch {
			case wait > 0:
				failed = 0
			case cn.answersPing(every):
				failed, wait = 0, every // also if the peer could not hear the ping
			default:
				failed++
				wait = every - time.Since(began)
				cn.logger().Warn("ping failed", "failures", failed)
			}
			if failed == cn.limits.KeepAliveFailures {
				cn.giveUp(ErrUnresponsive)
				return
			}
			if sleep(cn.life.Background(), wait) != nil {
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
func (cn *conn) answersPing(limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(cn.life.Context(), limit)
	defer cancel()
	heard := cn.heard.Load()
	answered := make(chan bool, 1)
	if !cn.life.Go(func() {
		ping := sender{conn: cn}.message(jsonrpc.Request, methodPing, nil)
		_, err := ping.sent.exchange(ctx, ping)
		_, refused := asError(err)
		_, unheard := errors.AsType[unheard](err)
		answered <- err == nil || refused || unheard
	}) {
		return true
	}
	select {
	case ok := <-answered:
		return ok || cn.heard.Load() != heard
	case <-ctx.Done():
		return cn.heard.Load() != heard
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
	transmit Handler // sendOnce within the middleware of Sending

	lenient  Lenience
	deviated func(context.Context, *Deviations) // nil for none
}

func newSettings(log *slog.Logger, receiving, sending []Middleware, l Limits, grace time.Duration) *settings {
	return &settings{
		log:      logs.Or(log, slog.LevelWarn),
		limits:   l.withDefaults(),
		grace:    cmp.Or(grace, DefaultGrace),
		layers:   slices.Clone(receiving),
		transmit: layers(sending).around(sendOnce),
	}
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
