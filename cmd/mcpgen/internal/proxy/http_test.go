package proxy

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/audit"
	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/recording"
)

// TestEventBounds checks that an event of many lines has the same size limit as an event of one
// line, and that later events are read.
func TestEventBounds(t *testing.T) {
	var record bytes.Buffer
	tap := NewTap(audit.Options{}, new(recording.Redactor), recording.NewWriter(&record), func(Finding) {})
	e := &events{tap: tap, entry: recording.Entry{Kind: recording.Event, From: audit.Server, Transport: recording.HTTP}}
	line := append(append([]byte("data: "), bytes.Repeat([]byte("x"), 1<<20)...), '\n')
	for range maxMessage>>20 + 4 {
		e.Write(line)
		if len(e.data) > maxMessage+2 {
			t.Fatalf("%d bytes of an event are kept", len(e.data))
		}
	}
	e.Write([]byte("\ndata: first\ndata:\ndata: last\n\n"))
	tap.Close()
	for _, want := range []string{tooLong, `"message":"first\n\nlast"`} {
		if !bytes.Contains(record.Bytes(), []byte(want)) {
			t.Errorf("the recording lacks %q: %.400s", want, record.Bytes())
		}
	}
}

// TestClosedDocument checks that a document keeps no bytes after it was closed.
func TestClosedDocument(t *testing.T) {
	tap := NewTap(audit.Options{}, new(recording.Redactor), nil, func(Finding) {})
	defer tap.Close()
	d := &document{tap: tap}
	d.Close()
	d.Write([]byte("late"))
	if len(d.text.bytes) > 0 {
		t.Errorf("%q was kept", d.text.bytes)
	}
}

// TestDisconnect checks that a recording says when the client has ended the connection of a request, which
// cancels the request in revisions without sessions (P40).
func TestDisconnect(t *testing.T) {
	for name, begin := range map[string]func(w http.ResponseWriter){
		"before the response": func(http.ResponseWriter) {},
		"in a stream": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, ": begun\n\n")
			w.(http.Flusher).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			begun := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				begin(w)
				close(begun)
				<-r.Context().Done()
			}))
			defer server.Close()
			target, err := url.Parse(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			var record bytes.Buffer
			tap := NewTap(audit.Options{}, new(recording.Redactor), recording.NewWriter(&record), func(Finding) {})
			ended := make(chan struct{})
			proxy := tap.HTTP(Upstream{URL: target}, log.New(io.Discard, "", 0))
			front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(ended)
				defer func() { recover() }() // http.ErrAbortHandler
				proxy.ServeHTTP(w, r)
			}))
			defer front.Close()

			ctx, disconnect := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, front.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				<-begun
				disconnect()
			}()
			if resp, err := http.DefaultClient.Do(req); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			<-ended
			tap.Close()
			if !regexp.MustCompile(`"kind":"end",.*"direction":"client->server"`).Match(record.Bytes()) {
				t.Errorf("the recording does not say that the client has disconnected:\n%s", record.Bytes())
			}
		})
	}
}

// TestLateEnd checks that a response is forwarded that begins before net/http has read the end of the request, as
// happens on a busy machine.
func TestLateEnd(t *testing.T) {
	begun, sent := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		select {
		case <-sent:
			io.WriteString(w, "data: {}\n\n")
		case <-r.Context().Done(): // the proxy has closed the connection
		}
	}))
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	tap := NewTap(audit.Options{}, new(recording.Redactor), nil, func(Finding) {})
	defer tap.Close()
	transport := NewTransport()
	defer transport.CloseIdleConnections()
	front := httptest.NewServer(tap.HTTP(Upstream{URL: target, Transport: lateEnd{transport, begun, sent}}, log.New(t.Output(), "", 0)))
	defer front.Close()

	resp, err := http.Post(front.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	close(begun)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); string(text) != "data: {}\n\n" || err != nil {
		t.Errorf("received %q, %v", text, err)
	}
}

// lateEnd is a transport that reads nothing after the last byte of a request before the client has the header of the
// response. It closes sent when it has sent the request.
type lateEnd struct {
	http.RoundTripper
	begun <-chan struct{}
	sent  chan<- struct{}
}

func (l lateEnd) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			close(l.sent)
		}
	}}))
	r.Body = &lateBody{ReadCloser: r.Body, left: r.ContentLength, begun: l.begun}
	return l.RoundTripper.RoundTrip(r)
}

type lateBody struct {
	io.ReadCloser
	left  int64
	begun <-chan struct{}
}

func (b *lateBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		<-b.begun
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}
