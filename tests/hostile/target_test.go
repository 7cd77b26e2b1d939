package hostile

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp"
	mcpgen "github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// r07 is the newest revision, which has no sessions.
const r07 = "2026-07-28"

// target is a server in this process, whose handlers of HTTP the tests call without a network, so that they decide
// when a client reads.
type target struct {
	*mcpgen.Server
	begun   chan struct{} // gets a value for each call of the tool wait
	release chan struct{} // closed to end the calls of the tool wait
}

func newTarget(t *testing.T) *target {
	t.Helper()
	x := &target{begun: make(chan struct{}, 1000), release: make(chan struct{})}
	server, err := mcp.NewServer(mcp.ServerOptions{Name: "target", Version: "1"},
		catalog.Tool{Definition: wire.Object(`{"name":"greet","inputSchema":{"type":"object"}}`), Call: greet},
		catalog.Tool{Definition: wire.Object(`{"name":"large","inputSchema":{"type":"object","properties":{"size":{"type":"integer"}}}}`), Call: large},
		catalog.Tool{Definition: wire.Object(`{"name":"large_later","inputSchema":{"type":"object","properties":{"size":{"type":"integer"}}}}`), Call: largeLater},
		catalog.Tool{Definition: wire.Object(`{"name":"wait","inputSchema":{"type":"object"}}`), Call: x.wait},
		catalog.Tool{Definition: wire.Object(`{"name":"steps","inputSchema":{"type":"object"}}`), Call: steps},
		catalog.Tool{Definition: wire.Object(`{"name":"yield","inputSchema":{"type":"object"}}`), Call: yield},
		catalog.Resource{Definition: wire.Object(`{"name":"a","uri":"test://a"}`), Read: func(context.Context, string) (wire.Appender, error) {
			return &mcp.ReadResourceResult{}, nil
		}},
	)
	if err != nil {
		t.Fatal(err)
	}
	x.Server = server
	return x
}

// serve returns a handler of Streamable HTTP for the server.
func (x *target) serve(t *testing.T, o streamable.Options) *streamable.Handler {
	h := streamable.NewHandler(x.Server, o)
	t.Cleanup(h.Close)
	return h
}

func (x *target) wait(ctx context.Context, _ wire.Object) (wire.Appender, error) {
	x.begun <- struct{}{}
	select {
	case <-x.release:
		return text("released"), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// steps reports progress twice.
func steps(ctx context.Context, _ wire.Object) (wire.Appender, error) {
	for i := range 2 {
		if err := mcpgen.CallOf(ctx).Progress(ctx, float64(i+1), nil, ""); err != nil {
			return nil, err
		}
	}
	return text("done"), nil
}

// largeLater reports progress and then returns a text of a size.
func largeLater(ctx context.Context, arguments wire.Object) (wire.Appender, error) {
	if err := mcpgen.CallOf(ctx).Progress(ctx, 1, nil, ""); err != nil {
		return nil, err
	}
	return large(ctx, arguments)
}

// yield lets other goroutines run.
func yield(context.Context, wire.Object) (wire.Appender, error) {
	for range 20 {
		runtime.Gosched()
	}
	return text("done"), nil
}

// pad returns n bytes that no one keeps.
func pad(n int) io.Reader { return io.LimitReader(xs{}, int64(n)) }

type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// body is a text in which each # is n bytes. The tests do not keep it.
func body(text string, n int) (r io.Reader, length int) {
	var parts []io.Reader
	for i, part := range strings.Split(text, "#") {
		if i > 0 {
			parts = append(parts, pad(n))
			length += n
		}
		parts = append(parts, strings.NewReader(part))
		length += len(part)
	}
	return io.MultiReader(parts...), length
}

// terms are the members of _meta that each request without a session has.
const terms = `"io.modelcontextprotocol/protocolVersion":"` + r07 + `","io.modelcontextprotocol/clientCapabilities":{}`

// alone returns a request without a session. Params are further members of its params.
func alone(method, params string) string {
	return request(method, `{"_meta":{`+terms+`}`+params+`}`)
}

// post returns an HTTP request with a message in which each # is n bytes. The headers are those of a request without
// a session, unless session is not "".
func post(ctx context.Context, message string, n int, method, name, session string) *http.Request {
	text, length := body(message, n)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", text)
	r.ContentLength = int64(length)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		return r
	}
	r.Header.Set("Mcp-Protocol-Version", r07)
	r.Header.Set("Mcp-Method", method)
	if name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	return r
}

// answer serves an HTTP request and returns the response.
func answer(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// open opens a session of revision 2025-11-25 and returns its id.
func open(t *testing.T, h http.Handler) string {
	t.Helper()
	w := initialize(t, h, `{"protocolVersion":"`+r11+`","capabilities":{},"clientInfo":{"name":"hostile","version":"1"}}`, 0)
	id := w.Header().Get("Mcp-Session-Id")
	if w.Code != http.StatusOK || id == "" {
		t.Fatalf("initialize: %d %s", w.Code, w.Body)
	}
	if w := answer(h, post(t.Context(), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 0, "", "", id)); w.Code != http.StatusAccepted {
		t.Fatalf("initialized: %d %s", w.Code, w.Body)
	}
	return id
}

func initialize(t *testing.T, h http.Handler, params string, n int) *httptest.ResponseRecorder {
	r := post(t.Context(), request("initialize", params), n, "", "", "")
	for name := range r.Header {
		if strings.HasPrefix(name, "Mcp-") {
			r.Header.Del(name)
		}
	}
	return answer(h, r)
}

// gated is a response whose client reads when the test lets it.
type gated struct {
	*httptest.ResponseRecorder
	write func(p []byte) error // called before each Write
}

// Write implements http.ResponseWriter.
func (g *gated) Write(p []byte) (int, error) {
	if err := g.write(p); err != nil {
		return 0, err
	}
	return g.ResponseRecorder.Write(p)
}

// unread returns a response that takes no more than its header until read is closed, and a channel that gets a value
// when something is to be written.
func unread(read <-chan struct{}) (w *gated, blocked <-chan struct{}) {
	at := make(chan struct{}, 1000)
	return &gated{httptest.NewRecorder(), func([]byte) error {
		at <- struct{}{}
		<-read
		return nil
	}}, at
}

var errGone = errors.New("the client is gone")
