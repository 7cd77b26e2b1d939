package streamable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestManySessions runs many sessions at once, whose calls are answered, ask back,
// fail and are cancelled at random while their streams are cut: every call that is not
// cancelled is answered, once and with its own answer, and nothing is left: no session,
// no event, no goroutine, and no memory of the sessions.
//
// It has no deadlines of its own: the timeout of go test finds a call that hangs.
func TestManySessions(t *testing.T) {
	const atOnce = 4 // calls of a session; each takes two open files, and so does the session
	sessions, calls := mcptest.StressSize(t)
	done := make([]atomic.Int32, sessions*calls)
	server := newRuntimeServer(t, base.With(mcptest.Handlers{
		"once": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			n, _ := wire.NewStringReader(string(params)).PeekInt64("n")
			done[n].Add(1)
			if rand.IntN(2) == 0 {
				time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
				runtime.CallOf(ctx).Notify(ctx, "notifications/n", params)
			}
			return params, nil
		},
	}), runtime.ServerOptions{Logger: discard, Limits: runtime.Limits{Timeout: -1}}, r11)
	events := NewMemoryEvents(DefaultMemoryEvents)
	handler := NewHandler(server, Options{Retry: time.Millisecond, KeepAlive: time.Second, Events: events})
	ts := httptest.NewServer(testkit.Flaky(handler, func() int { return 200 + rand.IntN(2000) }))
	pool := &http.Transport{MaxIdleConnsPerHost: sessions * (atOnce + 1)} // as if each session had its own
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Limits: runtime.Limits{Timeout: -1}}, mcptest.Client.Bind(r11, runtime.ToClient))

	goroutines := goruntime.NumGoroutine()
	var answered, cancelled atomic.Int64
	open := make(chan struct{}) // closed when all sessions are
	var opening, all sync.WaitGroup
	opening.Add(sessions)
	for n := range sessions {
		all.Go(func() {
			s, transport, err := stressSession(t.Context(), client, ts.URL, pool)
			opening.Done()
			if err != nil {
				t.Error(err)
				return
			}
			<-open
			var wg sync.WaitGroup
			slots := make(chan struct{}, atOnce)
			for i := range calls {
				slots <- struct{}{}
				wg.Go(func() {
					defer func() { <-slots }()
					method := []string{"echo", "once", "once", "ask", "note", "boom", "wait"}[rand.IntN(7)]
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if method == "wait" || rand.IntN(8) == 0 {
						time.AfterFunc(time.Duration(rand.IntN(5000))*time.Microsecond, cancel)
					}
					args := wire.Raw(fmt.Sprintf(`{"n":%d}`, n*calls+i))
					var got wire.Raw
					switch err := s.Call(ctx, method, args, &got); {
					case err == nil && got == args, method == "boom" && isInternalError(err):
						answered.Add(1)
					case ctx.Err() != nil && errors.Is(err, context.Canceled):
						cancelled.Add(1)
					default:
						t.Errorf("%s %s: %s, %v", method, args, got, err)
					}
				})
			}
			wg.Wait()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			// The client has ended the session, unless that took longer than waits.Delete.
			if err := endSession(ts.URL, transport.SessionID(), pool); err != nil {
				t.Error(err)
			}
			if again := transport.again(); again > 0 {
				t.Errorf("%d calls were answered twice", again)
			}
		})
	}
	opening.Wait()
	if n := handler.sessions.count.len(); n != sessions {
		t.Errorf("%d sessions are open, want %d", n, sessions)
	}
	kept := weakly(handler)
	close(open)
	all.Wait()
	for i := range done {
		if n := done[i].Load(); n > 1 {
			t.Errorf("call %d was handled %d times", i, n)
		}
	}
	t.Logf("%d sessions at once: %d calls answered, %d cancelled", sessions, answered.Load(), cancelled.Load())
	if n := answered.Load() + cancelled.Load(); n != int64(sessions*calls) {
		t.Errorf("%d calls of %d are accounted for", n, sessions*calls)
	}
	pool.CloseIdleConnections()
	left := func() string {
		n, more := handler.sessions.count.len(), goruntime.NumGoroutine()-goroutines
		if n == 0 && events.Len() == 0 && more <= 5 {
			return ""
		}
		return fmt.Sprintf("%d sessions, %d events, %d goroutines more", n, events.Len(), more)
	}
	if !testkit.Eventually(func() bool { return left() == "" }) {
		t.Errorf("left: %s", left())
	}
	if !testkit.Eventually(func() bool { return living(kept) <= 5 }) {
		t.Errorf("%d sessions are in memory", living(kept))
	}
	handler.Close()
	ts.Close()
}

// weakly returns pointers to the sessions of a handler that do not keep them in memory.
func weakly(h *Handler) (all []weak.Pointer[Session]) {
	for _, s := range h.sessions.all() {
		all = append(all, weak.Make(s))
	}
	return all
}

// living returns the number of sessions that are still in memory.
func living(all []weak.Pointer[Session]) (n int) {
	goruntime.GC()
	for _, p := range all {
		if p.Value() != nil {
			n++
		}
	}
	return n
}

func isInternalError(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == jsonrpc.CodeInternalError
}

// stressSession opens a session whose answers are counted.
func stressSession(ctx context.Context, client *runtime.Client, url string, pool *http.Transport) (*runtime.Session, *counting, error) {
	transport, err := NewTransport(url, ClientOptions{HTTPClient: &http.Client{Transport: pool}})
	if err != nil {
		return nil, nil, err
	}
	c := &counting{Transport: transport, answers: map[wire.Scalar]int{}}
	s, err := client.Connect(ctx, c)
	return s, c, err
}

// endSession ends a session that the server may have ended already.
func endSession(url, id string, pool *http.Transport) error {
	req, err := http.NewRequest(http.MethodDelete, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set(headerSession, id)
	resp, err := pool.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent && resp.StatusCode != http.StatusNotFound {
		return errors.New(resp.Status)
	}
	return nil
}

// counting counts the answers that come to each request.
type counting struct {
	*Transport
	mu      sync.Mutex
	answers map[wire.Scalar]int
}

func (c *counting) Start(in runtime.Inbox, max int) {
	c.Transport.Start(mcptest.Tap{Inbox: in, Heard: func(in *runtime.Incoming) bool {
		if m := in.Content(); m.Err == nil && m.Kind == jsonrpc.Response {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.answers[m.ID]++
		}
		return true
	}}, max)
}

// again returns the number of requests that got more than one answer.
func (c *counting) again() (requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.answers {
		if n > 1 {
			requests++
		}
	}
	return requests
}

// TestSlowReaders checks that clients that do not read block no other clients, and block writes to
// themselves only for IOTimeout.
func TestSlowReaders(t *testing.T) {
	const streamAfter, slow = time.Second, 10
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		h := NewHandler(newRuntimeServer(t, base.With(mcptest.Handlers{"flood": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			defer ended.Add(1)
			for range 20 {
				runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(`{"a":"`+strings.Repeat("x", 10_000)+`"}`))
			}
			return params, nil
		}}), runtime.ServerOptions{Logger: discard}, r11), Options{IOTimeout: streamAfter})
		ts := testkit.NewServer(h)
		defer ts.Close()
		defer h.Close()
		post := func(body, id string) *http.Response {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, ts.URL, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Mcp-Session-Id", id)
			resp, err := ts.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { resp.Body.Close() })
			return resp
		}
		id := post(mcptest.Initialize(r11), "").Header.Get("Mcp-Session-Id")
		post(mcptest.Initialized, id)
		for i := range slow {
			defer post(mcptest.Call(i, "flood", "{}"), id).Body.Close()
		}
		synctest.Wait()
		if n := ended.Load(); n != 0 {
			t.Errorf("%d handlers have ended, though nothing was taken", n)
		}
		start := time.Now()
		if text, err := io.ReadAll(post(mcptest.Call(slow, "echo", `{}`), id).Body); err != nil || !strings.Contains(string(text), "result") || time.Since(start) > 0 {
			t.Errorf("after %v: %s, %v", time.Since(start), text, err)
		}
		time.Sleep(streamAfter)
		synctest.Wait()
		if n := ended.Load(); n != slow {
			t.Errorf("%d handlers have ended", n)
		}
	})
}

// TestMemoryEvents checks the limits of the store.
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
	// An event that is too large is removed at once, and its number is not used again.
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
