package streamable

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Errors of calls without an answer.
var (
	errNoAnswer = errors.New("streamable: the stream ended without an answer")
	errTooLong  = errors.New("streamable: the answer is too long")
)

// exchange is a message to the server with a stream of messages from it: the answer to a request, the server's own
// messages, or none. It outlives the connections that carry it.
type exchange struct {
	t         *Transport
	kind      jsonrpc.Kind         // of the message; 0 for the server's own messages, which need none
	id        wire.Scalar          // of the request that is answered, the first of a batch; zero if none is
	batch     map[wire.Scalar]bool // requests of a batch without an answer, by canonical id, guarded by t.mu; nil for others
	accepted  chan error           // gets the outcome of a message whose POST has no answer; nil for others
	opens     bool                 // the request is initialize
	stateless http.Header          // of a request that belongs to no session; nil in a session
	until     time.Time            // until when the request may be sent again; zero for one that is sent once
	ctx       context.Context      // of its requests
	cancel    context.CancelFunc
	body      *body // of the message
	once      sync.Once
	sent      chan struct{} // closed by wrote; nil if the message is not a request
	traced    atomic.Bool   // the request has had a connection, so the http.RoundTripper calls wrote, too

	last    string // id of the last event
	retry   retry  // of the message
	stream  retry  // of the stream that has the answer
	news    bool   // the last connection carried a message
	worked  bool   // there was a connection
	tooLong bool   // a message was skipped
}

func newExchange(t *Transport, kind jsonrpc.Kind, id wire.Scalar) *exchange {
	e := &exchange{t: t, kind: kind, id: id}
	ctx := t.life.Context()
	switch kind {
	case jsonrpc.Request: // a server may handle it for long, and whether it was written matters if the answer is lost
		e.sent = make(chan struct{})
		e.ctx, e.cancel = context.WithCancel(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: e.got, WroteRequest: e.wrote}))
	case 0:
		e.ctx, e.cancel = context.WithCancel(ctx)
	default:
		e.ctx, e.cancel = context.WithTimeout(ctx, runtime.DefaultTimeout)
	}
	return e
}

// got is called by net/http when the request has a connection. Not every http.RoundTripper calls it.
func (e *exchange) got(httptrace.GotConnInfo) { e.traced.Store(true) }

// wrote is called by net/http when it has written the request, again if it repeats it.
func (e *exchange) wrote(httptrace.WroteRequestInfo) {
	e.once.Do(func() { close(e.sent) })
	e.body.wrote()
}

// run sends a message and reads the answer. It sends the message again while the server is busy, if the
// message may be sent again.
func (e *exchange) run() {
	defer e.cancel()
	for {
		err := e.try()
		if err == nil {
			return
		}
		e.retry.failed(err)
		e.retry.base = e.stream.base
		wait := e.retry.wait()
		if !e.mayRepeat(err, wait) || !sleep(e.t.failed, e.ctx.Done(), wait) {
			switch {
			case e.accepted != nil:
				e.accepted <- err
			case e.ctx.Err() == nil:
				e.lose(err)
			}
			return
		}
	}
}

// lose says that the requests without an answer get none.
func (e *exchange) lose(err error) {
	e.t.mu.Lock()
	open := slices.Collect(maps.Keys(e.batch))
	e.t.mu.Unlock()
	if e.batch == nil {
		open = []wire.Scalar{e.id}
	}
	for _, id := range open {
		e.t.inbox.Lose(id, err)
	}
}

// finish removes requests that need no answer any more from those of a batch. It reports whether none is left, which is
// so if there is no batch.
func (e *exchange) finish(ids ...wire.Scalar) (last bool) {
	e.t.mu.Lock()
	defer e.t.mu.Unlock()
	for _, id := range ids {
		delete(e.batch, id)
	}
	return len(e.batch) == 0
}

// try is one attempt of run. An error means that the message was not accepted, or that the request has no answer yet.
func (e *exchange) try() error {
	resp, err := e.t.http.Do(e.t.request(e.ctx, e.t.post, e.body, e.stateless))
	if err == nil && e.until.IsZero() && e.accepted == nil {
		e.body.drop()
	}
	switch {
	case err != nil:
		return e.failed(err)
	case resp.StatusCode/100 != 2:
		return e.refused(resp)
	case e.accepted != nil:
		e.accepted <- nil
		web.Discard(resp)
		return nil
	}
	return e.read(resp)
}

// failed returns the error of a message without a response. If the server may have handled the message, because it is a
// request that was written, the error is a *runtime.LostError, unless the http.RoundTripper says otherwise.
func (e *exchange) failed(err error) error {
	if e.t.life.Context().Err() != nil {
		return runtime.ErrClosed
	}
	failed := &unreachableError{err}
	if !web.Closed(e.sent) || isUnhandled(err) {
		return failed
	}
	return &runtime.LostError{Err: failed}
}

// isUnhandled reports whether an http.RoundTripper says that the server has not handled a request.
func isUnhandled(err error) bool {
	e, ok := errors.AsType[interface {
		error
		Unhandled() bool
	}](err)
	return ok && e.Unhandled()
}

// mayRepeat reports whether the message may be sent again after an error and a wait. Initialize, which opens
// a session, is not sent again if the server may have handled it.
func (e *exchange) mayRepeat(err error, wait time.Duration) bool {
	_, lost := errors.AsType[*runtime.LostError](err)
	failure, refused := errors.AsType[*StatusError](err)
	switch {
	case err == ErrSessionLost || refused && !repeatable(failure) || errors.Is(err, web.ErrRedirect):
		return false
	case e.retry.failures == 1 && e.failedByAnother(err):
		return true
	case e.kind == jsonrpc.Request:
		return e.retry.failures <= e.t.opts.MaxRetries && time.Until(e.until) >= wait && (lost && !e.opens || !lost && refused)
	case e.kind == jsonrpc.Response && e.retry.failures <= e.t.opts.MaxRetries: // the server waits for it
		return true
	}
	return false
}

// failedByAnother reports whether the message may have failed because another one was cancelled: net/http may then fail
// the requests before and after it on the same connection, with the same cause (https://go.dev/issue/41600). It does so
// for a request that waits to be written, and for a message whose response has no body. net/http returns the error when
// it has stopped writing, so a request that has had a connection and is not lost was not written.
func (e *exchange) failedByAnother(err error) bool {
	_, lost := errors.AsType[*runtime.LostError](err)
	cancelled := errors.Is(err, context.Canceled) || errors.Is(err, runtime.ErrClosed)
	return cancelled && !lost && !isUnhandled(err) && (e.kind != jsonrpc.Request || e.traced.Load())
}

// deliver passes a message to the session. If answers is true, the message is taken as the answer to the request,
// whatever it is. deliver returns an error if the exchange is over.
func (e *exchange) deliver(text string, answers bool) error {
	if e.ctx.Err() != nil {
		return context.Canceled
	}
	in := runtime.Incoming{Text: text}
	if answers && e.batch == nil {
		in.Answers = e.id
	}
	if run := e.t.inbox.Accept(in); run != nil {
		go run()
	}
	return nil
}

// read reads the response to a request.
func (e *exchange) read(resp *http.Response) error {
	media := web.MediaType(resp)
	if media == eventstream.MediaType && hasAnswer(resp.StatusCode) {
		if err := e.opened(resp); err != nil {
			resp.Body.Close()
			return err
		}
		return e.follow(resp, false, nil)
	}
	defer resp.Body.Close()
	if !hasAnswer(resp.StatusCode) {
		return unusable(resp, "")
	}
	if err := e.opened(resp); err != nil {
		return err
	}
	if media != web.JSON {
		return unusable(resp, fmt.Sprintf(" and content type %.100q", resp.Header.Get("Content-Type")))
	}
	text, err := web.ReadAnswer(resp, e.t.opts.MaxMessage)
	switch {
	case err == web.ErrTooLarge:
		return errTooLong
	case err != nil:
		return &runtime.LostError{Err: prefix.Errorf("streamable: the answer could not be read: %w; received %.200q", err, text)}
	}
	return e.deliverBody(text, errNoAnswer)
}

// deliverBody passes the body of a response to the session, as the answer. It returns missing if the body leaves
// requests of a batch without an answer.
func (e *exchange) deliverBody(text string, missing error) error {
	last := e.batch == nil || e.answeredBy(text)
	if err := e.deliver(text, true); err != nil || last {
		return err
	}
	return missing
}

// opened takes the session's id from the response to initialize.
func (e *exchange) opened(resp *http.Response) error {
	if e.opens {
		return e.t.opened(resp)
	}
	return nil
}

// hasAnswer reports whether a response with the status may have an answer in its body. Most other
// statuses for success mean that there is none.
func hasAnswer(status int) bool {
	switch status {
	case http.StatusOK, http.StatusCreated, http.StatusNonAuthoritativeInfo:
		return true
	}
	return false
}

// unusable returns the error of a response without an answer.
func unusable(resp *http.Response, and string) error {
	return fmt.Errorf("streamable: a response with status %d%s is not an answer to a request; received %.200q", resp.StatusCode, and, web.Beginning(resp))
}

// refused delivers the body of a response whose status is not a success if it answers the request.
// Otherwise it returns the failure.
func (e *exchange) refused(resp *http.Response) error {
	defer web.Discard(resp)
	if resp.StatusCode == http.StatusNotFound && e.stateless == nil {
		return e.t.refused(resp)
	}
	failure, text := web.Failure(resp)
	if text != "" && e.accepted == nil && (e.until.IsZero() || !failure.Unavailable()) {
		if m, err := jsonrpc.Parse(text); err == nil && m.ID.Canonical() == e.id.Canonical() {
			return e.deliverBody(text, failure)
		}
	}
	if e.kind == jsonrpc.Request && (failure.Status == http.StatusBadGateway || failure.Status == http.StatusGatewayTimeout) {
		return &runtime.LostError{Err: failure} // by a proxy that has lost the server, perhaps after it has forwarded the request
	}
	return failure
}

// follow reads an event stream until it has the answer, resuming it when its connection is lost. It
// starts with the outcome of the first request. The server's own messages have no end: follow
// resumes their stream until the server refuses for good.
func (e *exchange) follow(resp *http.Response, final bool, err error) error {
	e.stream = retry{base: defaultRetry}
	for {
		if err != nil {
			e.stream.failed(err)
			endless := e.id.IsZero() && e.t.opts.MaxRetries >= 0
			if final || !endless && e.stream.failures > e.t.opts.MaxRetries {
				return &runtime.LostError{Err: prefix.Errorf("streamable: the stream could not be resumed: %w", err)}
			}
		} else {
			answered, err := e.connected(resp)
			if answered || err != nil {
				return err
			}
		}
		if !sleep(e.t.failed, e.ctx.Done(), e.stream.wait()) {
			return nil
		}
		resp, final, err = e.resume()
	}
}

// connected reads one connection of a stream. An error is final.
func (e *exchange) connected(resp *http.Response) (answered bool, err error) {
	e.worked = true
	body := &web.Quoted{Reader: resp.Body}
	reader := eventstream.NewReader(body, eventstream.Limit(e.t.opts.MaxMessage))
	answered, err = e.events(reader)
	if answered && !reader.Ended() {
		web.Discard(resp)
	} else {
		resp.Body.Close()
	}
	reader.Release()
	e.stream.streamed(e.news)
	switch {
	case answered || e.ctx.Err() != nil:
		return true, nil
	case e.tooLong && !e.id.IsZero():
		return false, errTooLong
	case (e.last == "" || e.stateless != nil) && !e.id.IsZero(): // a stream without event ids cannot be resumed
		return false, &runtime.LostError{Err: prefix.Errorf("streamable: %w: %w; received %.200q", errNoAnswer, err, body.Beginning())}
	}
	return false, nil
}

// resume sends the GET that opens a stream or resumes it after its last event. An error may be final, so that another
// attempt would not change it.
func (e *exchange) resume() (resp *http.Response, final bool, err error) {
	var after http.Header
	if e.last != "" {
		after = http.Header{headerLast: {e.last}}
	}
	if resp, err = e.t.http.Do(e.t.request(e.ctx, e.t.get, nil, after)); err != nil {
		return nil, false, err
	}
	if resp.StatusCode == http.StatusOK && web.MediaType(resp) == eventstream.MediaType {
		return resp, false, nil
	}
	defer web.Discard(resp)
	// The first request for the server's own messages gets the status if the server has no such stream.
	if resp.StatusCode == http.StatusNotFound && (!e.id.IsZero() || e.worked) {
		return nil, true, e.t.refused(resp)
	}
	failure, _ := web.Failure(resp)
	return nil, !repeatable(failure), failure
}

// isMessage reports whether an event has a message.
func isMessage(e eventstream.Event) bool {
	return e.Data != "" && (e.Type == "" || e.Type == "message")
}

// events delivers the messages of one connection. It reports whether the answer was among them.
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
			e.stream.base = event.Retry
		}
		if isMessage(event) {
			response := web.IsAnswer(event.Data)
			answered = response && e.answeredBy(event.Data)
			if err := e.deliver(event.Data, answered); err != nil {
				return false, err
			}
			e.news = true
			if response && !answered {
				e.t.answeredElsewhere(event.Data)
			}
		}
		// Only now, because a message that was not delivered must be sent again.
		if event.HasID {
			e.last = strings.Clone(event.ID) // without the data of the event
		}
		if answered {
			return true, nil
		}
	}
}

// answeredBy reports whether a response on the stream ends the wait for the answer. The stream of a
// POST carries only the answer to its request, so every response ends it, unless it answers another
// request. A batch may contain messages before the answer. The answers to a batch may come one by one.
func (e *exchange) answeredBy(text string) bool {
	switch {
	case e.id.IsZero():
		return false
	case e.batch != nil:
		return e.finish(idsIn(text, jsonrpc.Response)...)
	case jsonrpc.IsBatch(text):
		parsed := jsonrpc.ParseText(text)
		ends := func(item jsonrpc.Text) bool {
			return item.Kind == 0 || item.Kind == jsonrpc.Response && !e.t.awaitsOther(e, item.ID)
		}
		return parsed.Err != nil || slices.ContainsFunc(parsed.Batch, ends)
	}
	id, ok := wire.Object(text).GetScalar("id")
	return !ok || !e.t.awaitsOther(e, id)
}

// idsIn returns the canonical ids of the messages of a kind in a text, without its memory. Messages without an id, which
// have no answer, are left out.
func idsIn(text string, kind jsonrpc.Kind) (ids []wire.Scalar) {
	content := jsonrpc.ParseText(text)
	messages := content.Batch
	if !content.IsBatch {
		messages = []jsonrpc.Text{content}
	}
	for _, m := range messages {
		if m.Kind == kind && !m.ID.IsZero() {
			ids = append(ids, m.ID.Canonical().Clone())
		}
	}
	return ids
}

// awaitsOther reports whether an exchange other than e waits for the answer to the request.
func (t *Transport) awaitsOther(e *exchange, id wire.Scalar) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	other := t.calls[id.Canonical()]
	return other != nil && other != e
}

// answeredElsewhere ends the exchange of a request whose answer has arrived on another stream. Some
// servers send it there when the client reconnects.
func (t *Transport) answeredElsewhere(text string) {
	if m, err := jsonrpc.Parse(text); err == nil && m.Kind == jsonrpc.Response {
		id := m.ID.Canonical()
		if e := t.forget(id); e != nil && e.finish(id) {
			e.cancel()
		}
	}
}

// listen opens the stream of the server's own messages, once (section Listening for Messages from
// the Server). It waits up to waits.Listen for the server's response: some servers lose messages
// that they send before there is such a stream, even a request that a call depends on, so that the
// call never ends.
func (t *Transport) listen(ctx context.Context) {
	t.mu.Lock()
	again := t.listening
	t.listening = true
	t.mu.Unlock()
	if again {
		return
	}
	ctx, opened := context.WithTimeout(ctx, waits.Listen)
	defer opened()
	if t.life.Go(func() {
		e := newExchange(t, 0, wire.Scalar{})
		defer e.cancel()
		resp, final, err := e.resume()
		opened()
		if err = e.follow(resp, final, err); err != nil && t.life.Context().Err() == nil {
			t.opts.Logger.Debug("the server's own messages are not received", "error", err)
		}
	}) {
		<-ctx.Done()
	}
}
