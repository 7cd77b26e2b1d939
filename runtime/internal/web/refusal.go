package web

import (
	"errors"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

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
	ReasonInFlight = "in_flight" // LoadLimits.InFlight
	ReasonCaller   = "caller"    // LoadLimits.PerCaller
	ReasonRate     = "rate"      // LoadLimits.Pace
	ReasonRequests = "requests"  // the limits of Requests
	ReasonSessions = "sessions"  // the limits of Sessions
	ReasonSession  = "session"   // the requests of one session
	ReasonBytes    = "bytes"     // the limit of a Budget
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

// AddError counts err if it is a *Refusal with a reason.
func (c *Refusals) AddError(err error) {
	if f, ok := errors.AsType[*Refusal](err); ok && f.Reason != "" {
		c.Add(f.Reason)
	}
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

// WriteTo writes the refusal as the response.
func (f *Refusal) WriteTo(w http.ResponseWriter) {
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

// Serve calls serve for a request that the guard allows, and writes its error as the response if
// that is a *Refusal.
func Serve(w http.ResponseWriter, r *http.Request, guard Guard, log *slog.Logger, serve func(http.ResponseWriter, *http.Request) error) {
	if why := guard.Check(r); why != "" {
		log.Warn("request refused", "reason", why, "host", r.Host, "origin", r.Header.Get("Origin"))
		Refuse(http.StatusForbidden, "forbidden: "+why).WriteTo(w)
		return
	}
	if refusal, ok := errors.AsType[*Refusal](serve(w, r)); ok {
		log.LogAttrs(r.Context(), slog.LevelDebug, "request refused", slog.String("http_method", r.Method), slog.Any("error", refusal))
		refusal.WriteTo(w)
	}
}
