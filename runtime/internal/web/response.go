package web

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
)

// Response is an HTTP response that is written in pieces, each of which the client must accept
// within a timeout. All methods but Interrupt must be called by one goroutine at a time.
type Response struct {
	w         http.ResponseWriter
	rc        http.ResponseController
	timeout   time.Duration // 0 or less means none
	budget    *Budget       // for the body of the request, and for what is written
	streaming bool          // it is an event stream, and its header is written

	mu          sync.Mutex
	interrupted bool
	finished    bool // net/http may use the connection for another response

	// Body is the share of the request's body in the budget, which the caller of ReadBody releases.
	Body Hold
}

// NewResponse returns a response written to w.
func NewResponse(w http.ResponseWriter, timeout time.Duration, budget *Budget) *Response {
	r := new(Response)
	r.Init(w, timeout, budget)
	return r
}

// Init is NewResponse for a Response that is part of another value. It may be called again when the
// response is finished.
func (r *Response) Init(w http.ResponseWriter, timeout time.Duration, budget *Budget) {
	r.w, r.rc, r.timeout, r.budget = w, *http.NewResponseController(w), timeout, budget
	r.streaming = false
	r.mu.Lock()
	defer r.mu.Unlock()
	r.interrupted, r.finished = false, false
}

// Header returns the header of the response.
func (r *Response) Header() http.Header { return r.w.Header() }

// Streaming reports whether the response has become an event stream.
func (r *Response) Streaming() bool { return r.streaming }

// extend starts the timeout of the next write. A ResponseWriter without deadlines has none.
func (r *Response) extend() {
	if r.timeout <= 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.interrupted {
		_ = r.rc.SetWriteDeadline(time.Now().Add(r.timeout))
	}
}

// Begin makes the response an event stream, if it is not one yet, and sends its header.
func (r *Response) Begin() error {
	if r.streaming {
		return nil
	}
	r.begin()
	return r.Flush()
}

func (r *Response) begin() {
	r.extend()
	if r.streaming {
		return
	}
	r.streaming = true
	h := r.w.Header()
	h["Content-Type"] = headerEvents
	h["Cache-Control"] = headerNoCache
	h["X-Accel-Buffering"] = headerNo // otherwise some proxies hold events back
	h["X-Content-Type-Options"] = headerNosniff
	r.w.WriteHeader(http.StatusOK)
}

var (
	headerEvents  = []string{eventstream.MediaType}
	headerNoCache = []string{"no-cache, no-transform"}
	headerNo      = []string{"no"}
)

// Put writes an event, which leaves with the next event, with Flush, or with the end of the response. If the
// error is ErrBudget, nothing is written.
func (r *Response) Put(id []byte, typ string, retry time.Duration, data []byte) error {
	var hold Hold
	if !hold.grow(r.budget, len(data)) {
		return ErrBudget
	}
	defer hold.Release()
	r.begin()
	buf := buffers.Get().(*[]byte)
	*buf = eventstream.Append((*buf)[:0], id, typ, retry, data)
	_, err := r.w.Write(*buf)
	if cap(*buf) <= maxPooled {
		buffers.Put(buf)
	}
	return err
}

// buffers keeps the texts of events, of at most maxPooled bytes each. Without it, a call with two reports of
// progress takes 29 allocations instead of 26.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

const maxPooled = 16 << 10

// Event writes an event and sends it.
func (r *Response) Event(id []byte, typ string, retry time.Duration, data []byte) error {
	if err := r.Put(id, typ, retry, data); err != nil {
		return err
	}
	return r.Flush()
}

// Beat sends a comment, which shows both sides and every proxy that the connection is in use.
func (r *Response) Beat() error {
	r.begin()
	if _, err := io.WriteString(r.w, eventstream.Comment); err != nil {
		return err
	}
	return r.Flush()
}

// JSON writes a whole response with a JSON text. If the error is ErrBudget, nothing is written.
func (r *Response) JSON(status int, body []byte) error {
	var hold Hold
	if !hold.grow(r.budget, len(body)) {
		return ErrBudget
	}
	defer hold.Release()
	r.extend()
	return WriteJSON(r.w, status, body)
}

// Empty writes a whole response without a body.
func (r *Response) Empty(status int) {
	r.extend()
	r.w.WriteHeader(status)
}

// Flush sends what was written.
func (r *Response) Flush() error {
	r.extend()
	return r.rc.Flush()
}

// Interrupt makes the write that waits for the client fail, and every later one. It may be called at
// any time, by any goroutine.
func (r *Response) Interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.finished {
		r.interrupted = true
		_ = r.rc.SetWriteDeadline(time.Unix(1, 0))
	}
}

// Finish must be called before the handler of the request returns. What remains of the last write's
// timeout then applies to the rest of the response.
func (r *Response) Finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finished = true
}
