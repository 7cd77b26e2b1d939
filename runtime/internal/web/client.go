package web

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// ErrTooLarge tells that a body is larger than a client reads.
var ErrTooLarge = errors.New("web: the answer is too large")

// StatusError tells that a server answered with an HTTP status that is no success.
type StatusError struct {
	Status int
	Err    *jsonrpc.Error // what the body said, if that was a JSON-RPC error; else nil
	// RetryAfter is how long the server wants to be left alone (Retry-After, RFC 9110,
	// section 10.2.3); 0 when it did not say.
	RetryAfter time.Duration
}

// Error tells the status and what the body said.
func (e *StatusError) Error() string {
	text := fmt.Sprintf("HTTP status %d %s", e.Status, http.StatusText(e.Status))
	if e.Err != nil {
		text += ": " + e.Err.Error()
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

const (
	// maxRedirects is how often a request may be redirected.
	maxRedirects = 5
	// maxErrorBody is how much is read of a body that only explains a failure, or is read for
	// nothing but its end.
	maxErrorBody = 64 << 10
	// errorWait bounds the wait for such a body.
	errorWait = time.Second
	// discardWait bounds the wait for the end of a body that is read for nothing else.
	discardWait = 100 * time.Millisecond
	// maxQuote is how much of a body an error quotes at most.
	maxQuote = 200
)

// Redirects is an http.Client's CheckRedirect for requests that carry a session: they
// are not repeated to another server, nor as another method.
func Redirects(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case len(via) > maxRedirects:
		return errors.New("too many redirects")
	case req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host:
		return fmt.Errorf("redirect to another server, %.100s", req.URL.Host)
	case req.Method != first.Method:
		return fmt.Errorf("redirect that makes a %s of a %s", req.Method, first.Method)
	}
	return nil
}

// Client is a copy of c, or of http.DefaultClient, that follows redirects by that rule.
func Client(c *http.Client) *http.Client {
	if c == nil {
		c = http.DefaultClient
	}
	own := *c
	own.CheckRedirect = Redirects
	return &own
}

// MediaType is that of a response, without parameters.
func MediaType(resp *http.Response) string {
	text := resp.Header.Get("Content-Type")
	if text == JSON || text == eventstream.MediaType {
		return text
	}
	media, _, _ := mime.ParseMediaType(text)
	return media
}

// ReadAnswer reads a body of at most max bytes. When it cannot be read to its end, what came
// before is returned with the error. A byte order mark at the beginning is left out.
func ReadAnswer(resp *http.Response, max int) (string, error) {
	if resp.ContentLength > int64(max) {
		return "", ErrTooLarge
	}
	buf := make([]byte, 0, bodySize(resp.ContentLength))
	for {
		n, err := resp.Body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if len(buf) > max {
			return "", ErrTooLarge
		}
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return strings.TrimPrefix(unsafe.String(unsafe.SliceData(buf), len(buf)), byteOrderMark), err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// byteOrderMark may stand before a JSON text, where a reader may ignore it (RFC 8259, section 8.1).
const byteOrderMark = "\ufeff"

// Failure reads what a response that is no success says. The text is the whole body if
// it is a message.
func Failure(resp *http.Response) (*StatusError, string) {
	e := &StatusError{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	if MediaType(resp) != JSON {
		return e, ""
	}
	defer time.AfterFunc(errorWait, func() { resp.Body.Close() }).Stop()
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

// retryAfter reads the value of a Retry-After header, a number of seconds or a date.
func retryAfter(value string) time.Duration {
	if value == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(time.Until(at), 0), maxRetryAfter)
}

// maxRetryAfter bounds the numbers of Retry-After.
const maxRetryAfter = 24 * time.Hour

// Beginning reads the beginning of a body, for an error that quotes it. It does not wait long.
func Beginning(resp *http.Response) string {
	defer time.AfterFunc(discardWait, func() { resp.Body.Close() }).Stop()
	buf := make([]byte, maxQuote)
	n, _ := io.ReadFull(resp.Body, buf)
	return string(buf[:n])
}

// Quoted is a body that remembers its beginning.
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

// Beginning is what has been read first.
func (q *Quoted) Beginning() string { return string(q.text) }

// Discard closes a body that nobody wants. It first reads what comes within a moment, so that
// the connection can be used again.
func Discard(resp *http.Response) {
	defer resp.Body.Close()
	if resp.ContentLength == 0 {
		return
	}
	defer time.AfterFunc(discardWait, func() { resp.Body.Close() }).Stop()
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
}
