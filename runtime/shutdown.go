package runtime

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// The code below ends a connection (see "Shutdown" in the package comment). Whatever ends it, finish does the rest, once
// and in a goroutine of its own:
//
//   - End is called when the peer is gone or sends nothing more, and when the transport fails.
//   - giveUp ends the contexts of the handlers first. It is for a session that this side closes, and for a peer that
//     does not answer pings.
//   - Shutdown refuses new requests and waits for those in flight first. When the grace period ends, cutShort ends the
//     contexts of their handlers, and answers the requests of those that do not return. After the end of the peer's
//     input, finish does the same.

// Shutdown implements Inbox.
func (cn inbox) Shutdown(ctx context.Context) {
	cn.drain(ctx)
	cn.hangUp(ErrClosed)
	cn.end(ErrClosed)
	cn.endContexts(ErrClosed) // if the peer has ended its input meanwhile, the grace period does not begin again
}

// End implements Inbox.
func (cn inbox) End(why error) { cn.end(why) }

// end begins the end of the session, see [Inbox]. It may be called again.
func (cn *conn) end(why error) {
	cn.ending.Do(func() {
		go func() {
			err := cn.finish(why)
			if ss := cn.serverSide; ss != nil {
				ss.server.audience.leave(&ss.session)
			}
			cn.ended(err)
		}()
	})
}

// giveUp ends the session from this side.
func (cn *conn) giveUp(why error) {
	cn.endContexts(why)
	cn.end(context.Cause(cn.life.Context())) // of the first call: a ping may fail because its session is being closed
}

// finish ends the session because of err. It waits until the goroutines of the session have ended, but for a limited
// time. It returns nil if the peer has ended the session.
func (cn *conn) finish(err error) error {
	var reading <-chan struct{}
	if r := cn.reader.Load(); r != nil {
		reading = r.Stop()
	}
	cn.hangUp(err)
	drained, _ := cn.requests.stop()
	cn.life.Go(func() { <-drained }) // so that life.Wait waits for the handlers of requests, too
	cn.life.Stop()
	if err == io.EOF { // the peer sends nothing more but still reads answers
		deadline := time.Now().Add(cn.grace)
		ctx, cancel := context.WithDeadline(context.Background(), deadline)
		if cn.drain(ctx) {
			cn.life.Wait(time.Until(deadline), cn.life.Context().Done())
		}
		cancel()
	}
	cn.endContexts(ErrClosed)
	cn.life.Wait(waits.Sending, nil)
	if err := cn.transport.Close(); err != nil {
		cn.debug("closing the transport failed", slog.Any("error", err))
	}
	cn.life.Wait(waits.Abandoned, nil)
	if left := cn.life.Running(); left > 0 {
		left += max(cn.requests.handlers()-1, 0) // one goroutine waits for all of them
		cn.logFailure("handlers have not returned although their contexts have ended", "handlers", left)
	}
	if reading != nil {
		engine.Wait(reading, waits.Sending, nil)
	}
	if err == io.EOF || err == ErrClosed {
		err = nil
	}
	cn.logEnd(err)
	return err
}

// drain refuses new requests and waits until those in flight are answered. Messages are still read, because
// handlers may wait for answers of the peer. When deadline ends, drain cuts short the remaining requests. If the
// peer reads no answers, drain returns soon after all requests are handled, unless something other than a Transport
// puts the messages into the inbox, and limits that time. It reports whether all handlers have ended.
func (cn *conn) drain(deadline context.Context) bool {
	drained, served := cn.requests.stop()
	if _, ok := cn.transport.(Transport); !ok {
		served = nil
	}
	var unread <-chan time.Time
	for {
		select {
		case <-drained:
			return true
		case <-served:
			served, unread = nil, time.After(waits.Unread)
		case <-unread:
			return false
		case <-cn.life.Context().Done():
			return false
		case <-deadline.Done():
			cn.cutShort()
			return false
		}
	}
}

// cutShort ends the contexts of the requests in flight. The requests of handlers that do not return soon
// are answered with an error.
func (cn *conn) cutShort() {
	over := cn.life.Context().Done()
	cn.requests.cancelAll(ErrShutdown)
	drained, _ := cn.requests.stop()
	engine.Wait(drained, waits.Cancelled, over)
	calls := cn.requests.abandon()
	if len(calls) == 0 {
		return
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for _, c := range calls {
			cn.logFailure("handler has not returned although its context has ended", "method", c.m.Method, "id", c.id)
			c.answerAbandoned()
		}
	}()
	engine.Wait(answered, waits.Sending, over)
}

// hangUp is called when the peer sends nothing more. It fails all current and later calls, and ends the
// background context of the session.
func (cn *conn) hangUp(why error) {
	err := ErrClosed
	if why != nil && why != io.EOF && why != ErrClosed {
		err = prefix.Errorf("runtime: %w: %w", ErrClosed, why)
	}
	cn.pending.Close(err)
	cn.life.EndBackground(ErrClosed)
}

// endContexts ends the contexts of all handlers. The contexts of requests are not derived from that of
// the session, which would have to keep a second list of them.
func (cn *conn) endContexts(cause error) {
	cn.life.End(cause)
	cn.requests.cancelAll(cause)
}
