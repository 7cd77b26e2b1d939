package streamable

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ErrSessionLost is the error of a session that the server does not know any more. Calls
// return an error that wraps it, and so does runtime.Session.Wait; a program connects
// anew (section Session Management, 4).
var ErrSessionLost = errors.New("streamable: the server has lost the session")

// StatusError is the error of a message that the server refused with an HTTP status.
type StatusError = web.StatusError

// ClientOptions say how a transport reaches a server.
type ClientOptions struct {
	// HTTPClient makes the requests; nil is http.DefaultClient. A Timeout in it would
	// also end streams. Redirects to other servers are not followed whatever it says.
	HTTPClient *http.Client
	// Header is added to every request.
	Header http.Header
	// MaxMessage is the longest message, in bytes, that is read. 0 is
	// runtime.DefaultMaxClientMessage. Let it agree with the client's.
	MaxMessage int
	// MaxRetries is how often in a row a lost stream is asked for in vain before it is
	// given up. 0 is DefaultMaxRetries, less is never.
	MaxRetries int
	// Logger is told of streams that are lost; nil: nothing is logged.
	Logger *slog.Logger
}

// The limits of a transport where the options leave them zero.
const (
	DefaultMaxRetries = 5
	// deleteWait bounds the request that ends a session. A busy server may drop the first two
	// attempts to connect, of which the second is made after a second and the third after three.
	deleteWait = 5 * time.Second
	// retryWait is the wait before a response is sent again.
	retryWait = 100 * time.Millisecond
	// maxSessionID bounds the ids that a server may give.
	maxSessionID = 1 << 10
)

// Transport is a client's end of a session over Streamable HTTP. Make it with
// NewTransport; it serves one session.
type Transport struct {
	url  string
	http *http.Client
	opts ClientOptions

	ctx     context.Context // ends when the transport is closed
	cancel  context.CancelFunc
	closing sync.Once
	in      chan received
	failed  chan struct{} // closed when the session is lost

	mu       sync.Mutex
	closed   bool
	session  string // "" before the server has given an id, and if it gives none
	revision string // "" before it is negotiated
	listens  bool
	lost     error                              // why failed is closed
	calls    map[wire.Scalar]context.CancelFunc // requests whose answer is being waited for
	working  sync.WaitGroup
}

// SessionID implements runtime.Identified: it is the id that the server has given.
func (t *Transport) SessionID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session
}

type received struct {
	text string
	err  error
}

// NewTransport makes a transport to the endpoint of a server. Nothing is sent before a
// client connects through it.
func NewTransport(endpoint string, opts ClientOptions) (*Transport, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, fmt.Errorf("streamable: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("streamable: not an HTTP URL: %.200q", endpoint)
	}
	opts.MaxMessage = cmp.Or(max(opts.MaxMessage, 0), runtime.DefaultMaxClientMessage)
	opts.MaxRetries = cmp.Or(opts.MaxRetries, DefaultMaxRetries)
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	t := &Transport{
		url:    u.String(),
		http:   web.Client(opts.HTTPClient),
		opts:   opts,
		in:     make(chan received),
		failed: make(chan struct{}),
		calls:  make(map[wire.Scalar]context.CancelFunc),
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t, nil
}

// Receive implements runtime.Transport.
func (t *Transport) Receive(ctx context.Context, max int) (runtime.Incoming, error) {
	select {
	case r := <-t.in:
		if r.err == nil && len(r.text) > max {
			r.err = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", max)
			r.text = ""
		}
		return runtime.Incoming{Text: r.text}, r.err
	case <-t.failed:
		t.mu.Lock()
		defer t.mu.Unlock()
		return runtime.Incoming{}, t.lost
	case <-t.ctx.Done():
		return runtime.Incoming{}, runtime.ErrClosed
	case <-ctx.Done():
		return runtime.Incoming{}, context.Cause(ctx)
	}
}

// Negotiated implements runtime.Negotiator.
func (t *Transport) Negotiated(h runtime.Handshake) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision = h.Revision
}

// Send implements runtime.Transport: it makes one POST (section Sending Messages to the
// Server). For a request it returns when that has been written; the answer is read in a
// goroutine.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	// The HTTP client may read the body after it has returned.
	body := bytes.Clone(m.Text)
	if m.Kind == jsonrpc.Request {
		return t.sendRequest(ctx, m, body)
	}
	err := t.sendOther(ctx, m, body)
	switch {
	case m.Method == "notifications/cancelled":
		t.cancelled(body)
	case m.Method == "notifications/initialized" && err == nil:
		t.listen(ctx)
	}
	return err
}

// sendOther makes the POST of a notification or a response, to which there is no answer.
// It is not interrupted when ctx ends, only no longer waited for: the caller has
// given up waiting, not sending.
func (t *Transport) sendOther(ctx context.Context, m runtime.Outgoing, body []byte) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if !t.enter(func() {}) {
		return runtime.ErrClosed
	}
	tries := 1
	if m.Kind == jsonrpc.Response {
		tries += max(t.opts.MaxRetries, 0) // whoever asked waits for it, and takes it only once
	}
	sent := make(chan error, 1)
	go func() {
		defer t.working.Done()
		sent <- t.postOther(body, tries)
	}()
	select {
	case err := <-sent:
		return err
	case <-t.ctx.Done():
		return runtime.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// postOther makes a POST, and when the server is not reached tries again.
func (t *Transport) postOther(body []byte, tries int) error {
	for {
		resp, err := t.do(t.ctx, http.MethodPost, body, "")
		if err == nil {
			defer web.Discard(resp)
			if resp.StatusCode/100 == 2 {
				return nil
			}
			return t.refused(resp)
		}
		if tries--; tries <= 0 || !sleep(t.ctx, retryWait) {
			return t.sendError(err)
		}
	}
}

// sleep waits; false when ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t *Transport) sendError(err error) error {
	if t.ctx.Err() != nil {
		return runtime.ErrClosed
	}
	return fmt.Errorf("streamable: %w", err)
}

// refused makes an error of a response that is no success, and ends the session when it
// says that it is not known.
func (t *Transport) refused(resp *http.Response) error {
	failure, _ := web.Failure(resp)
	if resp.StatusCode == http.StatusNotFound && t.lose() {
		return ErrSessionLost
	}
	return failure
}

// lose ends the session as unknown to the server; false when there was none.
func (t *Transport) lose() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.session == "" {
		return false
	}
	t.failLocked(ErrSessionLost)
	return true
}

func (t *Transport) failLocked(err error) {
	if t.lost == nil {
		t.lost = err
		close(t.failed)
	}
}

// sendRequest makes the POST of a request and has its answer read.
func (t *Transport) sendRequest(ctx context.Context, m runtime.Outgoing, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e := &exchange{t: t, id: m.ID, opens: m.Method == "initialize"}
	var cancel context.CancelFunc
	e.ctx, cancel = context.WithCancel(t.ctx)
	key := m.ID.Canonical()
	if !t.enter(func() { t.calls[key] = cancel }) {
		cancel()
		return runtime.ErrClosed
	}
	// The first of these decides what Send returns: the request was written, or it failed.
	early := make(chan error, 1)
	var once sync.Once
	settle := func(err error) (first bool) {
		once.Do(func() { early <- err; first = true })
		return first
	}
	go func() {
		defer t.working.Done()
		defer t.finished(key)
		traced := httptrace.WithClientTrace(e.ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				settle(nil)
			}
		}})
		resp, err := t.do(traced, http.MethodPost, body, "")
		if err == nil {
			settle(nil)
			err = e.read(resp)
		}
		if err != nil && !settle(t.sendError(err)) {
			e.fail(err)
		}
	}()
	select {
	case err := <-early:
		return err
	case <-ctx.Done():
		if !settle(ctx.Err()) {
			return <-early
		}
		cancel()
		return ctx.Err()
	}
}

// enter counts a goroutine about to start, unless the transport is closed, and calls f
// under the lock.
func (t *Transport) enter(f func()) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return false
	}
	t.working.Add(1)
	f()
	return true
}

// finished forgets a request.
func (t *Transport) finished(key wire.Scalar) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if cancel := t.calls[key]; cancel != nil {
		cancel()
		delete(t.calls, key)
	}
}

// cancelled stops waiting for the answer to a request that was cancelled by the text of
// a notification.
func (t *Transport) cancelled(text []byte) {
	m, err := jsonrpc.Parse(string(text))
	if err != nil || m.Params == "" {
		return
	}
	raw, _ := wire.Object(m.Params).Get("requestId")
	var id wire.Scalar
	if wire.UnmarshalString(string(raw), &id) == nil {
		t.finished(id.Canonical())
	}
}

// do makes one request. Last is a Last-Event-ID or "".
func (t *Transport) do(ctx context.Context, method string, body []byte, last string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, t.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range t.opts.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	switch method {
	case http.MethodPost:
		req.Header.Set("Content-Type", web.JSON)
		req.Header.Set("Accept", web.JSON+", "+eventstream.MediaType)
	case http.MethodGet:
		req.Header.Set("Accept", eventstream.MediaType)
	}
	t.mu.Lock()
	session, revision := t.session, t.revision
	t.mu.Unlock()
	if session != "" {
		req.Header.Set(headerSession, session)
	}
	if revision != "" {
		req.Header.Set(headerRevision, revision)
	}
	if last != "" {
		req.Header.Set(headerLast, last)
	}
	return web.Do(t.http, req)
}

// opened takes the session's id from the answer to initialize.
func (t *Transport) opened(resp *http.Response) error {
	id := resp.Header.Get(headerSession)
	if len(id) > maxSessionID {
		return errors.New("streamable: the session id is too long")
	}
	for i := range len(id) {
		if id[i] < 0x21 || id[i] > 0x7e {
			return errors.New("streamable: the session id has characters it must not have")
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.session = id
	return nil
}

// Close implements runtime.Transport. It tells the server that the session is over
// (section Session Management, 5).
func (t *Transport) Close() error {
	t.closing.Do(func() {
		t.mu.Lock()
		t.closed = true
		known := t.session != "" && t.lost == nil
		t.mu.Unlock()
		t.cancel()
		if known {
			ctx, cancel := context.WithTimeout(context.Background(), deleteWait)
			defer cancel()
			if resp, err := t.do(ctx, http.MethodDelete, nil, ""); err != nil {
				t.opts.Logger.Debug("the server was not told of the session's end", "error", err)
			} else {
				web.Discard(resp)
			}
		}
		t.working.Wait()
	})
	return nil
}
