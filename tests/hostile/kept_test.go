package hostile

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/bridge"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/proxy"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// large is the length of what should not be kept, and mostKept that of what may be kept instead, in bytes.
const (
	megabyte = 1 << 20
	mostKept = 200 << 10
)

// left returns how many bytes of objects in use there are more than before, for each of n. It waits for what ends
// in the background, such as a session that was refused, as long as it takes to collect garbage 100 times.
func left(before, n int) (bytes int) {
	for range 100 {
		if bytes = (testkit.Live() - before) / n; bytes <= mostKept {
			break
		}
	}
	return bytes
}

// TestKeptOfSessions checks that a session keeps little of the message that has opened it: what a client says about
// itself is bounded, and nothing else is kept.
func TestKeptOfSessions(t *testing.T) {
	for _, c := range []struct {
		name, params string // each # is a megabyte
		refused      string // a part of the error
	}{
		{"a title", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1","title":"#"}}`, "at most 16384"},
		{"icons", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1","icons":[{"src":"data:image/png;base64,#"}]}}`, "at most 16384"},
		{"an unknown member", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1","x":{"y":["#"]}}}`, "at most 16384"},
		{"a name", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"#","version":"1"}}`, "at most 16384"},
		{"a capability", `{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":{"y":"#"}}},"clientInfo":{"name":"c","version":"1"}}`, "at most 16384"},
		{"the oldest revision", `{"protocolVersion":"2024-11-05","capabilities":{"experimental":{"x":{"y":"#"}}},"clientInfo":{"name":"c","version":"1"}}`, "at most 16384"},
		{"_meta", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"},"_meta":{"x":"#"}}`, ""},
		{"params", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"},"x":"#"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newTarget(t).serve(t, streamable.Options{})
			initialize(t, h, c.params, 0) // what is made once
			const sessions = 20
			before := testkit.Live()
			for range sessions {
				w := initialize(t, h, c.params, megabyte)
				if refused := strings.Contains(w.Body.String(), `"code":-32602`) && strings.Contains(w.Body.String(), c.refused); refused != (c.refused != "") {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
			}
			if kept := left(before, sessions); kept > mostKept {
				t.Errorf("a session keeps %d bytes", kept)
			}
			goruntime.KeepAlive(h)
		})
	}
}

// TestOrdinaryPeers checks that clients with some icons and extensions are served in both eras.
func TestOrdinaryPeers(t *testing.T) {
	h := newTarget(t).serve(t, streamable.Options{})
	const info = `{"name":"c","version":"1","icons":[{"src":"data:image/png;base64,#"}]}`
	if w := initialize(t, h, `{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":{}}},"clientInfo":`+info+`}`, 10<<10); w.Code != 200 || w.Header().Get("Mcp-Session-Id") == "" {
		t.Errorf("with a session: %d %.300s", w.Code, w.Body)
	}
	w := answer(h, post(t.Context(), request("tools/call", `{"_meta":{`+terms+`,"io.modelcontextprotocol/clientInfo":`+info+`},"name":"greet"}`), 10<<10, "tools/call", "greet", ""))
	if w.Code != 200 || !strings.Contains(w.Body.String(), "hello") {
		t.Errorf("without a session: %d %.300s", w.Code, w.Body)
	}
}

// TestKeptOfCalls checks what a server keeps of calls without a session, after they are answered.
func TestKeptOfCalls(t *testing.T) {
	for name, params := range map[string]string{
		"clientInfo":   `{"_meta":{` + terms + `,"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","title":"#"}},"name":"greet"}`,
		"capabilities": `{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + r07 + `","io.modelcontextprotocol/clientCapabilities":{"x":"#"}},"name":"greet"}`,
		"log level":    `{"_meta":{` + terms + `,"io.modelcontextprotocol/logLevel":"#"},"name":"greet"}`,
		"_meta":        `{"_meta":{` + terms + `,"x":"#"},"name":"greet"}`,
		"arguments":    `{"_meta":{` + terms + `},"name":"greet","arguments":{"x":"#"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newTarget(t).serve(t, streamable.Options{})
			const calls = 20
			send := func(n int) {
				answer(h, post(t.Context(), request("tools/call", params), n, "tools/call", "greet", ""))
			}
			send(0)
			before := testkit.Live()
			for i := range calls {
				send(megabyte + i)
			}
			if kept := left(before, calls); kept > mostKept {
				t.Errorf("a call leaves %d bytes", kept)
			}
			goruntime.KeepAlive(h)
		})
	}
}

// listen starts to listen for notifications. It returns when the server has acknowledged or refused that, with what
// the server has sent until then. The stream ends with ctx.
func listen(ctx context.Context, h http.Handler, message string, n int, all *sync.WaitGroup) string {
	sent := make(chan string, 100)
	w := &gated{httptest.NewRecorder(), func(p []byte) error {
		sent <- string(p)
		return nil
	}}
	all.Go(func() {
		h.ServeHTTP(w, post(ctx, message, n, "subscriptions/listen", "", ""))
		close(sent)
	})
	return <-sent
}

// TestKeptOfListeners checks that a client that listens for notifications does not keep its whole message in the
// server's memory, and that a filter is bounded.
func TestKeptOfListeners(t *testing.T) {
	const listens, filter = "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["test://a"]}`
	for _, c := range []struct {
		name, message string // each # is a megabyte
		want          string // a part of the answer
	}{
		{"_meta", request(listens, `{"_meta":{`+terms+`,"x":"#"}`+filter+`}`), `"test://a"`},
		{"clientInfo", request(listens, `{"_meta":{`+terms+`,"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","title":"#"}}`+filter+`}`), "at most 16384"},
		{"params", alone(listens, filter+`,"x":"#"`), `"test://a"`},
		{"the envelope", `{"x":"#",` + alone(listens, filter)[1:], `"test://a"`},
		{"an unknown filter", alone(listens, `,"notifications":{"resourceSubscriptions":["test://a"],"x":"#"}`), "at most 65536"},
		{"a URI", alone(listens, `,"notifications":{"resourceSubscriptions":["test://a","test://#"]}`), "at most 65536"},
		{"a URI many times", alone(listens, `,"notifications":{"resourceSubscriptions":["test://a"`+strings.Repeat(`,"test://a"`, 10_000)+`]}`), "at most 65536"},
		{"400,000 unknown URIs", alone(listens, `,"notifications":{"resourceSubscriptions":["test://a"`+strings.Repeat(`,"x:"`, 400_000)+`]}`), "at most 65536"},
		{"some URIs many times", alone(listens, `,"notifications":{"resourceSubscriptions":["test://a"`+strings.Repeat(`,"test://a"`, 1_000)+`]}`), `"resourceSubscriptions":["test://a"]}`},
		{"an id", requestAs(`"#"`, listens, `{"_meta":{`+terms+`}`+filter+`}`), "id is longer than 1024 bytes"},
		{"a number as id", requestAs(`1.`+strings.Repeat("0", megabyte), listens, `{"_meta":{`+terms+`}`+filter+`}`), "id is longer than 1024 bytes"},
		{"a progress token", request(listens, `{"_meta":{`+terms+`,"progressToken":"#"}`+filter+`}`), "progressToken: longer than 1024 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newTarget(t).serve(t, streamable.Options{})
			ctx, cancel := context.WithCancel(t.Context())
			var all sync.WaitGroup
			defer all.Wait()
			defer cancel()
			listen(ctx, h, alone(listens, filter), 0, &all)
			const listeners = 20
			before := testkit.Live()
			for range listeners {
				if got := listen(ctx, h, c.message, megabyte, &all); !strings.Contains(got, c.want) {
					t.Fatalf("%.300s; want %s", got, c.want)
				}
			}
			if kept := left(before, listeners); kept > mostKept {
				t.Errorf("a listener keeps %d bytes", kept)
			}
			goruntime.KeepAlive(h)
		})
	}
}

// TestKeptOfRelayedListeners is TestKeptOfListeners for a proxy and a bridge, with a server in process and over HTTP.
func TestKeptOfRelayedListeners(t *testing.T) {
	const listens, filter = "subscriptions/listen", `,"notifications":{"resourceSubscriptions":["test://a"]}`
	x := newTarget(t)
	inProcess := func() runtime.Transport {
		near, far := inproc.Pair()
		go x.Serve(context.Background(), far)
		return near
	}
	ts := httptest.NewServer(x.serve(t, streamable.Options{}))
	t.Cleanup(ts.Close)
	overHTTP := func() runtime.Transport {
		transport, err := streamable.NewTransport(ts.URL, streamable.ClientOptions{})
		if err != nil {
			t.Error(err)
		}
		return transport
	}
	for kind, server := range map[string]runtime.SessionServer{
		"a proxy":            proxy.New(inProcess, proxy.Options{}),
		"a proxy over HTTP":  proxy.New(overHTTP, proxy.Options{}),
		"a bridge":           bridge.New(inProcess, compat.Table(), bridge.Options{}),
		"a bridge over HTTP": bridge.New(overHTTP, compat.Table(), bridge.Options{}),
	} {
		for name, message := range map[string]string{ // each # is a megabyte, and each % a number
			"_meta":            requestAs("%", listens, `{"_meta":{`+terms+`,"x":"#"}`+filter+`}`),
			"params":           requestAs("%", listens, `{"_meta":{`+terms+`}`+filter+`,"x":"#"}`),
			"a text as id":     requestAs(`"id %"`, listens, `{"_meta":{`+terms+`,"x":"#"}`+filter+`}`),
			"a progress token": requestAs("%", listens, `{"_meta":{`+terms+`,"progressToken":"token %","x":"#"}`+filter+`}`),
		} {
			t.Run(kind+", "+name, func(t *testing.T) {
				h := streamable.NewHandler(server, streamable.Options{})
				defer h.Close()
				ctx, cancel := context.WithCancel(t.Context())
				var all sync.WaitGroup
				defer all.Wait()
				defer cancel()
				listen(ctx, h, alone(listens, filter), 0, &all)
				const listeners = 20
				before := testkit.Live()
				for i := range listeners {
					if got := listen(ctx, h, strings.ReplaceAll(message, "%", strconv.Itoa(i+2)), megabyte, &all); !strings.Contains(got, `"test://a"`) {
						t.Fatalf("%.300s", got)
					}
				}
				if kept := left(before, listeners); kept > mostKept {
					t.Errorf("a listener keeps %d bytes", kept)
				}
				goruntime.KeepAlive(h)
			})
		}
	}
}

// TestKeptOfListenersOverStdio is TestKeptOfListeners over stdio.
func TestKeptOfListenersOverStdio(t *testing.T) {
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- newTarget(t).Serve(t.Context(), &stdio.Transport{In: in, Out: out}) }()
	answers := bufio.NewReader(receive)
	listen := func(id, n int) {
		message, _ := body(requestAs(strconv.Itoa(id), "subscriptions/listen", `{"_meta":{`+terms+`,"x":"#"},"notifications":{"toolsListChanged":true}}`)+"\n", n)
		go io.Copy(send, message)
		if line, err := answers.ReadString('\n'); !strings.Contains(line, `"toolsListChanged":true`) {
			t.Fatalf("%.300s, %v", line, err)
		}
	}
	listen(0, megabyte)
	const listeners = 20
	before := testkit.Live()
	for i := range listeners {
		listen(i+1, megabyte)
	}
	if kept := left(before, listeners); kept > mostKept {
		t.Errorf("a listener keeps %d bytes", kept)
	}
	send.Close()
	go io.Copy(io.Discard, receive)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
