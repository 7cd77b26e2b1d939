package sse

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// Transport is the client's end of one session over HTTP with SSE. Use Dial to create it.
type Transport struct {
	http             *http.Client
	closeConnections func()
	opts             streamable.ClientOptions
	endpoint         string
	body             io.Closer

	life   engine.Lifetime // of the requests and of the goroutines that make them
	events *eventstream.Reader
}

// Dial opens the event stream of a server and waits for the endpoint that the server names. The endpoint must be on the
// same server. ctx limits the opening, not the session; if it has no deadline, the opening takes at most
// runtime.DefaultTimeout. MaxRetries of the options has no effect, because nothing is resumed. The error of a message
// that the server refuses with an HTTP status is a *[streamable.StatusError].
func Dial(ctx context.Context, address string, opts streamable.ClientOptions) (*Transport, error) {
	base, err := url.Parse(address)
	if err != nil {
		return nil, prefix.Errorf("sse: %w", err)
	}
	if base.Scheme != "http" && base.Scheme != "https" || base.Host == "" {
		return nil, fmt.Errorf("sse: not an HTTP URL: %.200q", address)
	}
	opts.Logger = logs.Or(opts.Logger, slog.LevelWarn)
	opts.MaxMessage = cmp.Or(max(opts.MaxMessage, 0), runtime.DefaultMaxClientMessage)
	t := &Transport{opts: opts}
	t.http, t.closeConnections = web.Client(opts.HTTPClient)
	t.life.Init(context.Background())
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, runtime.DefaultTimeout)
		defer cancel()
	}
	stop := context.AfterFunc(ctx, func() { t.life.End(context.Cause(ctx)) })
	t.events, err = t.open(base)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		t.life.End(err)
		if t.body != nil {
			t.body.Close()
		}
		t.closeConnections()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, prefix.Errorf("sse: connect: %w", err)
	}
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
	events := eventstream.NewReader(resp.Body, eventstream.Limit(t.opts.MaxMessage))
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
	req, err := http.NewRequestWithContext(t.life.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range t.opts.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	return req, nil
}

// Start implements runtime.Transport.
func (t *Transport) Start(in runtime.Inbox, _ int) {
	if !t.life.Go(func() { t.read(in) }) {
		in.End(runtime.ErrClosed)
	}
}

// read passes the messages of the stream to the inbox, and finally the error that ended the stream.
func (t *Transport) read(in runtime.Inbox) {
	for {
		event, err := t.events.Next()
		switch {
		case err == eventstream.ErrTooLong:
			t.opts.Logger.Warn("a message was skipped because it is too long")
		case err == io.EOF || t.life.Context().Err() != nil:
			in.End(runtime.ErrClosed)
			return
		case err != nil:
			in.End(prefix.Errorf("sse: the stream was lost: %w", err))
			return
		case event.Data != "" && (event.Type == "" || event.Type == "message"):
			if run := in.Accept(runtime.Incoming{Text: event.Data}); run != nil {
				go run()
			}
		}
	}
}

// ProbeTimeout returns how long a client waits for the answer to server/discover before it sends initialize as
// well: the server may be silent, as over stdio.
func (t *Transport) ProbeTimeout() time.Duration { return waits.Probe }

// Send implements runtime.Transport. Every message is one POST, which goes on when ctx ends: the caller stops waiting,
// but the server may have the message.
func (t *Transport) Send(ctx context.Context, m runtime.Outgoing) error {
	if ctx.Err() != nil {
		return prefix.Errorf("sse: %w", context.Cause(ctx))
	}
	// The HTTP client may read the body after it has returned, so it gets a copy.
	req, err := t.request(http.MethodPost, t.endpoint, bytes.Clone(m.Text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", web.JSON)
	sent := make(chan error, 1)
	if !t.life.Go(func() { t.post(req, sent) }) {
		return runtime.ErrClosed
	}
	select {
	case err := <-sent:
		return err
	case <-t.life.Context().Done():
		return runtime.ErrClosed
	case <-ctx.Done():
		return prefix.Errorf("sse: %w", context.Cause(ctx))
	}
}

// post sends a message and reports the outcome on sent before it reads the body of the response. The end of a caller's
// context does not cancel it, because net/http may then fail another request whose response has no body
// (https://go.dev/issue/41600).
func (t *Transport) post(req *http.Request, sent chan<- error) {
	resp, err := t.http.Do(req)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		failed.URL, _, _ = strings.Cut(failed.URL, "?") // the query has the id of the session
	}
	switch {
	case t.life.Context().Err() != nil:
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
	t.life.End(runtime.ErrClosed)
	t.life.Stop()
	t.life.Wait(waits.Abandoned, nil)
	defer t.closeConnections()
	if err := t.body.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
