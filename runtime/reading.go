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
	for {
		in, err := p.turn.source.Receive(p.ctx, p.limits.message)
		if err != nil {
			if !p.failedToReceive(&in, err) {
				p.turn.ended <- err
				return
			}
			continue
		}
		if c := p.take(&in); c != nil && !p.serveInTurn(c) {
			return
		}
	}
}

// failedToReceive does what an error of Receive asks for; false when it is the end of the
// session. Reading goroutine.
func (p *peer) failedToReceive(in *Incoming, err error) bool {
	if lost, ok := errors.AsType[*AnswerError](err); ok {
		p.resolve(lost.ID, reply{err: lost.Err})
		return true
	}
	refusal, ok := errors.AsType[*jsonrpc.Error](err)
	if ok {
		p.log.Warn("message refused", "error", refusal)
		p.refuse(wire.Scalar{}, refusal, in.Route, nil)
		p.done(in.Route, false)
	}
	return ok
}

// take handles what has been received, all but a request to be served, which it returns.
// Reading goroutine.
func (p *peer) take(in *Incoming) *Call {
	if p.limits.ping > 0 {
		p.heard.Store(true)
	}
	if jsonrpc.IsBatch(in.Text) {
		p.receiveBatch(*in)
		return nil
	}
	m, err := jsonrpc.Parse(in.Text)
	if err != nil {
		p.malformed(&m, err, in.Route, nil)
		p.done(in.Route, false)
		return nil
	}
	c := p.receive(&m, in, nil)
	if c == nil {
		p.done(in.Route, m.Kind == jsonrpc.Request && p.stopped())
	}
	return c
}

// turn decides who reads while a request is served. When nothing more is waiting to be read
// that is nobody at first, which saves waking another goroutine. It takes over when the handler
// turns out not to be quick, at the next tick of the session, or to wait for the peer.
type turn struct {
	source  Transport
	backlog Backlog    // the source; nil when that cannot tell
	pushed  bool       // the source puts messages into the inbox; nothing is read
	ended   chan error // takes one without blocking: why there is nothing more to read

	serving atomic.Uint64 // the number of the request that the reading goroutine serves; 0 when it reads
	count   uint64        // of such requests; the reading goroutine's own
	slow    atomic.Int32  // how many requests are still served beside the reading because one was not quick

	ticking atomic.Bool
	ticker  *time.Timer // nil before the first tick
	seen    uint64      // what was served at the last tick
}

// receiveFrom makes the transport that from which messages come. Before run.
func (p *peer) receiveFrom(source Transport) {
	p.turn = &turn{source: source, ended: make(chan error, 1)}
	p.turn.backlog, _ = source.(Backlog)
	if pusher, ok := source.(Pusher); ok {
		p.turn.pushed = true
		pusher.Start(Inbox{p})
	}
}

const (
	// tick is how often a handler that runs on the reading goroutine is looked at. It keeps it
	// for two ticks at most.
	tick = time.Millisecond
	// wary is how many requests are served beside the reading after one that took longer.
	wary = 32
)

// serveInTurn serves a request and returns whether the goroutine has still to read.
func (p *peer) serveInTurn(c *Call) (reading bool) {
	t := p.turn
	if t.backlog == nil || t.backlog.Backlog() {
		go p.read()
		c.serve()
		return false
	}
	start := time.Now()
	if t.slow.Load() > 0 {
		go p.read()
		c.serve()
		if time.Since(start) < tick {
			t.slow.Add(-1)
		} else {
			t.slow.Store(wary)
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

// tick looks at what the reading goroutine does. When that is reading the ticks end.
func (p *peer) tick() {
	t := p.turn
	number := t.serving.Load()
	if number == 0 {
		t.seen = 0
		t.ticking.Store(false)
		if t.serving.Load() != 0 {
			p.startTicking()
		}
		return
	}
	if number == t.seen {
		p.takeOver(number)
	}
	t.seen = number
	t.ticker.Reset(tick)
}
