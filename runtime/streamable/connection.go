package streamable

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// connection is an HTTP request whose response carries a stream, or one message. The response is written in pieces,
// each of which the client must accept within Options.IOTimeout. All methods but interrupt must be called by one
// goroutine at a time. A timer keeps a silent connection in use, and makes a slow answer an event stream.
type connection struct {
	handler *Handler
	request *http.Request
	stream  *stream

	w         http.ResponseWriter
	rc        http.ResponseController
	streaming bool // the response has become an event stream, whose header is written

	mu          sync.Mutex
	interrupted bool
	finished    bool // net/http may use the connection for another response, and w and rc are gone

	// These fields are guarded by the lock of the stream.
	timer *time.Timer   // nil if the connection is not kept alive
	left  chan struct{} // closed when the stream has let go of the connection; nil if no goroutine waits
}

func (c *connection) init(h *Handler, w http.ResponseWriter, r *http.Request) {
	c.handler, c.request, c.w, c.rc = h, r, w, *http.NewResponseController(w)
}

// extend starts the timeout of the next write. A ResponseWriter without deadlines has none.
func (c *connection) extend() {
	if c.handler.opts.IOTimeout <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.interrupted {
		_ = c.rc.SetWriteDeadline(time.Now().Add(c.handler.opts.IOTimeout))
	}
}

// startStream makes the response an event stream, if it is not one yet, and sends its header.
func (c *connection) startStream() error {
	if c.streaming {
		return nil
	}
	c.becomeStream()
	return c.flush()
}

// becomeStream makes the response an event stream, if it is not one yet. Its header leaves with what is written next.
func (c *connection) becomeStream() {
	c.extend()
	if c.streaming {
		return
	}
	c.streaming = true
	h := c.w.Header()
	h["Content-Type"] = headerEvents
	h["Cache-Control"] = headerNoCache
	h["X-Accel-Buffering"] = headerNo // otherwise some proxies hold events back
	h["X-Content-Type-Options"] = web.HeaderNosniff
	c.w.WriteHeader(http.StatusOK)
}

var (
	headerEvents  = []string{eventstream.MediaType}
	headerNoCache = []string{"no-cache, no-transform"}
	headerNo      = []string{"no"}
)

// bufferEvent writes an event, which leaves with the next event, with flush, or with the end of the response. If the
// error is errBytes, nothing is written.
func (c *connection) bufferEvent(id []byte, typ string, retry time.Duration, data []byte) error {
	hold := admission{gate: c.handler.gate}
	if err := hold.grow(len(data)); err != nil {
		return err
	}
	defer hold.leaveBody()
	c.becomeStream()
	buf := buffers.Get().(*[]byte)
	*buf = eventstream.Append((*buf)[:0], id, typ, retry, data)
	_, err := c.w.Write(*buf)
	if cap(*buf) <= maxPooled {
		buffers.Put(buf)
	}
	return err
}

// buffers keeps the texts of events, of at most maxPooled bytes each. Without it, a call with two reports of
// progress takes 32 allocations instead of 29.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxPooled = 16 << 10

// writeEvent writes an event and sends it.
func (c *connection) writeEvent(id []byte, typ string, retry time.Duration, data []byte) error {
	if err := c.bufferEvent(id, typ, retry, data); err != nil {
		return err
	}
	return c.flush()
}

// writeComment sends a comment, which shows both sides and every proxy that the connection is in use.
func (c *connection) writeComment() error {
	c.becomeStream()
	if _, err := io.WriteString(c.w, eventstream.Comment); err != nil {
		return err
	}
	return c.flush()
}

// writeJSON writes a whole response with a JSON text. If the error is errBytes, nothing is written.
func (c *connection) writeJSON(status int, body []byte) error {
	hold := admission{gate: c.handler.gate}
	if err := hold.grow(len(body)); err != nil {
		return err
	}
	defer hold.leaveBody()
	c.extend()
	return web.WriteJSON(c.w, status, body)
}

// writeEmpty writes a whole response without a body.
func (c *connection) writeEmpty(status int) {
	c.extend()
	c.w.WriteHeader(status)
}

// flush sends what was written.
func (c *connection) flush() error {
	c.extend()
	return c.rc.Flush()
}

// interrupt makes the write that waits for the client fail, and every later one. It may be called at
// any time, by any goroutine.
func (c *connection) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.finished {
		c.interrupted = true
		_ = c.rc.SetWriteDeadline(time.Unix(1, 0))
	}
}

// finish must be called before the handler of the request returns. What remains of the last write's
// timeout then applies to the rest of the response. It lets go of the http.ResponseWriter, so the response may not be
// used any more.
func (c *connection) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finished, c.w, c.rc = true, nil, http.ResponseController{}
}

// setSessionID puts the session's id on the response to initialize (section Session Management, 1).
func (c *connection) setSessionID(s *Session) {
	c.w.Header().Set(headerSession, s.SessionID())
}

// prime makes the response an event stream. It tells a client that knows events without data
// how to resume the stream after the event with this id.
func (c *connection) prime(s *Session, id []byte) error {
	if !s.resumable() {
		return c.startStream()
	}
	return c.writeEvent(id, "", s.handler.opts.Retry, nil)
}

// startKeepAlive starts the timer, unless the options say never. The answer to a POST becomes an event stream after
// StreamAfter if its client can resume it, otherwise after KeepAlive. A timer takes 160 bytes, a goroutine that waits
// 3 KB, and a client may hold thousands of connections that carry nothing.
func (c *connection) startKeepAlive(post bool) {
	st := c.stream
	opts := &st.session.handler.opts
	first := opts.KeepAlive
	if post && opts.StreamAfter > 0 && !st.opening && st.session.resumable() && (first <= 0 || opts.StreamAfter < first) {
		first = opts.StreamAfter
	}
	st.lock <- struct{}{}
	defer st.release()
	if first > 0 && st.conn.Load() == c {
		c.timer = time.AfterFunc(first, c.keepAlive)
	}
}

// keepAlive is called by the timer.
func (c *connection) keepAlive() {
	st := c.stream
	st.lock <- struct{}{}
	defer st.release()
	if st.conn.Load() != c || st.over.Load() || st.wroteJSON {
		return // the response is complete or no longer this connection's
	}
	var err error
	switch {
	case c.streaming || st.answers && st.session.stateless:
		err = c.writeComment()
	case st.answers:
		st.ensureName()
		err = c.prime(st.session, eventID(st.name, 0))
	}
	if err != nil {
		st.dropConnection()
		return
	}
	if next := st.session.handler.opts.KeepAlive; next > 0 {
		c.timer.Reset(next)
	}
}
