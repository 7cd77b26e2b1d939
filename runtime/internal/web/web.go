// Package web holds what the packages that speak HTTP share: refusals of requests, the http.Client of clients with its
// connections, and the reading of bodies.
//
// The body of every error response is a JSON-RPC error, with the id of the request if it is known.
package web

import (
	"errors"
	"io"
	"iter"
	"math"
	"net/http"
	"strconv"
	"time"
	"unsafe"

	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// JSON is the media type of messages.
const JSON = "application/json"

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
	body, err := (&jsonrpc.Error{Code: code, Message: f.Message, Data: f.Data}).Answer(f.ID).AppendJSON(nil)
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
	h["X-Content-Type-Options"] = HeaderNosniff
	w.WriteHeader(status)
	_, err := w.Write(body)
	return err
}

var headerJSON = []string{JSON} // never changed

// HeaderNosniff is the value of X-Content-Type-Options that all responses have. It is never changed.
var HeaderNosniff = []string{"nosniff"}

// maxFirstRead limits the memory that is allocated for a body because of its Content-Length alone.
const maxFirstRead = 32 << 10

// ReadAll is io.ReadAll for a body of the announced length, which is negative if it is unknown. It calls grow
// with the size of its buffer, and returns its error. The string shares the memory of
// the buffer, to which nothing is written afterwards: a copy would be one of 13 allocations of a request,
// and as large as the message.
func ReadAll(body io.Reader, length int64, grow func(size int) error) (string, error) {
	size := int64(1 << 10)
	if length >= 0 {
		size = min(length, maxFirstRead) + 1 // one more, so that the end is seen without growing
	}
	buf := make([]byte, 0, size)
	for {
		if err := grow(cap(buf)); err != nil {
			return "", err
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return unsafe.String(unsafe.SliceData(buf), len(buf)), err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
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
	return jsonrpc.IsBatch(text) || wire.Raw(text).Reader().PeekHas("method") == 0
}

// Closed reports whether a channel is closed, if nothing is ever sent on it.
func Closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
