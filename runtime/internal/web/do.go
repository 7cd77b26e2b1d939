package web

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

const (
	// settle is how long a request is made for at least, once it has a connection.
	settle = time.Second
	// headerWait bounds the wait for the rest of a response's header. It is only reached
	// when the server has stopped within it, or this program has not run for so long.
	headerWait = 10 * time.Second
)

// Do is c.Do, but for what the end of the request's context does to other requests, those
// of other programs' parts that share c's connections included; see [Request].
//
// The caller must close the response's body, as always.
func Do(c *http.Client, req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	r := new(Request)
	r.Init(context.WithoutCancel(ctx))
	r.release = context.AfterFunc(ctx, func() { r.End(context.Cause(ctx)) })
	return r.Do(c, req.WithContext(r.Context()))
}

// Request is a request that can be ended without harm to others.
//
// By HTTP/1 net/http gives the connection of a response without a body to the next
// request before it tells the first one of the response. When one of the two is ended
// before that, it closes the connection, and the other fails with the error of the one that
// was ended. So a request is not ended before a second after it got its connection, nor while
// its response arrives.
type Request struct {
	ctx      context.Context
	cancel   context.CancelCauseFunc
	release  func() bool   // called when the request is over; nil for nothing
	returned chan struct{} // closed when the request is over or the header of its response read
	trace    httptrace.ClientTrace
	body     body

	mu      sync.Mutex
	got     time.Time // when it has got its connection
	begun   bool      // the response has
	ended   bool
	written chan struct{} // closed when it has been written; nil when nobody waits for that
	wrote   bool
}

// Init prepares a request with the values of ctx, whose end ends nothing.
func (r *Request) Init(ctx context.Context) {
	r.returned = make(chan struct{})
	r.trace = httptrace.ClientTrace{
		GotConn:              r.connected,
		WroteRequest:         r.isWritten,
		GotFirstResponseByte: r.responseBegins,
	}
	ctx, r.cancel = context.WithCancelCause(ctx)
	r.ctx = httptrace.WithClientTrace(ctx, &r.trace)
}

// Context is the context that the request must have.
func (r *Request) Context() context.Context { return r.ctx }

// Do makes the request, once. When it is ended the error is the cause. The caller must close
// the response's body.
func (r *Request) Do(c *http.Client, req *http.Request) (*http.Response, error) {
	resp, err := send(c, req)
	close(r.returned)
	if err != nil {
		r.over()
		return nil, err
	}
	r.body = body{resp.Body, r}
	resp.Body = &r.body
	return resp, nil
}

func (r *Request) over() {
	if r.release != nil {
		r.release()
	}
	r.cancel(nil)
}

// Written waits until the request has been written, is over, or ctx ends.
func (r *Request) Written(ctx context.Context) {
	r.mu.Lock()
	if r.written == nil {
		r.written = make(chan struct{})
		if r.wrote {
			close(r.written)
		}
	}
	written := r.written
	r.mu.Unlock()
	select {
	case <-written:
	case <-r.returned:
	case <-ctx.Done():
	}
}

func (r *Request) isWritten(info httptrace.WroteRequestInfo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if info.Err != nil || r.wrote {
		return
	}
	r.wrote = true
	if r.written != nil {
		close(r.written)
	}
}

// End ends the request, which may take a moment.
func (r *Request) End(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if left := settle - time.Since(r.got); left > 0 {
		r.awaitLocked(left) // whoever had the connection before is told of his response
	}
	if r.begun {
		r.awaitLocked(headerWait)
	}
	r.ended = true
	r.cancel(why)
}

func (r *Request) awaitLocked(d time.Duration) {
	r.mu.Unlock()
	defer r.mu.Lock()
	r.await(d)
}

// connected is called when the request has got a connection. If it has ended, net/http is
// about to close that.
func (r *Request) connected(httptrace.GotConnInfo) {
	r.mu.Lock()
	r.got, r.begun = time.Now(), false
	ended := r.ended
	r.mu.Unlock()
	if ended {
		r.await(settle)
	}
}

// responseBegins is called before the first byte of a response is read. If the request has
// ended, net/http is to close the connection before it can give it to another.
func (r *Request) responseBegins() {
	r.mu.Lock()
	r.begun = true
	ended := r.ended
	r.mu.Unlock()
	if ended {
		r.await(headerWait)
	}
}

// await waits until the request is over, but not beyond d.
func (r *Request) await(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.returned:
	case <-timer.C:
	}
}

// body lets go of what its request holds.
type body struct {
	io.ReadCloser
	request *Request
}

// Close closes the body.
func (b *body) Close() error {
	defer b.request.over()
	return b.ReadCloser.Close()
}
