package streamable

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// BenchmarkPost is a call through the handler without a network: "none" uses a handler that does
// nothing, "echo" is answered with JSON, "note" with an event stream after two notifications. The stateless ones
// belong to no session. They take 12, 29, 17 and 22 allocations. Three are the context of the message's handler and
// the function that calls it. In an event stream of a session, a message takes three more, because it is stored. A
// request without a session takes five more: for the end of its connection, and for its address, which is counted.
func BenchmarkPost(b *testing.B) {
	answer := wire.Raw(`{"a":1}`) // without the _meta of the params, which few results have
	handlers := base.With(mcptest.Handlers{
		"echo": func(context.Context, *runtime.Message) (wire.Appender, error) { return answer, nil },
		"note": func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
			_, err := base["note"](ctx, m)
			return answer, err
		},
	})
	h := NewHandler(newRuntimeServer(b, handlers, runtime.ServerOptions{Logger: discard}, r07, r11), Options{})
	defer h.Close()
	none := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") })
	id := testkit.Serve(b.Context(), h, "POST", mcptest.Initialize(r11)).Header().Get(headerSession)
	session := []string{headerSession, id, headerRevision, r11}
	for _, c := range []struct {
		name, text string
		handler    http.Handler
		header     []string
	}{
		{"none", mcptest.Call(1, "echo", `{"a":1}`), none, session},
		{"echo", mcptest.Call(1, "echo", `{"a":1}`), h, session},
		{"note", mcptest.Call(1, "note", `{"a":1}`), h, session},
		{"stateless echo", alone(1, "echo", `"a":1`), h, standard("echo")},
		{"stateless note", alone(1, "note", `"a":1`), h, standard("note")},
	} {
		b.Run(c.name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context()) // as that of net/http
			defer cancel()
			r := httptest.NewRequestWithContext(ctx, "POST", "/", nil)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			for i := 0; i < len(c.header); i += 2 {
				r.Header.Set(c.header[i], c.header[i+1])
			}
			r.ContentLength = int64(len(c.text))
			body := strings.NewReader(c.text)
			w := &nowhere{header: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				body.Reset(c.text)
				r.Body = io.NopCloser(body)
				w.bytes = 0
				if c.handler.ServeHTTP(w, r); w.bytes == 0 {
					b.Fatal("no answer")
				}
			}
		})
	}
}

// nowhere is an http.ResponseWriter that allocates nothing and supports what that of net/http does.
type nowhere struct {
	header http.Header
	bytes  int
}

func (n *nowhere) Header() http.Header { return n.header }
func (n *nowhere) WriteHeader(int)     {}
func (n *nowhere) Write(p []byte) (int, error) {
	n.bytes += len(p)
	return len(p), nil
}

func (*nowhere) FlushError() error                { return nil }
func (*nowhere) SetReadDeadline(time.Time) error  { return nil }
func (*nowhere) SetWriteDeadline(time.Time) error { return nil }

// BenchmarkCall is a call of the package's client over a local connection.
func BenchmarkCall(b *testing.B) {
	h := NewHandler(newRuntimeServer(b, base, runtime.ServerOptions{}, r11), Options{})
	ts := httptest.NewServer(h)
	defer ts.Close()
	defer h.Close()
	transport, err := NewTransport(ts.URL, ClientOptions{})
	if err != nil {
		b.Fatal(err)
	}
	s, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, mcptest.Client.Bind(r11, runtime.ToClient)).Connect(b.Context(), transport)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Call(b.Context(), "echo", wire.Raw(`{"a":1}`), nil); err != nil {
			b.Fatal(err)
		}
	}
}
