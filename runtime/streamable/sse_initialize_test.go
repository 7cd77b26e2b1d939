package streamable_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/internal/engine"
	"github.com/mcpgen/mcpgen/runtime/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/proxy"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestSSESlowInitialize checks that a session whose server takes long for initialize is not idle meanwhile, also if the
// server is behind a proxy.
func TestSSESlowInitialize(t *testing.T) {
	for name, first := range map[string]string{"": "", "ping": `{"jsonrpc":"2.0","id":7,"method":"ping"}`, "proxy": ""} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Receiving: []runtime.Middleware{func(next runtime.Handler) runtime.Handler {
					return func(ctx context.Context, m *runtime.Message) (wire.Appender, error) {
						if m.Method == "initialize" {
							engine.Wait(ctx.Done(), 3*waits.FirstUse, nil)
						}
						return next(ctx, m)
					}
				}}}, base.Bind(revision, runtime.ToServer))
				var of runtime.SessionServer = server
				if name == "proxy" {
					of = proxy.New(func() runtime.Transport {
						near, far := inproc.Pair()
						go server.Serve(context.Background(), far)
						return near
					}, proxy.Options{})
				}
				h := streamable.NewSSEHandler(of, streamable.Options{})
				ts := testkit.NewServer(h)
				defer ts.Close()
				defer h.Close()
				resp, err := ts.Client().Get(ts.URL + "/")
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				events := eventstream.NewReader(resp.Body, 1<<20)
				endpoint, err := events.Next()
				if err != nil {
					t.Fatal(err)
				}
				to := strings.Clone(endpoint.Data)
				post := func(body string) {
					r := httptest.NewRequest("POST", to, strings.NewReader(body))
					r.Header.Set("Content-Type", "application/json")
					w := httptest.NewRecorder()
					h.ServeHTTP(w, r)
					if w.Code != http.StatusAccepted {
						t.Errorf("%s: %d %s", body, w.Code, w.Body)
					}
				}
				if first != "" {
					go post(first)
					if e, err := events.Next(); err != nil {
						t.Fatal(e, err)
					}
				}
				go post(mcptest.Initialize(revision))
				if e, err := events.Next(); err != nil || !strings.Contains(e.Data, `"result"`) {
					t.Error(first, e.Data, err)
				}
			})
		})
	}
}
