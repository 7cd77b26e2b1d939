package web

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
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
	// maxErrorBody is how much is read of a body that only explains a failure.
	maxErrorBody = 64 << 10
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

// ReadAnswer reads a body of at most max bytes.
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
		if err == io.EOF {
			return unsafe.String(unsafe.SliceData(buf), len(buf)), nil
		}
		if err != nil {
			return "", err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// Failure reads what a response that is no success says. The text is the whole body if
// it is a message.
func Failure(resp *http.Response) (*StatusError, string) {
	e := &StatusError{Status: resp.StatusCode}
	text, err := ReadAnswer(resp, maxErrorBody)
	if err != nil || MediaType(resp) != JSON {
		return e, ""
	}
	m, err := jsonrpc.Parse(text)
	if err != nil || m.Error == nil {
		return e, ""
	}
	e.Err = m.Error
	return e, text
}

// Discard reads what little may be left of a body, so that the connection can be used
// again, and closes it.
func Discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxErrorBody)
	_ = resp.Body.Close()
}
