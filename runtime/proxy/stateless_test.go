package proxy_test

import (
	"context"
	"errors"
	"fmt"
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
	if err := s.Call(ctx, "vendor/echo", wire.Raw(`{"z":1.50,"a":[1e2,{}],"b":""}`), &got); err != nil || !strings.HasPrefix(string(got), `{"got":{"z":1.50,"a":[1e2,{}],"b":"","_meta":`) {
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
			go server.Serve(context.Background(), far)
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
		} {
			w := testkit.Serve(t.Context(), h, "POST", text, headers.Revision, "2026-07-28", headers.Method, "tools/call", headers.Name, "a")
			if w.Code != 400 || !strings.Contains(w.Body.String(), `"error"`) {
				t.Errorf("%s: %d %s", text, w.Code, w.Body)
			}
		}
		h.Close()
	})
}

// TestAnsweredNotification checks that the next client does not get the answer of a server that takes a notification
// for a request, as one does that ignores the case of names.
func TestAnsweredNotification(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	synctest.Test(t, func(t *testing.T) {
		var servers sync.WaitGroup
		h := streamable.NewHandler(proxy.New(func() runtime.Transport {
			near, far := inproc.Pair()
			servers.Go(func() {
				answer := `{"jsonrpc":"2.0","id":1,"result":{"for":"a request"}}`
				for {
					in, err := far.Receive(context.Background(), 1<<20)
					if err != nil {
						return
					}
					if in.Content().Kind == jsonrpc.Notification {
						answer = `{"jsonrpc":"2.0","id":1,"result":{"for":"a notification"}}`
						time.Sleep(time.Second)
					}
					if err := far.Send(context.Background(), runtime.Outgoing{Text: []byte(answer), Kind: jsonrpc.Response}); err != nil {
						return
					}
				}
			})
			return near
		}, proxy.Options{}), streamable.Options{})
		post := func(text string) *httptest.ResponseRecorder {
			return testkit.Serve(t.Context(), h, "POST", text, headers.Revision, "2026-07-28", headers.Method, "tools/call", headers.Name, "a")
		}
		if w := post(strings.Replace(call, `"id"`, `"ID"`, 1)); w.Code != 202 {
			t.Errorf("the notification: %d %s", w.Code, w.Body)
		}
		if w := post(call); !strings.Contains(w.Body.String(), "a request") {
			t.Errorf("the request: %d %s", w.Code, w.Body)
		}
		h.Close()
		servers.Wait()
	})
}

// TestCloseWhileOpening checks that the end of the requests without a session waits for a session that is being opened,
// and closes it.
func TestCloseWhileOpening(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	synctest.Test(t, func(t *testing.T) {
		near, far := inproc.Pair()
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
			_, err = far.Receive(t.Context(), 1<<20)
		}
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
