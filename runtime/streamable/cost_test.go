package streamable

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/memtest"
)

// TestIdleSession limits the memory and the goroutines of an idle session.
func TestIdleSession(t *testing.T) {
	const sessions, most = 2000, 2048 // bytes of heap each
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r11), Options{})
	defer h.Close()
	open := func() {
		id := serve(t.Context(), h, "POST", initialize(r11)).Header().Get(headerSession)
		serve(t.Context(), h, "POST", initialized, headerSession, id)
		if w := serve(t.Context(), h, "POST", call(1, "echo", "{}"), headerSession, id); w.Code != http.StatusOK {
			t.Fatal(w.Code, w.Body)
		}
	}
	heap := func() (bytes, goroutines int) {
		for range 3 { // the second one empties the pools
			goruntime.GC()
		}
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		return int(m.HeapAlloc), goruntime.NumGoroutine()
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	open()
	before, goroutines := heap()
	for range sessions {
		open()
	}
	after, now := heap()
	if each := (after - before) / sessions; each > most {
		t.Errorf("an idle session has %d bytes, want at most %d", each, most)
	}
	if now > goroutines {
		t.Errorf("%d sessions have %d goroutines", sessions, now-goroutines)
	}
}

// nowhere is an http.ResponseWriter that allocates nothing and supports what that of net/http does.
type nowhere struct {
	header http.Header
	bytes  int
}

func (n *nowhere) Header() http.Header { return n.header }
func (n *nowhere) WriteHeader(int)     {}
func (n *nowhere) Write(p []byte) (int, error) {
	n.bytes += len(p)
	return len(p), nil
}

func (*nowhere) FlushError() error                { return nil }
func (*nowhere) SetReadDeadline(time.Time) error  { return nil }
func (*nowhere) SetWriteDeadline(time.Time) error { return nil }

// TestAllocations limits the allocations of the handler for a request that is answered with JSON, and for
// one that is answered with an event stream after two notifications. Three allocations are the
// context of the message's handler and the function that calls it. A request without a session takes
// hardly more: the lane is kept, and what it needs in addition is the end of the connection and the
// members of every result.
func TestAllocations(t *testing.T) {
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r07, r11), Options{})
	defer h.Close()
	id := serve(t.Context(), h, "POST", initialize(r11)).Header().Get(headerSession)
	session := []string{headerSession, id, headerRevision, r11}
	for _, c := range []struct {
		name, text string
		header     []string
		most       float64
	}{
		{"echo", call(1, "echo", `{"a":1}`), session, 14},
		{"note", call(1, "note", `{"a":1}`), session, 26},
		{"stateless echo", alone(1, "echo", `"a":1`), standard("echo"), 16},
		{"stateless note", alone(1, "note", `"a":1`), standard("note"), 18},
	} {
		ctx, cancel := context.WithCancel(t.Context()) // as that of net/http
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, "POST", "/", nil)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(c.header); i += 2 {
			r.Header.Set(c.header[i], c.header[i+1])
		}
		text := c.text
		r.ContentLength = int64(len(text))
		body := strings.NewReader(text)
		w := &nowhere{header: http.Header{}}
		got, _ := memtest.Allocations(func() {
			body.Reset(text)
			r.Body = io.NopCloser(body)
			w.bytes = 0
			h.ServeHTTP(w, r)
			if w.bytes < len(`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`) {
				t.Fatalf("%d bytes", w.bytes)
			}
		})
		if got > c.most {
			t.Errorf("%s: %.0f allocations, want at most %.0f", c.name, got, c.most)
		}
	}
}
