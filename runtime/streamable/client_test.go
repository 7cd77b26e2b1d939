package streamable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
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

// connect opens a session of a client with the server at url.
func connect(t testing.TB, url string, h mcptest.Handlers, opts ClientOptions, revisions ...string) (*runtime.Session, error) {
	t.Helper()
	transport, err := NewTransport(url, opts)
	if err != nil {
		t.Fatal(err)
	}
	var bindings []runtime.Binding
	for _, r := range revisions {
		bindings = append(bindings, h.Bind(r, runtime.ToClient))
	}
	return runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, bindings...).Connect(t.Context(), transport)
}

// TestInterop checks that the package's client and server understand each other.
func TestInterop(t *testing.T) {
	for _, revision := range []string{r03, r06, r11} {
		for _, stateless := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s stateless %t", revision, stateless), func(t *testing.T) {
				r := newRig(t, base, Options{Stateless: stateless})
				var mu sync.Mutex
				var notes []string
				s, err := connect(t, r.URL, mcptest.Client.With(mcptest.Handlers{"notifications/n": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
					params := wire.Raw(message.Object())
					mu.Lock()
					defer mu.Unlock()
					notes = append(notes, string(params))
					return nil, nil
				}}), ClientOptions{}, revision)
				if err != nil {
					t.Fatal(err)
				}
				if s.Revision() != revision {
					t.Errorf("Revision: %s", s.Revision())
				}
				var got wire.Raw
				if err := s.Call(t.Context(), "echo", wire.Raw(`{"a":1}`), &got); err != nil || got != `{"a":1}` {
					t.Errorf("echo: %s, %v", got, err)
				}
				if err := s.Call(t.Context(), "note", wire.Raw(`{"b":1}`), &got); err != nil || got != `{"b":1}` {
					t.Errorf("note: %s, %v", got, err)
				}
				err = s.Call(t.Context(), "ask", wire.Raw(`{"c":1}`), &got)
				if !stateless && (err != nil || got != `{"c":1}`) || stateless && err == nil {
					t.Errorf("ask: %s, %v", got, err)
				}
				err = s.Call(t.Context(), "nope", nil, nil)
				if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != -32601 {
					t.Errorf("nope: %v", err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
				defer cancel()
				if err := s.Call(ctx, "wait", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("wait: %v", err)
				}
				testkit.Eventually(func() bool {
					mu.Lock()
					defer mu.Unlock()
					return len(notes) == 2
				})
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if len(notes) != 2 || notes[0] != `{"i":0}` || notes[1] != `{"i":1}` {
					t.Errorf("notifications: %q", notes)
				}
				if !testkit.Eventually(func() bool { return r.handler.sessions.count.len() == 0 }) {
					t.Error("the server's session is left")
				}
			})
		}
	}
}

// TestSessionLost checks the errors of a client whose session the server does not know.
func TestSessionLost(t *testing.T) {
	r := newRig(t, base, Options{})
	s, err := connect(t, r.URL, nil, ClientOptions{}, r11)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.handler.sessions.all() {
		s.end(runtime.ErrClosed)
	}
	if err := s.Call(t.Context(), "echo", nil, nil); !errors.Is(err, ErrSessionLost) {
		t.Errorf("Call: %v", err)
	}
	if err := s.Wait(); !errors.Is(err, ErrSessionLost) {
		t.Errorf("Wait: %v", err)
	}
}

// TestClientResumes checks that a client gets every notification of a call once, in order,
// and its answer, when the stream is cut again and again.
func TestClientResumes(t *testing.T) {
	const n = 60
	server := newRuntimeServer(t, base.With(mcptest.Handlers{"count": counter(n, nil)}), runtime.ServerOptions{}, r11)
	handler := NewHandler(server, Options{Retry: time.Millisecond})
	cut := 0
	var mu sync.Mutex
	ts := httptest.NewServer(testkit.Flaky(handler, func() int {
		mu.Lock()
		defer mu.Unlock()
		cut += 137
		return 300 + cut%900
	}))
	defer ts.Close()
	defer handler.Close()
	notes := make(chan string, 2*n)
	s, err := connect(t, ts.URL, mcptest.Handlers{"notifications/n": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		notes <- string(params)
		return nil, nil
	}}, ClientOptions{}, r11)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Call(t.Context(), "count", wire.Raw(`{}`), nil); err != nil {
		t.Error(err)
	}
	for i := range n { // they are handled after the answer
		if text := <-notes; text != fmt.Sprintf(`{"i":%d}`, i+1) {
			t.Fatalf("notification %d is %s", i, text)
		}
	}
	s.Close()
	if len(notes) > 0 {
		t.Errorf("%d notifications more", len(notes))
	}
}

// fake starts a server that answers initialize properly and everything else by a function.
func fake(t *testing.T, answer http.HandlerFunc) string {
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		switch {
		case strings.Contains(string(body), `"method":"initialize"`):
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "s1")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":%q,"capabilities":{},"serverInfo":{"name":"f","version":"1"}}}`, r03)
		case strings.Contains(string(body), `"notifications/`):
			w.WriteHeader(202)
		default:
			answer(w, r)
		}
	}))
	t.Cleanup(ts.Close)
	return ts.URL
}

// TestClientOfOddServers checks what a call returns if the server's response is wrong, and
// that the session goes on.
func TestClientOfOddServers(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed to another server")
	}))
	defer other.Close()
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   string // part of the error
		is     error
		lost   bool
	}{
		{name: "status 502", lost: true, answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, want: "HTTP status 502"},
		{name: "status 504", lost: true, answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(504) }, want: "HTTP status 504"},
		{name: "status 500", answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, want: "HTTP status 500"},
		{name: "JSON-RPC error with status 400", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"bad"}}`)
		}, want: "HTTP status 400 Bad Request: error -32600: bad"},
		{name: "202 for a request", answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }, want: "status 202"},
		{name: "HTML", answer: func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") }, want: "content type"},
		{name: "a stream that ends", lost: true, answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n")
		}, is: errNoAnswer},
		{name: "a body that is too long", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, strings.Repeat(" ", 100_000))
		}, is: errTooLong},
		{name: "an event that is too long", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "id: 1\ndata: "+strings.Repeat("x", 100_000)+"\n\n")
		}, is: errTooLong},
		{name: "redirected to another server", lost: true, answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, want: "redirect to another server"},
		{name: "redirected to a GET", lost: true, answer: func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "POST" {
				http.Redirect(w, r, "/other", http.StatusSeeOther)
			}
		}, want: "redirect that turns a POST into a GET"},
		{name: "a stream that cannot be resumed", lost: true, answer: func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "GET" {
				w.WriteHeader(405)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "id: 1\nretry: 1\ndata:\n\n")
		}, want: "could not be resumed"},
		{name: "the session is gone", answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, is: ErrSessionLost},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := fake(t, func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), `"ping"`) {
					w.Header().Set("Content-Type", "application/json")
					m, _ := jsonrpc.Parse(string(body))
					text, _ := (&jsonrpc.Message{Kind: jsonrpc.Response, ID: m.ID, Result: "{}"}).AppendJSON(nil)
					w.Write(text)
					return
				}
				if r.Method == "GET" && r.Header.Get("Last-Event-ID") == "" {
					w.WriteHeader(405)
					return
				}
				c.answer(w, r)
			})
			s, err := connect(t, url, nil, ClientOptions{MaxMessage: 10_000}, r03)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			err = s.Call(t.Context(), "x", nil, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%v; want %s %v", err, c.want, c.is)
			}
			if _, lost := errors.AsType[*runtime.LostError](err); lost != c.lost {
				t.Errorf("%v; LostError: %t, want %t", err, lost, c.lost)
			}
			if c.is == ErrSessionLost {
				return
			}
			if err := s.Ping(t.Context()); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestClientUnlogged checks that a transport without a logger warns on slog.Default, which may be set later.
func TestClientUnlogged(t *testing.T) {
	url := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" {
			w.WriteHeader(405)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "id: 1\ndata: "+strings.Repeat("x", 100_000)+"\n\n")
	})
	s, err := connect(t, url, nil, ClientOptions{MaxMessage: 10_000}, r03)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var logged bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
	if err := s.Call(t.Context(), "x", nil, nil); !errors.Is(err, errTooLong) {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(logged.String(), "level=WARN msg=\"a message was skipped because it is too long\"") {
		t.Errorf("logged %q", logged.String())
	}
}

// changing is a transport that changes the headers of requests, which it should not.
type changing struct{ n atomic.Int64 }

func (c *changing) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Number", strconv.FormatInt(c.n.Add(1), 10))
	return http.DefaultTransport.RoundTrip(r)
}

// failsAfter is a transport that returns an error in place of responses to POSTs while fail is true.
type failsAfter struct {
	err  error
	fail atomic.Bool
}

func (f *failsAfter) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && f.fail.Load() && r.Method == http.MethodPost {
		resp.Body.Close()
		return nil, f.err
	}
	return resp, err
}

// refusedUnhandled is an error that says that the server has not handled the request.
type refusedUnhandled struct{ error }

func (refusedUnhandled) Unhandled() bool { return true }

// TestUnhandled checks that the answer to a request which was sent counts as lost, unless the HTTP client says
// that the server has not handled it.
func TestUnhandled(t *testing.T) {
	why := errors.New("no such luck")
	for _, test := range []struct {
		err  error
		lost bool
	}{{why, true}, {fmt.Errorf("wrapped: %w", refusedUnhandled{why}), false}} {
		r := newRig(t, base, Options{})
		f := &failsAfter{err: test.err}
		s, err := connect(t, r.URL, nil, ClientOptions{HTTPClient: &http.Client{Transport: f}}, r11)
		if err != nil {
			t.Fatal(err)
		}
		f.fail.Store(true)
		err = s.Call(t.Context(), "echo", wire.Raw("{}"), nil)
		if _, lost := errors.AsType[*runtime.LostError](err); lost != test.lost || err == nil || !strings.Contains(err.Error(), "no such luck") {
			t.Errorf("%v: the call returns %v, want a lost answer: %v", test.err, err, test.lost)
		}
		f.fail.Store(false)
		if err := s.Call(t.Context(), "echo", wire.Raw("{}"), nil); err != nil {
			t.Errorf("afterwards: %v", err)
		}
		s.Close()
	}
}

// TestSharedHeader checks that a transport that changes the header of one request does not change
// others, and that every request has the session's headers.
func TestSharedHeader(t *testing.T) {
	for _, over := range []http.RoundTripper{nil, &changing{}} {
		h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r11), Options{})
		ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Own") != "7" || len(r.Header.Values("X-Number")) > 1 {
				t.Errorf("a request with %v", r.Header)
			}
			h.ServeHTTP(w, r)
		}))
		s, err := connect(t, ts.URL, nil, ClientOptions{HTTPClient: &http.Client{Transport: over}, Header: http.Header{"x-own": {"7"}}}, r11)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 20 {
					if err := s.Call(t.Context(), "echo", wire.Raw("{}"), nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		s.Close()
		h.Close()
		ts.Close()
	}
}

// TestDefaultConnections checks that a client with default options does not open new connections for
// concurrent calls again and again, and closes its connections with the session.
func TestDefaultConnections(t *testing.T) {
	const width, rounds = 64, 20
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r11), Options{})
	defer h.Close()
	ts := httptest.NewUnstartedServer(h)
	var opened, open atomic.Int64
	ts.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			opened.Add(1)
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
		}
	}
	ts.Start()
	defer ts.Close()
	s, err := connect(t, ts.URL, nil, ClientOptions{}, r11)
	if err != nil {
		t.Fatal(err)
	}
	for range rounds {
		var all sync.WaitGroup
		for range width {
			all.Go(func() {
				if err := s.Call(t.Context(), "echo", wire.Raw("{}"), nil); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	// One more for the server's own messages. Net/http may open a connection for a request that then
	// gets one that has become free, so there may be twice as many.
	if n := opened.Load(); n > 2*(width+1) {
		t.Errorf("%d connections were opened for %d calls at a time", n, width)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if !testkit.Eventually(func() bool { return open.Load() == 0 }) {
		t.Errorf("%d connections are open after the session", open.Load())
	}
}

// TestClientWaits checks that a client comes back after the time that the server asks for, if
// the server closes the stream of a call after its first event.
func TestClientWaits(t *testing.T) {
	var closed, back time.Time
	var header http.Header
	url := fake(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case r.Method == "POST":
			io.WriteString(w, "id: 7\nretry: 200\ndata:\n\n")
			closed = time.Now()
		case r.Header.Get("Last-Event-ID") != "":
			back, header = time.Now(), r.Header.Clone()
			io.WriteString(w, "id: 8\ndata: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
		}
	})
	s, err := connect(t, url, nil, ClientOptions{Header: http.Header{"X-Key": {"k"}}}, r03)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Call(t.Context(), "x", nil, nil); err != nil {
		t.Fatal(err)
	}
	if d := back.Sub(closed); d < 195*time.Millisecond {
		t.Errorf("came back after %v", d)
	}
	for name, want := range map[string]string{"Last-Event-ID": "7", "Mcp-Session-Id": "s1", "Mcp-Protocol-Version": r03, "X-Key": "k", "Accept": "text/event-stream"} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestEndless checks that a call whose answer never ends returns when its context ends.
func TestEndless(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	url := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "POST" {
			w.WriteHeader(405)
			return
		}
		defer close(ended)
		close(began)
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, ": still there\n\nid: 1\ndata:\n\n"); err != nil {
				return
			}
		}
	})
	s, err := connect(t, url, nil, ClientOptions{}, r03)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-began; cancel() }()
	if err := s.Call(ctx, "x", nil, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-ended // the stream is not read any more
	s.Close()
}

// TestAnsweredElsewhere checks that a client accepts the answer to a call on the server's own stream,
// and then stops to request the stream of the call.
func TestAnsweredElsewhere(t *testing.T) {
	asked, back := make(chan struct{}), make(chan struct{}, 100)
	url := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "POST":
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "id: 1\nretry: 3600000\ndata:\n\n")
			close(asked)
		case r.Method == "DELETE":
		case r.Header.Get("Last-Event-ID") != "":
			back <- struct{}{}
			w.WriteHeader(503)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(200)
			http.NewResponseController(w).Flush()
			<-asked
			io.WriteString(w, "data: {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n\n")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	})
	transport, err := NewTransport(url, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"}, mcptest.Handlers{}.Bind(r03, runtime.ToClient)).Connect(t.Context(), transport)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Call(t.Context(), "x", nil, nil); err != nil {
		t.Error(err)
	}
	waiting := func() int {
		transport.mu.Lock()
		defer transport.mu.Unlock()
		return len(transport.calls)
	}
	if !testkit.Eventually(func() bool { return waiting() == 0 }) || len(back) > 0 {
		t.Errorf("%d streams are waited for, after %d questions", waiting(), len(back))
	}
}

// wrapped hides the optional methods of a transport.
type wrapped struct{ runtime.Transport }

// TestWrappedTransport checks that the client's transport works if its optional methods are hidden.
func TestWrappedTransport(t *testing.T) {
	r := newRig(t, base, Options{})
	transport, err := NewTransport(r.URL, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, mcptest.Client.Bind(r11, runtime.ToClient)).Connect(t.Context(), wrapped{transport})
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

// recorded is a connection that reports the methods of requests in the order of writing.
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

// TestCancelledAfterRequest checks that a request is written before the notification that cancels it.
func TestCancelledAfterRequest(t *testing.T) { synctest.Test(t, testCancelledAfterRequest) }

func testCancelledAfterRequest(t *testing.T) {
	r := newMemoryRig(t, newRuntimeServer(t, base, runtime.ServerOptions{}, r11), Options{})
	connected := r.Client().Transport.(*http.Transport).DialContext
	written := make(chan string, 10)
	var late atomic.Pointer[context.CancelFunc] // cancels the call whose connection takes long
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if cancel := late.Swap(nil); cancel != nil {
			(*cancel)()
			time.Sleep(waits.Sent / 2)
		}
		conn, err := connected(ctx, network, address)
		return recorded{conn, written}, err
	}
	s, err := connect(t, r.URL, nil, ClientOptions{HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}, r11)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// net/http reports a request as written just before it flushes it, so the order may be wrong
	// once; without waiting for the report it always is.
	var order [2]string
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		late.Store(&cancel)
		err := s.Call(ctx, "wait", nil, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Call: %v", err)
		}
		if order = [2]string{<-written, <-written}; order == [2]string{"wait", "notifications/cancelled"} {
			return
		}
	}
	t.Errorf("written: %s", order)
}
