package web

import (
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

const (
	// maxRedirects limits how often a request is redirected.
	maxRedirects = 5
	// maxIdleConnections is the number of unused connections that a session keeps, so that
	// concurrent calls need not open new ones. http.DefaultTransport keeps 2 for each host.
	maxIdleConnections = 256
)

// Client returns a copy of c, or of http.DefaultClient if c is nil, that does not follow redirects
// to other servers. If it has no Transport, it gets connections of its own, configured as those of
// http.DefaultTransport; close closes the unused ones. Otherwise close does nothing.
func Client(c *http.Client) (client *http.Client, close func()) {
	if c == nil {
		c = http.DefaultClient
	}
	own := *c
	own.CheckRedirect = checkRedirect
	if shared, ok := http.DefaultTransport.(*http.Transport); ok && own.Transport == nil {
		t := shared.Clone()
		t.MaxIdleConns, t.MaxIdleConnsPerHost = maxIdleConnections, maxIdleConnections
		own.Transport = t
		return &own, t.CloseIdleConnections
	}
	return &own, func() {}
}

// ErrRedirect is wrapped by the error of a redirect that is not followed.
var ErrRedirect = errors.New("redirect")

// checkRedirect is an http.Client's CheckRedirect for requests that carry a session: they are not
// repeated at another server or with another method.
func checkRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > maxRedirects:
		return fmt.Errorf("too many %ws", ErrRedirect)
	case req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host:
		return fmt.Errorf("%w to another server, %.100s", ErrRedirect, req.URL.Host)
	case req.Method != first.Method:
		return fmt.Errorf("%w that turns a %s into a %s", ErrRedirect, first.Method, req.Method)
	}
	return nil
}

// ErrTooLarge is the error of a body that is larger than the client reads.
var ErrTooLarge = errors.New("web: the answer is too large")

const (
	// maxErrorBody limits the bodies of refusals, and how much of other bodies is read only to reach
	// their end.
	maxErrorBody = 64 << 10
	// maxQuote limits the part of a body that an error quotes.
	maxQuote = 200
	// maxRetryAfter limits the values of Retry-After.
	maxRetryAfter = 24 * time.Hour
	// byteOrderMark may precede a JSON text, and readers may ignore it (RFC 8259, section 8.1).
	byteOrderMark = "\ufeff"
)

// StatusError is the error of a request that a server refused with an HTTP status.
type StatusError struct {
	Status int
	Err    *jsonrpc.Error // the JSON-RPC error in the body; nil if there is none
	// RetryAfter is the time that the server asks the client to wait (Retry-After, RFC 9110,
	// section 10.2.3), or 0.
	RetryAfter time.Duration
}

// Error returns the status and the message of the body's error.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("HTTP status %d %s", e.Status, http.StatusText(e.Status))
	if e.Err != nil {
		text += ": " + prefix.Cut(e.Err)
	}
	return text
}

// Unwrap returns Err.
func (e *StatusError) Unwrap() error {
	if e.Err == nil {
		return nil
	}
	return e.Err
}

// Unavailable reports whether the server could not handle the request at the time, whatever the request was:
// the status is 408, 425, 429 or 5xx.
func (e *StatusError) Unavailable() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return e.Status/100 == 5
}

// MediaType returns the media type of a response, without parameters.
func MediaType(resp *http.Response) string {
	text := resp.Header.Get("Content-Type")
	if text == JSON || text == eventstream.MediaType {
		return text
	}
	media, _, _ := mime.ParseMediaType(text)
	return media
}

// ReadAnswer reads a body of at most max bytes and removes a byte order mark from its beginning. If
// the body cannot be read to its end, ReadAnswer returns what it has read, with the error.
func ReadAnswer(resp *http.Response, max int) (string, error) {
	if resp.ContentLength > int64(max) {
		return "", ErrTooLarge
	}
	text, err := ReadAll(io.LimitReader(resp.Body, int64(min(max, math.MaxInt-1))+1), resp.ContentLength, func(int) error { return nil })
	if len(text) > max {
		return "", ErrTooLarge
	}
	return strings.TrimPrefix(text, byteOrderMark), err
}

// The functions below limit the time of reading a body by closing it: net/http has no deadline for
// reading alone, and the context of the request may be needed for other things.

// Failure reads a response with a status that is not a success. If its body is a JSON-RPC error,
// text is that body.
func Failure(resp *http.Response) (e *StatusError, text string) {
	e = &StatusError{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	if MediaType(resp) != JSON {
		return e, ""
	}
	defer time.AfterFunc(waits.ErrorBody, func() { resp.Body.Close() }).Stop()
	text, err := ReadAnswer(resp, maxErrorBody)
	if err != nil {
		return e, ""
	}
	m, err := jsonrpc.Parse(text)
	if err != nil || m.Error == nil {
		return e, ""
	}
	e.Err = m.Error
	return e, text
}

// retryAfter parses the value of a Retry-After header: a number of seconds or a date.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(time.Until(at), 0), maxRetryAfter)
}

// Beginning returns the beginning of a body for an error to quote. It does not wait long.
func Beginning(resp *http.Response) string {
	defer time.AfterFunc(waits.Drain, func() { resp.Body.Close() }).Stop()
	buf := make([]byte, maxQuote)
	n, _ := io.ReadFull(resp.Body, buf)
	return string(buf[:n])
}

// Quoted is a reader that keeps the beginning of what was read, so that an error can quote it.
type Quoted struct {
	io.Reader
	text []byte
}

// Read implements io.Reader.
func (q *Quoted) Read(p []byte) (int, error) {
	n, err := q.Reader.Read(p)
	if left := maxQuote - len(q.text); left > 0 && n > 0 {
		q.text = append(q.text, p[:min(n, left)]...)
	}
	return n, err
}

// Beginning returns the beginning of what was read.
func (q *Quoted) Beginning() string { return string(q.text) }

// Discard closes a body without using it. It first reads what arrives within waits.Drain, so that
// the connection can be used again.
func Discard(resp *http.Response) {
	defer resp.Body.Close()
	if resp.ContentLength == 0 {
		return
	}
	defer time.AfterFunc(waits.Drain, func() { resp.Body.Close() }).Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
}
