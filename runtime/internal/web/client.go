package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

const (
	// maxRedirects limits how often a request is redirected.
	maxRedirects = 5
	// maxIdleConnections is the number of unused connections that a session keeps, so that
	// concurrent calls need not open new ones. http.DefaultTransport keeps 2 for each host.
	maxIdleConnections = 256
)

// Client returns a copy of c, or of http.DefaultClient if c is nil, that does not follow redirects
// to other servers. If it has no Transport, it gets connections of its own, configured as those of
// http.DefaultTransport; close closes the unused ones. Otherwise close does nothing.
func Client(c *http.Client) (client *http.Client, close func()) {
	if c == nil {
		c = http.DefaultClient
	}
	own := *c
	own.CheckRedirect = checkRedirect
	if shared, ok := http.DefaultTransport.(*http.Transport); ok && own.Transport == nil {
		t := shared.Clone()
		t.MaxIdleConns, t.MaxIdleConnsPerHost = maxIdleConnections, maxIdleConnections
		own.Transport = t
		return &own, t.CloseIdleConnections
	}
	return &own, func() {}
}

// checkRedirect is an http.Client's CheckRedirect for requests that carry a session: they are not
// repeated at another server or with another method.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > maxRedirects:
		return errors.New("too many redirects")
	case req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host:
		return fmt.Errorf("redirect to another server, %.100s", req.URL.Host)
	case req.Method != first.Method:
		return fmt.Errorf("redirect that turns a %s into a %s", first.Method, req.Method)
	}
	return nil
}

// Request is an HTTP request that can be cancelled without failing other requests. The zero value
// must be initialized with Init.
//
// This works around net/http of Go 1.26 (https://go.dev/issue/41600 describes the race; its fix left
// this part). Over HTTP/1, net/http offers the connection of a response without a body to the next
// request before the first one has received its response. If the next request is cancelled in
// between, net/http closes the connection, and the first request fails with the error of the other
// one. So a request that waits for its response is cancelled only after waits.Cancel, when the
// connection's previous request has long received its response. TestCancelledRequestFailsAnother
// shows the fault with a plain context; when it no longer does, Request can become one.
type Request struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	stop   func() bool // set by Do; nil otherwise
	body   responseBody

	mu       sync.Mutex
	cause    error // why it was cancelled; nil if it was not
	answered bool
}

// Init makes r a request within ctx, whose end should not be used to cancel it.
func (r *Request) Init(ctx context.Context) {
	r.ctx, r.cancel = context.WithCancelCause(ctx)
}

// Context returns the context of the request.
func (r *Request) Context() context.Context { return r.ctx }

// Do sends req, which must have r's context, and returns the response. The caller must close the
// body. If the request is cancelled, the error wraps the cause.
func (r *Request) Do(c *http.Client, req *http.Request) (*http.Response, error) {
	resp, err := c.Do(req)
	if err != nil {
		r.release()
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered = true
	if r.cause != nil {
		r.cancel(r.cause)
	}
	r.body = responseBody{resp.Body, r}
	resp.Body = &r.body
	return resp, nil
}

// Cancel cancels the request: at once if it has a response, otherwise after waits.Cancel.
func (r *Request) Cancel(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cause = cause
	if r.answered {
		r.cancel(cause)
		return
	}
	time.AfterFunc(waits.Cancel, func() { r.cancel(cause) })
}

// CancelNow cancels the request at once. That is safe if no response on the connection may be without a
// body.
func (r *Request) CancelNow(cause error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cause = cause
	r.cancel(cause)
}

// release frees the contexts of a request that is over.
func (r *Request) release() {
	if r.stop != nil {
		r.stop()
	}
	r.cancel(nil)
}

// responseBody releases its request when it is closed.
type responseBody struct {
	io.ReadCloser
	request *Request
}

// Close implements io.Closer.
func (b *responseBody) Close() error {
	defer b.request.release()
	return b.ReadCloser.Close()
}

// Do is c.Do, except that the end of the request's context cancels it as Request.Cancel does.
func Do(c *http.Client, req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	r := new(Request)
	r.Init(context.WithoutCancel(ctx))
	r.stop = context.AfterFunc(ctx, func() { r.Cancel(context.Cause(ctx)) })
	return r.Do(c, req.WithContext(r.ctx))
}
