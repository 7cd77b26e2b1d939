package streamable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/prefix"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// This file is the client of HTTP with SSE, the transport of revision 2024-11-05. [NewSSEHandler] is the server. One
// event stream is the session, and its first event names the URL to which the client posts messages.

// URL returns a transport to a server of which only the URL is known. The session uses Streamable HTTP. If the server
// refuses that with status 400, 404 or 405, it uses HTTP with SSE, as [DialSSE] does; for that, the client must speak a
// revision that the server speaks, such as 2024-11-05. If the server refuses both, the error of connecting wraps a
// *[StatusError] of each. A text that is not an HTTP URL is an error of connecting, too (section Backwards
// Compatibility).
func URL(url string, opts ClientOptions) *Transport {
	t, err := NewTransport(url, opts)
	if err != nil {
		t = &Transport{invalid: err}
	}
	t.falls = true
	return t
}

// Fallback implements runtime.Remote. A transport of NewTransport has none.
func (t *Transport) Fallback(ctx context.Context, refused error) (runtime.Transport, error) {
	failure, ok := errors.AsType[*StatusError](refused)
	if !t.falls || !ok {
		return nil, refused
	}
	switch failure.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed: // it may be an older server
		older, err := DialSSE(ctx, t.post.URL.String(), t.opts)
		if err != nil {
			return nil, prefix.Errorf("streamable: server accepts neither Streamable HTTP (%w) nor HTTP with SSE (%w)", refused, err)
		}
		return older, nil
	}
	return nil, refused
}

// sseTransport is the client's end of a session over HTTP with SSE.
type sseTransport struct {
	t      *Transport // makes the requests
	body   io.Closer  // of the stream
	events *eventstream.Reader
}

// DialSSE opens a session over HTTP with SSE and waits for the endpoint that the server names, which must be on the
// same server. ctx limits the opening, not the session; if it has no deadline, the opening takes at most
// runtime.DefaultTimeout. A lost stream ends the session, because nothing is resumed. Each stream is a session, so it
// is one of the revisions with sessions. The error of a message that the server refuses with an HTTP status is a
// *[StatusError].
func DialSSE(ctx context.Context, address string, opts ClientOptions) (runtime.Transport, error) {
	t, err := NewTransport(address, opts)
	if err != nil {
		return nil, err
	}
	t.post.Header.Del("Accept") // the answers are events
	s := &sseTransport{t: t}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, runtime.DefaultTimeout)
		defer cancel()
	}
	stop := context.AfterFunc(ctx, func() { t.life.End(context.Cause(ctx)) }) // a goroutine that waits would take 3 KB
	err = s.open()
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = s.Close()
		return nil, prefix.Errorf("streamable: connect: %w", err)
	}
	return s, nil
}

// open sends the GET and reads the stream up to the endpoint.
func (s *sseTransport) open() error {
	t := s.t
	resp, err := t.http.Do(t.request(t.life.Context(), t.get, nil, nil))
	if err != nil {
		return err
	}
	s.body = resp.Body
	if resp.StatusCode != http.StatusOK {
		failure, _ := web.Failure(resp)
		return failure
	}
	if media := web.MediaType(resp); media != eventstream.MediaType {
		return fmt.Errorf("content type %.100q is not that of an event stream", media)
	}
	s.events = eventstream.NewReader(resp.Body, eventstream.Limit(t.opts.MaxMessage))
	for {
		event, err := s.events.Next()
		if err != nil {
			return err
		}
		if event.Type != "endpoint" {
			continue
		}
		endpoint, err := t.get.URL.Parse(event.Data)
		if err != nil {
			return fmt.Errorf("the endpoint is not a URL: %w", err)
		}
		if endpoint.Scheme != t.get.URL.Scheme || endpoint.Host != t.get.URL.Host {
			return fmt.Errorf("the endpoint is on another server, %.100s", endpoint.Host)
		}
		t.post.URL = endpoint
		return nil
	}
}

// Start implements runtime.Transport.
func (s *sseTransport) Start(in runtime.Inbox, _ int) {
	if !s.t.life.Go(func() { s.read(in) }) {
		in.End(runtime.ErrClosed)
	}
}

// read passes the messages of the stream to the inbox, and finally the error that ended the stream.
func (s *sseTransport) read(in runtime.Inbox) {
	for {
		event, err := s.events.Next()
		switch {
		case err == eventstream.ErrTooLong:
			s.t.opts.Logger.Warn("a message was skipped because it is too long")
		case err == io.EOF || s.t.life.Context().Err() != nil:
			in.End(runtime.ErrClosed)
			return
		case err != nil:
			in.End(prefix.Errorf("streamable: the stream was lost: %w", err))
			return
		case isMessage(event):
			if run := in.Accept(runtime.Incoming{Text: event.Data}); run != nil {
				go run()
			}
		}
	}
}

// ProbeTimeout returns how long a client waits for the answer to server/discover before it sends initialize as
// well: the server may be silent, as over stdio.
func (s *sseTransport) ProbeTimeout() time.Duration { return waits.Probe }

// Send implements runtime.Transport. Every message is one POST, whose response has no answer.
func (s *sseTransport) Send(ctx context.Context, m runtime.Outgoing) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.t.sendOther(ctx, m, string(m.Text))
}

// Close implements runtime.Transport. The end of the stream ends the session at the server.
func (s *sseTransport) Close() error {
	t := s.t
	t.life.End(runtime.ErrClosed)
	t.life.Stop()
	t.life.Wait(waits.Abandoned, nil)
	defer t.closeConnections()
	if s.body == nil {
		return nil
	}
	if err := s.body.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
