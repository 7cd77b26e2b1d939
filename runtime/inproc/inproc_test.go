package inproc_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
)

func send(t *testing.T, from *mcptest.Raw, text string) {
	t.Helper()
	buf := []byte(text)
	if err := from.Send(t.Context(), runtime.Outgoing{Text: buf}); err != nil {
		t.Fatal(err)
	}
	clear(buf) // the text must have been copied
}

func receive(t *testing.T, at *mcptest.Raw, want string, wantErr error) {
	t.Helper()
	in, err := at.Receive(t.Context())
	if in.Text != want || err != wantErr {
		t.Errorf("received %q, %v; want %q, %v", in.Text, err, want, wantErr)
	}
}

func TestPair(t *testing.T) {
	near, far := inproc.Pair()
	a, b := mcptest.NewRaw(near), mcptest.NewRaw(far)
	send(t, a, "1")
	send(t, a, "2")
	send(t, b, "3")
	receive(t, b, "1", nil)
	receive(t, b, "2", nil)
	receive(t, a, "3", nil)

	// An end that has stopped sending can still receive.
	send(t, a, "4")
	a.CloseSend()
	receive(t, b, "4", nil)
	receive(t, b, "", io.EOF)
	send(t, b, "5")
	receive(t, a, "5", nil)

	send(t, b, "6")
	b.Close()
	b.Close()
	receive(t, a, "6", nil)
	receive(t, a, "", runtime.ErrClosed)
	for _, end := range []*mcptest.Raw{a, b} {
		if err := end.Send(t.Context(), runtime.Outgoing{}); err != runtime.ErrClosed {
			t.Errorf("sent after Close: %v", err)
		}
	}
}

// TestInterrupt checks that a blocked call returns when the transport is closed or its
// context ends.
func TestInterrupt(t *testing.T) {
	stop := errors.New("stop")
	fill := func(ctx context.Context, a *inproc.Transport) error {
		for {
			if err := a.Send(ctx, runtime.Outgoing{Text: []byte("x")}); err != nil {
				return err
			}
		}
	}
	read := func(ctx context.Context, a *inproc.Transport) error {
		_, err := mcptest.NewRaw(a).Receive(ctx)
		return err
	}
	for _, c := range []struct {
		name string
		wait func(context.Context, *inproc.Transport) error
		end  func(a, b *inproc.Transport, cancel func(error))
		want error
	}{
		{"send, own end closed", fill, func(a, _ *inproc.Transport, _ func(error)) { a.Close() }, runtime.ErrClosed},
		{"send, other end closed", fill, func(_, b *inproc.Transport, _ func(error)) { b.Close() }, runtime.ErrClosed},
		{"send, context", fill, func(_, _ *inproc.Transport, cancel func(error)) { cancel(stop) }, stop},
		{"receive, own end closed", read, func(a, _ *inproc.Transport, _ func(error)) { a.Close() }, runtime.ErrClosed},
		{"receive, other end closed", read, func(_, b *inproc.Transport, _ func(error)) { b.Close() }, runtime.ErrClosed},
		{"receive, other end sends no more", read, func(_, b *inproc.Transport, _ func(error)) { b.CloseSend() }, io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := inproc.Pair()
				ctx, cancel := context.WithCancelCause(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- c.wait(ctx, a) }()
				synctest.Wait()
				c.end(a, b, cancel)
				if err := <-ended; err != c.want {
					t.Errorf("got %v, want %v", err, c.want)
				}
				cancel(nil)
			})
		})
	}
}

// deaf is an inbox that ignores everything.
type deaf struct{ runtime.Inbox }

func (deaf) Accept(runtime.Incoming) func() { return nil }
func (deaf) End(error)                      {}

// TestCloseSendBoth lets both ends stop sending at the same time.
func TestCloseSendBoth(t *testing.T) {
	for range 50_000 {
		a, b := inproc.Pair()
		a.Start(deaf{}, 0)
		b.Start(deaf{}, 0)
		var both sync.WaitGroup
		both.Go(func() { a.CloseSend() })
		both.Go(func() { b.CloseSend() })
		both.Wait()
	}
}
