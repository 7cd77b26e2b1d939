// Package inproc connects a client and a server in memory, for tests and for programs
// that embed both.
package inproc

import (
	"context"
	"io"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// queueLen is how many messages may be on their way in each direction before Send
// waits.
const queueLen = 16

// Transport is one end of a connected pair. Make it with Pair.
type Transport struct {
	in, out *pipe
}

// pipe is one direction.
type pipe struct {
	texts chan string
	ended chan struct{} // closed when no more is sent
	end   sync.Once
	gone  chan struct{} // closed when no more is received
	leave sync.Once
}

func newPipe() *pipe {
	return &pipe{texts: make(chan string, queueLen), ended: make(chan struct{}), gone: make(chan struct{})}
}

// Pair returns two transports; what one sends the other receives. Routes are ignored.
func Pair() (*Transport, *Transport) {
	a, b := newPipe(), newPipe()
	return &Transport{in: a, out: b}, &Transport{in: b, out: a}
}

// Receive implements runtime.Transport. After the last message it returns
// io.EOF when the other end sends no more but still receives. When either end is closed
// it returns runtime.ErrClosed.
func (t *Transport) Receive(ctx context.Context, max int) (runtime.Incoming, error) {
	select {
	case <-t.in.gone:
		return runtime.Incoming{}, runtime.ErrClosed
	default:
	}
	select {
	case text := <-t.in.texts:
		return incoming(text, max)
	default:
	}
	select {
	case text := <-t.in.texts:
		return incoming(text, max)
	case <-t.in.ended:
		// A text may have come before the end.
		select {
		case text := <-t.in.texts:
			return incoming(text, max)
		default:
		}
		select {
		case <-t.out.gone:
			return runtime.Incoming{}, runtime.ErrClosed
		default:
			return runtime.Incoming{}, io.EOF
		}
	case <-t.in.gone:
		return runtime.Incoming{}, runtime.ErrClosed
	case <-ctx.Done():
		return runtime.Incoming{}, context.Cause(ctx)
	}
}

// Backlog implements runtime.Backlog.
func (t *Transport) Backlog() bool { return len(t.in.texts) > 0 }

func incoming(text string, max int) (runtime.Incoming, error) {
	if len(text) > max {
		return runtime.Incoming{}, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", max)
	}
	return runtime.Incoming{Text: text}, nil
}

// Send implements runtime.Transport. When either end is closed it returns
// runtime.ErrClosed.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	select {
	case <-t.out.ended:
		return runtime.ErrClosed
	case <-t.out.gone:
		return runtime.ErrClosed
	default:
	}
	select {
	case t.out.texts <- string(m.Text):
		return nil
	case <-t.out.ended:
		return runtime.ErrClosed
	case <-t.out.gone:
		return runtime.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// CloseSend ends this end's sending, as the end of a process's input does; it can
// still receive.
func (t *Transport) CloseSend() error {
	t.out.end.Do(func() { close(t.out.ended) })
	return nil
}

// Close implements runtime.Transport.
func (t *Transport) Close() error {
	t.in.leave.Do(func() { close(t.in.gone) })
	return t.CloseSend()
}
