package proxy

import (
	"bytes"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
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
