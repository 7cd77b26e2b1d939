package streamable

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/internal/worker"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ErrSessionLost is the error of a session that the server does not know any more. Calls and
// runtime.Session.Wait return an error that wraps it. The program has to connect again (section
// Session Management, 4).
var ErrSessionLost error = sessionLost{}

type sessionLost struct{}

func (sessionLost) Error() string { return "streamable: the server has lost the session" }

// NotBegun reports that a request with this error was refused unread.
func (sessionLost) NotBegun() bool { return true }

// StatusError is the error of a message that the server refused with an HTTP status.
type StatusError = web.StatusError

// ClientOptions configure a client's Transport. The zero value is ready for use.
type ClientOptions struct {
	// HTTPClient sends the requests. Its Timeout, if there is one, also ends event streams. It never
	// follows redirects to other servers. If it has no Transport, or is nil, the session has
	// connections of its own, configured as those of http.DefaultTransport but enough of them for
	// concurrent calls, and closes them when it ends. An error of its Transport for a request that was
	// sent makes a call return a *runtime.LostError, unless the error has a method Unhandled() bool that
	// returns true because the server has not handled the request, like those of runtime/auth/client.
	HTTPClient *http.Client
	// Header is added to every request.
	Header http.Header
	// MaxMessage limits the messages that are read, in bytes. It should be the same as in the
	// options of the client. 0 means runtime.DefaultMaxClientMessage.
	MaxMessage int
	// MaxRetries is how many consecutive requests to resume the stream of a call may fail before the
	// call fails. The stream of the server's own messages is resumed as long as the session lasts. It is
	// also how often the request that opens a connection is sent again to a server that is busy (status
	// 408, 425, 429 or 5xx), unless the server asks to wait for longer than the caller does. 0 means
	// 5; a negative number means that nothing is sent again after a failure. Over HTTP with SSE, only answers are sent
	// again.
	MaxRetries int
	// Logger logs lost streams and skipped messages. If it is nil, only warnings are logged, to slog.Default.
	Logger *slog.Logger
}

// defaultMaxRetries is the default of ClientOptions.MaxRetries.
const defaultMaxRetries = 5

// maxSessionID limits the length of the session ids that are accepted.
const maxSessionID = 4 << 10

// Transport is the client's end of one session over Streamable HTTP. Use [NewTransport] or [URL] to create it.
type Transport struct {
	post, get        *http.Request // what all requests with the method have in common
	http             *http.Client
	closeConnections func()
	opts             ClientOptions
	invalid          error // of the text in place of a URL; there is nothing else then
	falls            bool  // Fallback may use HTTP with SSE

	life    engine.Lifetime // of the requests and of the goroutines that make them
	closing sync.Once
	posts   worker.Worker // sends requests
	inbox   runtime.Inbox
	failed  chan struct{} // closed when the session is lost

	mu        sync.Mutex
	session   []string                  // header with the id that the server gave; nil if there is none
	revision  []string                  // header with the negotiated revision; nil before that
	listening bool                      // listen was called
	calls     map[wire.Scalar]*exchange // by the ids of requests that wait for an answer
	tools     *headers.Tools
}

// NewTransport returns a transport to the endpoint of a server. It sends nothing before a client
// connects.
func NewTransport(endpoint string, opts ClientOptions) (*Transport, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return nil, prefix.Errorf("streamable: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("streamable: not an HTTP URL: %.200q", endpoint)
	}
	opts.MaxMessage = cmp.Or(max(opts.MaxMessage, 0), runtime.DefaultMaxClientMessage)
	opts.MaxRetries = cmp.Or(opts.MaxRetries, defaultMaxRetries)
	opts.Logger = logs.Or(opts.Logger, slog.LevelWarn)
	t := &Transport{
		opts:   opts,
		failed: make(chan struct{}),
		calls:  make(map[wire.Scalar]*exchange),
		tools:  new(headers.Tools),
	}
	t.http, t.closeConnections = web.Client(opts.HTTPClient)
	t.life.Init(context.Background())
	if t.post, err = t.template(http.MethodPost, u, acceptPost); err != nil {
		return nil, err
	}
	t.post.Header.Set("Content-Type", web.JSON)
	t.get, err = t.template(http.MethodGet, u, eventstream.MediaType)
	return t, err
}

// template returns what all requests with the method have in common.
func (t *Transport) template(method string, u *url.URL, accept string) (*http.Request, error) {
	r, err := http.NewRequest(method, u.String(), nil)
	if err != nil {
		return nil, prefix.Errorf("streamable: %w", err)
	}
	for name, values := range t.opts.Header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	r.Header.Set("Accept", accept)
	return r, nil
}

// request returns a request like a template with a body, or without one if b is nil, and with further headers.
func (t *Transport) request(ctx context.Context, like *http.Request, b *body, more http.Header) *http.Request {
	req := like.WithContext(ctx)
	if b != nil {
		req.ContentLength = int64(len(b.text))
		req.GetBody = b.open
		req.Body, _ = b.open()
	}
	req.Header = make(http.Header, len(like.Header)+len(more)+2)
	maps.Copy(req.Header, like.Header)
	t.mu.Lock()
	if t.session != nil {
		req.Header[headerSession] = t.session
	}
	if t.revision != nil {
		req.Header[headerRevision] = t.revision
	}
	t.mu.Unlock()
	maps.Copy(req.Header, more)
	return req
}

// body is the text of a POST. Its readers are of a type that net/http knows to be in memory, so it writes the
// header and the text together. net/http keeps them until the response has ended, which may take for ever.
type body struct {
	mu       sync.Mutex
	text     string
	readers  []*strings.Reader
	written  int  // how often net/http has reported that it has written the request
	needless bool // the request has its response and is not sent again
}

// open is GetBody of a request.
func (b *body) open() (io.ReadCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := strings.NewReader(b.text)
	b.readers = append(b.readers, r)
	return io.NopCloser(r), nil
}

// wrote is called when net/http has written the request.
func (b *body) wrote() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.written++
	b.release()
}

// drop is called when the request has its response and is not sent again.
func (b *body) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.needless = true
	b.release()
}

// release drops the text if nobody needs it. The response may arrive before net/http reports that it has written the
// request, and until then net/http may read the text. The lock must be held.
func (b *body) release() {
	if !b.needless || b.written < len(b.readers) {
		return
	}
	b.text = ""
	for _, r := range b.readers {
		r.Reset("")
	}
}

// SessionID implements runtime.Identified. It returns the id that the server gave.
func (t *Transport) SessionID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.session == nil {
		return ""
	}
	return t.session[0]
}

// Server implements runtime.Remote. It returns the origin of the URL.
func (t *Transport) Server() string { return t.post.URL.Scheme + "://" + t.post.URL.Host }

// Open implements runtime.Remote. It sends nothing, because the first message makes the first request. It returns an
// error if the text of [URL] is not an HTTP URL.
func (t *Transport) Open(context.Context) error { return t.invalid }

// Restart implements runtime.Remote.
func (t *Transport) Restart() (runtime.Transport, error) {
	next, err := NewTransport(t.post.URL.String(), t.opts)
	if err != nil {
		return nil, err
	}
	next.falls = t.falls
	return next, nil
}

// Start implements runtime.Transport.
func (t *Transport) Start(in runtime.Inbox, _ int) { t.inbox = in }

// Negotiated implements runtime.Identified.
func (t *Transport) Negotiated(h runtime.Handshake) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision = []string{h.Revision}
	return nil
}

// opened takes the session's id from the response to initialize (section Session Management, 1).
func (t *Transport) opened(resp *http.Response) error {
	id := resp.Header.Get(headerSession)
	if len(id) > maxSessionID {
		return fmt.Errorf("streamable: the session id is longer than %d bytes", maxSessionID)
	}
	for i := range len(id) {
		if id[i] < 0x21 || id[i] > 0x7e {
			return errors.New("streamable: the session id contains a character that is not visible ASCII")
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if id != "" {
		t.session = []string{id}
	}
	return nil
}

// lose ends a session that the server does not know. It returns false if there was no session.
func (t *Transport) lose() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.session == nil {
		return false
	}
	if !web.Closed(t.failed) {
		close(t.failed)
		t.inbox.End(ErrSessionLost)
	}
	return true
}

// Close implements runtime.Transport. It tells the server that the session is over (section Session
// Management, 5).
func (t *Transport) Close() error {
	t.closing.Do(func() {
		if t.invalid != nil {
			return
		}
		t.life.Stop()
		t.life.End(runtime.ErrClosed)
		t.mu.Lock()
		known := t.session != nil && !web.Closed(t.failed)
		t.mu.Unlock()
		if known {
			t.delete()
		}
		t.life.Wait(waits.Abandoned, nil)
		t.posts.Close()
		t.closeConnections()
	})
	return nil
}

// delete sends the request that ends the session.
func (t *Transport) delete() {
	ctx, cancel := context.WithTimeout(context.Background(), waits.Delete)
	defer cancel()
	req := t.request(ctx, t.get, nil, nil)
	req.Method = http.MethodDelete
	resp, err := t.http.Do(req)
	if err != nil {
		t.opts.Logger.Debug("the server could not be told of the session's end", "error", err)
		return
	}
	web.Discard(resp)
}

// methodCallTool is the method whose requests repeat arguments in headers.
const methodCallTool = "tools/call"

// UseTools sets the tools whose arguments the headers of calls repeat. Others may add to them. It is called before
// the transport is used.
func (t *Transport) UseTools(tools *headers.Tools) { t.tools = tools }

// ReadTool learns which arguments of a tool are repeated in headers. A client calls it.
func (t *Transport) ReadTool(tool wire.Object) error { return t.tools.Read(tool) }

// metadata returns the headers of a request that belongs to no session ("Request Metadata" in
// basic/transports/streamable-http, 2026-07-28).
func (t *Transport) metadata(m *runtime.Outgoing, text string) (http.Header, error) {
	standard := headers.Standard{Revision: m.Revision, Method: m.Method, Named: m.NameParam != ""}
	var table *headers.Table
	var arguments wire.Raw
	if standard.Named {
		raw, _ := wire.Object(text).Get("params")
		params := wire.Object(raw)
		standard.Name = params.GetString(m.NameParam)
		if m.Method == methodCallTool {
			table = t.tools.Table(standard.Name)
			arguments, _ = params.Get("arguments")
		}
	}
	own := make(http.Header, 3+table.Len())
	standard.Set(own)
	return own, table.Set(own, wire.Object(arguments))
}

// jitter is the fraction by which waits are longer at random, so that clients that lost their
// connections together do not come back together.
const jitter = 10

// retry determines the waits before a request is repeated. A wait is as long as the server asks for,
// within limits, and grows while the requests bring nothing.
type retry struct {
	base     time.Duration // the server's last retry field, or the default
	after    time.Duration // Retry-After of the last response, or 0
	quiet    int           // consecutive streams without a message
	failures int           // consecutive requests without a stream, or attempts without an answer
}

// streamed records a stream that has ended, and whether it carried a message.
func (r *retry) streamed(news bool) {
	r.failures, r.after = 0, 0
	if r.quiet++; news {
		r.quiet = 0
	}
}

// failed records a request that got no stream.
func (r *retry) failed(err error) {
	r.failures++
	r.after = 0
	if e, ok := errors.AsType[*StatusError](err); ok {
		r.after = e.RetryAfter
	}
}

// wait returns the duration of the next wait.
func (r *retry) wait() time.Duration {
	base := min(max(r.base, waits.RetryFirst), waits.RetryTold)
	d, most := base, time.Duration(0)
	switch {
	case r.failures > 0:
		most = waits.RetryFailed
	case r.quiet > 1:
		// The first stream without a message does not make the wait longer, because a server that
		// lets clients poll ends the stream of every call once.
		most = waits.RetryQuiet
	}
	if most > 0 {
		d = max(base, min(base<<min(r.failures+max(r.quiet-1, 0), 12), most))
		d = max(base, d/2+rand.N(d/2+1))
	}
	d = max(d, min(r.after, waits.RetryTold))
	return d + rand.N(d/jitter+1)
}

// repeatable reports whether a request that was refused may succeed later.
func repeatable(failure *StatusError) bool {
	switch failure.Status {
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return failure.Unavailable()
}

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
		e, id := t.cancelledBy(text)
		if m.Revision != "" {
			if e != nil {
				e.cancel() // which is the cancellation ("Cancellation", 2026-07-28)
			}
			return nil
		}
		if e != nil {
			e.awaitSent(ctx)
			if e.finish(id) {
				defer e.cancel()
			}
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
	e := newExchange(t, m.Kind, m.ID)
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
	if jsonrpc.IsBatch(text) {
		e.batch = make(map[wire.Scalar]bool)
		for _, id := range idsIn(text, jsonrpc.Request) {
			e.batch[id] = true
		}
	}
	if !t.life.Enter() {
		e.cancel()
		return runtime.ErrClosed
	}
	t.mu.Lock()
	t.calls[key] = e
	for id := range e.batch {
		t.calls[id] = e
	}
	t.mu.Unlock()
	t.posts.Run(func() {
		defer t.life.Leave()
		defer func() {
			t.forget(key)
			t.forgetBatch(e)
		}()
		e.run()
	})
	return nil
}

// forgetBatch removes the requests of a batch.
func (t *Transport) forgetBatch(e *exchange) {
	if e.batch != nil {
		t.mu.Lock()
		maps.DeleteFunc(t.calls, func(_ wire.Scalar, of *exchange) bool { return of == e })
		t.mu.Unlock()
	}
}

// forget removes a request that has its answer. It returns nil if the request was unknown.
func (t *Transport) forget(key wire.Scalar) *exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.calls[key]
	delete(t.calls, key)
	return e
}

// cancelledBy returns the request that a notification cancels, and its canonical id, or nil.
func (t *Transport) cancelledBy(text string) (*exchange, wire.Scalar) {
	m, err := jsonrpc.Parse(text)
	if err != nil || m.Params == "" {
		return nil, wire.Scalar{}
	}
	id, ok := wire.Object(m.Params).GetScalar("requestId")
	if !ok {
		return nil, wire.Scalar{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[id.Canonical()], id.Canonical()
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

// sendOther sends a message whose POST has no answer: a notification or a response, or any message over HTTP with SSE.
// When ctx ends, it stops waiting, but the POST continues: the end of ctx means that the caller no longer waits, not
// that the message is not to be sent.
func (t *Transport) sendOther(ctx context.Context, m runtime.Outgoing, text string) error {
	e := newExchange(t, m.Kind, wire.Scalar{})
	e.body, e.accepted = &body{text: text}, make(chan error, 1)
	if !t.life.Go(e.run) {
		e.cancel()
		return runtime.ErrClosed
	}
	select {
	case err := <-e.accepted:
		return err
	case <-t.life.Context().Done():
		return runtime.ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
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

// unreachableError is the error of a request without a response.
type unreachableError struct{ err error }

func (e *unreachableError) Error() string {
	if u, ok := e.err.(*url.Error); ok { // the http.Client's, around the error of its Transport
		address, _, _ := strings.Cut(u.URL, "?") // the query may have the id of the session
		return fmt.Sprintf("streamable: %s %q: %s", u.Op, address, prefix.Cut(u.Err))
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
