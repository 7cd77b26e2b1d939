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

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// peer is the JSON-RPC engine of one session: it reads messages, hands them to what
// the lifecycle says, and sends. It knows no handshake.
//
// One goroutine, the reading one, runs everything up to the start of a handler; fields
// marked as its own need no lock.
type peer struct {
	transport Outbox
	lifecycle lifecycle
	*common
	log sessionLog

	// ctx is that of every handler and ends with the session, with the reason as cause.
	ctx    context.Context
	cancel context.CancelCauseFunc

	requests      gate
	notifications gate
	turn          *turn       // nil for a session with an Inbox
	reading       sync.Mutex  // held by the reading goroutine, when an Inbox makes several of one
	ended         func(error) // of a session that Open has begun; else nil
	ending        sync.Once   // of that

	opened atomic.Int64 // when the handshake was over, in nanoseconds; 0 before

	heard    atomic.Bool  // a message came since keepAlive looked; not kept up without it
	logLevel atomic.Int32 // the severity from which on the peer wants log messages
	garbage  int          // texts that were no messages; the reading goroutine's own
	telling  sync.Mutex   // held while the transport is told of the session

	mu       sync.Mutex
	inflight inflight
	pending  map[int64]*pending  // requests to the peer without an answer; nil before there is one
	followed map[int64]*followed // requests to the peer whose progress is followed; nil before there is one
	spare    []*pending          // for further use
	lastID   int64

	expiry     *time.Timer   // gives up pending requests; nil before one can be
	nextExpiry time.Time     // when expiry runs; zero when it does not
	over       chan struct{} // closed when nothing is read any more, for keepAlive; nil without it
	unheard    error         // not nil once no answer can come any more: what calls return
	queue      []*Call       // notifications waiting for the goroutine that handles them
	draining   bool          // that goroutine is there
	active     int           // goroutines of this session, the reading one apart
	serving    int           // goroutines of requests, which are among the active
	served     chan struct{} // made when requests are refused from now on; closed when none is served
	closed     bool          // no new goroutine may start
	idle       chan struct{} // made with closed; closed when no goroutine is left

	kept          map[any]any             // by Call.Kept
	background    context.Context         // nil before it is needed; see backgroundContext
	endBackground context.CancelCauseFunc // with background
}

// lifecycle decides under which terms a session's messages are handled. All methods are
// called by the reading goroutine in order of arrival.
type lifecycle interface {
	// admit says how a request or notification is handled, or why it is not: a request
	// is answered with the error, a notification is dropped.
	admit(m jsonrpc.Message) (admission, error)
	// batches reports whether a batch may come now.
	batches() bool
	// unknownID is what an error answer has for an id when that of the request could
	// not be told: null, or zero for none. False: there is no such answer.
	unknownID() (id wire.Scalar, answered bool)
}

// admission is how a message is handled.
type admission struct {
	terms  *terms
	handle Handler
	inline bool // on the reading goroutine, before the next message is read
}

const (
	// maxQueued bounds the notifications of a session that wait for their handler.
	maxQueued = 256
	// maxBatch bounds the messages of a batch, each of which may ask for an answer.
	maxBatch = 1000
	// closeWait bounds the wait for what is being sent when a session ends, and for a
	// Receive that nothing can interrupt.
	closeWait = 100 * time.Millisecond
)

func newPeer(ctx context.Context, t Outbox, l lifecycle, shared *common) *peer {
	p := &peer{
		transport:     t,
		lifecycle:     l,
		common:        shared,
		requests:      newGate(shared.limits.MaxConcurrent),
		notifications: newGate(maxQueued),
	}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	p.log = sessionLog{shared.log, p}
	return p
}

// run serves until the peer ends the session, returning nil, the transport fails or the
// session is given up, returning why, or ctx ends: then the session is drained, and run
// returns the cause. No goroutine is left then, see closeWait and abandonWait.
func (p *peer) run(ctx context.Context) error {
	var reading <-chan error
	if p.turn.pusher == nil {
		reading = p.turn.ended
		go p.read()
	}
	select {
	case err := <-p.turn.ended:
		return p.finish(err, nil)
	case <-p.ctx.Done():
		if p.turn.reader.Swap(readerGoroutine) == readerNobody {
			reading = nil
		}
		return p.finish(context.Cause(p.ctx), reading)
	case <-ctx.Done():
		bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(p.limits.grace, 0))
		defer cancel()
		if p.drain(bound, p.turn.ended) || p.turn.reader.Swap(readerGoroutine) == readerNobody {
			reading = nil
		}
		return p.finish(context.Cause(ctx), reading)
	}
}

// end ends the session with an error of Receive.
func (p *peer) end(why error) {
	if p.ended == nil {
		p.turn.end(why)
		return
	}
	p.ending.Do(func() {
		go func() { p.ended(p.finish(why, nil)) }()
	})
}

// giveUp ends the session for a reason of its own.
func (p *peer) giveUp(why error) {
	p.cancel(why)
	if p.ended != nil {
		p.end(why)
	}
}

// finish ends the session because of err. Reading, if not nil, takes the end of the reading.
func (p *peer) finish(err error, reading <-chan error) error {
	p.hangUp(err)
	p.stop()
	if err == io.EOF {
		wait(p.idle, p.limits.grace, p.ctx.Done())
		p.expel()
	}
	p.cancel(ErrClosed)
	wait(p.idle, closeWait, nil) // for what is being sent, such as cancellations
	if err := p.transport.Close(); err != nil {
		p.log.Debug("closing the transport failed", "error", err)
	}
	wait(p.idle, abandonWait, nil)
	p.logAbandoned()
	if reading != nil {
		wait(reading, closeWait, nil)
	}
	if err == io.EOF || err == ErrClosed {
		err = nil
	}
	p.logEnd(err)
	return err
}

// logEnd logs the end of a session that has been opened.
func (p *peer) logEnd(err error) {
	opened := p.opened.Load()
	if opened == 0 {
		return
	}
	attrs := []any{"duration", time.Since(time.Unix(0, opened))}
	level := slog.LevelInfo
	if err != nil {
		attrs = append(attrs, "error", err)
		if !errors.Is(err, context.Canceled) { // it is not the program that ends
			level = slog.LevelWarn
		}
	}
	p.log.write(level, "session ended", attrs)
}

// wait waits for done, but not beyond d or the end of over.
func wait[T any](done <-chan T, d time.Duration, over <-chan struct{}) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-over:
	}
}

// stop lets no new goroutine start; idle is closed when the last one ends.
func (p *peer) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.refuseRequestsLocked()
		p.closed, p.idle = true, make(chan struct{})
		if p.endBackground != nil {
			p.endBackground(ErrClosed)
		}
		if p.active == 0 {
			close(p.idle)
		}
	}
}

// stopped reports whether stop has been called.
func (p *peer) stopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// enterLocked counts a goroutine about to start. False: it must not.
func (p *peer) enterLocked() bool {
	if p.closed {
		return false
	}
	p.active++
	return true
}

func (p *peer) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leaveLocked()
}

func (p *peer) leaveLocked() {
	p.active--
	if p.closed && p.active == 0 {
		close(p.idle)
	}
}

// spawn runs f in a goroutine of the session. False: the session is ending, and f is
// not run.
func (p *peer) spawn(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.enterLocked() {
		return false
	}
	go func() {
		defer p.leave()
		f()
	}()
	return true
}

// receive handles a message, all but a request to be served, which it returns.
func (p *peer) receive(m *jsonrpc.Message, in *Incoming, b *batch) *Call {
	switch m.Kind {
	case jsonrpc.Request:
		return p.receiveRequest(m, in, b)
	case jsonrpc.Notification:
		p.receiveNotification(m, in)
	case jsonrpc.Response:
		p.receiveResponse(m)
	}
	return nil
}

// malformed answers what is no message. The answer to a bad response has no id, because
// the peer would take its own for that of a request; the caller waiting for it is told.
func (p *peer) malformed(m *jsonrpc.Message, err error, text string, route Route, b *batch) {
	p.logGarbage("bad message", err, text)
	id := m.ID
	if _, answered := p.lifecycle.unknownID(); !answered && m.Method == "" {
		id = wire.Scalar{} // of whatever it is, and not of a request
	}
	if m.Kind == jsonrpc.Response {
		p.resolve(m.ID, reply{err: fmt.Errorf("runtime: bad response: %s", problemOf(err))})
		id = wire.Scalar{}
	}
	p.refuse(id, err, route, b)
}

// refuse answers with an error, if this side does. A zero id is one that could not be told.
// Reading goroutine.
func (p *peer) refuse(id wire.Scalar, err error, route Route, b *batch) {
	if id.IsZero() {
		unknown, answered := p.lifecycle.unknownID()
		if !answered {
			if b != nil {
				b.add(nil, false)
			}
			return
		}
		id = unknown
	}
	buf := p.buffers.get()
	defer p.buffers.put(buf)
	p.encodeError(buf, id, err)
	if b != nil {
		b.add(*buf, false)
		return
	}
	p.send(p.ctx, buf, Outgoing{Kind: jsonrpc.Response, ID: id, Route: route, NotBegun: err == errNotBegun})
}

// done tells the transport that nothing more is sent on a route.
func (p *peer) done(route Route, unanswered bool) {
	if e, ok := p.transport.(RouteEnder); ok && route != nil {
		e.Done(route, unanswered)
	}
}

// encodeError leaves the text of an error answer in buf.
func (p *peer) encodeError(buf *[]byte, id wire.Scalar, err error) {
	text, err := jsonrpc.AppendError((*buf)[:0], id, peerError(err))
	if err != nil {
		p.log.Error("an error could not be encoded", "error", err)
		text, _ = jsonrpc.AppendError((*buf)[:0], id, errInternal)
	}
	*buf = text
}

// answer sends the encoded response in buf, or lets the batch do so.
func (p *peer) answer(buf *[]byte, id wire.Scalar, route Route, b *batch) {
	if b != nil {
		b.add(*buf, false)
		return
	}
	// The session's context, not the call's: a cancellation that comes while the
	// answer waits for its turn is too late.
	p.send(p.ctx, buf, Outgoing{Kind: jsonrpc.Response, ID: id, Route: route})
}

// send hands the text in buf to the transport.
func (p *peer) send(ctx context.Context, buf *[]byte, m Outgoing) error {
	m.Text = *buf
	err := p.transport.Send(ctx, m)
	if err != nil {
		p.log.Debug("sending failed", "kind", m.Kind, "method", m.Method, "error", err)
	}
	return err
}

// errInternal is all that a peer learns of an error that is not meant for it.
var errInternal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}

// peerError is what the peer may know of err.
func peerError(err error) *jsonrpc.Error {
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e
	}
	return errInternal
}
