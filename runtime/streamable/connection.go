package streamable

import (
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// connection is an HTTP request whose response carries a stream. Its timer keeps a silent connection
// in use, and makes a slow answer an event stream.
type connection struct {
	web.Response
	request *http.Request
	stream  *stream

	// These fields are guarded by the lock of the stream.
	timer *time.Timer   // nil if the connection is not kept alive
	left  chan struct{} // closed by leave; nil if no goroutine waits
}

// leave wakes the request's goroutine: the stream has ended or let go of the connection.
func (c *connection) leave() {
	if c.left != nil {
		close(c.left)
		c.left = nil
	}
}

// prime makes the response an event stream. It tells a client that knows events without data
// how to resume the stream after the event with this id.
func (c *connection) prime(s *Session, id []byte) error {
	if !s.resumable() {
		return c.Begin()
	}
	return c.Event(id, "", s.handler.opts.Retry, nil)
}

// startKeepAlive starts the timer, unless the duration is not positive. A timer takes 160 bytes, a goroutine
// that waits 3 KB, and a client may hold thousands of connections that carry nothing.
func (c *connection) startKeepAlive(first time.Duration) {
	c.stream.lock <- struct{}{}
	defer c.stream.release()
	if first > 0 && c.stream.conn == c {
		c.timer = time.AfterFunc(first, c.keepAlive) // a timer takes 160 bytes, a goroutine 3 KB
	}
}

// streamAfter returns how long the answer to a POST may take before it becomes an event stream; 0 or less
// means for ever.
func (st *stream) streamAfter() time.Duration {
	opts := &st.session.handler.opts
	if opts.StreamAfter <= 0 || st.opening || !st.session.resumable() {
		return opts.KeepAlive
	}
	if opts.KeepAlive <= 0 {
		return opts.StreamAfter
	}
	return min(opts.StreamAfter, opts.KeepAlive)
}

// keepAlive is called by the timer.
func (c *connection) keepAlive() {
	st := c.stream
	st.lock <- struct{}{}
	defer st.release()
	if st.conn != c || st.over.Load() || st.answered {
		return // the response is complete or no longer this connection's
	}
	var err error
	switch {
	case st.name != "":
		err = c.Comment()
	case st.answers:
		st.begin()
		err = c.prime(st.session, eventID(st.name, 0))
	}
	if err != nil {
		st.drop()
		return
	}
	if next := st.session.handler.opts.KeepAlive; next > 0 {
		c.timer.Reset(next)
	}
}
