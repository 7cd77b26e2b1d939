package streamable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// modernHandler returns a handler of both eras.
func modernHandler(t testing.TB, h mcptest.Handlers, opts Options) *Handler {
	return NewHandler(newRuntimeServer(t, h, runtime.ServerOptions{Logger: discard}, r07, r11), opts)
}

// TestMaxRequests checks the limits of requests in progress: of all, of each user and of each address.
func TestMaxRequests(t *testing.T) {
	for name, c := range map[string]struct {
		opts  Options
		first int // requests of the first client that are served at a time
		all   int // of three clients
	}{
		"all":         {Options{MaxRequests: 5}, 4, 5},
		"per address": {Options{MaxSessionsPerAddress: 2}, 2, 6},
		"per user":    {Options{MaxSessionsPerUser: 3, User: func(r *http.Request) (string, error) { return r.RemoteAddr[:9], nil }}, 3, 9},
		"no limit":    {Options{MaxSessionsPerAddress: -1}, 4, 12},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := modernHandler(t, slow, c.opts)
				defer h.Close()
				sessionless := c.opts
				sessionless.Stateless = true
				old := modernHandler(t, slow, sessionless)
				defer old.Close()
				for _, h := range []*Handler{h, h, old, old} { // the places are free again
					served, refused := make([]int, 3), 0
					var all sync.WaitGroup
					for client := range 3 {
						for range 4 {
							r := httptest.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(alone(1, "second", "")))
							r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", client+1)
							r.Header = http.Header{"Content-Type": {"application/json"}, headerRevision: {r07}, "Mcp-Method": {"second"}}
							if h == old {
								r.Body = io.NopCloser(strings.NewReader(mcptest.Call(1, "second", "{}")))
								r.Header = http.Header{"Content-Type": {"application/json"}, headerRevision: {r11}}
							}
							w := httptest.NewRecorder()
							var done atomic.Bool
							all.Go(func() {
								h.ServeHTTP(w, r)
								done.Store(true)
							})
							synctest.Wait()
							if !done.Load() {
								served[client]++
								continue
							}
							refused++
							if w.Code != 503 || w.Header().Get("Retry-After") == "" || codeOf(t, w.Body.String()) != jsonrpc.CodeUnavailable {
								t.Errorf("refused with %d %v %s", w.Code, w.Header(), w.Body)
							}
						}
					}
					if served[0] != c.first || served[0]+served[1]+served[2] != c.all || c.all+refused != 12 {
						t.Errorf("%v are served and %d refused, want %d of the first client and %d of all", served, refused, c.first, c.all)
					}
					all.Wait()
					if n, _, _ := h.gate.counted(); n != 0 {
						t.Errorf("%d requests are in progress", n)
					}
				}
			})
		})
	}
}

// TestUnknownUser checks that a request of nobody is refused, and that handlers see who it is.
func TestUnknownUser(t *testing.T) {
	h := modernHandler(t, base.With(mcptest.Handlers{"who": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		return wire.Raw(fmt.Sprintf(`{"user":%q,"principal":%q}`, testkit.UserIn(ctx), runtime.PrincipalOf(ctx))), nil // P8
	}}), Options{User: testkit.UserOf})
	defer h.Close()
	for user, status := range map[string]int{"": 403, "alice": 200, "bob": 200} {
		w := testkit.Serve(t.Context(), testkit.Authenticated(h), "POST", alone(1, "who", ""), standard("who", "X-User", user)...)
		if w.Code != status || status == 200 && !strings.Contains(w.Body.String(), `"user":"`+user+`","principal":"`+user+`"`) {
			t.Errorf("%q: %d: %s", user, w.Code, w.Body)
		}
	}
}

// TestShutdownOfRequests checks that requests in progress are answered during a shutdown, that one which
// does not end is answered with an error, and that new ones are refused.
func TestShutdownOfRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := modernHandler(t, slow, Options{})
		var all sync.WaitGroup
		second := later(&all, h, "POST", alone(1, "second", ""), standard("second")...)
		hanging := later(&all, h, "POST", alone(2, "wait", ""), standard("wait")...)
		streaming := later(&all, h, "POST", alone(3, "note, then wait", ""), standard("note, then wait")...)
		testkit.Serve(t.Context(), h, "POST", alone(4, "echo", ""), standard("echo")...)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		ended := make(chan error, 1)
		go func() { ended <- h.Shutdown(ctx) }()
		synctest.Wait()
		if w := testkit.Serve(t.Context(), h, "POST", alone(5, "echo", ""), standard("echo")...); w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Errorf("during the shutdown: %d %s", w.Code, w.Body)
		}
		all.Wait()
		if second.Code != 200 || codeOf(t, second.Body.String()) != 0 {
			t.Errorf("a request in progress: %d %s", second.Code, second.Body)
		}
		if codeOf(t, hanging.Body.String()) == 0 {
			t.Errorf("a request that does not end: %s", hanging.Body)
		}
		events := testkit.Events(t, streaming.Body, 0)
		if len(events) != 2 || codeOf(t, events[1].Data) == 0 {
			t.Errorf("a stream that does not end: %v", events)
		}
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Shutdown: %v", err)
		}
	})
}

// TestShutdownWaitsForHandlers checks that Shutdown waits for a handler that returns after its request was answered
// with an error.
func TestShutdownWaitsForHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var returned atomic.Bool
		h := modernHandler(t, base.With(mcptest.Handlers{"late": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			<-ctx.Done()
			time.Sleep(waits.Cancelled + waits.Abandoned/2)
			returned.Store(true)
			return wire.Raw("{}"), nil
		}}), Options{})
		var all sync.WaitGroup
		later(&all, h, "POST", alone(1, "late", ""), standard("late")...)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = h.Shutdown(ctx)
		if !returned.Load() {
			t.Error("Shutdown has returned before the handler")
		}
		all.Wait()
	})
}

// TestGoexit checks that the client gets an answer although the handler ends the goroutine of
// the connection, which net/http then closes, and that the next request gets one too.
func TestGoexit(t *testing.T) {
	exit := func(context.Context, *runtime.Message) (wire.Appender, error) { goruntime.Goexit(); return nil, nil }
	r := newModernRig(t, modern.With(mcptest.Handlers{"exit": exit}), true, Options{})
	r.Client().Transport.(*http.Transport).DisableKeepAlives = true
	for range 3 {
		if text, err := sendPost(t.Context(), r, alone(1, "exit", ""), standard("exit")...); err != nil || codeOf(t, text) != jsonrpc.CodeInternalError {
			t.Errorf("exit: %q, %v", text, err)
		}
		if text, err := sendPost(t.Context(), r, alone(1, "echo", ""), standard("echo")...); err != nil || codeOf(t, text) != 0 {
			t.Errorf("echo: %q, %v", text, err)
		}
	}
}

// TestRequestsUnderStress sends requests that succeed, fail, stream, panic and lose their connection, at the same
// time and with the same id. Each answer must be the right one.
func TestRequestsUnderStress(t *testing.T) {
	before := goruntime.NumGoroutine()
	r := newModernRig(t, modern, true, Options{KeepAlive: time.Millisecond})
	var all sync.WaitGroup
	for client := range 20 {
		all.Go(func() {
			for i := range 50 {
				method := []string{"echo", "note", "boom", "wait", "no/such"}[(client+i)%5]
				ctx, cancel := context.WithCancel(t.Context())
				if method == "wait" {
					time.AfterFunc(time.Millisecond, cancel)
				}
				mark := fmt.Sprintf(`"mark":"%d-%d"`, client, i)
				text, err := sendPost(ctx, r, alone(1, method, mark), standard(method)...)
				cancel()
				switch method {
				case "echo", "note":
					if err != nil || !strings.Contains(text, mark) {
						t.Errorf("%s: %q, %v", method, text, err)
					}
				case "wait":
					if err == nil && !strings.Contains(text, ":") {
						t.Errorf("%s: %q", method, text)
					}
				default:
					if err != nil || !strings.Contains(text, `"error"`) {
						t.Errorf("%s: %q, %v", method, text, err)
					}
				}
			}
		})
	}
	all.Wait()
	r.handler.Close()
	r.Server.Close()
	if !testkit.Eventually(func() bool { return goruntime.NumGoroutine() <= before }) {
		t.Errorf("%d goroutines are left", goruntime.NumGoroutine()-before)
	}
}

// sendPost sends a request and returns the body of the response, whatever its status.
func sendPost(ctx context.Context, r *rig, body string, header ...string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", r.URL, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := r.Client().Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// TestBodyOfRequest checks the limits of the body of a request without a session.
func TestBodyOfRequest(t *testing.T) { synctest.Test(t, testBodyOfRequest) }

func testBodyOfRequest(t *testing.T) {
	server := runtime.NewServer(runtime.ServerOptions{Logger: discard, Limits: runtime.Limits{MaxMessage: 1000}}, modernBinding(t, modern))
	r := newMemoryRig(t, server, Options{IOTimeout: 50 * time.Millisecond})
	if resp, text := r.do("POST", alone(1, "echo", `"a":"`+strings.Repeat("a", 1000)+`"`), standard("echo")...); resp.StatusCode != 413 {
		t.Errorf("a long body: %s: %s", resp.Status, text)
	}
	near, far := io.Pipe()
	defer far.Close()
	req, err := http.NewRequestWithContext(t.Context(), "POST", r.URL, near)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, headerRevision: {r07}, "Mcp-Method": {"echo"}}
	go far.Write([]byte(`{"jsonrpc":`))
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 408 {
		t.Errorf("a slow body: %s", resp.Status)
	}
	if resp, text := r.do("POST", alone(1, "echo", ""), standard("echo")...); resp.StatusCode != 200 {
		t.Errorf("the next request: %s: %s", resp.Status, text)
	}
}
