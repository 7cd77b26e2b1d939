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
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// queueLen is the number of messages in transit in each direction before Send blocks.
const queueLen = 16

// Transport is one end of a connected pair. Create it with Pair.
//
// The goroutine that sends a message also passes it to the session of the other end. Only handlers of
// requests run in other goroutines.
type Transport struct {
	in, out *pipe

	ctx  context.Context // context of Receive, whose end wakes it
	stop func() bool     // stops watching ctx
}

// pipe is one direction.
type pipe struct {
	back     *pipe         // the other direction
	wake     chan struct{} // holds a token if the state has changed for Receive
	handlers worker.Worker // runs requests
	gone     atomic.Bool   // the receiver has stopped; the other direction reads it without the lock

	mu       sync.Mutex
	texts    []string      // not yet received; at most queueLen
	room     chan struct{} // closed when a text is received; nil if no sender waits
	ended    bool          // the sender has stopped
	inbox    runtime.Inbox // of the receiving session; nil if it calls Receive
	pushed   bool          // inbox is set
	draining bool          // a goroutine moves texts to the inbox
	told     bool          // the inbox has been notified of the end
}

func newPipe() *pipe {
	return &pipe{wake: make(chan struct{}, 1), texts: make([]string, 0, queueLen)}
}

// Pair returns two connected transports. Routes are ignored.
func Pair() (*Transport, *Transport) {
	a, b := newPipe(), newPipe()
	a.back, b.back = b, a
	return &Transport{in: a, out: b}, &Transport{in: b, out: a}
}

// Start implements runtime.Pusher.
func (t *Transport) Start(in runtime.Inbox) {
	t.in.mu.Lock()
	t.in.inbox, t.in.pushed = in, true
	t.in.mu.Unlock()
	t.in.drain()
}

// drain moves the sent texts to the inbox, unless another goroutine is doing so. It does not wait for
// that goroutine, so two sessions that send to each other while they read cannot deadlock.
func (p *pipe) drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.pushed || p.draining {
		p.rouse()
		return
	}
	p.draining = true
	for len(p.texts) > 0 && !p.gone.Load() {
		text := p.takeLocked()
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

// Receive implements runtime.Transport. Sessions call it if a wrapper hides Start. After
// the last message it returns io.EOF if the other end has stopped sending but still
// receives. If either end is closed, it returns runtime.ErrClosed.
func (t *Transport) Receive(ctx context.Context, max int) (runtime.Incoming, error) {
	t.heed(ctx)
	for {
		text, state := t.in.take()
		switch {
		case state == closed:
			return runtime.Incoming{}, runtime.ErrClosed
		case state == ended:
			return runtime.Incoming{}, t.in.why()
		case state == filled && len(text) > max:
			return runtime.Incoming{}, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", max)
		case state == filled:
			return runtime.Incoming{Text: text}, nil
		case ctx.Err() != nil:
			return runtime.Incoming{}, context.Cause(ctx)
		}
		<-t.in.wake
	}
}

// heed makes the end of ctx wake Receive. It registers ctx once, because a session always passes the
// same context.
func (t *Transport) heed(ctx context.Context) {
	if ctx == t.ctx {
		return
	}
	if t.stop != nil {
		t.stop()
	}
	t.ctx, t.stop = ctx, context.AfterFunc(ctx, t.in.rouse)
}

// state is the receiver's view of a pipe.
type state int

const (
	empty state = iota
	filled
	ended  // all texts are received
	closed // by the receiver
)

// take removes and returns the next text, if there is one.
func (p *pipe) take() (string, state) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.gone.Load():
		return "", closed
	case len(p.texts) == 0 && p.ended:
		return "", ended
	case len(p.texts) == 0:
		return "", empty
	}
	return p.takeLocked(), filled
}

func (p *pipe) takeLocked() string {
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

// rouse wakes Receive to check the state again.
func (p *pipe) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
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
	p.rouse()
	if p.pushed {
		p.inbox.End(runtime.ErrClosed)
	}
}
