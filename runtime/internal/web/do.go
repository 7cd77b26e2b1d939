package web

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// settle is how long a request may go on after its context has ended.
const settle = time.Second

// Do is c.Do, but for what the end of the request's context does to other requests, those
// of other programs' parts that share c's connections included.
//
// By HTTP/1 net/http gives the connection of a response without a body to the next
// request before it tells the first one of the response. When one of the two is ended
// before that, it closes the connection, and the other fails with the error of the one that
// was ended. So a request whose context ends is still given the time that such things
// take, and is not ended while a response arrives. When there is none in that time, Do
// returns the context's cause.
//
// The caller must close the response's body, as always.
func Do(c *http.Client, req *http.Request) (*http.Response, error) {
	parent := req.Context()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	e := &ending{cancel: cancel, returned: make(chan struct{})}
	stop := context.AfterFunc(parent, func() { e.end(context.Cause(parent)) })
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { e.step(false) },
		GotFirstResponseByte: func() { e.step(true) },
	})
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
	begun bool // the response has
	ended bool
}

// end ends the request.
func (e *ending) end(why error) {
	e.await() // whoever had the connection before is told of his response meanwhile
	e.mu.Lock()
	if e.begun {
		e.mu.Unlock()
		e.await()
		e.mu.Lock()
	}
	defer e.mu.Unlock()
	e.ended = true
	e.cancel(why)
}

// step is called when the request has got a connection, and before the first byte of its
// response is read. If it has ended, net/http is to close the connection for that before
// anybody can be given it, and not before whoever had it is done with it.
func (e *ending) step(begun bool) {
	e.mu.Lock()
	e.begun = begun
	ended := e.ended
	e.mu.Unlock()
	if ended {
		e.await()
	}
}

// await waits until the request is over, but not for long.
func (e *ending) await() {
	timer := time.NewTimer(settle)
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
