package proxy_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/proxy"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const region = wire.Raw(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)

// statelessServer returns a server without sessions. Begun gets a value for each request that waits, and
// cancelled one when its context has ended.
func statelessServer(t *testing.T, begun chan<- struct{}, cancelled chan<- error) *runtime.Server {
	table, err := headers.NewTable(region)
	if err != nil {
		t.Fatal(err)
	}
	binding := runtime.Binding{
		Revision: mcp20260728.Revision, Direction: runtime.ToServer, Methods: mcp20260728.Methods,
		ToolHeaders: func(tool string) *headers.Table {
			if tool == "headed" {
				return table
			}
			return nil
		},
		Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			method, params := message.Method, wire.Raw(message.Object())
			call := runtime.CallOf(ctx)
			switch name := wire.Object(params).GetString("name"); {
			case method == "vendor/echo":
				return wire.Raw(`{"got":` + string(params) + `}`), nil
			case method == "tools/list":
				return wire.Raw(`{"tools":[{"name":"headed","inputSchema":` + string(region) + `}]}`), nil
			case name == "progress":
				if err := call.Progress(ctx, 1, nil, "half"); err != nil {
					return nil, err
				}
				return wire.Raw(`{"content":[]}`), nil
			case name == "wait":
				begun <- struct{}{}
				<-ctx.Done()
				cancelled <- context.Cause(ctx)
				return nil, ctx.Err()
			case name == "ask":
				var answer wire.Raw
				if err := call.Call(ctx, "roots/list", nil, &answer); err != nil {
					return nil, err
				}
				return wire.Raw(`{"content":[],"roots":` + string(answer) + `}`), nil
			case method == "tools/call":
				return wire.Raw(`{"content":[]}`), nil
			}
			return nil, runtime.MethodNotFound(method)
		},
	}
	return runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(`{"tools":{"listChanged":true}}`)}, binding)
}

// TestStateless uses a server without sessions through a proxy, over each transport: nothing of a request is
// lost, its headers included, and it is cancelled when its client closes the connection.
func TestStateless(t *testing.T) {
	for _, front := range []string{"memory", "http"} {
		for _, back := range []string{"memory", "http"} {
			t.Run(front+" to "+back, func(t *testing.T) {
				begun, cancelled := make(chan struct{}, 1), make(chan error, 1)
				server := statelessServer(t, begun, cancelled)
				p := proxy.New(connection(t, server, back), proxy.Options{})
				binding := runtime.Handlers{"roots/list": func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw(`{"roots":[]}`), nil }}.Bind(mcp20260728.Revision, mcp20260728.Methods)
				binding.Forwards = true
				s, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1", Capabilities: wire.Raw(`{"roots":{}}`)}, binding).Connect(t.Context(), connection(t, p, front)())
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				testStateless(t, s, begun, cancelled)
			})
		}
	}
}

func testStateless(t *testing.T, s *runtime.Session, begun <-chan struct{}, cancelled <-chan error) {
	ctx := testkit.Context(t)
	var got wire.Object
	if err := s.Call(ctx, "vendor/echo", wire.Raw(`{"z":1.50,"a":[1e2,{}],"b":""}`), &got); err != nil || !strings.Contains(string(got), `"got":{"z":1.50,"a":[1e2,{}],"b":"","_meta":`) {
		t.Errorf("vendor/echo: %s, %v", got, err)
	}
	if e, ok := errors.AsType[*jsonrpc.Error](s.Call(ctx, "vendor/none", nil, nil)); !ok || e.Code != jsonrpc.CodeMethodNotFound {
		t.Errorf("vendor/none: %v", e)
	}
	steps := 0
	followed := runtime.WithProgress(ctx, func(runtime.Progress) { steps++ })
	if err := s.Call(followed, "tools/call", wire.Raw(`{"name":"progress"}`), nil); err != nil || steps != 1 {
		t.Errorf("progress: %d steps, %v", steps, err)
	}
	if err := s.Call(ctx, "tools/list", wire.Raw("{}"), nil); err != nil {
		t.Error(err)
	}
	if err := s.Call(ctx, "tools/call", wire.Raw(`{"name":"headed","arguments":{"region":"north"}}`), nil); err != nil {
		t.Errorf("headed: %v", err)
	}
	if err := s.Call(ctx, "tools/call", wire.Raw(`{"name":"ask"}`), &got); err != nil || !strings.Contains(string(got), `"roots":{"roots":[]}`) {
		t.Errorf("ask: %s, %v", got, err)
	}
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // a request that is cancelled before it begins never reaches the server
		select {
		case <-begun:
		case <-ctx.Done():
		}
		cancel()
	}()
	if err := s.Call(short, "tools/call", wire.Raw(`{"name":"wait"}`), nil); err == nil {
		t.Error("a cancelled call was answered")
	}
	select {
	case <-cancelled:
	case <-ctx.Done():
		t.Error("the server does not know that the request is cancelled")
	}
	listening, end := context.WithCancel(ctx)
	defer end()
	acknowledged := false
	for n, err := range s.Listen(listening, wire.Raw(`{"toolsListChanged":true}`)) {
		if err != nil {
			t.Errorf("listen: %v", err)
		}
		acknowledged = n.Method == "notifications/subscriptions/acknowledged"
		end()
	}
	if !acknowledged {
		t.Error("the subscription is not acknowledged")
	}
	if err := s.Call(ctx, "vendor/echo", wire.Raw(`{}`), nil); err != nil {
		t.Errorf("after all: %v", err)
	}
}

// connection serves a server and returns the function that connects with it.
func connection(t *testing.T, server runtime.SessionServer, way string) func() runtime.Transport {
	if way == "memory" {
		return func() runtime.Transport {
			near, far := inproc.Pair()
			go runtime.Serve(context.Background(), server, far)
			return near
		}
	}
	handler := streamable.NewHandler(server, streamable.Options{})
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	t.Cleanup(handler.Close)
	return func() runtime.Transport {
		transport, err := streamable.NewTransport(web.URL, streamable.ClientOptions{})
		if err != nil {
			t.Error(err)
		}
		return transport
	}
}

// TestMaxSessions checks that requests without a session have no more sessions with the server than Options.MaxSessions
// allows, those that are being closed included, and those of a principal no more than a quarter.
func TestMaxSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, cancelled := make(chan struct{}, 100), make(chan error, 100)
		dial := connection(t, statelessServer(t, begun, cancelled), "memory")
		closing := make(chan struct{})
		p := proxy.New(func() runtime.Transport { return mcptest.Slow{Transport: dial(), Closing: closing} }, proxy.Options{MaxSessions: 8})
		h := streamable.NewHandler(p, streamable.Options{})
		ctx, disconnect := context.WithCancel(t.Context())
		defer disconnect()
		call := func(principal, name string) *httptest.ResponseRecorder {
			const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
			w := httptest.NewRecorder()
			go testkit.ServeTo(runtime.WithPrincipal(ctx, principal), w, h, "POST", fmt.Sprintf(text, name), headers.Revision, "2026-07-28", headers.Method, "tools/call", headers.Name, name)
			synctest.Wait()
			return w
		}
		refused := func(principal string) bool {
			w := call(principal, "quick")
			if w.Code != 200 && w.Code != 503 {
				t.Errorf("%s: %d %s", principal, w.Code, w.Body)
			}
			return w.Code == 503
		}
		for _, principal := range []string{"a", "a", "b", "b", "c", "c", "d"} {
			call(principal, "wait")
		}
		if got := []bool{refused("a"), refused("d"), refused("a"), refused("")}; !slices.Equal(got, []bool{true, false, true, false}) {
			t.Errorf("refused %t", got)
		}
		call("", "wait")
		if !refused("d") || !refused("") {
			t.Error("a ninth session was opened")
		}
		disconnect()
		ctx = t.Context()
		if !refused("d") {
			t.Error("the sessions that are being closed do not count")
		}
		close(closing)
		synctest.Wait()
		if refused("a") || refused("d") {
			t.Error("the sessions that are closed count")
		}
		h.Close()
	})
}

// TestUnreadable checks that a text in which the server may find a request and the proxy finds none is not passed to a
// server without a session, because the answer would reach the next client.
func TestUnreadable(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	synctest.Test(t, func(t *testing.T) {
		h := streamable.NewHandler(proxy.New(func() runtime.Transport {
			t.Error("a session was opened")
			return nil
		}, proxy.Options{}), streamable.Options{})
		for _, text := range []string{
			strings.Replace(call, `"id":1`, `"id":1,"id":1`, 1),
			strings.Replace(call, `"id":1`, `"id":[1]`, 1),
			strings.Replace(call, `"id":1`, `"id":null`, 1),
			strings.Replace(call, `"a"`, "\"a\xff\"", 1),
			call + "{}",
			"[" + call + "]",
			`{"jsonrpc":"2.0","id":1,"result":{}}`,
			strings.Replace(call, `"a"`, `"b"`, 1),
			strings.Replace(call, `protocolVersion`, `p`, 1),
			strings.Replace(call, `"method"`, `"Method":"tools/list","method"`, 1), // a server may ignore the case of names
			strings.Replace(call, `"id"`, `"\u0049D":2,"id"`, 1),
			strings.Replace(call, `"params"`, `"param\u017f":{},"params"`, 1),
			strings.Replace(call, `"name"`, `"Name":"b","name"`, 1),
			strings.Replace(call, `"name"`, `"_Meta":{},"name"`, 1),
			strings.Replace(call, `"name"`, `"ARGUMENTS":{},"name"`, 1),
			strings.Replace(call, `{"io.`, `{"IO.modelcontextprotocol/protocolVersion":"2025-11-25","io.`, 1),
		} {
			w := testkit.Serve(t.Context(), h, "POST", text, headers.Revision, "2026-07-28", headers.Method, "tools/call", headers.Name, "a")
			if w.Code != 400 || !strings.Contains(w.Body.String(), `"error"`) {
				t.Errorf("%s: %d %s", text, w.Code, w.Body)
			}
		}
		h.Close()
	})
}

// TestNotification checks that a session with the server takes requests after a notification without a session, and
// that a notification which a server could take for a request never reaches it: it would answer the next client.
func TestNotification(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	synctest.Test(t, func(t *testing.T) {
		var opened int
		var got []string
		h := streamable.NewHandler(proxy.New(func() runtime.Transport {
			opened++
			far, near := mcptest.Pair()
			go func() {
				for {
					in, err := far.Receive(context.Background())
					if err != nil {
						return
					}
					got = append(got, in.Text)
					if in.Content().Kind == jsonrpc.Request {
						_ = far.Send(context.Background(), runtime.Outgoing{Text: []byte(`{"jsonrpc":"2.0","id":1,"result":{}}`), Kind: jsonrpc.Response})
					}
				}
			}()
			return near
		}, proxy.Options{}), streamable.Options{})
		post := func(text string, status int) {
			w := testkit.Serve(t.Context(), h, "POST", text, headers.Revision, "2026-07-28", headers.Method, "tools/call", headers.Name, "a")
			if w.Code != status {
				t.Errorf("%s: %d %s", text, w.Code, w.Body)
			}
			synctest.Wait()
		}
		notification := strings.Replace(call, `"id":1,`, "", 1)
		for range 3 {
			post(notification, 202)
			post(call, 200)
		}
		for _, text := range []string{
			strings.Replace(call, `"id"`, `"ID"`, 1),
			strings.Replace(notification, `"method"`, `"Id":1,"method"`, 1),
			strings.Replace(notification, `"method"`, `"Method":"tools/list","method"`, 1),
		} {
			post(text, 202)
		}
		if want := []string{notification, call, notification, call, notification, call}; opened != 1 || !slices.Equal(got, want) {
			t.Errorf("%d sessions with %q", opened, got)
		}
		h.Close()
	})
}

// TestParameterHeaders checks that the headers which repeat parameters of a tool are compared with them, once a list of
// tools has passed: a server over another transport than HTTP does not get them.
func TestParameterHeaders(t *testing.T) {
	h := streamable.NewHandler(proxy.New(connection(t, statelessServer(t, nil, nil), "memory"), proxy.Options{}), streamable.Options{})
	defer h.Close()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	post := func(method, params string, status int, header ...string) {
		t.Helper()
		text := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + meta + `}}`
		w := testkit.Serve(t.Context(), h, "POST", text, append(header, headers.Revision, "2026-07-28", headers.Method, method)...)
		if w.Code != status || status == 400 && !strings.Contains(w.Body.String(), fmt.Sprint(jsonrpc.CodeHeaderMismatch)) {
			t.Errorf("%s %q: %d %s", text, header, w.Code, w.Body)
		}
	}
	const north = `"name":"headed","arguments":{"region":"north"},`
	post("tools/call", north, 200, headers.Name, "headed")
	post("tools/list", "", 200)
	post("tools/call", north, 200, headers.Name, "headed", "Mcp-Param-Region", "north")
	post("tools/call", north, 400, headers.Name, "headed", "Mcp-Param-Region", "south")
	post("tools/call", north, 400, headers.Name, "headed")
	post("tools/call", `"name":"headed",`, 400, headers.Name, "headed", "Mcp-Param-Region", "north")
	post("tools/call", `"name":"headed","arguments":{"region":"north","Region":"south"},`, 400, headers.Name, "headed", "Mcp-Param-Region", "north")
	post("tools/call", `"name":"headed","arguments":{"REGION":"south"},`, 400, headers.Name, "headed")
	post("tools/call", `"name":"headed","arguments":{"region":"north","Depth":1,"depth":2},`, 200, headers.Name, "headed", "Mcp-Param-Region", "north")
	post("tools/call", `"name":"other","arguments":{"region":"north"},`, 200, headers.Name, "other")
}

// TestCloseWhileOpening checks that the end of the requests without a session waits for a session that is being opened,
// and closes it.
func TestCloseWhileOpening(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	synctest.Test(t, func(t *testing.T) {
		far, near := mcptest.Pair()
		opening, over := make(chan struct{}), make(chan error, 1)
		p := proxy.New(func() runtime.Transport { <-opening; return near }, proxy.Options{})
		in, err := p.Open(t.Context(), near, runtime.Handshake{Stateless: true}, func(err error) { over <- err })
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			run := in.Accept(runtime.Incoming{Text: call, Reply: near, Context: t.Context(), Header: headers.Header{headers.Revision: {"2026-07-28"}, headers.Method: {"ping"}}})
			if run != nil {
				run()
			}
		}()
		synctest.Wait()
		in.End(nil)
		synctest.Wait()
		if len(over) > 0 {
			t.Error("it is over while a session is being opened")
		}
		close(opening)
		if err := <-over; err != nil {
			t.Error(err)
		}
		for err == nil {
			_, err = far.Receive(t.Context())
		}
	})
}

// stuck is a transport to a server that reads nothing.
type stuck struct {
	runtime.Transport
	closed chan struct{}
}

func (s stuck) Send(ctx context.Context, _ runtime.Outgoing) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.closed:
		return runtime.ErrClosed
	}
}

func (s stuck) Close() error {
	close(s.closed)
	return s.Transport.Close()
}

// TestLeavesUnread checks that the session with a server that reads nothing ends when the client of its request has closed
// the connection.
func TestLeavesUnread(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		_, near := mcptest.Pair()
		p := proxy.New(func() runtime.Transport { return stuck{near, closed} }, proxy.Options{Logger: slog.New(slog.DiscardHandler)})
		h := streamable.NewHandler(p, streamable.Options{})
		ctx, disconnect := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			testkit.Serve(ctx, h, "POST", call, headers.Revision, "2026-07-28", headers.Method, "ping")
		})
		synctest.Wait()
		disconnect()
		time.Sleep(time.Minute)
		select {
		case <-closed:
		default:
			t.Error("the session goes on")
		}
		h.Close()
		all.Wait()
	})
}

// TestPanicWhileOpening checks that a panic of the function that returns transports fails one request alone.
func TestPanicWhileOpening(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	h := streamable.NewHandler(proxy.New(func() runtime.Transport { panic("no transport") }, proxy.Options{MaxSessions: 1}), streamable.Options{})
	for range 2 {
		func() {
			defer func() {
				if got := recover(); got != "no transport" {
					t.Errorf("panic: %v", got)
				}
			}()
			testkit.Serve(t.Context(), h, "POST", call, headers.Revision, "2026-07-28", headers.Method, "ping")
		}()
	}
	h.Close()
}
