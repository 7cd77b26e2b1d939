package proxy_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/headers"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/proxy"

	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const revision = "2025-11-25"

// backend counts the sessions and cancellations of a server.
type backend struct {
	*runtime.Server
	sessions, cancelled sync.WaitGroup
}

func newBackend() *backend {
	b := &backend{}
	binding := mcptest.Handlers{
		"notifications/initialized": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			context.AfterFunc(runtime.CallOf(ctx).Session().Context(), b.sessions.Done)
			return nil, nil
		},
		"echo": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			return params, nil
		},
		"progress": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			for i := range 3 {
				if err := runtime.CallOf(ctx).Progress(ctx, float64(i+1), nil, "step"); err != nil {
					return nil, err
				}
			}
			return wire.Raw("{}"), nil
		},
		"ask": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			var answer wire.Raw
			err := runtime.CallOf(ctx).Call(ctx, "client/echo", params, &answer)
			return answer, err
		},
		"wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			if err := runtime.CallOf(ctx).Progress(ctx, 1, nil, ""); err != nil {
				return nil, err
			}
			<-ctx.Done()
			b.cancelled.Done()
			return nil, ctx.Err()
		},
	}.Bind(revision, runtime.ToServer)
	b.Server = runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, binding)
	return b
}

// TestHTTP uses a server through a proxy whose clients come over HTTP, in several sessions at
// a time: requests and progress in both directions, cancellation, and the end.
func TestHTTP(t *testing.T) {
	for _, way := range []string{"memory", "http"} {
		for _, front := range []string{"streamable", "sse"} {
			t.Run(front+" to "+way, func(t *testing.T) {
				b := newBackend()
				p := proxy.New(b.dial(t, way), proxy.Options{})
				connect := serve(t, p, front)
				const clients = 4
				b.sessions.Add(clients)
				b.cancelled.Add(clients)
				var all sync.WaitGroup
				for i := range clients {
					all.Go(func() { use(t, connect, i) })
				}
				all.Wait()
				b.cancelled.Wait()
				b.sessions.Wait()
			})
		}
	}
}

// dial returns the function that connects the proxy with the server.
func (b *backend) dial(t *testing.T, way string) func() runtime.Transport {
	if way == "memory" {
		return func() runtime.Transport {
			near, far := inproc.Pair()
			go b.Serve(context.Background(), far)
			return near
		}
	}
	h := streamable.NewHandler(b, streamable.Options{})
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return func() runtime.Transport {
		transport, err := streamable.NewTransport(server.URL, streamable.ClientOptions{})
		if err != nil {
			t.Error(err)
		}
		return transport
	}
}

// serve serves the proxy over HTTP. It returns the function that connects a client.
func serve(t *testing.T, p *proxy.Proxy, front string) func() (runtime.Transport, error) {
	if front == "sse" {
		//lint:ignore SA1019 It is for peers that have nothing newer.
		server := httptest.NewServer(streamable.NewSSEHandler(p, streamable.Options{}))
		t.Cleanup(server.Close)
		return func() (runtime.Transport, error) {
			return streamable.DialSSE(t.Context(), server.URL, streamable.ClientOptions{})
		}
	}
	server := httptest.NewServer(streamable.NewHandler(p, streamable.Options{}))
	t.Cleanup(server.Close)
	return func() (runtime.Transport, error) {
		return streamable.NewTransport(server.URL, streamable.ClientOptions{})
	}
}

func use(t *testing.T, connect func() (runtime.Transport, error), i int) {
	ctx := testkit.Context(t)
	transport, err := connect()
	if err != nil {
		t.Error(err)
		return
	}
	binding := mcptest.Handlers{
		"client/echo": func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			return params, nil
		},
	}.Bind(revision, runtime.ToClient)
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, binding).Connect(ctx, transport)
	if err != nil {
		t.Error(err)
		return
	}
	defer func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}()
	want := wire.Raw(fmt.Sprintf(`{"z":%d.50,"a":[1e2,{}],"b":""}`, i))
	for _, method := range []string{"echo", "ask"} {
		for range 3 {
			var got wire.Raw
			if err := session.Call(ctx, method, want, &got); err != nil || got != want {
				t.Errorf("%s: got %s, %v, want %s", method, got, err, want)
			}
		}
	}
	steps := 0
	followed := runtime.WithProgress(ctx, func(runtime.Progress) { steps++ })
	if err := session.Call(followed, "progress", nil, nil); err != nil || steps != 3 {
		t.Errorf("progress: %d steps, %v", steps, err)
	}
	short, cancel := context.WithCancel(ctx)
	begun := func(runtime.Progress) { cancel() }
	if err := session.Call(runtime.WithProgress(short, begun), "wait", nil, nil); err == nil {
		t.Error("a cancelled call was answered")
	}
}

// TestDuplicate sends a request with the id of one in flight. If it has a response of its own, it is refused there at
// once; otherwise the server decides. The first request is answered in both cases, and no further answer is waited for.
func TestDuplicate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, near := mcptest.Pair()
		h := streamable.NewHandler(proxy.New(func() runtime.Transport { return near }, proxy.Options{}), streamable.Options{})
		var all sync.WaitGroup
		begin := func(text string, header ...string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			all.Go(func() { testkit.ServeTo(t.Context(), w, h, "POST", text, header...) })
			synctest.Wait()
			return w
		}
		opened := begin(mcptest.Initialize("2025-03-26"))
		receive(t, far)
		send(t, far, `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
		all.Wait()
		session := []string{headers.Session, opened.Header().Get(headers.Session)}
		first := begin(`{"jsonrpc":"2.0","id":7,"method":"wait"}`, session...)
		receive(t, far)
		const problem = `"error":{"code":-32600,"message":"invalid request: id 7 is that of a request in flight"}}`
		for text, want := range map[string]string{
			`{"jsonrpc":"2.0","id":7,"method":"again"}`:                                           `{"jsonrpc":"2.0","id":7,` + problem,
			`[{"jsonrpc":"2.0","id":7,"method":"again"}]`:                                         `[{"jsonrpc":"2.0",` + problem + `]`,
			`[{"jsonrpc":"2.0","id":8,"method":"new"},{"jsonrpc":"2.0","id":7,"method":"again"}]`: `[{"jsonrpc":"2.0","id":8,` + problem + `,{"jsonrpc":"2.0",` + problem + `]`,
		} {
			if got := begin(text, session...).Body.String(); got != want {
				t.Errorf("%s: %s, want %s", text, got, want)
			}
		}
		send(t, far, `{"jsonrpc":"2.0","id":7,"result":{"first":true}}`)
		all.Wait()
		if !strings.Contains(first.Body.String(), `"first":true`) {
			t.Errorf("the first request: %s", first.Body)
		}
		h.Close()

		client, server, served := forward(t.Context(), proxy.Options{Grace: time.Hour})
		start := time.Now()
		for _, text := range []string{`{"jsonrpc":"2.0","id":7,"method":"wait"}`, `{"jsonrpc":"2.0","id":7.0,"method":"again"}`} {
			send(t, client, text)
			expect(t, server, text)
		}
		client.CloseSend()
		for _, text := range []string{`{"jsonrpc":"2.0","error":{"code":-32600,"message":"in flight"}}`, `{"jsonrpc":"2.0","id":7,"result":{}}`} {
			send(t, server, text)
			expect(t, client, text)
		}
		if err := <-served; err != nil || time.Since(start) > time.Minute {
			t.Errorf("ended after %v: %v", time.Since(start), err)
		}
	})
}

// TestBatch sends a batch to a server over HTTP, which answers its requests in different ways and loses the rest. Every
// request is answered once, with an error if its answer is lost.
func TestBatch(t *testing.T) {
	one, two := `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"2","result":{}}`
	event := func(text string) string { return "data: " + text + "\n\n" }
	for _, test := range []struct {
		name, media, body string
		status            int
		lost              string // the ids of requests without an answer
	}{
		{"one by one", eventstream.MediaType, event(two) + event(one), 200, ""},
		{"at once", eventstream.MediaType, event("[" + one + "," + two + "]"), 200, ""},
		{"as JSON", "application/json", "[" + two + "," + one + "]", 200, ""},
		{"an end without an answer", eventstream.MediaType, event(`{"jsonrpc":"2.0","method":"notifications/x"}`), 200, `"2" 1`},
		{"an end after the first answer", eventstream.MediaType, event(one), 200, `"2"`},
		{"an end after the second answer", eventstream.MediaType, event(two), 200, `1`},
		{"some as JSON", "application/json", "[" + two + "]", 200, `1`},
		{"no JSON", "text/html", "<p>", 200, `"2" 1`},
		{"refused", "text/plain", "no", 500, `"2" 1`},
		{"refused with an answer", "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`, 400, `"2" 1`},
		{"a long answer", eventstream.MediaType, event(two) + event(strings.Replace(one, "{}", `{"a":"`+strings.Repeat("a", 1000)+`"}`, 1)), 200, `1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.media)
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}))
			defer server.Close()
			client, front := mcptest.Pair()
			p := proxy.New(func() runtime.Transport {
				transport, err := streamable.NewTransport(server.URL, streamable.ClientOptions{})
				if err != nil {
					t.Error(err)
				}
				return transport
			}, proxy.Options{MaxMessage: 1000, Logger: slog.New(slog.DiscardHandler)})
			served := make(chan error, 1)
			go func() { served <- p.Serve(t.Context(), front) }()
			send(t, client, `[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":"2","method":"b"}]`)
			answers, lost := 0, []string{}
			for answers < 2 {
				content := jsonrpc.ParseText(receive(t, client))
				for _, m := range append(content.Batch, content) {
					if m.Kind != jsonrpc.Response {
						continue
					}
					if answers++; m.Error != nil {
						lost = append(lost, m.ID.String())
					}
				}
			}
			if got := strings.Join(slices.Sorted(slices.Values(lost)), " "); got != test.lost {
				t.Errorf("lost the answers of %s, want %s", got, test.lost)
			}
			client.Close()
			if err := <-served; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBatchOverHTTP checks that the response to a batch of a client over HTTP has the answers to all its requests,
// however they come from the server.
func TestBatchOverHTTP(t *testing.T) {
	one, two := `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`
	long := func(id int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"a":"%s"}}`, id, strings.Repeat("a", 600))
	}
	tooLong := `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"proxy: the answers to the batch are longer than 1000 bytes"}}`
	for _, test := range []struct {
		name    string
		answers []string
		cancels string // the id of a request that the client cancels after the answers
		want    string
	}{
		{"one by one", []string{two, one}, "", "[" + two + "," + one + "]"},
		{"at once", []string{"[" + one + ", " + two + "]"}, "", "[" + one + ", " + two + "]"},
		{"one by one in arrays", []string{"[" + one + "]", " [ " + two + " ]"}, "", "[" + one + ", " + two + " ]"},
		{"one is cancelled", []string{two}, "1", two},
		{"too long together", []string{long(1), long(2)}, "", "[" + long(1) + "," + tooLong + "]"},
		{"an error and a cancellation", []string{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`}, "2", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			server, back := mcptest.Pair()
			handler := streamable.NewHandler(proxy.New(func() runtime.Transport { return back }, proxy.Options{MaxMessage: 1000}), streamable.Options{})
			front := httptest.NewServer(handler)
			defer front.Close()
			defer handler.Close()
			session := ""
			post := func(text string) string {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL, strings.NewReader(text))
				if err != nil {
					t.Error(err)
					return ""
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				if session != "" {
					r.Header.Set("Mcp-Session-Id", session)
				}
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Error(err)
					return ""
				}
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Error(err)
				}
				if session == "" {
					session = resp.Header.Get("Mcp-Session-Id")
				}
				return string(body)
			}
			opened := make(chan string)
			go func() {
				opened <- post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
			}()
			receive(t, server)
			send(t, server, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
			<-opened
			got := make(chan string)
			go func() {
				got <- post(`[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":null,"method":"n"},{"jsonrpc":"2.0","id":2,"method":"b"}]`)
			}()
			receive(t, server)
			for _, text := range test.answers {
				send(t, server, text)
			}
			if test.cancels != "" {
				post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + test.cancels + `}}`)
			}
			if got := <-got; got != test.want {
				t.Errorf("got %s\nwant %s", got, test.want)
			}
		})
	}
}
