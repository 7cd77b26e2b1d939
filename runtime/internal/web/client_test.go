package web

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestRedirects checks which redirects are followed.
func TestRedirects(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		seen = append(seen, r.Method+" "+r.URL.Path+" "+string(body))
		mu.Unlock()
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusPermanentRedirect)
		case "/elsewhere":
			http.Redirect(w, r, "http://other.example", http.StatusTemporaryRedirect)
		case "/seen":
			http.Redirect(w, r, "/there", http.StatusSeeOther)
		}
	}))
	defer ts.Close()
	for path, want := range map[string]struct{ err, seen string }{
		"/":          {"", "POST / text"},
		"/here":      {"", "POST /here text,POST /there text"},
		"/round":     {"too many redirects", strings.TrimSuffix(strings.Repeat("POST /round text,", maxRedirects+1), ",")},
		"/elsewhere": {"redirect to another server, other.example", "POST /elsewhere text"},
		"/seen":      {"redirect that turns a POST into a GET", "POST /seen text"},
	} {
		mu.Lock()
		seen = nil
		mu.Unlock()
		client, _ := Client(ts.Client())
		resp, err := client.Post(ts.URL+path, "text/plain", strings.NewReader("text"))
		if err == nil {
			resp.Body.Close()
		}
		mu.Lock()
		if got := strings.Join(seen, ","); got != want.seen || (err == nil) != (want.err == "") || err != nil && !strings.Contains(err.Error(), want.err) {
			t.Errorf("%s: %v after %s", path, err, got)
		}
		mu.Unlock()
	}
}

// TestOwnConnections checks that a client without a Transport has connections of its own, which close
// closes, and that any other client keeps its Transport.
func TestOwnConnections(t *testing.T) {
	var open atomic.Int64
	ts := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	closed := make(chan struct{}, 1)
	ts.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
			closed <- struct{}{}
		}
	}
	ts.Start()
	defer ts.Close()
	for _, given := range []*http.Client{nil, {}} {
		client, close := Client(given)
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, ts.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if n := open.Load(); n != 1 {
			t.Errorf("%d connections are open", n)
		}
		close()
		<-closed
		if client.Transport == http.DefaultTransport {
			t.Error("the client shares the connections of http.DefaultTransport")
		}
	}
	shared := &http.Transport{}
	if client, _ := Client(&http.Client{Transport: shared}); client.Transport != http.RoundTripper(shared) {
		t.Error("the Transport was replaced")
	}
}

// TestAnswerTooLarge checks that no more is read than allowed, whatever Content-Length says.
func TestAnswerTooLarge(t *testing.T) {
	for _, length := range []int64{-1, 1, 10, 11, 1 << 20} {
		body := strings.NewReader(strings.Repeat("x", 1<<20))
		_, err := ReadAnswer(&http.Response{ContentLength: length, Body: io.NopCloser(body)}, 10)
		if !errors.Is(err, ErrTooLarge) || body.Len() < 1<<20-4<<10 {
			t.Errorf("length %d: %v, %d bytes were read", length, err, 1<<20-body.Len())
		}
	}
}
