package streamable

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestManySessions runs hundreds of sessions at once, whose calls are answered, ask back,
// fail and are cancelled at random while their streams are cut: no call gets another's
// answer or two, and nothing is left: no session, no event, no goroutine, no memory.
func TestManySessions(t *testing.T) {
	const sessions, calls, atOnce = 300, 20, 60
	var done [sessions * calls]atomic.Int32
	server := newRuntimeServer(t, base.with(handlers{
		"once": func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
			n, _ := wire.NewStringReader(string(params)).PeekInt64("n")
			done[n].Add(1)
			if rand.IntN(2) == 0 {
				time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
				runtime.CallOf(ctx).Notify(ctx, "notifications/n", params)
			}
			return params, nil
		},
	}), runtime.ServerOptions{Logger: discard}, r11)
	events := NewMemoryEvents(DefaultMemoryEvents)
	handler := NewHandler(server, Options{Retry: time.Millisecond, KeepAlive: 20 * time.Millisecond, Events: events})
	ts := httptest.NewServer(flaky(handler, func() int { return 200 + rand.IntN(2000) }))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

	goruntime.GC()
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	goroutines := goruntime.NumGoroutine()
	var answered, gaveUp, lost atomic.Int64
	var all sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for n := range sessions {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			s, err := connect(t, ts.URL, echoing, ClientOptions{HTTPClient: client}, r11)
			if err != nil {
				t.Error(err)
				return
			}
			var wg sync.WaitGroup
			for i := range calls {
				wg.Go(func() {
					method := []string{"echo", "once", "once", "ask", "note", "boom", "wait"}[rand.IntN(7)]
					ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
					defer cancel()
					if method == "wait" || rand.IntN(8) == 0 {
						time.AfterFunc(time.Duration(rand.IntN(5000))*time.Microsecond, cancel)
					}
					args := wire.Raw(fmt.Sprintf(`{"n":%d}`, n*calls+i))
					var got wire.Raw
					switch err := s.Call(ctx, method, args, &got); {
					case err == nil && got == args:
						answered.Add(1)
					case err == nil:
						t.Errorf("%s: %s, want %s", method, got, args)
					case method == "boom" && strings.Contains(err.Error(), "-32603"):
						answered.Add(1)
					case errors.Is(ctx.Err(), context.Canceled):
						gaveUp.Add(1)
					case errors.Is(err, errNoAnswer) || strings.Contains(err.Error(), "EOF"):
						lost.Add(1) // the stream was cut before its first id
					default:
						t.Errorf("%s: %v", method, err)
					}
				})
			}
			wg.Wait()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range done {
		if n := done[i].Load(); n > 1 {
			t.Errorf("call %d was handled %d times", i, n)
		}
	}
	t.Logf("%d answered, %d given up, %d lost before anything had come", answered.Load(), gaveUp.Load(), lost.Load())
	if lost.Load() > 0 {
		t.Errorf("%d calls were lost", lost.Load())
	}
	client.CloseIdleConnections()
	for range 300 {
		if handler.open.Load() == 0 && events.Len() == 0 && goruntime.NumGoroutine() <= goroutines+5 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if handler.open.Load() != 0 || events.Len() != 0 || goruntime.NumGoroutine() > goroutines+5 {
		t.Errorf("left: %d sessions, %d events, %d goroutines more", handler.open.Load(), events.Len(), goruntime.NumGoroutine()-goroutines)
	}
	var grown int64
	for range 300 { // pools let go of their buffers by the second collection, connections when closed
		goruntime.GC()
		goruntime.ReadMemStats(&after)
		if grown = int64(after.HeapAlloc) - int64(before.HeapAlloc); grown <= 8<<20 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if grown > 8<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	handler.Close()
	ts.Close()
}

// TestReplicas holds that two handlers which share their stores serve the same session,
// and that either replays what the other has sent.
func TestReplicas(t *testing.T) {
	opts := Options{Sessions: &mapSessions{sessions: map[string]runtime.Handshake{}}, Events: NewMemoryEvents(1 << 20), IdleTimeout: 50 * time.Millisecond}
	a, b := newRig(t, base, opts), newRig(t, base, opts)
	id := a.open(r06)
	session := []string{"Mcp-Session-Id", id, "Mcp-Protocol-Version", r06}
	for range 3 {
		for _, r := range []*rig{a, b} {
			if resp, text := r.do("POST", call(1, "echo", `{"a":1}`), session...); resp.StatusCode != 200 || !strings.Contains(text, `{"a":1}`) {
				t.Fatalf("%s: %s", resp.Status, text)
			}
		}
		time.Sleep(100 * time.Millisecond) // both let go of it
	}
	if n := a.handler.open.Load() + b.handler.open.Load(); n != 0 {
		t.Errorf("%d sessions are held", n)
	}
	_, text := a.do("POST", call(2, "note", `{}`), session...)
	sent := streamOf(t, strings.NewReader(text), 0)
	_, text = b.do("GET", "", append(session, "Last-Event-ID", sent[0].id)...)
	if got := streamOf(t, strings.NewReader(text), 0); len(got) != 2 || got[1] != sent[2] {
		t.Errorf("%q, then %q", sent, got)
	}
	if resp, _ := b.do("DELETE", "", session...); resp.StatusCode != 204 {
		t.Errorf("DELETE: %s", resp.Status)
	}
	time.Sleep(100 * time.Millisecond)
	for _, r := range []*rig{a, b} {
		if resp, _ := r.do("POST", call(1, "echo", `{}`), session...); resp.StatusCode != 404 {
			t.Errorf("after DELETE: %s", resp.Status)
		}
	}
}

// mapSessions is a SessionStore in memory.
type mapSessions struct {
	mu       sync.Mutex
	sessions map[string]runtime.Handshake
}

func (m *mapSessions) Save(_ context.Context, id string, h runtime.Handshake) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[id] = h
	return nil
}

func (m *mapSessions) Load(_ context.Context, id string) (runtime.Handshake, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.sessions[id]
	if !ok {
		return h, ErrSessionUnknown
	}
	return h, nil
}

func (m *mapSessions) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, id)
	return nil
}

// TestSlowReaders holds that clients that take nothing hold up neither others nor, for
// longer than the time they have, what is written to them.
func TestSlowReaders(t *testing.T) {
	ended := make(chan error, 10)
	r := newRig(t, base.with(handlers{"flood": func(ctx context.Context, params wire.Raw) (wire.Appender, error) {
		text := wire.Raw(`{"a":"` + strings.Repeat("x", 10_000) + `"}`)
		start := time.Now()
		for time.Since(start) < 600*time.Millisecond {
			runtime.CallOf(ctx).Notify(ctx, "notifications/n", text)
		}
		ended <- nil
		return params, nil
	}}), Options{IOTimeout: 100 * time.Millisecond, Events: NewMemoryEvents(1 << 20)})
	session := []string{"Mcp-Session-Id", r.open(r11)}
	for range cap(ended) {
		resp := r.request(t.Context(), "POST", call(fmt.Sprint(rand.Int32()), "flood", "{}"), session...)
		defer resp.Body.Close()
	}
	if resp, text := r.do("POST", call(1, "echo", `{}`), session...); resp.StatusCode != 200 {
		t.Errorf("%s: %s", resp.Status, text)
	}
	for range cap(ended) {
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Fatal("a handler hangs")
		}
	}
}

// TestMemoryEvents holds the bounds of the store.
func TestMemoryEvents(t *testing.T) {
	ctx := t.Context()
	m := NewMemoryEvents(sessionShare * 4 * (100 + eventOverhead)) // 4 events of 100 bytes a session, 32 in all
	data := make([]byte, 100)
	after := func(session, stream string, n uint64) (count int, err error) {
		for _, e := range m.After(ctx, session, stream, n) {
			if e != nil {
				return 0, e
			}
			count++
		}
		return count, nil
	}
	for n := range uint64(10) {
		m.Append(ctx, "s", "a", n+1, data)
	}
	for n, want := range map[uint64]int{6: 4, 7: 3, 9: 1, 10: 0} {
		if got, err := after("s", "a", n); got != want || err != nil {
			t.Errorf("after %d: %d, %v; want %d", n, got, err, want)
		}
	}
	for _, n := range []uint64{0, 5, 11} {
		if _, err := after("s", "a", n); err != ErrEventsLost {
			t.Errorf("after %d: %v", n, err)
		}
	}
	// A large event goes at once, and its number is not given again.
	m.Append(ctx, "s", "b", 1, make([]byte, 10_000))
	m.Append(ctx, "s", "b", 2, data)
	if got, err := after("s", "b", 1); got != 1 || err != nil {
		t.Errorf("%d, %v", got, err)
	}
	for i := range 100 {
		m.Append(ctx, fmt.Sprint(i), "a", 1, data)
	}
	if n := m.Len(); n != 32 {
		t.Errorf("%d events", n)
	}
	for i := range 100 {
		m.Drop(ctx, fmt.Sprint(i))
	}
	m.Drop(ctx, "s")
	if m.Len() != 0 || m.size != 0 || len(m.sessions) != 0 {
		t.Errorf("%d events, %d bytes, %d sessions", m.Len(), m.size, len(m.sessions))
	}
}
