package runtime

import (
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// read is the reading goroutine. It serves a request itself, because waking another
// goroutine may take longer than the request does. Who reads on while the handler runs, turn
// decides.
func (p *peer) read() {
	t := p.turn
	for {
		in, err := t.source.Receive(p.ctx, p.limits.MaxMessage)
		if err != nil {
			if !p.failedToReceive(&in, err) {
				t.end(err)
				return
			}
			continue
		}
		t.answered = false
		if c := p.take(&in); c != nil && !p.serveInTurn(c) {
			return
		}
		if t.answered && p.stepDown() {
			return
		}
	}
}

// failedToReceive does what an error of Receive asks for; false when it is the end of the
// session. Reading goroutine.
func (p *peer) failedToReceive(in *Incoming, err error) bool {
	if err == ErrInterrupted {
		return true
	}
	if lost, ok := errors.AsType[*AnswerError](err); ok {
		p.resolve(lost.ID, reply{err: lost.Err})
		return true
	}
	refusal, ok := errors.AsType[*jsonrpc.Error](err)
	if ok {
		p.logGarbage("message refused", refusal, "")
		p.refuse(wire.Scalar{}, refusal, in.Route, nil)
		p.done(in.Route, false)
	}
	return ok
}

// take handles what has been received, all but a request to be served, which it returns.
// Reading goroutine.
func (p *peer) take(in *Incoming) *Call {
	if !in.Answers.IsZero() {
		p.hear()
		return p.takeAnswer(in)
	}
	if jsonrpc.IsBatch(in.Text) {
		p.hear()
		p.receiveBatch(*in)
		return nil
	}
	m, err := jsonrpc.Parse(in.Text)
	if err != nil {
		p.hear()
		p.malformed(&m, err, in.Text, in.Route, nil)
		p.done(in.Route, false)
		return nil
	}
	return p.takeMessage(&m, in)
}

// hear takes note that the peer has said something.
func (p *peer) hear() {
	if p.limits.KeepAlive > 0 {
		p.heard.Store(true)
	}
}

// takeMessage is take for a message. Reading goroutine.
func (p *peer) takeMessage(m *jsonrpc.Message, in *Incoming) *Call {
	p.hear()
	c := p.receive(m, in, nil)
	if c == nil {
		p.done(in.Route, m.Kind == jsonrpc.Request && p.stopped())
	}
	return c
}

// turn decides who reads. Waking a goroutine may take longer than all else that is done for a
// message, so as long as nothing takes long as few are woken as can be:
//
//   - The goroutine that has read a request serves it, unless more is waiting to be read.
//   - After the last answer that is waited for nobody reads, and who makes the next request
//     reads its answer himself, if the transport is an Interrupter.
//
// The ticks of the session see to it that a handler or a call which turns out to take longer
// holds up nothing: then a goroutine takes over the reading.
type turn struct {
	source      Transport
	backlog     Backlog     // the source; nil when that cannot tell
	interrupter Interrupter // the source; nil when it cannot be interrupted
	pusher      Pusher      // the source; nil when it does not put messages into the inbox, but is read from
	ended       chan error  // takes one without blocking: why there is nothing more to read
	answered    bool        // what was read last is an answer; the reader's own

	reader  atomic.Int32  // who reads
	serving atomic.Uint64 // the number of the request that the reading goroutine serves; 0 when it reads
	count   uint64        // of such requests; the reading goroutine's own
	calls   atomic.Uint64 // the number of times that a caller has begun to read
	slow    atomic.Int32  // how many messages are still handled beside the reading because one was not quick

	ticking   atomic.Bool
	ticker    *time.Timer // nil before the first tick
	seen      uint64      // what was served at the last tick
	seenCalls uint64      // calls at the last tick at which a caller read
}

// Who reads.
const (
	readerGoroutine int32 = iota // or the one that has taken over from it
	readerNobody
	readerCaller
)

// end tells why there is nothing more to read.
func (t *turn) end(why error) {
	select {
	case t.ended <- why:
	default:
	}
}

// receiveFrom makes the transport that from which messages come, with listen. Before run.
func (p *peer) receiveFrom(source Transport) {
	p.turn = &turn{source: source, ended: make(chan error, 1)}
	p.turn.backlog, _ = source.(Backlog)
	if i, ok := source.(Interrupter); ok && i.Interruptible() {
		p.turn.interrupter = i
	}
	p.turn.pusher, _ = source.(Pusher)
}

// listen lets a transport push messages, if it does. Before run.
func (p *peer) listen() {
	if p.turn.pusher != nil {
		p.turn.pusher.Start(inbox{p})
	}
}

const (
	// tick is how often a handler or a call that keeps the reading is looked at. It keeps it for
	// two ticks at most.
	tick = time.Millisecond
	// wary is how many messages are handled beside the reading after one that took longer.
	wary = 32
)

// serveInTurn serves a request and returns whether the goroutine has still to read.
func (p *peer) serveInTurn(c *Call) (reading bool) {
	t := p.turn
	start := time.Now()
	waiting := t.backlog == nil || t.backlog.Backlog()
	if waiting || t.slow.Load() > 0 {
		go p.read()
		c.serve()
		if !waiting {
			t.handled(start)
		}
		return false
	}
	t.count++
	number := t.count
	t.serving.Store(number)
	p.startTicking()
	served := false
	defer func() {
		if !served {
			p.takeOver(number) // the handler has ended this goroutine
		}
	}()
	c.serve()
	served = true
	reading = t.serving.CompareAndSwap(number, 0)
	if !reading && time.Since(start) > tick {
		t.slow.Store(wary)
	}
	return reading
}

// stepAside has another goroutine read if the reading one serves a request.
func (p *peer) stepAside() {
	if p.turn == nil {
		return
	}
	if number := p.turn.serving.Load(); number != 0 {
		p.takeOver(number)
	}
}

// takeOver takes the reading over from the goroutine that serves the request of the number.
func (p *peer) takeOver(number uint64) {
	if p.turn.serving.CompareAndSwap(number, 0) {
		go p.read()
	}
}

// stepDown leaves the reading to the next call, when none waits for an answer. True: the reading
// goroutine is to end.
func (p *peer) stepDown() bool {
	t := p.turn
	if t.interrupter == nil || t.backlog == nil || t.slow.Load() > 0 || t.backlog.Backlog() {
		return false
	}
	p.startTicking()
	t.reader.Store(readerNobody)
	return !p.awaited() || !t.reader.CompareAndSwap(readerNobody, readerGoroutine)
}

// resumeReading has a goroutine read if nobody does.
func (p *peer) resumeReading() {
	if p.turn != nil && p.turn.reader.CompareAndSwap(readerNobody, readerGoroutine) {
		go p.read()
	}
}

// handled takes note of a message that was handled beside the reading since start.
func (t *turn) handled(start time.Time) {
	if time.Since(start) < tick {
		t.slow.Add(-1)
	} else {
		t.slow.Store(wary)
	}
}

// readFor reads until the answer to the caller's request comes. False: somebody else reads, or
// does so now, because it has taken too long.
func (p *peer) readFor(w *pending) (reply, bool) {
	t := p.turn
	if t == nil || !t.reader.CompareAndSwap(readerNobody, readerCaller) {
		return reply{}, false
	}
	t.calls.Add(1)
	p.startTicking()
	for {
		select {
		case r := <-w.reply: // which may have come before
			more := t.backlog.Backlog()
			t.reader.Store(readerNobody)
			if more || p.awaited() {
				p.resumeReading()
			}
			return r, true
		default:
		}
		in, err := t.source.Receive(p.ctx, p.limits.MaxMessage)
		if err == nil && p.takeResponse(&in) {
			continue
		}
		if err == ErrInterrupted {
			t.slow.Store(wary)
		}
		// What else there is to do may take longer than the caller waits.
		t.reader.Store(readerGoroutine)
		go p.readOn(&in, err)
		return reply{}, false
	}
}

// takeResponse is take for a response; false when it is something else. Reading goroutine.
func (p *peer) takeResponse(in *Incoming) bool {
	if !in.Answers.IsZero() || jsonrpc.IsBatch(in.Text) {
		return false
	}
	m, err := jsonrpc.Parse(in.Text)
	if err != nil || m.Kind != jsonrpc.Response {
		return false
	}
	p.takeMessage(&m, in)
	return true
}

// readOn is read that begins with what has been received already.
func (p *peer) readOn(in *Incoming, err error) {
	if err != nil && !p.failedToReceive(in, err) {
		p.turn.end(err)
		return
	}
	if err == nil {
		if c := p.take(in); c != nil {
			go c.serve()
		}
	}
	p.read()
}

// startTicking makes sure that the request which has begun will be looked at.
func (p *peer) startTicking() {
	t := p.turn
	if !t.ticking.CompareAndSwap(false, true) {
		return
	}
	if t.ticker == nil {
		t.ticker = time.AfterFunc(math.MaxInt64, p.tick) // it is not to run before it is here
	}
	t.ticker.Reset(tick)
}

// tick looks at what whoever reads does. The ticks end when that is a goroutine which reads.
func (p *peer) tick() {
	t := p.turn
	if p.stopped() {
		return
	}
	number := t.serving.Load()
	if number != 0 && number == t.seen {
		p.takeOver(number)
	}
	t.seen = number
	switch t.reader.Load() {
	case readerNobody:
		p.resumeReading()
	case readerCaller:
		calls := t.calls.Load()
		if calls == t.seenCalls {
			t.interrupter.Interrupt()
		}
		t.seenCalls = calls
	default:
		if number == 0 {
			t.ticking.Store(false)
			if t.serving.Load() != 0 || t.reader.Load() != readerGoroutine {
				p.startTicking()
			}
			return
		}
	}
	t.ticker.Reset(tick)
}
