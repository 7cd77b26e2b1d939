package sse

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// framing is the size that an event may have in addition to a message of maximum size.
const framing = 4 << 10

// Transport is the client's end of one session over HTTP with SSE. Use Dial to create it.
type Transport struct {
	http             *http.Client
	closeConnections func()
	opts             streamable.ClientOptions
	endpoint         string
	body             io.Closer

	ctx     context.Context // ends when the transport is closed
	cancel  context.CancelFunc
	in      chan received
	reading chan struct{} // closed when the stream is not read any more
}

type received struct {
	text string
	err  error
}

// Dial opens the event stream of a server and waits for the endpoint that the server names. The
// endpoint must be on the same server. ctx limits the opening, not the session. MaxRetries and Logger of the options
// have no effect, because nothing is resumed. The error of a message that the server refuses with an HTTP status is a
// *[streamable.StatusError].
func Dial(ctx context.Context, address string, opts streamable.ClientOptions) (*Transport, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, prefix.Errorf("sse: %w", err)
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("sse: not an HTTP URL: %.200q", address)
	}
	opts.MaxMessage = cmp.Or(max(opts.MaxMessage, 0), runtime.DefaultMaxClientMessage)
	t := &Transport{
		opts:    opts,
		in:      make(chan received),
		reading: make(chan struct{}),
	}
	t.http, t.closeConnections = web.Client(opts.HTTPClient)
	t.ctx, t.cancel = context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, t.cancel)
	events, err := t.open(base)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		t.cancel()
		if t.body != nil {
			t.body.Close()
		}
		t.closeConnections()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, prefix.Errorf("sse: connect: %w", err)
	}
	go t.read(events)
	return t, nil
}

// open sends the GET and reads the stream up to the endpoint.
func (t *Transport) open(base *url.URL) (*eventstream.Reader, error) {
	req, err := t.request(http.MethodGet, base.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", eventstream.MediaType)
	resp, err := t.http.Do(req)
	if err != nil {
		return nil, err
	}
	t.body = resp.Body
	if resp.StatusCode != http.StatusOK {
		failure, _ := web.Failure(resp)
		return nil, failure
	}
	if media := web.MediaType(resp); media != eventstream.MediaType {
		return nil, fmt.Errorf("content type %.100q is not that of an event stream", media)
	}
	events := eventstream.NewReader(resp.Body, t.opts.MaxMessage+framing)
	for {
		event, err := events.Next()
		if err != nil {
			return nil, err
		}
		if event.Type != "endpoint" {
			continue
		}
		endpoint, err := base.Parse(event.Data)
		if err != nil {
			return nil, fmt.Errorf("the endpoint is not a URL: %w", err)
		}
		if endpoint.Scheme != base.Scheme || endpoint.Host != base.Host {
			return nil, fmt.Errorf("the endpoint is on another server, %.100s", endpoint.Host)
		}
		t.endpoint = endpoint.String()
		return events, nil
	}
}

func (t *Transport) request(method, address string, body []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(t.ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range t.opts.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	return req, nil
}

// read passes the messages of the stream to Receive, and finally the error that ended the stream.
func (t *Transport) read(events *eventstream.Reader) {
	defer close(t.reading)
	for {
		event, err := events.Next()
		var r received
		switch {
		case err == eventstream.ErrTooLong:
			r.err = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", t.opts.MaxMessage)
		case err == io.EOF:
			r.err = runtime.ErrClosed
		case err != nil:
			r.err = prefix.Errorf("sse: the stream was lost: %w", err)
		case event.Type != "" && event.Type != "message" || event.Data == "":
			continue
		default:
			r.text = event.Data
		}
		select {
		case t.in <- r:
		case <-t.ctx.Done():
			return
		}
		if err != nil && err != eventstream.ErrTooLong {
			return
		}
	}
}

// ProbeTimeout returns how long a client waits for the answer to server/discover before it sends initialize as
// well: the server may be silent, as over stdio.
func (t *Transport) ProbeTimeout() time.Duration { return waits.Probe }

// Receive implements runtime.Transport.
func (t *Transport) Receive(ctx context.Context, max int) (runtime.Incoming, error) {
	select {
	case r := <-t.in:
		if r.err == nil && len(r.text) > max {
			r = received{err: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "invalid request: a message longer than %d bytes", max)}
		}
		return runtime.Incoming{Text: r.text}, r.err
	case <-t.ctx.Done():
		return runtime.Incoming{}, runtime.ErrClosed
	case <-ctx.Done():
		return runtime.Incoming{}, context.Cause(ctx)
	}
}

// Send implements runtime.Transport. Every message is one POST.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	// The HTTP client may read the body after it has returned, so it gets a copy.
	req, err := t.request(http.MethodPost, t.endpoint, bytes.Clone(m.Text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", web.JSON)
	sent := make(chan error, 1)
	go t.post(req, sent)
	select {
	case err := <-sent:
		return err
	case <-t.ctx.Done():
		return runtime.ErrClosed
	case <-ctx.Done():
		return prefix.Errorf("sse: %w", context.Cause(ctx))
	}
}

// post sends a message and reports the outcome on sent before it reads the body of the response. It goes on when the
// caller stops waiting: net/http may fail a request because another one, which got its connection, was cancelled
// (https://go.dev/issue/41600).
func (t *Transport) post(req *http.Request, sent chan<- error) {
	resp, err := t.http.Do(req)
	switch {
	case t.ctx.Err() != nil:
		sent <- runtime.ErrClosed
	case err != nil:
		sent <- prefix.Errorf("sse: %w", err)
	case resp.StatusCode/100 == 2:
		sent <- nil
	default:
		failure, _ := web.Failure(resp)
		sent <- failure
	}
	if err == nil {
		web.Discard(resp)
	}
}

// Close implements runtime.Transport. The end of the stream ends the session at the server.
func (t *Transport) Close() error {
	t.cancel()
	<-t.reading
	defer t.closeConnections()
	if err := t.body.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
