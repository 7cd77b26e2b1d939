package streamable

import (
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// connection is an HTTP request whose response carries a stream. Its timer keeps a silent connection
// in use, and makes a slow answer an event stream.
type connection struct {
	web.Response
	request *http.Request
	in      runtime.Incoming // the message of a POST
	held    bool             // the goroutine of the request runs the message's handler
	stream  *stream

	admission *web.Admission // of the requests in the message; nil when the stream has it

	// These fields are guarded by the lock of the stream.
	timer *time.Timer   // nil if there are no beats
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

// startBeats starts the timer, unless the duration is not positive. A timer takes 160 bytes, a goroutine
// that waits 3 KB, and a client may hold thousands of connections that carry nothing.
func (c *connection) startBeats(first time.Duration) {
	c.stream.lock <- struct{}{}
	defer c.stream.release()
	if first > 0 && c.stream.conn == c {
		c.timer = time.AfterFunc(first, c.beat)
	}
}

// patience returns how long the answer to a POST may take before it becomes an event stream; 0 or less
// means for ever.
func (st *stream) patience() time.Duration {
	opts := &st.session.handler.opts
	if opts.StreamAfter <= 0 || st.opening || !st.session.resumable() {
		return opts.KeepAlive
	}
	if opts.KeepAlive <= 0 {
		return opts.StreamAfter
	}
	return min(opts.StreamAfter, opts.KeepAlive)
}

// beat is called by the timer.
func (c *connection) beat() {
	st := c.stream
	st.lock <- struct{}{}
	defer st.release()
	if st.conn != c || st.over.Load() || st.answered {
		return // the response is complete or no longer this connection's
	}
	var err error
	switch {
	case st.name != "":
		err = c.Beat()
	case !st.opening && c.asks():
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

// asks reports whether a POST has brought a request. Anything else gets an HTTP status and no stream.
func (c *connection) asks() bool {
	m := c.in.Content()
	if m.IsBatch {
		return c.stream.session.batches()
	}
	return m.Err == nil && m.Kind == jsonrpc.Request
}
