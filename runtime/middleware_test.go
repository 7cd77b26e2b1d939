package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// journal notes what middleware sees.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) note(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := j.lines
	j.lines = nil
	return lines
}

// layer is middleware that notes the way in and the way out.
func (j *journal) layer(name string) runtime.Middleware {
	return func(next runtime.Handler) runtime.Handler {
		return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			if m.Sent() {
				j.note("%s] %s %s %s%s", name, m.Kind, m.Method, m.ID(), m.Revision())
				result, err := next(ctx, m)
				j.note("%s[ %s %s %s %t %v", name, m.Method, m.ID(), m.Revision(), result != nil, err)
				return result, err
			}
			j.note("%s> %s %s%s", name, m.Method, m.ID(), m.Revision())
			result, err := next(ctx, m)
			j.note("%s< %s %s %t %v", name, m.Method, m.Revision(), result != nil, err)
			return result, err
		}
	}
}

// session opens one between a server and a client with middleware.
func layered(t *testing.T, s side, server, client []runtime.Middleware) (*runtime.Session, func()) {
	srv := newServer(t, s, runtime.ServerOptions{Receiving: server, Sending: server}, r06)
	cl := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Receiving: client, Sending: client},
		side{"roots/list": func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw(`{"roots":[]}`), nil }}.bind(r06, runtime.ToClient))
	return connect(t, srv, cl)
}

func TestMiddlewareOrder(t *testing.T) {
	var server, client journal
	asks := tools.with(side{"asks": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		c := runtime.CallOf(ctx)
		if err := c.Notify(ctx, "notifications/message", wire.Raw(`{"level":"info","data":1}`)); err != nil {
			return nil, err
		}
		var roots wire.Raw
		err := c.Call(ctx, "roots/list", nil, &roots)
		return roots, err
	}})
	session, end := layered(t, asks,
		[]runtime.Middleware{server.layer("a"), nil, server.layer("b")}, []runtime.Middleware{client.layer("c")})
	if err := session.Call(t.Context(), "tools/call", &toolParams{Name: "asks"}, nil); err != nil {
		t.Fatal(err)
	}
	end()
	got := slices.DeleteFunc(server.take(), func(l string) bool { return strings.Contains(l, "initialized") })
	want := []string{
		"a> initialize 1", "b> initialize 1", "b< initialize 2025-06-18 true <nil>", "a< initialize 2025-06-18 true <nil>",
		"a> tools/call 22025-06-18", "b> tools/call 22025-06-18",
		"a] notification notifications/message 2025-06-18", "b] notification notifications/message 2025-06-18",
		"b[ notifications/message  2025-06-18 false <nil>", "a[ notifications/message  2025-06-18 false <nil>",
		"a] request roots/list 2025-06-18", "b] request roots/list 2025-06-18",
		"b[ roots/list 1 2025-06-18 true <nil>", "a[ roots/list 1 2025-06-18 true <nil>",
		"b< tools/call 2025-06-18 true <nil>", "a< tools/call 2025-06-18 true <nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("server:", diff)
	}
	got = slices.DeleteFunc(client.take(), func(l string) bool { return strings.Contains(l, "notifications/message") })
	want = []string{
		"c] request initialize ", "c[ initialize 1 2025-06-18 true <nil>",
		"c] notification notifications/initialized 2025-06-18", "c[ notifications/initialized  2025-06-18 false <nil>",
		"c] request tools/call 2025-06-18", "c> roots/list 12025-06-18", "c< roots/list 2025-06-18 true <nil>",
		"c[ tools/call 2 2025-06-18 true <nil>",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("client:", diff)
	}
}

// TestMiddlewareDecides checks what middleware may do besides looking on.
func TestMiddlewareDecides(t *testing.T) {
	refused := jsonrpc.Errorf(-32099, "no")
	server := func(next runtime.Handler) runtime.Handler {
		return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			params := m.Object()
			switch {
			case m.Sent():
			case strings.Contains(string(params), "forbidden"):
				return nil, refused
			case strings.Contains(string(params), "cached"):
				return wire.Raw(`{"from":"cache"}`), nil
			case strings.Contains(string(params), "panics"):
				panic("in the middleware")
			}
			return next(context.WithValue(ctx, ctxKey{}, "seen"), m)
		}
	}
	var failed int
	client := func(next runtime.Handler) runtime.Handler {
		return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			params, _ := m.Params.(*toolParams)
			switch {
			case params == nil:
			case params.Name == "renamed":
				m = m.With(&toolParams{Name: "echo", Arguments: `{"new":true}`})
			case params.Name == "held":
				return nil, errors.New("held back")
			case params.Name == "forbidden":
				failed++
				if result, err := next(ctx, m); failed > 1 || err == nil {
					return result, err
				}
				m = m.With(&toolParams{Name: "echo", Arguments: `{"again":true}`})
			}
			return next(ctx, m)
		}
	}
	value := tools.with(side{"value": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		return wire.Raw(`{"value":"` + ctx.Value(ctxKey{}).(string) + `"}`), nil
	}})
	session, end := layered(t, value, []runtime.Middleware{server}, []runtime.Middleware{client})
	defer end()
	for _, row := range []struct{ name, result, err string }{
		{"value", `{"value":"seen"}`, ""},
		{"cached", `{"from":"cache"}`, ""},
		{"renamed", `{"new":true}`, ""},
		{"held", "", "held back"},
		{"forbidden", `{"again":true}`, ""}, // sent again by the client's middleware
		{"forbidden", "", "jsonrpc: error -32099: no"},
		{"panics", "", "jsonrpc: error -32603: internal error"},
		{"boom", "", "jsonrpc: error -32603: internal error"},
	} {
		var result wire.Raw
		err := session.Call(t.Context(), "tools/call", &toolParams{Name: row.name}, &result)
		if string(result) != row.result || (err == nil) != (row.err == "") || err != nil && err.Error() != row.err {
			t.Errorf("%s: %s, %v", row.name, result, err)
		}
	}
}

// TestMiddlewareMalformed expects an error for params of middleware that are not well formed.
func TestMiddlewareMalformed(t *testing.T) {
	for _, params := range []wire.Raw{
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","name":"b","version":"1"}}`,
		`{"protocolVersion":"2025-06-18","capabilities":{"x":[1,]},"clientInfo":{"name":"a","version":"1"}}`,
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}} {}`,
		`{"protocolVersion":"2025-06-18","capabilities":{},"capabilities":{},"clientInfo":{"name":"a","version":"1"}}`,
	} {
		changes := func(next runtime.Handler) runtime.Handler {
			return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
				return next(ctx, m.With(params))
			}
		}
		server := newServer(t, tools, runtime.ServerOptions{Receiving: []runtime.Middleware{changes}}, r06)
		near, far := inproc.Pair()
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(context.Background(), far) }()
		session, err := newClient(side{}, r06).Connect(t.Context(), near)
		if code(err) != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %v", params, err)
		}
		if err == nil {
			session.Close()
		}
		<-ended
	}
}

type ctxKey struct{}

// named is a transport of a session with a name.
type named struct{ *inproc.Transport }

// SessionID is one whose LogID is 6a840baf5d8c.
func (named) SessionID() string                  { return "s-1" }
func (named) Negotiated(runtime.Handshake) error { return nil }

func TestLogRequests(t *testing.T) {
	var out bytes.Buffer
	var mu sync.Mutex
	log := slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return out.Write(p)
	}), &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		switch {
		case a.Key == slog.TimeKey:
			return slog.Attr{}
		case a.Value.Kind() == slog.KindDuration && a.Value.Duration() > 0:
			return slog.Duration(a.Key, time.Second)
		}
		return a
	}}))
	server := newServer(t, tools, runtime.ServerOptions{Receiving: []runtime.Middleware{runtime.LogRequests(log, slog.LevelInfo)}}, r06)
	a, b := inproc.Pair()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(context.Background(), named{a}) }()
	session, err := newClient(nil, r06).Connect(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"echo", "none", "boom"} {
		session.Call(t.Context(), "tools/call", &toolParams{Name: name}, nil)
	}
	session.Ping(t.Context())
	session.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	want := []string{
		`level=INFO msg="request handled" method=initialize id=1 revision=2025-06-18 session=6a840baf5d8c duration=1s`,
		`level=INFO msg="request handled" method=tools/call id=2 revision=2025-06-18 session=6a840baf5d8c duration=1s`,
		`level=INFO msg="request handled" method=tools/call id=3 revision=2025-06-18 session=6a840baf5d8c duration=1s code=-32602 error="jsonrpc: error -32602: unknown tool: \"none\""`,
		`level=WARN msg="request handled" method=tools/call id=4 revision=2025-06-18 session=6a840baf5d8c duration=1s error="runtime: the handler panicked"`,
		`level=INFO msg="request handled" method=ping id=5 revision=2025-06-18 session=6a840baf5d8c duration=1s`,
	}
	got := slices.DeleteFunc(strings.Split(strings.TrimSpace(out.String()), "\n"), func(l string) bool { return strings.Contains(l, "notification handled") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOperatorLog checks what an operator reads of a session.
func TestOperatorLog(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "duration" {
			return slog.Attr{}
		}
		return a
	}}))
	server := newServer(t, tools.with(side{"broken": func(context.Context, *runtime.Message) (wire.Appender, error) {
		return nil, errors.New("broken")
	}}), runtime.ServerOptions{Logger: log}, r06)
	a, b := inproc.Pair()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(context.Background(), named{a}) }()
	session, err := newClient(nil, r06).Connect(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	session.Call(t.Context(), "tools/call", &toolParams{Name: "broken"}, nil)
	session.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	want := `level=INFO msg="session opened" session=6a840baf5d8c revision=2025-06-18 peer=test version=1
level=ERROR msg="request failed" session=6a840baf5d8c method=tools/call id=2 error=broken
level=INFO msg="session ended" session=6a840baf5d8c
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Middleware that refuses what is not for everybody.
func ExampleMiddleware() {
	ctx := context.Background()
	allow := func(next runtime.Handler) runtime.Handler {
		return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			if m.Method == "tools/call" && runtime.CallOf(ctx).PeerInfo() != `{"name":"friend","version":"1"}` {
				return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "not for you")
			}
			return next(ctx, m)
		}
	}
	server := runtime.NewServer(runtime.ServerOptions{
		Name:      "hello",
		Version:   "1.0.0",
		Receiving: []runtime.Middleware{runtime.LogRequests(slog.Default(), slog.LevelDebug), allow},
	}, runtime.Binding{
		Revision:  "2025-06-18",
		Direction: runtime.ToServer,
		Handle: func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			if m.Method == "tools/call" {
				return wire.Raw(`{"content":[]}`), nil
			}
			return nil, runtime.MethodNotFound(m.Method)
		},
	})
	for _, name := range []string{"friend", "stranger"} {
		clientEnd, serverEnd := inproc.Pair()
		go server.Serve(ctx, serverEnd)
		client := runtime.NewClient(runtime.ClientOptions{Name: name, Version: "1"}, side{}.bind("2025-06-18", runtime.ToClient))
		session, err := client.Connect(ctx, clientEnd)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, session.Call(ctx, "tools/call", wire.Raw(`{"name":"x"}`), nil))
		session.Close()
	}
	// Output:
	// friend <nil>
	// stranger jsonrpc: error -32600: not for you
}

// TestPublishPanic checks that middleware which panics when the server publishes costs one notification, not the program.
func TestPublishPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		server := newServer(t, tools, runtime.ServerOptions{Capabilities: everyChange, Sending: []runtime.Middleware{func(next runtime.Handler) runtime.Handler {
			return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
				if first {
					first = false
					panic("middleware")
				}
				return next(ctx, m)
			}
		}}}, r06)
		c := open(t.Context(), t, server, r06)
		publish(t, server, "notifications/tools/list_changed", "{}")
		c.replies()
		publish(t, server, "notifications/tools/list_changed", "{}")
		if got := c.replies(); len(got) != 1 {
			t.Errorf("got %s", got)
		}
		c.hangUp()
	})
}

// TestCacheInProgress checks that middleware may set the hint of a call that reports its progress.
func TestCacheInProgress(t *testing.T) {
	alone(t, "progress", side{"work": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		return wire.Raw(`{}`), runtime.CallOf(ctx).Progress(ctx, 1, nil, "")
	}}, runtime.ServerOptions{Sending: []runtime.Middleware{func(next runtime.Handler) runtime.Handler {
		return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			runtime.CallOf(ctx).CachePrivately()
			return next(ctx, m)
		}
	}}}, nil, func(t *testing.T, c *conn) {
		c.send(request("1", "tools/call", `"name":"work"`, metaTerms+`,"progressToken":7`))
		if got := c.replies(); len(got) != 2 {
			t.Errorf("got %s", got)
		}
	})
}

// TestLogDuringHandshake checks that middleware can send a notification while it handles initialize, when the
// revision is not known yet.
func TestLogDuringHandshake(t *testing.T) {
	logs := func(next runtime.Handler) runtime.Handler {
		return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			if m.Method == "initialize" && !m.Sent() {
				if err := runtime.CallOf(ctx).Log(ctx, "info", "", wire.Raw(`"got it"`)); err != nil {
					t.Error(err)
				}
			}
			return next(ctx, m)
		}
	}
	session, end := layered(t, tools, []runtime.Middleware{logs}, nil)
	if err := session.Call(t.Context(), "tools/call", &toolParams{Name: "echo"}, nil); err != nil {
		t.Error(err)
	}
	end()
}
