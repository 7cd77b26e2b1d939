package streamable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Errors of requests whose answer does not come.
var (
	errNoAnswer = errors.New("streamable: the stream ended without an answer")
	errTooLong  = errors.New("streamable: the answer is too long")
)

const (
	// minWait is the least wait before a stream is asked for again that has brought nothing
	// the last time.
	minWait = 100 * time.Millisecond
	// maxWait bounds the growth of the waits after failures.
	maxWait = 30 * time.Second
	// drainWait is how long a stream is read on after the answer.
	drainWait = 100 * time.Millisecond
	// framing is what an event may have beyond a message of the maximum size.
	framing = 4 << 10
	// listenWait is how long the stream of what the server sends on its own is waited for.
	listenWait = 500 * time.Millisecond
)

// exchange is one stream of the server, and for the answer to a POST the request it
// answers.
type exchange struct {
	t     *Transport
	id    wire.Scalar // zero for what the server sends on its own
	post  web.Request // not of what the server sends on its own
	opens bool        // the request is initialize

	mu     sync.Mutex
	ended  bool
	ctx    context.Context    // ends with the exchange; nil before it is needed
	finish context.CancelFunc // of ctx

	last    string        // id of the last event
	retry   time.Duration // what the server told to wait; negative when it did not
	news    bool          // the last connection has brought an event
	tooLong bool          // an event was skipped
}

// run makes the POST of a request and reads the answer.
func (e *exchange) run(body []byte) {
	resp, err := e.post.Do(e.t.http, e.t.made(e.post.Context(), e.t.post, body, ""))
	if err != nil {
		err = e.t.sendError(err)
	} else {
		err = e.read(resp)
	}
	if err != nil {
		e.fail(err)
	}
}

// end ends the exchange, unless the transport does so before.
func (e *exchange) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
	if e.finish != nil {
		e.finish()
	}
}

// over reports whether the exchange has ended.
func (e *exchange) over() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended || e.t.ctx.Err() != nil
}

// context ends with the exchange.
func (e *exchange) context() context.Context {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctx == nil {
		e.ctx, e.finish = context.WithCancel(e.t.ctx)
		if e.ended {
			e.finish()
		}
	}
	return e.ctx
}

// cancel ends the wait for the answer.
func (e *exchange) cancel() {
	e.end()
	e.post.End(context.Canceled)
}

// deliver hands a message to the session.
func (e *exchange) deliver(text string) error {
	if e.over() {
		return context.Canceled
	}
	if e.t.pushed {
		e.t.inbox.Deliver(runtime.Incoming{Text: text})
		return nil
	}
	select {
	case e.t.in <- received{text: text}:
		return nil
	case <-e.context().Done():
		return context.Canceled
	}
}

// awaitWritten waits until the request has been written: a server that heard of its
// cancellation first would forget that.
func (e *exchange) awaitWritten(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, writeWait)
	defer cancel()
	e.post.Written(ctx)
	sleep(ctx, flushWait)
}

// fail tells whoever waits for the answer that it does not come.
func (e *exchange) fail(err error) {
	lost := &runtime.AnswerError{ID: e.id, Err: err}
	if e.t.pushed {
		e.t.inbox.Lose(lost)
		return
	}
	select {
	case e.t.in <- received{err: lost}:
	case <-e.context().Done():
	}
}

// read reads the answer to a POST.
func (e *exchange) read(resp *http.Response) error {
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return e.refused(resp)
	}
	if e.opens {
		if err := e.t.opened(resp); err != nil {
			return err
		}
	}
	switch media := web.MediaType(resp); media {
	case web.JSON:
		text, err := web.ReadAnswer(resp, e.t.opts.MaxMessage)
		if err == web.ErrTooLarge {
			return errTooLong
		}
		if err != nil {
			return fmt.Errorf("streamable: the answer could not be read: %w", err)
		}
		return e.deliver(text)
	case eventstream.MediaType:
		return e.follow(resp)
	default:
		return fmt.Errorf("streamable: an answer of status %d and content type %.100q", resp.StatusCode, media)
	}
}

// refused delivers the error that the body of a failure has for the request; any other
// failure it returns.
func (e *exchange) refused(resp *http.Response) error {
	if resp.StatusCode == http.StatusNotFound {
		return e.t.refused(resp)
	}
	failure, text := web.Failure(resp)
	if text != "" {
		if m, err := jsonrpc.Parse(text); err == nil && m.ID.Canonical() == e.id.Canonical() {
			return e.deliver(text)
		}
	}
	return failure
}

// follow reads a stream, asking for it again when it is lost, until it has brought the
// answer. A stream without event ids cannot be asked for again.
func (e *exchange) follow(resp *http.Response) error {
	e.retry = -1
	failures := 0
	for {
		if resp != nil {
			answered, err := e.events(resp.Body)
			resp.Body.Close()
			switch {
			case answered || e.over():
				return nil
			case e.tooLong && !e.id.IsZero():
				return errTooLong
			case e.last == "" && !e.id.IsZero():
				return fmt.Errorf("%w: %w", errNoAnswer, err)
			}
			failures = 0
		}
		if !e.wait(failures) {
			return nil
		}
		var err error
		resp, err = e.t.do(e.context(), e.t.get, nil, e.last)
		if err == nil {
			resp, err = e.reopened(resp)
		}
		if err == nil {
			continue
		}
		resp = nil
		failures++
		_, final := errors.AsType[*finalError](err)
		if final || failures > e.t.opts.MaxRetries {
			return fmt.Errorf("streamable: the stream could not be resumed: %w", err)
		}
	}
}

// drain reads a stream that has brought the answer to its end, so that the connection can be
// used again. A server that does not end it is not waited for.
func (e *exchange) drain(body io.Reader) {
	timer := time.AfterFunc(drainWait, e.cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, framing)
}

// finalError is a failure that trying again does not mend.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

// reopened checks the answer to a GET.
func (e *exchange) reopened(resp *http.Response) (*http.Response, error) {
	if resp.StatusCode == http.StatusOK && web.MediaType(resp) == eventstream.MediaType {
		return resp, nil
	}
	defer web.Discard(resp)
	if resp.StatusCode == http.StatusNotFound && !e.id.IsZero() {
		return nil, &finalError{e.t.refused(resp)}
	}
	failure, _ := web.Failure(resp)
	if resp.StatusCode/100 == 5 || resp.StatusCode == http.StatusTooManyRequests {
		return nil, failure
	}
	return nil, &finalError{failure}
}

// wait waits before a stream is asked for again: as long as the server said, longer after
// failures. False: there is nothing to wait for any more.
func (e *exchange) wait(failures int) bool {
	d := e.retry
	if d < 0 {
		d = DefaultRetry
	}
	if !e.news {
		d = max(d, minWait)
	}
	if failures > 0 {
		backoff := min(max(d, minWait)<<min(failures, 10), maxWait)
		d = max(d, backoff/2+rand.N(backoff/2))
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-e.t.failed:
	case <-e.context().Done():
	}
	return false
}

// events delivers the messages of one connection. Answered: the answer was among them.
func (e *exchange) events(body io.Reader) (answered bool, err error) {
	e.news = false
	reader := eventstream.NewReader(body, e.t.opts.MaxMessage+framing)
	defer reader.Release()
	for {
		event, err := reader.Next()
		if err == eventstream.ErrTooLong {
			e.t.opts.Logger.Warn("a message was skipped because it is too long")
			e.tooLong = true
			continue
		}
		if err != nil {
			return false, err
		}
		if event.HasRetry {
			e.retry = event.Retry
		}
		if event.Data != "" && (event.Type == "" || event.Type == "message") {
			if err := e.deliver(event.Data); err != nil {
				return false, err
			}
			e.news = true
			if isAnswer(event.Data) {
				if answered = !e.id.IsZero(); !answered {
					e.t.answeredElsewhere(event.Data)
				}
			}
		}
		// Only now: a message that was not delivered is asked for again.
		if event.HasID {
			e.last = strings.Clone(event.ID) // without the data of the event
		}
		if answered {
			if !reader.Ended() {
				e.drain(body)
			}
			return true, nil
		}
	}
}

// isAnswer reports whether a message on the stream of a POST is a response: it can only
// be that to the POST's request.
func isAnswer(text string) bool {
	return jsonrpc.IsBatch(text) || wire.NewStringReader(text).PeekHas("method") == 0
}

// answeredElsewhere stops waiting on the stream of a POST whose answer has come on
// another one, where some servers send it when the client comes back.
func (t *Transport) answeredElsewhere(text string) {
	if m, err := jsonrpc.Parse(text); err == nil && m.Kind == jsonrpc.Response {
		if e := t.forget(m.ID.Canonical()); e != nil {
			go e.cancel()
		}
	}
}

// listen opens the stream of what the server sends on its own, once (section Listening for
// Messages from the Server). A server need not have one. It waits for the server's answer
// for a moment: some servers forget what they send on their own while there is no such
// stream, even a question without whose answer a call never ends.
func (t *Transport) listen(ctx context.Context) {
	e := &exchange{t: t}
	opened := false
	if !t.enter(func() { opened, t.listens = !t.listens, true }) {
		return
	}
	if !opened {
		t.working.Done()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, listenWait)
	go func() {
		defer t.working.Done()
		defer e.end()
		resp, err := t.do(t.ctx, t.get, nil, "")
		if err == nil {
			resp, err = e.reopened(resp)
		}
		cancel()
		if err == nil {
			err = e.follow(resp)
		}
		if err != nil && t.ctx.Err() == nil {
			t.opts.Logger.Debug("what the server sends on its own is not received", "error", err)
		}
	}()
	<-ctx.Done()
}
