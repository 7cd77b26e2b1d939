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
func (p inbox) Shutdown(ctx context.Context) {
	p.drain(ctx)
	p.hangUp(ErrClosed)
	p.end(ErrClosed)
	p.endContexts(ErrClosed) // if the peer has ended its input meanwhile, the grace period does not begin again
}

// End implements Inbox.
func (p inbox) End(why error) { p.end(why) }

// end begins the end of the session, see [Inbox]. It may be called again.
func (p *conn) end(why error) {
	p.ending.Do(func() {
		go func() {
			err := p.finish(why)
			if e := p.server; e != nil {
				e.of.audience.leave(&e.session)
			}
			p.ended(err)
		}()
	})
}

// giveUp ends the session from this side.
func (p *conn) giveUp(why error) {
	p.endContexts(why)
	p.end(context.Cause(p.life.Context())) // of the first call: a ping may fail because its session is being closed
}

// finish ends the session because of err. It waits until the goroutines of the session have ended, but for a limited
// time. It returns nil if the peer has ended the session.
func (p *conn) finish(err error) error {
	var reading <-chan struct{}
	if r := p.reader.Load(); r != nil {
		reading = r.Stop()
	}
	p.hangUp(err)
	drained, _ := p.requests.refuse()
	p.life.Go(func() { <-drained }) // so that life.Wait waits for the handlers of requests, too
	p.life.Stop()
	if err == io.EOF { // the peer sends nothing more but still reads answers
		deadline := time.Now().Add(p.grace)
		ctx, cancel := context.WithDeadline(context.Background(), deadline)
		if p.drain(ctx) {
			p.life.Wait(time.Until(deadline), p.life.Context().Done())
		}
		cancel()
	}
	p.endContexts(ErrClosed)
	p.life.Wait(waits.Sending, nil)
	if err := p.transport.Close(); err != nil {
		p.debug("closing the transport failed", slog.Any("error", err))
	}
	p.life.Wait(waits.Abandoned, nil)
	if left := p.life.Running(); left > 0 {
		left += max(p.requests.handlers()-1, 0) // one goroutine waits for all of them
		p.logFailure("handlers have not returned although their contexts have ended", "handlers", left)
	}
	if reading != nil {
		engine.Wait(reading, waits.Sending, nil)
	}
	if err == io.EOF || err == ErrClosed {
		err = nil
	}
	p.logEnd(err)
	return err
}

// drain refuses new requests and waits until those in flight are answered. Messages are still read, because
// handlers may wait for answers of the peer. When deadline ends, drain cuts short the remaining requests. If the
// peer reads no answers, drain returns soon after all requests are handled, unless something other than a Transport
// puts the messages into the inbox, and limits that time. It reports whether all handlers have ended.
func (p *conn) drain(deadline context.Context) bool {
	drained, served := p.requests.refuse()
	if _, ok := p.transport.(Transport); !ok {
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
		case <-p.life.Context().Done():
			return false
		case <-deadline.Done():
			p.cutShort()
			return false
		}
	}
}

// cutShort ends the contexts of the requests in flight. The requests of handlers that do not return soon
// are answered with an error.
func (p *conn) cutShort() {
	over := p.life.Context().Done()
	p.requests.cancelAll(ErrShutdown)
	drained, _ := p.requests.refuse()
	engine.Wait(drained, waits.Cancelled, over)
	calls := p.requests.abandon()
	if len(calls) == 0 {
		return
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for _, c := range calls {
			p.logFailure("handler has not returned although its context has ended", "method", c.m.Method, "id", c.id)
			c.answerAbandoned()
		}
	}()
	engine.Wait(answered, waits.Sending, over)
}

// hangUp is called when the peer sends nothing more. It fails all current and later calls, and ends the
// background context of the session.
func (p *conn) hangUp(why error) {
	err := ErrClosed
	if why != nil && why != io.EOF && why != ErrClosed {
		err = prefix.Errorf("runtime: %w: %w", ErrClosed, why)
	}
	p.pending.Close(err)
	p.life.EndBackground(ErrClosed)
}

// endContexts ends the contexts of all handlers. The contexts of requests are not derived from that of
// the session, which would have to keep a second list of them.
func (p *conn) endContexts(cause error) {
	p.life.End(cause)
	p.requests.cancelAll(cause)
}
