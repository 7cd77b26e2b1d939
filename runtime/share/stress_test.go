package share

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestManySessionsOfReplicas sends each request of many clients to a random replica and cuts connections: every
// call is answered with its own answer, and handled once.
func TestManySessionsOfReplicas(t *testing.T) {
	sessions, calls := mcptest.StressSize(t)
	sessions = max(sessions/5, 1)
	done := make([]atomic.Int32, sessions*calls)
	var bus Memory
	opts := options{Sharing: Sessions{Keys: keys(1), Bus: &bus, Store: tasks.NewMemory(0)}, Options: streamable.Options{
		Events: streamable.NewMemoryEvents(64 << 20),
		Retry:  time.Millisecond, KeepAlive: time.Second,
	}}
	rs := alike(t, 3, mcptest.Server.With(mcptest.Handlers{
		"once": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			n, _ := wire.NewStringReader(string(params)).PeekInt64("n")
			done[n].Add(1)
			time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
			return params, nil
		},
	}), opts)
	spread := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { rs[rand.IntN(len(rs))].ServeHTTP(w, r) })
	ts := httptest.NewServer(testkit.Flaky(spread, func() int { return 1000 + rand.IntN(4000) }))
	defer ts.Close()
	pool := &http.Transport{MaxIdleConnsPerHost: 4 * sessions}
	defer pool.CloseIdleConnections()
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Limits: runtime.Limits{Timeout: -1}}, mcptest.Client.Bind(r11, runtime.ToClient))
	var all sync.WaitGroup
	var cancelled atomic.Int64
	for n := range sessions {
		all.Go(func() {
			transport, err := streamable.NewTransport(ts.URL, streamable.ClientOptions{HTTPClient: &http.Client{Transport: pool}})
			if err != nil {
				t.Error(err)
				return
			}
			s, err := client.Connect(t.Context(), transport)
			if err != nil {
				t.Error(err)
				return
			}
			var own sync.WaitGroup
			for i := range calls {
				if i%3 == 0 {
					own.Wait()
				}
				own.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					method := []string{"echo", "once", "ask", "note", "wait"}[rand.IntN(5)]
					if method == "wait" {
						time.AfterFunc(time.Duration(rand.IntN(5000))*time.Microsecond, cancel)
					}
					args := wire.Raw(fmt.Sprintf(`{"n":%d}`, n*calls+i))
					var got wire.Raw
					switch err := s.Call(ctx, method, args, &got); {
					case err == nil && got == args:
					case ctx.Err() != nil && errors.Is(err, context.Canceled):
						cancelled.Add(1)
					default:
						t.Errorf("%s %s: %s, %v", method, args, got, err)
					}
				})
			}
			own.Wait()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range done {
		if n := done[i].Load(); n > 1 {
			t.Errorf("call %d was handled %d times", i, n)
		}
	}
	t.Logf("%d calls of %d sessions, %d cancelled", sessions*calls, sessions, cancelled.Load())
}
