package streamable

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestIdleSession holds what a session costs in which nothing happens.
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
		for range 3 { // what a pool holds is freed by the second
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

// nowhere is an http.ResponseWriter that allocates nothing.
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

// TestAllocations holds what one request costs in the handler.
func TestAllocations(t *testing.T) {
	const most = 20
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r11), Options{})
	defer h.Close()
	id := serve(t.Context(), h, "POST", initialize(r11)).Header().Get(headerSession)
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/", nil)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set(headerSession, id)
	text := call(1, "echo", `{"a":1}`)
	r.ContentLength = int64(len(text))
	body := strings.NewReader(text)
	w := &nowhere{header: http.Header{}}
	got := testing.AllocsPerRun(200, func() {
		body.Reset(text)
		r.Body = io.NopCloser(body)
		w.bytes = 0
		h.ServeHTTP(w, r)
		if w.bytes != len(`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`) {
			t.Fatalf("%d bytes", w.bytes)
		}
	})
	if got > most {
		t.Errorf("%.0f allocations, want at most %d", got, most)
	}
}

// long is a result with a part that is sent as it is.
type long struct{ part string }

func (l long) AppendJSON(dst []byte) ([]byte, error) {
	return append(append(append(dst, `{"part":`...), l.part...), '}'), nil
}

func (l long) AppendSpliced(dst []byte) ([]byte, int, string, error) {
	dst = append(dst, `{"part":`...)
	return append(dst, '}'), len(dst), l.part, nil
}

// TestSpliced holds that a result in parts is the same as one in a piece, however it is sent,
// and that its long part is not copied where it need not be.
func TestSpliced(t *testing.T) {
	part := `"` + strings.Repeat("x", 60<<10) + `"`
	result := func(context.Context, wire.Raw) (wire.Appender, error) { return long{part}, nil }
	r := newRig(t, base.with(handlers{
		"list":  result,
		"short": func(context.Context, wire.Raw) (wire.Appender, error) { return long{"7"}, nil },
		"slow": func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
			return long{part}, runtime.CallOf(ctx).Notify(ctx, "notifications/n", nil)
		},
	}), Options{})
	session := []string{headerSession, r.open(r11)}
	want := `{"jsonrpc":"2.0","id":1,"result":{"part":` + part + `}}`
	if resp, text := r.do("POST", call(1, "list", "{}"), session...); text != want || resp.ContentLength != int64(len(want)) {
		t.Errorf("as JSON: %d bytes, announced %d, want %d", len(text), resp.ContentLength, len(want))
	}
	if _, text := r.do("POST", call(1, "short", "{}"), session...); text != `{"jsonrpc":"2.0","id":1,"result":{"part":7}}` {
		t.Errorf("short: %s", text)
	}
	_, text := r.do("POST", call(1, "slow", "{}"), session...)
	if events := streamOf(t, strings.NewReader(text), 0); len(events) != 2 || events[1].data != want {
		t.Errorf("as an event: %.200s", text)
	}

	w := &nowhere{header: http.Header{}}
	before := new(goruntime.MemStats)
	goruntime.ReadMemStats(before)
	req := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(call(1, "list", "{}")))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(session[0], session[1])
	r.handler.ServeHTTP(w, req)
	after := new(goruntime.MemStats)
	goruntime.ReadMemStats(after)
	if taken := after.TotalAlloc - before.TotalAlloc; w.bytes != len(want) || taken > 30<<10 {
		t.Errorf("%d bytes were sent, %d allocated for them", w.bytes, taken)
	}
}

// TestDisconnectHTTP2 is TestDisconnect where a connection is not that of one request.
func TestDisconnectHTTP2(t *testing.T) {
	parted := make(chan error, 1)
	server := newRuntimeServer(t, base.with(handlers{"part": func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
		parted <- Disconnect(ctx, 70*time.Millisecond)
		<-ctx.Done()
		return nil, ctx.Err()
	}}), runtime.ServerOptions{}, r11)
	h := NewHandler(server, Options{})
	ts := httptest.NewUnstartedServer(h)
	ts.EnableHTTP2 = true
	ts.StartTLS()
	defer ts.Close()
	defer h.Close()
	post := func(body, session string) (*http.Response, string) {
		req, err := http.NewRequestWithContext(t.Context(), "POST", ts.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if session != "" {
			req.Header.Set(headerSession, session)
		}
		resp, err := ts.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(text)
	}
	resp, _ := post(initialize(r11), "")
	if resp.ProtoMajor != 2 {
		t.Fatalf("the protocol is %s", resp.Proto)
	}
	_, text := post(call(1, "part", "{}"), resp.Header.Get(headerSession))
	if err := <-parted; err != nil || !strings.Contains(text, "retry: 70\n") {
		t.Errorf("%v, %q", err, text)
	}
}

// wrapped hides what the transport in it can beyond runtime.Transport.
type wrapped struct{ runtime.Transport }

// TestWrappedTransport holds that the client's transport does without being known as such.
func TestWrappedTransport(t *testing.T) {
	r := newRig(t, base, Options{})
	transport, err := NewTransport(r.URL, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, echoing.bind(r11, runtime.ToClient)).Connect(t.Context(), wrapped{transport})
	if err != nil {
		t.Fatal(err)
	}
	var result wire.Raw
	if err := s.Call(t.Context(), "ask", wire.Raw(`{"a":1}`), &result); err != nil || result != `{"a":1}` {
		t.Errorf("%s, %v", result, err)
	}
	r.Server.CloseClientConnections()
	r.handler.Close()
	if err := s.Call(t.Context(), "echo", nil, nil); err == nil {
		t.Error("a call after the end succeeded")
	}
	if err := s.Close(); err != nil && !errors.Is(err, ErrSessionLost) {
		t.Error(err)
	}
}

// recorded is a connection that tells in which order requests have been written.
type recorded struct {
	net.Conn
	written chan string
}

func (c recorded) Write(p []byte) (int, error) {
	text := string(p)
	for _, method := range []string{"wait", "notifications/cancelled"} {
		if strings.Contains(text, `"method":"`+method+`"`) {
			c.written <- method
		}
	}
	return c.Conn.Write(p)
}

// TestCancelledAfterRequest holds that a request is written before what cancels it.
func TestCancelledAfterRequest(t *testing.T) {
	r := newRig(t, base, Options{})
	written := make(chan string, 10)
	var late atomic.Bool
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if late.Swap(false) {
			time.Sleep(20 * time.Millisecond)
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return recorded{conn, written}, err
	}
	s, err := connect(t, r.URL, nil, ClientOptions{HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}, r11)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	late.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := s.Call(ctx, "wait", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Call: %v", err)
	}
	if first, second := <-written, <-written; first != "wait" || second != "notifications/cancelled" {
		t.Errorf("written: %s, %s", first, second)
	}
}
