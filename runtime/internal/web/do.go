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
// of other programs' parts that share c's connections included.
//
// By HTTP/1 net/http gives the connection of a response without a body to the next
// request before it tells the first one of the response. When one of the two is ended
// before that, it closes the connection, and the other fails with the error of the one that
// was ended. So a request is not ended before a second after it got its connection, nor while
// its response arrives. Do returns the context's cause then.
//
// The caller must close the response's body, as always.
//
// Written, if not nil, is called when the request has been written, which may be more than once.
func Do(c *http.Client, req *http.Request, written func()) (*http.Response, error) {
	parent := req.Context()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	e := &ending{cancel: cancel, returned: make(chan struct{})}
	stop := context.AfterFunc(parent, func() { e.end(context.Cause(parent)) })
	trace := &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { e.connected() },
		GotFirstResponseByte: e.responseBegins,
	}
	if written != nil {
		trace.WroteRequest = func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				written()
			}
		}
	}
	ctx = httptrace.WithClientTrace(ctx, trace)
	resp, err := c.Do(req.WithContext(ctx))
	close(e.returned)
	release := func() { stop(); cancel(nil) }
	if err != nil {
		release()
		return nil, err
	}
	resp.Body = &body{resp.Body, release}
	return resp, nil
}

// ending is the end of a request that is being made.
type ending struct {
	cancel   context.CancelCauseFunc
	returned chan struct{} // closed when the request is over or the header of its response read

	mu    sync.Mutex
	got   time.Time // when it has got its connection
	begun bool      // the response has
	ended bool
}

// end ends the request.
func (e *ending) end(why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if left := settle - time.Since(e.got); left > 0 {
		e.awaitLocked(left) // whoever had the connection before is told of his response
	}
	if e.begun {
		e.awaitLocked(headerWait)
	}
	e.ended = true
	e.cancel(why)
}

func (e *ending) awaitLocked(d time.Duration) {
	e.mu.Unlock()
	defer e.mu.Lock()
	e.await(d)
}

// connected is called when the request has got a connection. If it has ended, net/http is
// about to close that.
func (e *ending) connected() {
	e.mu.Lock()
	e.got, e.begun = time.Now(), false
	ended := e.ended
	e.mu.Unlock()
	if ended {
		e.await(settle)
	}
}

// responseBegins is called before the first byte of a response is read. If the request has
// ended, net/http is to close the connection before it can give it to another.
func (e *ending) responseBegins() {
	e.mu.Lock()
	e.begun = true
	ended := e.ended
	e.mu.Unlock()
	if ended {
		e.await(headerWait)
	}
}

// await waits until the request is over, but not beyond d.
func (e *ending) await(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-e.returned:
	case <-timer.C:
	}
}

// body lets go of what Do holds.
type body struct {
	io.ReadCloser
	release func()
}

// Close closes the body.
func (b *body) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
