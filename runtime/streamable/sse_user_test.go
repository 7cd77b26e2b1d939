package streamable_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type userKey struct{}

// TestSSEUsers checks that only the user of a session can use it, and that a handler sees the values in
// the context of its own POST.
func TestSSEUsers(t *testing.T) {
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1"}, mcptest.Handlers{
		"who": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return wire.Raw(`{"is":"` + ctx.Value(userKey{}).(string) + `"}`), nil
		},
	}.Bind(revision, runtime.ToServer))
	h := streamable.NewSSEHandler(server, streamable.Options{User: func(r *http.Request) (string, error) {
		user := r.Context().Value(userKey{}).(string)
		if user == "" {
			return "", errors.New("nobody")
		}
		return user, nil
	}})
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, r.Header.Get("X-User"))))
	}))
	defer ts.Close()
	defer h.Close()
	do := func(method, path, body, user string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, ts.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-User", user)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	if resp := do("GET", "/", "", ""); resp.StatusCode != 403 {
		t.Errorf("nobody: %s", resp.Status)
	}
	events := eventstream.NewReader(do("GET", "/", "", "ann").Body, 1<<20)
	endpoint, err := events.Next()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		user, body string
		status     int
		event      string
	}{
		{"ann", mcptest.Initialize(revision), 202, "protocolVersion"},
		{"bob", mcptest.Initialized, 404, ""},
		{"", mcptest.Initialized, 403, ""},
		{"ann", mcptest.Initialized, 202, ""},
		{"ann", `{"jsonrpc":"2.0","id":1,"method":"who"}`, 202, `{"is":"ann"}`},
	} {
		if resp := do("POST", endpoint.Data, c.body, c.user); resp.StatusCode != c.status {
			t.Errorf("%q: %s; want %d", c.user, resp.Status, c.status)
		}
		if c.event != "" {
			if e, err := events.Next(); err != nil || !strings.Contains(e.Data, c.event) {
				t.Errorf("%+v, %v; want %s", e, err, c.event)
			}
		}
	}
}
