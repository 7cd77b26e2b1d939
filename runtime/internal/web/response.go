package web

import (
	"errors"
	"io"
	"iter"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Response is an HTTP response that is written in pieces, each of which the client must accept
// within a timeout. All methods but Interrupt must be called by one goroutine at a time.
type Response struct {
	w       http.ResponseWriter
	rc      http.ResponseController
	timeout time.Duration // 0 or less means none
	gate    *Gate         // for what is written

	mu          sync.Mutex
	interrupted bool
	finished    bool // net/http may use the connection for another response, and w and rc are gone

	// Streaming means that the response has become an event stream, whose header is written. Only Response sets it.
	Streaming bool
}

// Init makes r a response that is written to w. It is called before all other methods.
func (r *Response) Init(w http.ResponseWriter, timeout time.Duration, gate *Gate) {
	r.w, r.rc, r.timeout, r.gate = w, *http.NewResponseController(w), timeout, gate
}

// Header returns the header of the response.
func (r *Response) Header() http.Header { return r.w.Header() }

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
	if r.Streaming {
		return nil
	}
	r.begin()
	return r.Flush()
}

func (r *Response) begin() {
	r.extend()
	if r.Streaming {
		return
	}
	r.Streaming = true
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
// error is ErrBytes, nothing is written.
func (r *Response) Put(id []byte, typ string, retry time.Duration, data []byte) error {
	hold := Admission{Gate: r.gate}
	if !hold.grow(len(data)) {
		return ErrBytes
	}
	defer hold.LeaveBody()
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

// Comment sends a comment, which shows both sides and every proxy that the connection is in use.
func (r *Response) Comment() error {
	r.begin()
	if _, err := io.WriteString(r.w, eventstream.Comment); err != nil {
		return err
	}
	return r.Flush()
}

// JSON writes a whole response with a JSON text. If the error is ErrBytes, nothing is written.
func (r *Response) JSON(status int, body []byte) error {
	hold := Admission{Gate: r.gate}
	if !hold.grow(len(body)) {
		return ErrBytes
	}
	defer hold.LeaveBody()
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
// timeout then applies to the rest of the response. It lets go of the http.ResponseWriter, so the response may not be
// used any more.
func (r *Response) Finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finished, r.w, r.rc = true, nil, http.ResponseController{}
}

// Refusal is the error of a request that is not served: an HTTP status and a JSON-RPC error.
type Refusal struct {
	Status  int
	Code    int64 // of JSON-RPC; 0 means CodeInvalidRequest
	Message string
	Data    wire.Raw    // of the JSON-RPC error; "" for none
	ID      wire.Scalar // of the JSON-RPC request; zero if it is unknown
	Reason  string      // the reason if the handler is overloaded; otherwise ""
	// After is how long the client should wait if the status is 429 or 503. 0 means a second.
	After time.Duration
}

// The reasons of refusals that a client may repeat.
const (
	ReasonInFlight = "in_flight" // LoadLimits.MaxInFlight
	ReasonCaller   = "caller"    // LoadLimits.MaxInFlightPerCaller
	ReasonRate     = "rate"      // LoadLimits.Rate
	ReasonRequests = "requests"  // the number of POSTs that name no session
	ReasonSessions = "sessions"  // the limits of Sessions
	ReasonSession  = "session"   // the requests of one session
	ReasonBytes    = "bytes"     // the bytes of messages in memory
	ReasonDraining = "draining"  // a shutdown has begun
)

// Refusals counts refusals by their reasons. It is safe for concurrent use.
type Refusals struct {
	mu       sync.Mutex
	byReason map[string]int64
}

// Add counts a refusal with a reason.
func (c *Refusals) Add(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byReason == nil {
		c.byReason = make(map[string]int64)
	}
	c.byReason[reason]++
}

// ByReason returns the counts.
func (c *Refusals) ByReason() map[string]int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.byReason)
}

// Refuse returns a Refusal with CodeInvalidRequest.
func Refuse(status int, message string) *Refusal {
	return &Refusal{Status: status, Message: message}
}

// RefuseError returns a Refusal with the parts of a JSON-RPC error.
func RefuseError(status int, e *jsonrpc.Error) *Refusal {
	return &Refusal{Status: status, Code: e.Code, Message: e.Message, Data: e.Data}
}

// RetryAfter is the value of that header, in seconds, in responses with status 503 that do not set
// another one.
const RetryAfter = "1"

// Error returns the status and the message.
func (f *Refusal) Error() string {
	return "web: status " + strconv.Itoa(f.Status) + ": " + f.Message
}

// For returns err with the id of a JSON-RPC request if it is a *Refusal.
func For(id wire.Scalar, err error) error {
	f, ok := errors.AsType[*Refusal](err)
	if !ok || id.IsZero() {
		return err
	}
	with := *f
	with.ID = id
	return &with
}

// WriteTo writes the refusal as the response. What is left of the body must arrive soon.
func (f *Refusal) WriteTo(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(waits.Refused))
	code := f.Code
	if code == 0 {
		code = jsonrpc.CodeInvalidRequest
	}
	body, err := jsonrpc.AppendError(nil, f.ID, &jsonrpc.Error{Code: code, Message: f.Message, Data: f.Data})
	if err != nil {
		body = nil // cannot happen with well-formed data
	}
	if f.Status == http.StatusServiceUnavailable || f.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", f.retryAfter())
	}
	_ = WriteJSON(w, f.Status, body)
}

// retryAfter returns the value of that header, in seconds.
func (f *Refusal) retryAfter() string {
	if f.After <= 0 {
		return RetryAfter
	}
	return strconv.FormatInt(int64(math.Ceil(f.After.Seconds())), 10)
}

// WriteJSON writes a response whose body is a JSON text.
func WriteJSON(w http.ResponseWriter, status int, body []byte) error {
	h := w.Header()
	h["Content-Type"] = headerJSON
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["X-Content-Type-Options"] = headerNosniff
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}

// The values of headers that many responses have. They are never changed.
var (
	headerJSON    = []string{JSON}
	headerNosniff = []string{"nosniff"}
)

// Serve calls serve for a request that the guard allows. If its error is a *Refusal, Serve writes it as the response,
// and counts it if it has a reason.
func Serve(w http.ResponseWriter, r *http.Request, guard Guard, log *slog.Logger, count *Refusals, serve func(http.ResponseWriter, *http.Request) error) {
	if why := guard.Check(r); why != "" {
		log.Warn("request refused", "reason", why, "host", r.Host, "origin", r.Header.Get("Origin"))
		Refuse(http.StatusForbidden, "forbidden: "+why).WriteTo(w)
		return
	}
	if refusal, ok := errors.AsType[*Refusal](serve(w, r)); ok {
		if refusal.Reason != "" {
			count.Add(refusal.Reason)
		}
		log.LogAttrs(r.Context(), slog.LevelDebug, "request refused", slog.String("http_method", r.Method), slog.Any("error", refusal))
		refusal.WriteTo(w)
	}
}

// Missed collects the stored events of a stream. Ended means that the stream ends after them without an answer, which
// is an event without data.
func Missed(stored iter.Seq2[[]byte, error]) (events [][]byte, ended bool, err error) {
	for data, err := range stored {
		if err != nil {
			return nil, false, err
		}
		if len(data) == 0 {
			return events, true, nil
		}
		events = append(events, data)
	}
	return events, false, nil
}

// IsAnswer reports whether the text of an event is a response, a batch, or not a message.
func IsAnswer(text string) bool {
	return jsonrpc.IsBatch(text) || wire.NewStringReader(text).PeekHas("method") == 0
}

// Scopes returns the scopes that the tools, prompts and resources of a server require.
func Scopes(server any) []string {
	if of, ok := server.(interface{ Scopes() []string }); ok {
		return of.Scopes()
	}
	return nil
}
