package streamable

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/spare"
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
	// MaxRetries is how often in a row the stream of a call, after it was lost, is asked for
	// in vain before the call fails. The stream of what the server sends on its own is asked
	// for as long as the session lasts. 0 is DefaultMaxRetries; with less, neither is asked
	// for again after a failure.
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
	// writeWait bounds the wait for a request to be written that is cancelled. It may not be
	// known when that is, because an http.RoundTripper need not tell.
	writeWait = time.Second
	// flushWait is for what net/http still has in a buffer when it tells that a request is written.
	flushWait = 10 * time.Millisecond
	// retryWait is the wait before a response is sent again.
	retryWait = 100 * time.Millisecond
	// maxSessionID bounds the ids that a server may give.
	maxSessionID = 1 << 10
)

// Transport is a client's end of a session over Streamable HTTP. Make it with
// NewTransport; it serves one session.
type Transport struct {
	post, get *http.Request // what all requests of the method have in common
	http      *http.Client
	opts      ClientOptions

	ctx     context.Context // ends when the transport is closed
	cancel  context.CancelFunc
	closing sync.Once
	inbox   runtime.Inbox // for a session that pushes; else in
	pushed  bool
	in      chan received
	failed  chan struct{}   // closed when the session is lost
	posts   spare.Goroutine // of requests

	mu       sync.Mutex
	closed   bool
	session  []string    // the header with the id that the server has given; nil before that, and if it gives none
	revision []string    // the header with the negotiated revision; nil before
	shared   http.Header // of all posts, never changed; nil while there is none with session and revision
	listens  bool
	lost     error                     // why failed is closed
	calls    map[wire.Scalar]*exchange // requests whose answer is being waited for
	working  sync.WaitGroup
}

// SessionID implements runtime.Identified: it is the id that the server has given.
func (t *Transport) SessionID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return first(t.session)
}

// received is what comes of the server where nothing is pushed.
type received struct {
	in  runtime.Incoming
	err error
}

func first(header []string) string {
	if len(header) == 0 {
		return ""
	}
	return header[0]
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
		http:   web.Client(opts.HTTPClient),
		opts:   opts,
		failed: make(chan struct{}),
		in:     make(chan received),
		calls:  make(map[wire.Scalar]*exchange),
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	common := make(http.Header)
	for name, values := range opts.Header {
		common[http.CanonicalHeaderKey(name)] = values
	}
	if t.post, err = t.request(http.MethodPost, u, common, web.AcceptPost); err != nil {
		return nil, err
	}
	t.post.Header.Set("Content-Type", web.JSON)
	t.get, err = t.request(http.MethodGet, u, common, eventstream.MediaType)
	return t, err
}

func (t *Transport) request(method string, u *url.URL, common http.Header, accept string) (*http.Request, error) {
	r, err := http.NewRequest(method, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("streamable: %w", err)
	}
	r.Header = common.Clone()
	r.Header.Set("Accept", accept)
	return r, nil
}

// Start implements runtime.Pusher.
func (t *Transport) Start(in runtime.Inbox) { t.inbox, t.pushed = in, true }

// Receive implements runtime.Transport, for sessions that do not call Start because they have
// the transport from another one around it.
func (t *Transport) Receive(ctx context.Context, max int) (runtime.Incoming, error) {
	select {
	case r := <-t.in:
		if r.err == nil && len(r.in.Text) > max {
			return runtime.Incoming{}, tooLong(r.in, max)
		}
		return r.in, r.err
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

// tooLong is the error of a message that is longer than the session reads.
func tooLong(in runtime.Incoming, max int) error {
	if !in.Answers.IsZero() {
		return &runtime.AnswerError{ID: in.Answers, Err: errTooLong}
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", max)
}

// Negotiated implements runtime.Negotiator.
func (t *Transport) Negotiated(h runtime.Handshake) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision, t.shared = []string{h.Revision}, nil
}

// Send implements runtime.Transport: it makes one POST (section Sending Messages to the
// Server). That of a request is made in a goroutine, and what goes wrong with it told like the
// answer.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	// The HTTP client may read the body after it has returned.
	body := bytes.Clone(m.Text)
	if m.Kind == jsonrpc.Request {
		return t.sendRequest(ctx, m, body)
	}
	var cancelled *exchange
	if m.Method == "notifications/cancelled" {
		if cancelled = t.cancelled(body); cancelled != nil {
			cancelled.awaitWritten(ctx)
		}
	}
	err := t.sendOther(ctx, m, body)
	switch {
	case cancelled != nil:
		go cancelled.cancel()
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
		t.postOther(body, tries, sent)
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

// postOther makes a POST to which there is no answer, and tries again when the server is not
// reached or has no time. It sends how that ended as soon as it is known: what the body of a
// success says is not waited for.
func (t *Transport) postOther(body []byte, tries int, sent chan<- error) {
	pace := pace{base: retryWait}
	for {
		resp, err := t.do(t.ctx, t.post, body, "")
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
		pace.failed(err)
		failure, refused := errors.AsType[*StatusError](err)
		if pace.failures >= tries || refused && !repeatable(failure) || err == ErrSessionLost || !sleep(t.ctx, pace.wait()) {
			sent <- err
			return
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
	if t.session == nil {
		return false
	}
	t.failLocked(ErrSessionLost)
	return true
}

func (t *Transport) failLocked(err error) {
	if t.lost == nil {
		t.lost = err
		close(t.failed)
		if t.pushed {
			t.inbox.End(err)
		}
	}
}

// sendRequest has the POST of a request made and its answer read.
func (t *Transport) sendRequest(ctx context.Context, m runtime.Outgoing, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e := &exchange{t: t, id: m.ID, opens: m.Method == "initialize"}
	e.post.Init(context.Background())
	key := m.ID.Canonical()
	if !t.enter(func() { t.calls[key] = e }) {
		return runtime.ErrClosed
	}
	t.posts.Run(func() {
		defer t.working.Done()
		defer e.end()
		defer t.forget(key)
		e.run(body)
	})
	return nil
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

// forget forgets a request and returns it; nil when it was not known any more.
func (t *Transport) forget(key wire.Scalar) *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.calls[key]
	delete(t.calls, key)
	return e
}

// waiting are the requests whose answer is being waited for.
func (t *Transport) waiting() []*exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.calls))
}

// cancelled is the request that is cancelled by the text of a notification; nil when there is none.
func (t *Transport) cancelled(text []byte) *exchange {
	m, err := jsonrpc.Parse(string(text))
	if err != nil || m.Params == "" {
		return nil
	}
	raw, _ := wire.Object(m.Params).Get("requestId")
	var id wire.Scalar
	if wire.UnmarshalString(string(raw), &id) != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[id.Canonical()]
}

// do makes one request like another. Last is a Last-Event-ID or "".
func (t *Transport) do(ctx context.Context, like *http.Request, body []byte, last string) (*http.Response, error) {
	return web.Do(t.http, t.made(ctx, like, body, last))
}

// made is a request like another.
func (t *Transport) made(ctx context.Context, like *http.Request, body []byte, last string) *http.Request {
	req := like.WithContext(ctx)
	if body != nil {
		req.ContentLength = int64(len(body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		req.Body, _ = req.GetBody()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if like == t.post && web.LeavesHeaders(t.http) {
		if t.shared == nil {
			t.shared = t.headerLocked(like, "")
		}
		req.Header = t.shared
	} else {
		req.Header = t.headerLocked(like, last)
	}
	return req
}

// headerLocked is the header of a request like another.
func (t *Transport) headerLocked(like *http.Request, last string) http.Header {
	header := make(http.Header, len(like.Header)+3)
	maps.Copy(header, like.Header)
	if t.session != nil {
		header[headerSession] = t.session
	}
	if t.revision != nil {
		header[headerRevision] = t.revision
	}
	if last != "" {
		header.Set(headerLast, last)
	}
	return header
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
	if id != "" {
		t.session, t.shared = []string{id}, nil
	}
	return nil
}

// Close implements runtime.Transport. It tells the server that the session is over
// (section Session Management, 5).
func (t *Transport) Close() error {
	t.closing.Do(func() {
		t.mu.Lock()
		t.closed = true
		known := t.session != nil && t.lost == nil
		t.mu.Unlock()
		t.cancel()
		for _, e := range t.waiting() {
			go e.cancel()
		}
		if known {
			ctx, cancel := context.WithTimeout(context.Background(), deleteWait)
			defer cancel()
			end := *t.get
			end.Method = http.MethodDelete
			if resp, err := t.do(ctx, &end, nil, ""); err != nil {
				t.opts.Logger.Debug("the server was not told of the session's end", "error", err)
			} else {
				web.Discard(resp)
			}
		}
		t.working.Wait()
		t.posts.Close()
	})
	return nil
}
