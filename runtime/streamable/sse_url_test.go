package streamable_test

import (
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const older2024, newer2025 = "2024-11-05", "2025-11-25"

func binding(revision string, d runtime.Direction) runtime.Binding {
	return runtime.Binding{Revision: revision, Direction: d,
		Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			method, params := message.Method, wire.Raw(message.Object())
			if method == "echo" {
				return params, nil
			}
			return nil, runtime.MethodNotFound(method)
		}}
}

func client(revisions ...string) *runtime.Client {
	var bindings []runtime.Binding
	for _, r := range revisions {
		bindings = append(bindings, binding(r, runtime.ToClient))
	}
	return runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, bindings...)
}

// TestSSEConnect checks which transport is used for which server.
func TestSSEConnect(t *testing.T) {
	status := func(post, get int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				w.WriteHeader(post)
				return
			}
			w.WriteHeader(get)
		})
	}
	info := runtime.ServerOptions{Name: "s", Version: "1"}
	newer := streamable.NewHandler(runtime.NewServer(info, binding(newer2025, runtime.ToServer), binding(older2024, runtime.ToServer)), streamable.Options{})
	defer newer.Close()
	older := streamable.NewSSEHandler(runtime.NewServer(info, binding(older2024, runtime.ToServer)), streamable.Options{})
	defer older.Close()
	// Servers of the older transport differ in how they refuse a POST to the URL of the
	// stream.
	refusing := func(code int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.URL.RawQuery == "" {
				w.WriteHeader(code)
				return
			}
			older.ServeHTTP(w, r)
		})
	}
	for _, c := range []struct {
		name     string
		server   http.Handler
		client   *runtime.Client
		revision string
		fails    []string // parts of the error
	}{
		{name: "newer", server: newer, client: client(newer2025, older2024), revision: newer2025},
		{name: "older", server: older, client: client(newer2025, older2024), revision: older2024},
		{name: "older, 400", server: refusing(400), client: client(newer2025, older2024), revision: older2024},
		{name: "older, 405", server: refusing(405), client: client(newer2025, older2024), revision: older2024},
		{name: "older, 401", server: refusing(401), client: client(newer2025, older2024), fails: []string{"401"}},
		{name: "older, with a client that is not", server: older, client: client(newer2025), fails: []string{older2024}},
		{name: "neither", server: status(404, 405), client: client(newer2025), fails: []string{"404", "405"}},
		{name: "broken", server: status(500, 200), client: client(newer2025), fails: []string{"500"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ts := httptest.NewServer(c.server)
			defer ts.Close()
			s, err := c.client.Connect(t.Context(), streamable.URL(ts.URL, streamable.ClientOptions{MaxRetries: -1, MaxMessage: math.MaxInt}))
			if c.fails != nil {
				if err == nil {
					s.Close()
					t.Fatal("no error")
				}
				for _, part := range c.fails {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%v; want %s", err, part)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var got wire.Raw
			if err := s.Call(t.Context(), "echo", wire.Raw(`{"a":1}`), &got); err != nil || got != `{"a":1}` || s.Revision() != c.revision {
				t.Errorf("%s, %v in %s", got, err, s.Revision())
			}
		})
	}
	for _, c := range []struct {
		name, body string
		revision   string
	}{
		{"H63 an error of a revision without sessions", `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no","data":{"supported":["2030-01-01"]}}}`, ""},
		{"H63 another error", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}`, older2024},
	} {
		t.Run(c.name, func(t *testing.T) {
			ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && r.URL.RawQuery == "" {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(400)
					_, _ = io.WriteString(w, c.body)
					return
				}
				older.ServeHTTP(w, r)
			}))
			defer ts.Close()
			both := runtime.NewClient(runtime.ClientOptions{Name: "c", Version: "1"}, binding(older2024, runtime.ToClient), runtime.Handlers{}.Bind(mcp20260728.Revision, mcp20260728.Methods))
			s, err := both.Connect(t.Context(), streamable.URL(ts.URL, streamable.ClientOptions{}))
			if err == nil {
				defer s.Close()
			}
			if c.revision == "" && (err == nil || !strings.Contains(err.Error(), "2030-01-01")) || c.revision != "" && (err != nil || s.Revision() != c.revision) {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := client(newer2025).Connect(t.Context(), streamable.URL("ftp://localhost", streamable.ClientOptions{})); err == nil {
		t.Error("no error")
	}
}

// TestSSEReconnect checks that a session over HTTP with SSE is opened again when its server was restarted.
func TestSSEReconnect(t *testing.T) {
	start := func() http.Handler {
		return streamable.NewSSEHandler(runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, binding(newer2025, runtime.ToServer)), streamable.Options{})
	}
	var handler atomic.Value
	handler.Store(start())
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.Load().(http.Handler).ServeHTTP(w, r) }))
	defer ts.Close()
	options := runtime.ClientOptions{Name: "c", Version: "1", Reconnect: true, Logger: slog.New(slog.DiscardHandler)}
	s, err := runtime.NewClient(options, binding(newer2025, runtime.ToClient)).Connect(t.Context(), streamable.URL(ts.URL, streamable.ClientOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 3 {
		if err := s.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		handler.Store(start())
		ts.CloseClientConnections()
		_ = s.Wait()
	}
}
