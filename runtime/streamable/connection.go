package streamable

import (
	"math"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// connection is an HTTP request whose response carries a stream. Its timer keeps a silent connection
// in use, makes a slow answer an event stream, and sends notifications that wait in the buffer.
type connection struct {
	web.Response
	request *http.Request
	text    string // the message of a POST
	held    bool   // the goroutine of the request runs the message's handler
	stream  *stream

	admission *web.Admission // of the requests in text; nil when the stream has it

	// These fields are guarded by the lock of the stream.
	timer    *time.Timer
	buffered bool          // an event waits to be sent
	waited   bool          // for the decision whether the sender may make the request
	left     chan struct{} // closed by leave; nil if no goroutine waits
}

// leave wakes the request's goroutine: the stream has ended or let go of the connection.
func (c *connection) leave() {
	if c.left != nil {
		close(c.left)
		c.left = nil
	}
}

// never is a duration after which a timer does not fire in practice.
const never = math.MaxInt64

// startBeats starts the timer, which stands in for a goroutine for each connection: a client may hold
// thousands that carry nothing. A first duration that is not positive is for ever.
func (c *connection) startBeats(first time.Duration) {
	if first <= 0 {
		first = never
	}
	c.stream.lock <- struct{}{}
	defer c.stream.release()
	if !c.buffered { // by a handler that has sent an event since the connection took the stream
		c.after(first)
	}
}

// after schedules beat after a duration. A timer takes 160 bytes, a goroutine that waits 3 KB.
func (c *connection) after(d time.Duration) {
	if c.timer == nil {
		c.timer = time.AfterFunc(d, c.beat)
		return
	}
	c.timer.Reset(d)
}

// patience returns how long the answer to a POST may take before it becomes an event stream.
func (st *stream) patience() time.Duration {
	opts := &st.session.handler.opts
	if opts.StreamAfter > 0 && !st.opening && st.session.resumable() {
		return opts.StreamAfter
	}
	return opts.KeepAlive
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
	case c.buffered:
		c.buffered = false
		err = c.Flush()
	case st.name != "":
		err = c.Beat()
	case c.deliberates():
		c.waited = true
		c.after(waits.Decision)
		return
	case !st.opening && c.asks():
		st.begin()
		err = st.session.prime(c, eventID(st.name, 0))
	}
	if err != nil {
		st.drop()
		return
	}
	if next := st.session.handler.opts.KeepAlive; next > 0 {
		c.after(next)
	}
}

// deliberates reports whether the answer may still be a refusal, which has an HTTP status.
func (c *connection) deliberates() bool {
	return !c.waited && !c.stream.allowed.Load() && runtime.AccessOf(c.request.Context()) != nil
}

// asks reports whether a POST has brought a request. Anything else gets an HTTP status and no stream.
func (c *connection) asks() bool {
	if jsonrpc.IsBatch(c.text) {
		return c.stream.session.batches()
	}
	m, err := jsonrpc.Parse(c.text)
	return err == nil && m.Kind == jsonrpc.Request
}

// buffer delays the last event that was written, so that it is sent together with the next one,
// which is usually the answer.
func (c *connection) buffer() {
	if !c.buffered {
		c.buffered = true
		c.after(waits.Flush)
	}
}
