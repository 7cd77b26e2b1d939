package streamable

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The revisions that tests speak.
const (
	r03 = "2025-03-26"
	r06 = "2025-06-18"
	r11 = "2025-11-25"
	r07 = "2026-07-28" // without sessions
)

// alone returns a request of a revision without sessions. Params are members of its params, or "".
func alone(id any, method, params string) string {
	return mcptest.Call(id, method, "{"+strings.TrimPrefix(params+","+terms(r07), ",")+"}")
}

// terms returns the member of params by which a request carries its terms.
func terms(revision string) string {
	return fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`, revision)
}

// standard returns the headers of a request of a revision without sessions, as name, value, name, value.
func standard(method string, more ...string) []string {
	return append([]string{"Mcp-Protocol-Version", r07, "Mcp-Method", method}, more...)
}

// base has the methods of most tests' servers.
var base = mcptest.Server.With(mcptest.Handlers{
	"boom": func(context.Context, *runtime.Message) (wire.Appender, error) { panic("boom") },
	"sleep": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		time.Sleep(50 * time.Millisecond)
		return params, nil
	},
	// linger takes longer than servers with a short timeout wait for a body.
	"linger": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		params := wire.Raw(message.Object())
		time.Sleep(1200 * time.Millisecond)
		return params, nil
	},
})

var discard = slog.New(slog.DiscardHandler)

// rig is a server under test.
type rig struct {
	t       testing.TB
	handler *Handler
	*httptest.Server
}

func newRuntimeServer(t testing.TB, h mcptest.Handlers, opts runtime.ServerOptions, revisions ...string) *runtime.Server {
	opts.Name, opts.Version = "probe", "1"
	if testing.Verbose() && opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	var bindings []runtime.Binding
	for _, r := range revisions {
		bindings = append(bindings, h.Bind(r, runtime.ToServer))
	}
	return runtime.NewServer(opts, bindings...)
}

func newRig(t testing.TB, h mcptest.Handlers, opts Options) *rig {
	return newRigOf(t, newRuntimeServer(t, h, runtime.ServerOptions{Grace: time.Second}, r11, r06, r03), opts)
}

func newRigOf(t testing.TB, server *runtime.Server, opts Options) *rig {
	handler := NewHandler(server, opts)
	return newRigOn(t, handler, httptest.NewServer(handler))
}

// newMemoryRig returns a server for a bubble of testing/synctest.
func newMemoryRig(t testing.TB, server *runtime.Server, opts Options) *rig {
	handler := NewHandler(server, opts)
	return newRigOn(t, handler, testkit.NewServer(handler))
}

func newRigOn(t testing.TB, handler *Handler, server *httptest.Server) *rig {
	r := &rig{t: t, handler: handler, Server: server}
	t.Cleanup(func() {
		handler.Close()
		r.Server.Close()
		if n := handler.sessions.count.len(); n != 0 {
			t.Errorf("%d sessions are left", n)
		}
		if n, _, _ := handler.gate.counted(); n != 0 {
			t.Errorf("%d requests are in progress", n)
		}
	})
	return r
}

// counted returns how many POSTs that name no session and how many requests in flight are counted, and how many callers
// are remembered because of their rate.
func (g *gate) counted() (posts, inFlight, callers int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.posts.len(), g.inFlight.len(), len(g.callers)
}

// request sends an HTTP request; header is name, value, name, value.
func (r *rig) request(ctx context.Context, method, body string, header ...string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, r.URL, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	if method == http.MethodGet {
		req.Header.Set("Accept", "text/event-stream")
	}
	for i := 0; i < len(header); i += 2 {
		switch {
		case header[i] == "Host":
			req.Host = header[i+1]
		case header[i+1] == "":
			req.Header.Del(header[i])
			req.Header[http.CanonicalHeaderKey(header[i])] = nil
		default:
			req.Header.Set(header[i], header[i+1])
		}
	}
	client := r.Client()
	if client == nil { // the rig has not started its server
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp
}

// do sends a request and reads the whole response.
func (r *rig) do(method, body string, header ...string) (*http.Response, string) {
	r.t.Helper()
	resp := r.request(r.t.Context(), method, body, header...)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp, string(text)
}

// open does the handshake and returns the session's id.
func (r *rig) open(revision string) string {
	r.t.Helper()
	resp, text := r.do("POST", mcptest.Initialize(revision))
	id := resp.Header.Get("Mcp-Session-Id")
	if resp.StatusCode != 200 || id == "" || !strings.Contains(text, `"protocolVersion":"`+revision+`"`) {
		r.t.Fatalf("initialize: %s, id %q: %s", resp.Status, id, text)
	}
	if resp, text := r.do("POST", mcptest.Initialized, "Mcp-Session-Id", id, "MCP-Protocol-Version", revision); resp.StatusCode != 202 || text != "" {
		r.t.Fatalf("initialized: %s: %s", resp.Status, text)
	}
	return id
}

// codeOf returns the JSON-RPC error code of a body, or 0 if it is not an error.
func codeOf(t testing.TB, body string) int64 {
	t.Helper()
	m, err := jsonrpc.Parse(body)
	if err != nil {
		t.Errorf("not a message: %q: %v", body, err)
		return 0
	}
	if m.Error == nil {
		return 0
	}
	return m.Error.Code
}

// sessionOf returns the server's session with an id.
func (r *rig) sessionOf(id string) *Session {
	r.t.Helper()
	s := r.handler.sessions.find(id)
	if s == nil {
		r.t.Fatal("no session ", id)
	}
	return s
}
