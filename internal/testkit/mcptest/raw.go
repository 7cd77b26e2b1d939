package mcptest

import (
	"context"
	"sync"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Raw is a transport whose messages a test reads by itself.
type Raw struct {
	runtime.Transport
	start sync.Once
	heard chan heard
	ended chan struct{}
	why   error // valid when ended is closed
}

type heard struct {
	in  runtime.Incoming
	err error
}

// NewRaw returns a transport that is started with the first Receive.
func NewRaw(t runtime.Transport) *Raw {
	return &Raw{Transport: t, heard: make(chan heard, 10_000), ended: make(chan struct{})}
}

// Pair returns the ends of a connection in memory, of which a test reads the first by itself.
func Pair() (*Raw, *inproc.Transport) {
	near, far := inproc.Pair()
	return NewRaw(near), far
}

// CloseSend stops sending over a connection in memory.
func (r *Raw) CloseSend() error { return r.Transport.(*inproc.Transport).CloseSend() }

// Receive returns the next message. After the last one, it returns the error with which the transport has ended the
// inbox.
func (r *Raw) Receive(ctx context.Context) (runtime.Incoming, error) {
	r.start.Do(func() { r.Start(rawInbox{r}, 1<<24) })
	select {
	case h := <-r.heard:
		return h.in, h.err
	default:
	}
	select {
	case h := <-r.heard:
		return h.in, h.err
	case <-r.ended:
	case <-ctx.Done():
		return runtime.Incoming{}, context.Cause(ctx)
	}
	select {
	case h := <-r.heard:
		return h.in, h.err
	default:
		return runtime.Incoming{}, r.why
	}
}

// rawInbox is the inbox of a Raw.
type rawInbox struct{ *Raw }

func (r rawInbox) Accept(in runtime.Incoming) func() {
	r.heard <- heard{in: in}
	return nil
}

func (r rawInbox) Lose(_ wire.Scalar, err error) { r.heard <- heard{err: err} }

func (r rawInbox) End(why error) {
	select {
	case <-r.ended:
	default:
		r.why = why
		close(r.ended)
	}
}

func (rawInbox) Shutdown(context.Context)  {}
func (rawInbox) Restore(runtime.Handshake) {}
func (rawInbox) Listens(bool)              {}

// Read starts a transport that receives one message after the other: it puts what receive returns into an inbox.
func Read(in runtime.Inbox, receive func(ctx context.Context) (runtime.Incoming, error)) {
	go func() {
		for {
			m, err := receive(context.Background())
			if err != nil {
				in.End(err)
				return
			}
			if run := in.Accept(m); run != nil {
				go run()
			}
		}
	}()
}

// Tap is an inbox that shows messages to Heard before another inbox gets them. Those for which it returns false are
// lost.
type Tap struct {
	runtime.Inbox
	Heard func(in *runtime.Incoming) bool
}

// Accept implements runtime.Inbox.
func (t Tap) Accept(in runtime.Incoming) func() {
	if !t.Heard(&in) {
		return nil
	}
	return t.Inbox.Accept(in)
}
