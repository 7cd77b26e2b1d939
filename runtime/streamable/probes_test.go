package streamable

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestDrain checks a shutdown with a delay step by step: the handler stops being ready, serves everything for the
// delay, then refuses requests, answers the subscriptions, which do not count as in flight, and those in flight.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listens := slow.With(mcptest.Handlers{methodListen: func(context.Context, *runtime.Message) (wire.Appender, error) {
			return nil, runtime.MethodNotFound(methodListen) // the runtime answers it
		}})
		newest := listens.Bind(r07, runtime.ToServer)
		newest.Methods = append(newest.Methods, runtime.Method{Name: "notifications/tools/list_changed", Kind: jsonrpc.Notification, Direction: runtime.ToClient, Filter: "toolsListChanged"})
		server := runtime.NewServer(runtime.ServerOptions{
			Logger: discard, Grace: 5 * time.Second, Capabilities: wire.Raw(`{"tools":{"listChanged":true}}`),
		}, newest, listens.Bind(r11, runtime.ToServer))
		h := NewHandler(server, Options{DrainDelay: 3 * time.Second, Load: Load{MaxInFlight: 3}})
		mux := http.NewServeMux()
		mux.Handle("/", h)
		MountProbes(mux, h)
		probe := func(path string) int {
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			return w.Code
		}
		opened := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11))
		session := []string{headerSession, opened.Header().Get(headerSession), headerRevision, r11}
		testkit.Serve(t.Context(), h, "POST", mcptest.Initialized, session...)
		if probe("/healthz") != 200 || probe("/readyz") != 200 {
			t.Error("the handler is not ready")
		}
		var all sync.WaitGroup
		subscribed := later(&all, h, "POST", alone(9, methodListen, `"notifications":{"toolsListChanged":true}`), standard(methodListen)...)
		synctest.Wait()
		start := time.Now()
		closed := make(chan struct{})
		go func() { defer close(closed); h.Close() }()
		synctest.Wait()
		if probe("/healthz") != 200 || probe("/readyz") != 503 {
			t.Error("the handler is ready although it is being shut down, or no longer healthy")
		}
		for _, w := range []int{
			testkit.Serve(t.Context(), h, "POST", alone(1, "echo", ""), standard("echo")...).Code,
			testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, "echo", "{}"), session...).Code,
		} {
			if w != 200 {
				t.Errorf("a request during the delay: status %d", w)
			}
		}
		time.Sleep(2900 * time.Millisecond)
		inSession := later(&all, h, "POST", mcptest.Call(2, "second", "{}"), session...)
		without := later(&all, h, "POST", alone(2, "second", ""), standard("second")...)
		synctest.Wait()
		if got := h.Stats(); !cmp.Equal(got, runtime.Stats{Requests: 3, Sessions: 1, Subscriptions: 1, Draining: true}) {
			t.Errorf("%+v", got)
		}
		if _, n, _ := h.gate.counted(); n != 2 {
			t.Errorf("%d requests are in flight", n)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := h.Stats().Subscriptions; got != 0 {
			t.Errorf("%d subscriptions go on", got)
		}
		for _, w := range []int{
			testkit.Serve(t.Context(), h, "POST", alone(3, "echo", ""), standard("echo")...).Code,
			testkit.Serve(t.Context(), h, "POST", mcptest.Call(3, "echo", "{}"), session...).Code,
			testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11)).Code,
		} {
			if w != 503 {
				t.Errorf("a request after the delay: status %d", w)
			}
		}
		all.Wait()
		<-closed
		if inSession.Code != 200 || without.Code != 200 || time.Since(start) != 3900*time.Millisecond {
			t.Errorf("after %v: %d %s and %d %s", time.Since(start), inSession.Code, inSession.Body, without.Code, without.Body)
		}
		if got := h.Stats(); !cmp.Equal(got, runtime.Stats{Draining: true, Refused: map[string]int64{"draining": 3}}) {
			t.Errorf("%+v", got)
		}
		events := testkit.Events(t, subscribed.Body, 0)
		if end := events[len(events)-1].Data; len(events) != 2 || !strings.Contains(end, `"id":9,"result":{`) {
			t.Errorf("the subscription ends with %s", end)
		}
		h.Close() // again
	})
}

// TestDrainBound checks that the context of Shutdown bounds the delay.
func TestDrainBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(newRuntimeServer(t, slow, runtime.ServerOptions{Logger: discard}, r11), Options{DrainDelay: time.Hour})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if err := h.Shutdown(ctx); err != context.DeadlineExceeded || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// urls is a log that passes on the URL at which ListenAndServe listens.
type urls struct {
	slog.Handler
	listening chan string
}

func (u urls) Enabled(context.Context, slog.Level) bool { return true }

func (u urls) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "url" {
			u.listening <- a.Value.String()
		}
		return true
	})
	return nil
}

// mounted is a handler around another one.
type mounted struct{ http.Handler }

func (m mounted) Unwrap() http.Handler { return m.Handler }

// Mount registers the handler at its path and another one.
func (m mounted) Mount(mux *http.ServeMux, path string) {
	mux.Handle(path, m)
	mux.Handle("/more", http.NotFoundHandler())
}

// TestListenAndServeWrapped serves a handler that leads to the sessions, and one that does not.
func TestListenAndServeWrapped(t *testing.T) {
	log := urls{slog.DiscardHandler, make(chan string, 1)}
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: slog.New(log)}, r11), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- ListenAndServe(ctx, "localhost:0", "/mcp", mounted{h}) }()
	var url string
	select {
	case url = <-log.listening:
	case err := <-ended:
		t.Fatal(err)
	}
	if !strings.HasPrefix(url, "http://localhost:") {
		t.Errorf("the URL is %s, which does not have the host of the address", url)
	}
	for path, want := range map[string]int{"/readyz": 200, "/mcp": 400, "/more": 404} {
		resp, err := http.Get(strings.TrimSuffix(url, "/mcp") + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s: %s, want %d", path, resp.Status, want)
		}
	}
	cancel()
	if err := <-ended; err != nil || h.Ready() {
		t.Errorf("%v, ready: %t", err, h.Ready())
	}
	hidden := http.HandlerFunc(h.ServeHTTP)
	if err := ListenAndServe(t.Context(), "localhost:0", "/mcp", hidden); err == nil || !strings.Contains(err.Error(), "http.HandlerFunc does not lead to a handler of sessions") {
		t.Errorf("a handler that hides the sessions: %v", err)
	}
}

// TestListenAndServeProbes checks that ListenAndServe answers probes beside the handler, until its context
// ends.
func TestListenAndServeProbes(t *testing.T) {
	log := urls{slog.DiscardHandler, make(chan string, 1)}
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: slog.New(log)}, r11), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- ListenAndServe(ctx, "localhost:0", "/{name}", h) }()
	var url string
	select {
	case url = <-log.listening:
	case err := <-ended:
		t.Fatal(err)
	}
	base := strings.TrimSuffix(url, "/{name}")
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/mcp": 400} {
		resp, err := http.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("GET %s: %s, want %d", path, resp.Status, want)
		}
	}
	cancel()
	if err := <-ended; err != nil || h.Ready() {
		t.Errorf("%v, ready: %t", err, h.Ready())
	}
}
