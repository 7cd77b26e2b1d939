package streamable

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Send implements runtime.Transport. Every message is one POST (section Sending Messages to the
// Server). A goroutine sends each request, and reports its failure in place of the answer.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	text := string(m.Text) // net/http may read it after the response has arrived
	switch {
	case m.Kind == jsonrpc.Request:
		return t.sendRequest(ctx, m, text)
	case m.Method == "notifications/cancelled":
		e := t.cancelledBy(text)
		if m.Revision != "" {
			if e != nil {
				e.cancel() // which is the cancellation ("Cancellation", 2026-07-28)
			}
			return nil
		}
		if e != nil {
			e.awaitSent(ctx)
			defer e.cancel()
		}
	}
	err := t.sendOther(ctx, m, text)
	if err == nil && m.Method == "notifications/initialized" {
		t.listen(ctx)
	}
	return err
}

// sendRequest starts to send a request and to read its answer.
func (t *Transport) sendRequest(ctx context.Context, m runtime.Outgoing, text string) error {
	e := newExchange(t, m.ID)
	e.body = &body{text: text}
	if m.Revision != "" {
		var err error
		if e.stateless, err = t.metadata(&m, text); err != nil {
			e.cancel()
			return err
		}
	}
	if e.opens = m.Method == "initialize"; e.opens || m.Method == "server/discover" {
		var bounded bool
		if e.until, bounded = ctx.Deadline(); !bounded {
			e.until = time.Now().Add(runtime.DefaultTimeout)
		}
	}
	key := m.ID.Canonical()
	if !t.life.Enter() {
		e.cancel()
		return runtime.ErrClosed
	}
	t.mu.Lock()
	t.calls[key] = e
	t.mu.Unlock()
	t.posts.Run(func() {
		defer t.life.Leave()
		defer e.cancel()
		defer t.forget(key)
		e.run()
	})
	return nil
}

// forget removes a request that has its answer. It returns nil if the request was unknown.
func (t *Transport) forget(key wire.Scalar) *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.calls[key]
	delete(t.calls, key)
	return e
}

// cancelledBy returns the request that a notification cancels, or nil.
func (t *Transport) cancelledBy(text string) *exchange {
	m, err := jsonrpc.Parse(text)
	if err != nil || m.Params == "" {
		return nil
	}
	id, ok := wire.Object(m.Params).GetScalar("requestId")
	if !ok {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[id.Canonical()]
}

// awaitSent waits until net/http has written the request: a server would ignore a cancellation that
// arrives first. An http.RoundTripper need not report it, so the wait is limited.
func (e *exchange) awaitSent(ctx context.Context) {
	timer := time.NewTimer(waits.Sent)
	defer timer.Stop()
	select {
	case <-e.sent:
	case <-e.ctx.Done():
	case <-timer.C:
	case <-ctx.Done():
	}
}

// sendOther sends a notification or a response, which have no answer. When ctx ends, it stops
// waiting, but the POST continues: the end of ctx means that the caller no longer waits, not that
// the message is not to be sent.
func (t *Transport) sendOther(ctx context.Context, m runtime.Outgoing, text string) error {
	tries := 1
	if m.Kind == jsonrpc.Response {
		tries += max(t.opts.MaxRetries, 0) // the server waits for it
	}
	sent := make(chan error, 1)
	if !t.life.Go(func() { t.postOther(text, tries, sent) }) {
		return runtime.ErrClosed
	}
	select {
	case err := <-sent:
		return err
	case <-t.life.Context().Done():
		return runtime.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// postOther sends a POST without an answer, again if the server is busy or cannot be reached. It
// reports the outcome on sent before it reads the body of the response.
func (t *Transport) postOther(text string, tries int, sent chan<- error) {
	var retry retry
	for {
		resp, err := t.http.Do(t.request(t.life.Context(), t.post, &body{text: text}, ""))
		if err != nil {
			err = t.sendError(err)
		} else if resp.StatusCode/100 == 2 {
			sent <- nil
			web.Discard(resp)
			return
		} else {
			err = t.refused(resp)
			web.Discard(resp)
		}
		// net/http may fail a request whose response has no body because another request, which got the connection
		// next, was cancelled (https://go.dev/issue/41600).
		if errors.Is(err, context.Canceled) && t.life.Context().Err() == nil {
			tries = max(tries, 2)
		}
		retry.failed(err)
		failure, refused := errors.AsType[*StatusError](err)
		if retry.failures >= tries || refused && !repeatable(failure) || err == ErrSessionLost || !sleep(t.life.Context().Done(), nil, retry.wait()) {
			sent <- err
			return
		}
	}
}

// sleep waits for d. It returns false if one of the channels is closed first.
func sleep(a, b <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-a:
	case <-b:
	}
	return false
}

func (t *Transport) sendError(err error) error {
	if t.life.Context().Err() != nil {
		return runtime.ErrClosed
	}
	return &unreachableError{err}
}

// unreachableError is the error of a request without a response.
type unreachableError struct{ err error }

func (e *unreachableError) Error() string {
	if u, ok := e.err.(*url.Error); ok { // the http.Client's, around the error of its Transport
		return fmt.Sprintf("streamable: %s %q: %s", u.Op, u.URL, prefix.Cut(u.Err))
	}
	return "streamable: " + e.err.Error()
}

func (e *unreachableError) Unwrap() error { return e.err }

// Unavailable reports that the error says nothing about the request.
func (e *unreachableError) Unavailable() bool { return true }

// refused returns the error of a response whose status is not a success. If the server does not know
// the session, it ends the session.
func (t *Transport) refused(resp *http.Response) error {
	failure, _ := web.Failure(resp)
	if resp.StatusCode == http.StatusNotFound && t.lose() {
		return ErrSessionLost
	}
	return failure
}
