package streamable

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
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
	// framing is what an event may have beyond a message of the maximum size.
	framing = 4 << 10
	// listenWait is how long the stream of what the server sends on its own is waited for.
	listenWait = 500 * time.Millisecond
	// maxBatch bounds the batches that are looked into.
	maxBatch = 1000
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

	last    string // id of the last event
	pace    pace
	news    bool // the last connection has brought an event
	tooLong bool // an event was skipped
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

// deliver hands a message to the session. One that answers ends the wait for the answer,
// whatever it is.
func (e *exchange) deliver(text string, answers bool) error {
	if e.over() {
		return context.Canceled
	}
	in := runtime.Incoming{Text: text}
	if answers {
		in.Answers = e.id
	}
	if e.t.pushed {
		e.t.inbox.Deliver(in)
		return nil
	}
	select {
	case e.t.in <- received{in: in}:
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
	media := web.MediaType(resp)
	if resp.StatusCode/100 != 2 {
		return e.refused(resp)
	}
	if media != eventstream.MediaType || !bringsAnswer(resp.StatusCode) {
		defer resp.Body.Close()
	}
	if !bringsAnswer(resp.StatusCode) {
		return unusable(resp, "")
	}
	if e.opens {
		if err := e.t.opened(resp); err != nil {
			resp.Body.Close()
			return err
		}
	}
	switch media {
	case web.JSON:
		text, err := web.ReadAnswer(resp, e.t.opts.MaxMessage)
		if err == web.ErrTooLarge {
			return errTooLong
		}
		if err != nil {
			return fmt.Errorf("streamable: the answer could not be read: %w; received %.200q", err, text)
		}
		return e.deliver(text, true)
	case eventstream.MediaType:
		return e.follow(resp, nil)
	default:
		return unusable(resp, fmt.Sprintf(" and content type %.100q", resp.Header.Get("Content-Type")))
	}
}

// bringsAnswer reports whether the answer to a request may come with a status: most of the
// others that mean success mean that there is none.
func bringsAnswer(status int) bool {
	switch status {
	case http.StatusOK, http.StatusCreated, http.StatusNonAuthoritativeInfo:
		return true
	}
	return false
}

// unusable is the error of a response without an answer.
func unusable(resp *http.Response, and string) error {
	return fmt.Errorf("streamable: a response of status %d%s is no answer to a request; received %.200q", resp.StatusCode, and, web.Beginning(resp))
}

// refused delivers the error that the body of a failure has for the request; any other
// failure it returns.
func (e *exchange) refused(resp *http.Response) error {
	defer web.Discard(resp)
	if resp.StatusCode == http.StatusNotFound {
		return e.t.refused(resp)
	}
	failure, text := web.Failure(resp)
	if text != "" {
		if m, err := jsonrpc.Parse(text); err == nil && m.ID.Canonical() == e.id.Canonical() {
			return e.deliver(text, true)
		}
	}
	return failure
}

// follow reads a stream, asking for it again when it is lost, until it has brought the
// answer. It begins with what the first request for the stream has brought. What the server
// sends on its own has no end, and is asked for until the server refuses for good.
func (e *exchange) follow(resp *http.Response, err error) error {
	e.pace.base = DefaultRetry
	for {
		if err != nil {
			_, final := errors.AsType[*finalError](err)
			e.pace.failed(err)
			if final || e.exhausted() {
				return fmt.Errorf("streamable: the stream could not be resumed: %w", err)
			}
		} else {
			answered, err := e.connected(resp)
			if answered || err != nil {
				return err
			}
		}
		if !e.wait(e.pace.wait()) {
			return nil
		}
		resp, err = e.ask()
	}
}

// connected reads one connection of a stream. The error is final.
func (e *exchange) connected(resp *http.Response) (answered bool, err error) {
	body := &web.Quoted{Reader: resp.Body}
	reader := eventstream.NewReader(body, e.t.opts.MaxMessage+framing)
	answered, err = e.events(reader)
	if answered && !reader.Ended() {
		web.Discard(resp)
	} else {
		resp.Body.Close()
	}
	reader.Release()
	e.pace.streamed(e.news)
	switch {
	case answered || e.over():
		return true, nil
	case e.tooLong && !e.id.IsZero():
		return false, errTooLong
	case e.last == "" && !e.id.IsZero(): // without an event id it cannot be asked for again
		return false, fmt.Errorf("%w: %w; received %.200q", errNoAnswer, err, body.Beginning())
	}
	return false, nil
}

// exhausted reports whether a stream has been asked for in vain for too long.
func (e *exchange) exhausted() bool {
	if e.id.IsZero() && e.t.opts.MaxRetries >= 0 {
		return false
	}
	return e.pace.failures > e.t.opts.MaxRetries
}

// ask makes the GET of a stream.
func (e *exchange) ask() (*http.Response, error) {
	resp, err := e.t.do(e.context(), e.t.get, nil, e.last)
	if err != nil {
		return nil, err
	}
	return e.reopened(resp)
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
	if repeatable(failure) {
		return nil, failure
	}
	return nil, &finalError{failure}
}

// wait waits before a stream is asked for again. False: there is nothing to wait for any more.
func (e *exchange) wait(d time.Duration) bool {
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
func (e *exchange) events(reader *eventstream.Reader) (answered bool, err error) {
	e.news = false
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
			e.pace.told(event.Retry)
		}
		if event.Data != "" && (event.Type == "" || event.Type == "message") {
			response := isResponse(event.Data)
			answered = response && e.ends(event.Data)
			if err := e.deliver(event.Data, answered); err != nil {
				return false, err
			}
			e.news = true
			if response && !answered {
				e.t.answeredElsewhere(event.Data)
			}
		}
		// Only now: a message that was not delivered is asked for again.
		if event.HasID {
			e.last = strings.Clone(event.ID) // without the data of the event
		}
		if answered {
			return true, nil
		}
	}
}

// isResponse reports whether a message is a response, or no message at all.
func isResponse(text string) bool {
	return jsonrpc.IsBatch(text) || wire.NewStringReader(text).PeekHas("method") == 0
}

// ends reports whether a response on the stream ends the wait for the answer. On the stream of
// a POST nothing belongs but the answer to its request, so anything else that is not the
// answer to another one ends the wait too. A batch may have messages before the answer.
func (e *exchange) ends(text string) bool {
	if e.id.IsZero() {
		return false
	}
	if jsonrpc.IsBatch(text) {
		items, err := jsonrpc.ParseBatch(text, maxBatch)
		ends := func(item jsonrpc.Item) bool {
			return item.Kind == 0 || item.Kind == jsonrpc.Response && !e.t.awaitsOther(e, item.ID)
		}
		return err != nil || slices.ContainsFunc(items, ends)
	}
	raw, _ := wire.NewStringReader(text).PeekRaw("id")
	var id wire.Scalar
	return wire.UnmarshalString(string(raw), &id) != nil || !e.t.awaitsOther(e, id)
}

// awaitsOther reports whether an id is that of a request whose answer another exchange waits for.
func (t *Transport) awaitsOther(e *exchange, id wire.Scalar) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	other := t.calls[id.Canonical()]
	return other != nil && other != e
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
		resp, err := e.ask()
		cancel()
		if err = e.follow(resp, err); err != nil && t.ctx.Err() == nil {
			t.opts.Logger.Debug("what the server sends on its own is not received", "error", err)
		}
	}()
	<-ctx.Done()
}
