package streamable

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// BenchmarkPost is a call through the handler without a network: "none" uses a handler that does
// nothing, "echo" is answered with JSON, "note" with an event stream. The last two belong to no session.
func BenchmarkPost(b *testing.B) {
	h := NewHandler(newRuntimeServer(b, base, runtime.ServerOptions{}, r11, r07), Options{})
	defer h.Close()
	post := func(h http.Handler, body string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	id := post(h, initialize(r11)).Header().Get("Mcp-Session-Id")
	none := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	session := []string{"Mcp-Session-Id", id, "Mcp-Protocol-Version", r11}
	for _, c := range []struct {
		name    string
		handler http.Handler
		body    string
		header  []string
	}{
		{"none", none, call(1, "echo", `{"a":1}`), session},
		{"echo", h, call(1, "echo", `{"a":1}`), session},
		{"note", h, call(1, "note", `{"a":1}`), session},
		{"stateless none", none, alone(1, "echo", `"a":1`), standard("echo")},
		{"stateless echo", h, alone(1, "echo", `"a":1`), standard("echo")},
		{"stateless note", h, alone(1, "note", `"a":1`), standard("note")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if w := post(c.handler, c.body, c.header...); w.Code != 200 {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

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
	s, err := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, echoing.bind(r11, runtime.ToClient)).Connect(b.Context(), transport)
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
