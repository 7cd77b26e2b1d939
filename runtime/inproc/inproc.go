// Package inproc connects a client and a server in memory, for tests and for programs
// that embed both.
package inproc

import (
	"context"
	"io"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/worker"
)

// queueLen is the number of messages in transit in each direction before Send blocks.
const queueLen = 16

// Transport is one end of a connected pair. Create it with Pair.
//
// The goroutine that sends a message also passes it to the session of the other end. Only handlers of
// requests run in other goroutines. So a call returns at its deadline even if the handler ignores its context, and a
// handler that panics or calls runtime.Goexit ends no goroutine but its own. A handler in the goroutine of the caller
// would save the 1 to 2 us that it takes to wake another processor, and no work: with one processor, a call takes as
// long.
type Transport struct {
	in, out *pipe
}

// pipe is one direction.
type pipe struct {
	back     *pipe         // the other direction
	handlers worker.Worker // runs requests
	gone     atomic.Bool   // the receiver has stopped; the other direction reads it without the lock

	mu       sync.Mutex
	texts    []string      // not yet received; at most queueLen
	room     chan struct{} // closed when a text is received; nil if no sender waits
	ended    bool          // the sender has stopped
	inbox    runtime.Inbox // of the receiving session; nil before Start
	draining bool          // a goroutine moves texts to the inbox
	told     bool          // the inbox has been notified of the end
}

func newPipe() *pipe {
	return &pipe{texts: make([]string, 0, queueLen)}
}

// Pair returns two connected transports.
func Pair() (*Transport, *Transport) {
	a, b := newPipe(), newPipe()
	a.back, b.back = b, a
	return &Transport{in: a, out: b}, &Transport{in: b, out: a}
}

// Start implements runtime.Transport.
func (t *Transport) Start(in runtime.Inbox, _ int) {
	t.in.mu.Lock()
	t.in.inbox = in
	t.in.mu.Unlock()
	t.in.drain()
}

// drain moves the sent texts to the inbox, unless another goroutine is doing so. It does not wait for
// that goroutine, so two sessions that send to each other while they read cannot deadlock.
func (p *pipe) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inbox == nil || p.draining {
		return
	}
	p.draining = true
	for len(p.texts) > 0 && !p.gone.Load() {
		text := p.take()
		p.mu.Unlock()
		if serve := p.inbox.Accept(runtime.Incoming{Text: text}); serve != nil {
			p.handlers.Run(serve)
		}
		p.mu.Lock()
	}
	p.draining = false
	if p.ended && !p.told && !p.gone.Load() {
		p.told = true
		p.inbox.End(p.why())
	}
}

// why returns the error that the receiver gets after the last text.
func (p *pipe) why() error {
	if p.back.gone.Load() {
		return runtime.ErrClosed
	}
	return io.EOF
}

// take removes and returns the next text. The caller holds mu.
func (p *pipe) take() string {
	text := p.texts[0]
	last := copy(p.texts, p.texts[1:])
	p.texts[last] = ""
	p.texts = p.texts[:last]
	p.release()
	return text
}

// release wakes the senders that wait for room. The caller holds mu.
func (p *pipe) release() {
	if p.room != nil {
		close(p.room)
		p.room = nil
	}
}

// put adds a text. If there is no room, it returns a channel that is closed when put should be called
// again.
func (p *pipe) put(text []byte) (room <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended || p.gone.Load():
		return nil, runtime.ErrClosed
	case len(p.texts) == queueLen:
		if p.room == nil {
			p.room = make(chan struct{})
		}
		return p.room, nil
	}
	p.texts = append(p.texts, string(text))
	return nil, nil
}

// Send implements runtime.Transport. If either end is closed, it returns runtime.ErrClosed.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	for {
		room, err := t.out.put(m.Text)
		if err != nil {
			return err
		}
		if room == nil {
			t.out.drain()
			return nil
		}
		select {
		case <-room:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// CloseSend stops sending, like closing the standard input of a process. This end can still
// receive.
func (t *Transport) CloseSend() error {
	t.out.mu.Lock()
	t.out.ended = true
	t.out.release()
	t.out.mu.Unlock()
	t.out.drain()
	return nil
}

// Close implements runtime.Transport.
func (t *Transport) Close() error {
	t.in.leave()
	return t.CloseSend()
}

// leave stops receiving.
func (p *pipe) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone.Swap(true) {
		return
	}
	p.handlers.Close()
	p.release()
	if p.inbox != nil {
		p.inbox.End(runtime.ErrClosed)
	}
}
