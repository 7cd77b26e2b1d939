package streamable

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// inEras runs a test with a server in a bubble, in sessions and without. Send sends a request of a user and
// returns its response, which is complete when the request is over.
func inEras(t *testing.T, opts Options, test func(t *testing.T, h *Handler, busy int64, send func(ctx context.Context, user, method string) *httptest.ResponseRecorder)) {
	for _, revision := range []string{r11, r07} {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opts := opts
				opts.User = testkit.UserOf
				h := NewHandler(newRuntimeServer(t, slow, runtime.ServerOptions{Logger: discard}, r11, r07), opts)
				defer h.Close()
				front := testkit.Authenticated(h)
				var ids atomic.Int64
				sessions := map[string]string{}
				busy := int64(jsonrpc.CodeUnavailable)
				if revision == r11 {
					busy = jsonrpc.CodeServerBusy
					for _, user := range []string{"a", "b", "c"} {
						id := testkit.Serve(t.Context(), front, "POST", mcptest.Initialize(r11), "X-User", user).Header().Get(headerSession)
						testkit.Serve(t.Context(), front, "POST", mcptest.Initialized, "X-User", user, headerSession, id)
						sessions[user] = id
					}
					time.Sleep(time.Minute) // initialize does not count any more
				}
				test(t, h, busy, func(ctx context.Context, user, method string) *httptest.ResponseRecorder {
					if revision == r07 {
						return testkit.Serve(ctx, front, "POST", alone(7, method, ""), standard(method, "X-User", user)...)
					}
					session := []string{headerSession, sessions[user], headerRevision, r11, "X-User", user}
					return testkit.Serve(ctx, front, "POST", mcptest.Call(ids.Add(1), method, "{}"), session...)
				})
			})
		})
	}
}

// checkRefused checks that a response refuses a request with its id, and after how many seconds the client
// may come back.
func checkRefused(t *testing.T, w *httptest.ResponseRecorder, status int, code int64, after, message string) {
	t.Helper()
	m, err := jsonrpc.Parse(w.Body.String())
	if err != nil || m.Error == nil {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	if w.Code != status || m.Error.Code != code || w.Header().Get("Retry-After") != after || m.ID.IsZero() || !strings.Contains(m.Error.Message, message) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

// TestMaxInFlight checks the limits on requests in flight: of all callers and of each, in sessions and
// without.
func TestMaxInFlight(t *testing.T) {
	inEras(t, Options{Load: Load{MaxInFlight: 4, MaxInFlightPerCaller: 3}}, func(t *testing.T, h *Handler, busy int64, send func(context.Context, string, string) *httptest.ResponseRecorder) {
		var all sync.WaitGroup
		begin := func(user string) {
			all.Go(func() {
				if w := send(t.Context(), user, "second"); w.Code != http.StatusOK {
					t.Errorf("%s: %d %s", user, w.Code, w.Body)
				}
			})
			synctest.Wait()
		}
		for range 3 {
			begin("a")
		}
		checkRefused(t, send(t.Context(), "a", "echo"), http.StatusTooManyRequests, busy, "1", "of this caller")
		begin("b")
		checkRefused(t, send(t.Context(), "c", "echo"), http.StatusServiceUnavailable, busy, "1", "too many requests in flight")
		if _, n, _ := h.gate.counted(); n != 4 {
			t.Errorf("%d requests are in flight", n)
		}
		all.Wait()
		for _, user := range []string{"a", "b", "c"} {
			if w := send(t.Context(), user, "echo"); w.Code != http.StatusOK {
				t.Errorf("after the end of the others: %d %s", w.Code, w.Body)
			}
		}
		if _, n, callers := h.gate.counted(); n != 0 || callers != 0 {
			t.Errorf("%d requests and %d callers are left", n, callers)
		}
	})
}

// TestRate checks the rate of each caller, and that a client which waits as long as it is told is served.
//
// F29
func TestRate(t *testing.T) {
	inEras(t, Options{Load: Load{Rate: 0.5, Burst: 3}}, func(t *testing.T, h *Handler, busy int64, send func(context.Context, string, string) *httptest.ResponseRecorder) {
		works := func(user string) {
			t.Helper()
			if w := send(t.Context(), user, "echo"); w.Code != http.StatusOK {
				t.Errorf("%s: %d %s", user, w.Code, w.Body)
			}
		}
		for range 3 {
			works("a")
		}
		time.Sleep(500 * time.Millisecond)
		w := send(t.Context(), "a", "echo")
		checkRefused(t, w, http.StatusTooManyRequests, busy, "2", "too many requests: try again in 1.5s")
		if !strings.Contains(w.Body.String(), `"data":{"retryAfterMs":1500}`) {
			t.Errorf("%s", w.Body)
		}
		works("b")
		time.Sleep(1500 * time.Millisecond)
		works("a")
		checkRefused(t, send(t.Context(), "a", "echo"), http.StatusTooManyRequests, busy, "2", "too many requests")
	})
}

// TestLostInFlight checks that a request of a session counts until its handler returns, although its client
// has closed the connection, and that a cancelled one does not.
func TestLostInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(newRuntimeServer(t, slow, runtime.ServerOptions{Logger: discard}, r11), Options{Load: Load{MaxInFlight: 1}})
		defer h.Close()
		id := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11)).Header().Get(headerSession)
		session := []string{headerSession, id, headerRevision, r11}
		start := func(id int, method string) {
			ctx, lose := context.WithCancel(t.Context())
			go testkit.Serve(ctx, h, "POST", mcptest.Call(id, method, "{}"), session...)
			synctest.Wait()
			lose()
			synctest.Wait()
		}
		for i, end := range []func(){
			func() { time.Sleep(time.Second) },
			func() {
				cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
				if w := testkit.Serve(t.Context(), h, "POST", cancel, session...); w.Code != http.StatusAccepted {
					t.Errorf("the cancellation is refused: %d %s", w.Code, w.Body)
				}
			},
			func() { testkit.Serve(t.Context(), h, "DELETE", "", session...) },
		} {
			start(i, []string{"second", "wait", "wait"}[i])
			checkRefused(t, testkit.Serve(t.Context(), h, "POST", mcptest.Call(9, "echo", "{}"), session...), http.StatusServiceUnavailable, jsonrpc.CodeServerBusy, "1", "in flight")
			end()
			synctest.Wait()
			if _, n, _ := h.gate.counted(); n != 0 {
				t.Errorf("%d: %d requests are in flight after the end", i, n)
			}
		}
	})
}

// TestAnswersUnlimited checks that the answers of a client and its notifications are not limited: calls in
// flight wait for them.
func TestAnswersUnlimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(newRuntimeServer(t, slow, runtime.ServerOptions{Logger: discard}, r11), Options{User: func(*http.Request) (string, error) { return "a", nil },
			Load: Load{MaxInFlight: 1, MaxInFlightPerCaller: 1, Rate: 1e-6, Burst: 2}})
		defer h.Close()
		id := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11)).Header().Get(headerSession)
		session := []string{headerSession, id, headerRevision, r11}
		var all sync.WaitGroup
		answer := later(&all, h, "POST", mcptest.Call(1, "ask", `{"a":1}`), session...)
		for range 10 {
			if w := testkit.Serve(t.Context(), h, "POST", mcptest.Initialized, session...); w.Code != http.StatusAccepted {
				t.Fatalf("a notification: %d %s", w.Code, w.Body)
			}
		}
		synctest.Wait()
		if w := testkit.Serve(t.Context(), h, "POST", `{"jsonrpc":"2.0","id":1,"result":{"b":2}}`, session...); w.Code != http.StatusAccepted {
			t.Errorf("an answer: %d %s", w.Code, w.Body)
		}
		all.Wait()
		if !strings.Contains(answer.Body.String(), `"result":{"b":2}`) {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
		checkRefused(t, testkit.Serve(t.Context(), h, "POST", mcptest.Call(2, "echo", "{}"), session...), http.StatusTooManyRequests, jsonrpc.CodeServerBusy, "1000000", "too many requests")
	})
}

// TestBatchInFlight checks that a batch counts as its requests.
func TestBatchInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(newRuntimeServer(t, slow, runtime.ServerOptions{Logger: discard}, r03), Options{Load: Load{MaxInFlight: 2}})
		defer h.Close()
		id := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r03)).Header().Get(headerSession)
		session := []string{headerSession, id, headerRevision, r03}
		batch := "[" + mcptest.Call(1, "second", "{}") + "," + mcptest.Initialized + "," + mcptest.Call(2, "second", "{}") + "," + mcptest.Call(3, "second", "{}") + "]"
		var all sync.WaitGroup
		answer := later(&all, h, "POST", batch, session...)
		synctest.Wait()
		if _, n, _ := h.gate.counted(); n != 3 {
			t.Errorf("%d requests are in flight", n)
		}
		checkRefused(t, testkit.Serve(t.Context(), h, "POST", mcptest.Call(4, "echo", "{}"), session...), http.StatusServiceUnavailable, jsonrpc.CodeServerBusy, "1", "in flight")
		all.Wait()
		if _, n, _ := h.gate.counted(); answer.Code != http.StatusOK || n != 0 {
			t.Errorf("%d %s, and %d requests are in flight", answer.Code, answer.Body, n)
		}
	})
}

// TestLoadAddress checks that a caller without a user is its address, and that requests through a proxy,
// which has a private address, are only limited together.
func TestLoadAddress(t *testing.T) {
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r07), Options{Load: Load{Rate: 1e-6, Burst: 2}})
	defer h.Close()
	for _, c := range []struct {
		address string
		served  int
	}{{"192.0.2.1:1", 2}, {"192.0.2.1:2", 0}, {"192.0.2.2:1", 2}, {"10.0.0.1:1", 4}} {
		served := 0
		for range 4 {
			r := httptest.NewRequest("POST", "/", strings.NewReader(alone(1, "echo", "")))
			for i, header := 0, standard("echo", "Content-Type", "application/json", "Accept", "application/json, text/event-stream"); i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			r.RemoteAddr = c.address
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code == http.StatusOK {
				served++
			}
		}
		if served != c.served {
			t.Errorf("%s: %d requests are served, want %d", c.address, served, c.served)
		}
	}
}

// TestUnlimited checks that nothing is counted without limits. BenchmarkPost measures what a request costs
// then.
func TestUnlimited(t *testing.T) {
	for _, load := range []Load{{}, {Burst: 1, MaxCallers: 1, Rate: -1}} {
		synctest.Test(t, func(t *testing.T) {
			h := NewHandler(newRuntimeServer(t, slow, runtime.ServerOptions{Logger: discard}, r07), Options{Load: load})
			defer h.Close()
			var all sync.WaitGroup
			answer := later(&all, h, "POST", alone(1, "second", ""), standard("second")...)
			synctest.Wait()
			if posts, inFlight, _ := h.gate.counted(); posts != 1 || inFlight != 0 {
				t.Errorf("%d POSTs and %d requests are counted, want the POST", posts, inFlight)
			}
			all.Wait()
			if answer.Code != http.StatusOK {
				t.Error(answer.Code, answer.Body)
			}
		})
	}
}
