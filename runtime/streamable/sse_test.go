package streamable_test

import (
	"bytes"
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

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const revision = "2024-11-05"

var base = mcptest.Server.With(mcptest.Handlers{
	// wait tells the client that it has begun.
	"wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		runtime.CallOf(ctx).Progress(ctx, 1, nil, "")
		<-ctx.Done()
		return nil, context.Cause(ctx)
	},
	"flood": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		for {
			if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(`{"a":"`+strings.Repeat("x", 10_000)+`"}`)); err != nil {
				return nil, err
			}
		}
	},
})

func newServer(t testing.TB, opts streamable.Options) (*httptest.Server, *streamable.Handler) {
	return newServerOn(t, opts, httptest.NewServer)
}

func newServerOn(t testing.TB, opts streamable.Options, start func(http.Handler) *httptest.Server) (*httptest.Server, *streamable.Handler) {
	h := streamable.NewSSEHandler(runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Grace: time.Second}, base.Bind(revision, runtime.ToServer)), opts)
	mux := http.NewServeMux()
	mux.Handle("/api/", http.StripPrefix("/api", h))
	ts := start(mux)
	t.Cleanup(func() {
		h.Close()
		ts.Close()
		if n := h.Stats().Sessions; n != 0 {
			t.Errorf("%d sessions are left", n)
		}
	})
	return ts, h
}

func connect(t testing.TB, url string, opts streamable.ClientOptions) (*runtime.Session, error) {
	transport, err := streamable.DialSSE(t.Context(), url, opts)
	if err != nil {
		return nil, err
	}
	client := mcptest.Handlers{"client/echo": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		return params, nil
	}}
	return runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, client.Bind(revision, runtime.ToClient)).Connect(t.Context(), transport)
}

// TestSSESessions checks that a client that knows both kinds of revisions gets a session, and that a request
// with its own revision is one of that session.
func TestSSESessions(t *testing.T) {
	const newer = "2026-07-28"
	both := func(h mcptest.Handlers, d runtime.Direction) []runtime.Binding {
		alone := h.Bind(revision, d)
		alone.Revision, alone.Methods = newer, mcp20260728.Methods
		return []runtime.Binding{alone, h.Bind(revision, d)}
	}
	kind := mcptest.Handlers{"tools/call": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		return wire.Raw(fmt.Sprintf(`{"stateless":%t}`, runtime.CallOf(ctx).Stateless())), nil
	}}
	h := streamable.NewSSEHandler(runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, both(kind, runtime.ToServer)...), streamable.Options{})
	ts := httptest.NewServer(h)
	defer ts.Close()
	defer h.Close()
	transport, err := streamable.DialSSE(t.Context(), ts.URL, streamable.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, both(nil, runtime.ToClient)...).Connect(t.Context(), transport)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Revision() != revision {
		t.Errorf("the client uses revision %s, want %s", s.Revision(), revision)
	}
	params := wire.Raw(`{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"` + newer + `","io.modelcontextprotocol/clientCapabilities":{}}}`)
	var got wire.Raw
	if err := s.Call(t.Context(), "tools/call", params, &got); err != nil || got != `{"stateless":false}` {
		t.Errorf("%s, %v", got, err)
	}
}

// TestSSEInterop checks that the package's client and server understand each other in many sessions at a
// time, and that nothing is left of them.
func TestSSEInterop(t *testing.T) {
	ts, h := newServer(t, streamable.Options{KeepAlive: 5 * time.Millisecond})
	before := goruntime.NumGoroutine()
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			s, err := connect(t, ts.URL+"/api/sse", streamable.ClientOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range 20 {
				args := wire.Raw(fmt.Sprintf(`{"n":%d,"i":%d}`, n, i))
				var got wire.Raw
				if err := s.Call(t.Context(), []string{"echo", "ask"}[i%2], args, &got); err != nil || got != args {
					t.Errorf("%s, %v; want %s", got, err, args)
				}
			}
			err = s.Call(t.Context(), "nope", nil, nil)
			if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != -32601 {
				t.Errorf("nope: %v", err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			if err := s.Call(ctx, "wait", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("wait: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	http.DefaultClient.CloseIdleConnections()
	if !testkit.Eventually(func() bool { return h.Stats().Sessions == 0 && goruntime.NumGoroutine() <= before+2 }) {
		t.Errorf("%d sessions, %d goroutines, %d before", h.Stats().Sessions, goruntime.NumGoroutine(), before)
	}
}

// TestSSERequests checks which requests are refused. Every refusal has a JSON-RPC error as its body.
func TestSSERequests(t *testing.T) {
	ts, _ := newServer(t, streamable.Options{})
	stream, err := http.Get(ts.URL + "/api/sse")
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	events := eventstream.NewReader(stream.Body, 1<<20)
	endpoint, err := events.Next()
	if err != nil || endpoint.Type != "endpoint" || !strings.HasPrefix(endpoint.Data, "/api/sse?sessionId=") {
		t.Fatalf("%+v, %v", endpoint, err)
	}
	for _, c := range []struct {
		name, method, path, body string
		header                   [2]string
		status                   int
		code                     int64  // of the error in the body
		event                    string // part of the next event
	}{
		{name: "early", body: `{"jsonrpc":"2.0","id":1,"method":"echo"}`, status: 202, event: "-32600"},
		{name: "initialize", body: mcptest.Initialize(revision), status: 202, event: `"protocolVersion":"2024-11-05"`},
		{name: "initialized", body: mcptest.Initialized, status: 202},
		{name: "echo", body: `{"jsonrpc":"2.0","id":9007199254740993,"method":"echo","params":{"n":9007199254740993}}`, status: 202, event: `{"jsonrpc":"2.0","id":9007199254740993,"result":{"n":9007199254740993}}`},
		{name: "not JSON", body: "hello", status: 400, code: -32700},
		{name: "trailing bytes", body: mcptest.Initialized + " xyz", status: 400, code: -32700},
		{name: "id 1.5", body: `{"jsonrpc":"2.0","id":1.5,"method":"echo"}`, status: 400, code: -32600},
		{name: "id null", body: `{"jsonrpc":"2.0","id":null,"method":"echo"}`, status: 400, code: -32600},
		{name: "duplicate method", body: `{"jsonrpc":"2.0","id":1,"method":"echo","method":"x"}`, status: 202, event: "-32600"},
		{name: "both method and result", body: `{"jsonrpc":"2.0","id":1,"method":"echo","result":{}}`, status: 202, event: "-32600"},
		{name: "unknown method", body: `{"jsonrpc":"2.0","id":1,"method":"nope"}`, status: 202, event: "-32601"},
		{name: "batch", body: "[" + mcptest.Initialized + "]", status: 202, event: "-32600"},
		{name: "forged session", path: "/api/sse?sessionId=x", body: mcptest.Initialized, status: 404, code: -32600},
		{name: "no session", path: "/api/sse", body: mcptest.Initialized, status: 404, code: -32600},
		{name: "Content-Type", body: mcptest.Initialized, header: [2]string{"Content-Type", "text/plain"}, status: 415, code: -32600},
		{name: "Host evil", body: mcptest.Initialized, header: [2]string{"Host", "evil.example.com"}, status: 403, code: -32600},
		{name: "Origin evil", body: mcptest.Initialized, header: [2]string{"Origin", "http://evil.example.com"}, status: 403, code: -32600},
		{name: "Origin evil on GET", method: "GET", header: [2]string{"Origin", "http://evil.example.com"}, status: 403, code: -32600},
		{name: "Accept on GET", method: "GET", header: [2]string{"Accept", "application/json"}, status: 406, code: -32600},
		{name: "DELETE", method: "DELETE", status: 405, code: -32600},
		{name: "too long", body: strings.Repeat(" ", 4<<20+1), status: 413, code: -32600},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.method == "" {
				c.method = "POST"
			}
			if c.path == "" {
				c.path = endpoint.Data
			}
			req, err := http.NewRequestWithContext(t.Context(), c.method, ts.URL+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			if c.header[0] == "Host" {
				req.Host = c.header[1]
			} else if c.header[0] != "" {
				req.Header.Set(c.header[0], c.header[1])
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			if resp.StatusCode != c.status {
				t.Errorf("%s: %s; want %d", resp.Status, text, c.status)
			}
			if c.code != 0 {
				if m, err := jsonrpc.Parse(string(text)); err != nil || m.Error == nil || m.Error.Code != c.code {
					t.Errorf("%s; want code %d", text, c.code)
				}
			}
			if c.event != "" {
				if e, err := events.Next(); err != nil || e.Type != "message" || !strings.Contains(e.Data, c.event) {
					t.Errorf("event %+v, %v; want %s", e, err, c.event)
				}
			}
		})
	}
}

// TestSSESlowReader checks that a client that does not read loses its session, and that the handler that
// writes to it ends.
func TestSSESlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts, h := newServerOn(t, streamable.Options{IOTimeout: time.Second}, testkit.NewServer)
		stream, err := ts.Client().Get(ts.URL + "/api/sse")
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Body.Close()
		events := eventstream.NewReader(stream.Body, 1<<20)
		endpoint, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		go events.Next() // the answer to initialize; what comes after it is not read
		for _, body := range []string{mcptest.Initialize(revision), mcptest.Initialized, `{"jsonrpc":"2.0","id":1,"method":"flood"}`} {
			resp, err := ts.Client().Post(ts.URL+endpoint.Data, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != 202 {
				t.Errorf("%s: %s", body, resp.Status)
			}
		}
		time.Sleep(2 * time.Second)
		if n := h.Stats().Sessions; n != 0 {
			t.Errorf("%d sessions go on", n)
		}
	})
}

// TestSSEDial checks the errors for servers that do not have this transport.
func TestSSEDial(t *testing.T) {
	for _, c := range []struct {
		name, media, body string
		status            int
		want              string
	}{
		{name: "status", status: 405, want: "405"},
		{name: "no stream", media: "text/html", want: "content type"},
		{name: "no endpoint", media: "text/event-stream", body: "data: x\n\n", want: "EOF"},
		{name: "endpoint on another server", media: "text/event-stream", body: "event: endpoint\ndata: http://evil.example.com/x\n\n", want: "another server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.media)
				if c.status != 0 {
					w.WriteHeader(c.status)
				}
				io.WriteString(w, c.body)
			}))
			defer ts.Close()
			if _, err := streamable.DialSSE(t.Context(), ts.URL, streamable.ClientOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %s", err, c.want)
			}
		})
	}
}

// TestSSEDialSilent checks how long Dial waits for a server that names no endpoint.
func TestSSEDialSilent(t *testing.T) {
	for name, begin := range map[string]func(http.ResponseWriter){
		"no response": func(http.ResponseWriter) {},
		"no endpoint": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				silent := testkit.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					begin(w)
					<-r.Context().Done()
				}))
				defer silent.Close()
				check := func(ctx context.Context, want time.Duration) {
					start := time.Now()
					_, err := streamable.DialSSE(ctx, silent.URL, streamable.ClientOptions{HTTPClient: silent.Client()})
					if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != want {
						t.Errorf("after %v: %v, want the end after %v", took, err, want)
					}
				}
				check(t.Context(), runtime.DefaultTimeout)
				bounded, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				check(bounded, time.Hour)
			})
		})
	}
}

// TestSSEServerGone checks that the client's session ends with the server's.
func TestSSEServerGone(t *testing.T) {
	ts, h := newServer(t, streamable.Options{MaxSessions: 1})
	s, err := connect(t, ts.URL+"/api/sse", streamable.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, ts.URL+"/api/sse", streamable.ClientOptions{}); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("a session too many: %v", err)
	}
	ended := make(chan error, 1)
	waiting := make(chan struct{})
	go func() {
		ctx := runtime.WithProgress(t.Context(), func(runtime.Progress) { close(waiting) })
		ended <- s.Call(ctx, "wait", nil, nil)
	}()
	<-waiting
	h.Close()
	if err := s.Wait(); err != nil {
		t.Errorf("Wait: %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("the call was answered")
	}
}

// TestSSEOddServer checks that a client does not wait for the body of a success, sends no error for a message
// that it cannot read, and fails a call with a broken answer or without an answer at once. The error does not have the
// id of the session.
func TestSSEOddServer(t *testing.T) {
	events, ended := make(chan string, 10), make(chan struct{})
	var mu sync.Mutex
	var posts []string
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		flush := http.NewResponseController(w).Flush
		if r.Method == "GET" {
			w.Header().Set("Content-Type", eventstream.MediaType)
			io.WriteString(w, "event: endpoint\ndata: /?sessionId=hidden\n\n")
			flush()
			for {
				select {
				case text := <-events:
					fmt.Fprintf(w, "data: %s\n\n", text)
					flush()
				case <-r.Context().Done():
					return
				}
			}
		}
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		posts = append(posts, string(body))
		mu.Unlock()
		switch {
		case strings.Contains(string(body), `"initialize"`):
			events <- `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`
		case strings.Contains(string(body), `"method":"x"`):
			events <- "hello"
			events <- `{"jsonrpc":"2.0","id":2,"result":{"a":"\ud800"}}`
		case strings.Contains(string(body), `"method":"y"`):
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(202)
		io.WriteString(w, "Accepted")
		flush()
		select {
		case <-ended:
		case <-r.Context().Done():
		}
	}))
	defer ts.Close()
	defer close(ended)
	s, err := connect(t, ts.URL, streamable.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Call(t.Context(), "x", nil, nil); err == nil || !strings.Contains(err.Error(), "bad response") {
		t.Errorf("Call: %v", err)
	}
	if err := s.Call(t.Context(), "y", nil, nil); err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("Call: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(posts) != 4 {
		t.Errorf("sent: %q", posts)
	}
}

// TestSSEUnusedSessions checks that sessions whose clients send nothing after initialize make room for
// others, and end by themselves.
func TestSSEUnusedSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := streamable.NewSSEHandler(runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, base.Bind(revision, runtime.ToServer)), streamable.Options{MaxSessions: 2})
		defer h.Close()
		var ended atomic.Int32
		var endpoints []string
		open := func() (status int) {
			r := httptest.NewRequestWithContext(t.Context(), "GET", "/sse", nil)
			w := httptest.NewRecorder()
			go func() {
				h.ServeHTTP(w, r)
				ended.Add(1)
			}()
			synctest.Wait()
			if w.Code == http.StatusOK {
				event, err := eventstream.NewReader(bytes.NewReader(w.Body.Bytes()), 1<<20).Next()
				if err != nil {
					t.Fatal(err)
				}
				endpoints = append(endpoints, event.Data)
			}
			return w.Code
		}
		say := func() { // sends the handshake in every session
			for _, endpoint := range endpoints[len(endpoints)-2:] {
				for _, body := range []string{mcptest.Initialize(revision), mcptest.Initialized} {
					r := httptest.NewRequest("POST", endpoint, strings.NewReader(body))
					r.Header.Set("Content-Type", "application/json")
					h.ServeHTTP(httptest.NewRecorder(), r)
				}
			}
			synctest.Wait()
		}
		for range 5 {
			if code := open(); code != 200 {
				t.Errorf("status %d", code)
			}
		}
		if n := ended.Load(); n != 3 {
			t.Errorf("%d sessions have ended, want the 3 that had to make room", n)
		}
		time.Sleep(waits.FirstUse + time.Second)
		synctest.Wait()
		if n := h.Stats().Sessions; n != 0 {
			t.Errorf("%d sessions are open", n)
		}
		open()
		open()
		say()
		if code := open(); code != 503 {
			t.Errorf("while all sessions are in use: status %d", code)
		}
		time.Sleep(waits.FirstUse + time.Second)
		synctest.Wait()
		if n := h.Stats().Sessions; n != 2 {
			t.Errorf("%d sessions are open, want both that are used", n)
		}
	})
}

// counted is an http.RoundTripper that counts POSTs.
type counted struct {
	http.RoundTripper
	posts atomic.Int32
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		c.posts.Add(1)
	}
	return c.RoundTripper.RoundTrip(r)
}

// TestSSESendWithEndedContext checks that a message whose context has ended before Send is not sent.
func TestSSESendWithEndedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := testkit.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			w.Header().Set("Content-Type", eventstream.MediaType)
			io.WriteString(w, "event: endpoint\ndata: /messages\n\n")
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}))
		defer ts.Close()
		counts := &counted{RoundTripper: ts.Client().Transport}
		to, err := streamable.DialSSE(t.Context(), ts.URL, streamable.ClientOptions{HTTPClient: &http.Client{Transport: counts}})
		if err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for _, ctx := range []context.Context{t.Context(), ended} {
			err := to.Send(ctx, runtime.Outgoing{Kind: jsonrpc.Notification, Method: "n", Text: []byte(mcptest.Initialized)})
			if !errors.Is(err, ctx.Err()) {
				t.Errorf("Send: %v, want %v", err, ctx.Err())
			}
		}
		synctest.Wait()
		if n := counts.posts.Load(); n != 1 {
			t.Errorf("%d messages were sent, want 1", n)
		}
	})
}

// TestSSENoServer has no server. The panic says so.
func TestSSENoServer(t *testing.T) {
	defer func() {
		if got := recover(); got != "streamable: the server of a handler is nil" {
			t.Errorf("got %v", got)
		}
	}()
	var server *runtime.Server
	streamable.NewSSEHandler(server, streamable.Options{})
}
