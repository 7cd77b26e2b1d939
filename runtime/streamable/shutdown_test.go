package streamable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// slow has methods that take a while.
var slow = base.With(mcptest.Handlers{
	"second": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		select {
		case <-time.After(time.Second):
			return params, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	},
	"note, then wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		runtime.CallOf(ctx).Notify(ctx, "notifications/n", nil)
		<-ctx.Done()
		return nil, ctx.Err()
	},
})

// later starts a request and returns its response, which is complete when done is closed.
func later(all *sync.WaitGroup, h http.Handler, method, body string, header ...string) *httptest.ResponseRecorder {
	answer := new(httptest.ResponseRecorder)
	all.Go(func() { *answer = *testkit.Serve(context.Background(), h, method, body, header...) })
	return answer
}

// TestShutdown checks that calls in flight are answered while the handler shuts down, with
// the client's answers that they need, and that nothing else begins.
func TestShutdown(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		t.Run(fmt.Sprintf("stateless %t", stateless), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := NewHandler(newRuntimeServer(t, slow, runtime.ServerOptions{}, r11), Options{Stateless: stateless})
				session := []string{headerRevision, r11}
				if !stateless {
					opened := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11))
					session = append(session, headerSession, opened.Header().Get(headerSession))
				}
				const calls = 100
				var all sync.WaitGroup
				var answers []*httptest.ResponseRecorder
				for i := range calls {
					answers = append(answers, later(&all, h, "POST", mcptest.Call(i, "second", "{}"), session...))
				}
				synctest.Wait()
				closed := make(chan struct{})
				go func() { defer close(closed); h.Close() }()
				synctest.Wait()
				for _, refused := range []struct {
					body    string
					session []string
				}{{mcptest.Call(1000, "echo", "{}"), session}, {mcptest.Initialize(r11), nil}} {
					w := testkit.Serve(t.Context(), h, "POST", refused.body, refused.session...)
					if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
						t.Errorf("%s was answered with %d %v %s", refused.body, w.Code, w.Header(), w.Body)
					}
					if !stateless && refused.session != nil && !strings.Contains(w.Body.String(), `"id":1000`) {
						t.Errorf("a refusal without its id: %s", w.Body)
					}
				}
				all.Wait()
				for i, w := range answers {
					if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
						t.Errorf("call %d was answered with %d %s", i, w.Code, w.Body)
					}
				}
				<-closed
				if w := testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, "echo", "{}"), session...); w.Code != http.StatusServiceUnavailable {
					t.Errorf("after the end: %d %s", w.Code, w.Body)
				}
			})
		})
	}
}

// TestShutdownStreams checks that the stream on which a client listens ends, and that of a
// call does not.
func TestShutdownStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(newRuntimeServer(t, slow, runtime.ServerOptions{}, r11), Options{Disconnect: true})
		opened := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11))
		session := []string{headerSession, opened.Header().Get(headerSession), headerRevision, r11}
		var all sync.WaitGroup
		listening := later(&all, h, "GET", "", session...)
		ctx, lose := context.WithCancel(t.Context())
		lost := make(chan *httptest.ResponseRecorder, 1)
		go func() { lost <- testkit.Serve(ctx, h, "POST", mcptest.Call(1, "ask", `{"a":1}`), session...) }()
		synctest.Wait()
		lose()
		events := testkit.Events(t, (<-lost).Body, 0)
		start := time.Now()
		closed := make(chan struct{})
		go func() { defer close(closed); h.Close() }()
		all.Wait()
		if time.Since(start) > 0 || listening.Code != 200 {
			t.Errorf("the listening stream ended after %v with %d", time.Since(start), listening.Code)
		}
		if w := testkit.Serve(t.Context(), h, "GET", "", session...); w.Code != http.StatusServiceUnavailable {
			t.Errorf("a client that listens: %d %s", w.Code, w.Body)
		}
		time.Sleep(time.Second)
		resumed := later(&all, h, "GET", "", append(session, headerLast, events[len(events)-1].ID)...)
		synctest.Wait()
		asked := wire.Object(events[len(events)-1].Data)
		id, _ := asked.Get("id")
		if w := testkit.Serve(t.Context(), h, "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"b":2}}`, id), session...); w.Code != 202 {
			t.Errorf("the client's answer: %d %s", w.Code, w.Body)
		}
		all.Wait()
		<-closed
		if !strings.Contains(resumed.Body.String(), `"id":1,"result":{"b":2}`) {
			t.Errorf("the resumed stream: %s", resumed.Body)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// TestShutdownCutsShort checks that a call that does not end gets an error, and that Shutdown
// returns the cause of its context.
func TestShutdownCutsShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(newRuntimeServer(t, slow, runtime.ServerOptions{}, r11), Options{})
		opened := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11))
		session := []string{headerSession, opened.Header().Get(headerSession), headerRevision, r11}
		var all sync.WaitGroup
		plain := later(&all, h, "POST", mcptest.Call(1, "wait", "{}"), session...)
		streaming := later(&all, h, "POST", mcptest.Call(2, "note, then wait", "{}"), session...)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 4*time.Second {
			t.Errorf("Shutdown returned %v after %v", err, time.Since(start))
		}
		all.Wait()
		for id, w := range map[int]*httptest.ResponseRecorder{1: plain, 2: streaming} {
			if want := fmt.Sprintf(`"id":%d,"error":{"code":-32603,"message":"cancelled: shutting down`, id); !strings.Contains(w.Body.String(), want) {
				t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
			}
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("a second Shutdown: %v", err)
		}
	})
}

// TestShutdownDeafHandlers checks that calls whose handlers never return are answered over a
// connection that their handlers keep busy, and that Serve returns.
func TestShutdownDeafHandlers(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	begun := make(chan struct{}, 2)
	deaf := func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		if params != "{}" {
			runtime.CallOf(ctx).Notify(ctx, "notifications/n", nil)
		}
		begun <- struct{}{}
		<-release
		return params, nil
	}
	server := newRuntimeServer(t, base.With(mcptest.Handlers{"deaf": deaf}), runtime.ServerOptions{Grace: 10 * time.Millisecond}, r11)
	h := NewHandler(server, Options{})
	ts := httptest.NewUnstartedServer(h)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, ts.Listener, NewServer(h), h) }()
	r := &rig{t: t, handler: h, Server: ts}
	ts.URL = "http://" + ts.Listener.Addr().String()
	id := r.open(r11)
	bodies := make(chan string, 2)
	for i, params := range []string{"{}", `{"note":true}`} {
		go func() {
			resp := r.request(t.Context(), "POST", mcptest.Call(i, "deaf", params), headerSession, id)
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			bodies <- string(text)
		}()
	}
	for range 2 {
		<-begun
	}
	cancel()
	for range 2 {
		if body := <-bodies; !strings.Contains(body, "cancelled: shutting down") {
			t.Errorf("got %q", body)
		}
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestLateHandlerKeepsNothing checks that a handler which returns long after its session has
// ended leaves no event in the store.
func TestLateHandlerKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		deaf := func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			runtime.CallOf(ctx).Notify(ctx, "notifications/n", nil)
			time.Sleep(time.Minute)
			return params, nil
		}
		events := NewMemoryEvents(DefaultMemoryEvents)
		h := NewHandler(newRuntimeServer(t, base.With(mcptest.Handlers{"deaf": deaf}), runtime.ServerOptions{}, r11), Options{Events: events})
		opened := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11))
		session := []string{headerSession, opened.Header().Get(headerSession), headerRevision, r11}
		var all sync.WaitGroup
		later(&all, h, "POST", mcptest.Call(1, "deaf", "{}"), session...)
		synctest.Wait()
		if events.Len() == 0 {
			t.Error("the notification is not kept")
		}
		testkit.Serve(t.Context(), h, "DELETE", "", session...)
		all.Wait()
		time.Sleep(time.Minute)
		if n := events.Len(); n > 0 {
			t.Errorf("%d events are kept of a session that has ended", n)
		}
		h.Close()
	})
}

// TestRegisterOnShutdown checks that Close keeps the calls in flight when an http.Server
// calls it.
func TestRegisterOnShutdown(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	held := func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		begun <- struct{}{}
		<-release
		return params, ctx.Err()
	}
	h := NewHandler(newRuntimeServer(t, base.With(mcptest.Handlers{"held": held}), runtime.ServerOptions{Grace: time.Minute}, r11), Options{})
	ts := httptest.NewUnstartedServer(h)
	closing := make(chan struct{})
	ts.Config.RegisterOnShutdown(func() { close(closing) })
	ts.Config.RegisterOnShutdown(h.Close)
	ts.Start()
	r := &rig{t: t, handler: h, Server: ts}
	id := r.open(r11)
	answer := make(chan string, 1)
	go func() {
		resp, body := r.do("POST", mcptest.Call(1, "held", "{}"), headerSession, id)
		answer <- resp.Status + " " + body
	}()
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- ts.Config.Shutdown(t.Context()) }()
	<-closing
	if !testkit.Eventually(h.sessions.closing.Load) {
		t.Error("Close is not called")
	}
	close(release)
	if got := <-answer; !strings.HasPrefix(got, "200 OK") || !strings.Contains(got, `{"jsonrpc":"2.0","id":1,"result":{}}`) {
		t.Errorf("got %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestGetWithoutItsBody checks that a GET whose body does not come does not hold up a shutdown.
func TestGetWithoutItsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHandler(newRuntimeServer(t, mcptest.Server, runtime.ServerOptions{Logger: discard, Grace: time.Hour}, r11), Options{})
		session := []string{headerSession, testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11)).Header().Get(headerSession)}
		testkit.Serve(t.Context(), h, "POST", mcptest.Initialized, session...)
		server := http.Server{Handler: h}
		network := testkit.NewNetwork()
		go server.Serve(network)
		near, err := network.DialContext(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(near, "GET / HTTP/1.1\r\nHost: h\r\n"+headerSession+": "+session[1]+"\r\nContent-Length: 50\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		start := time.Now()
		h.Close()
		if took := time.Since(start); took >= time.Minute {
			t.Errorf("the shutdown took %v", took)
		}
		near.Close()
		server.Close()
	})
}
