package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// stressVariable sets the size of TestManySessionsOfReplicas: "sessions,calls of each". Set it
// to "1000,100" for the load that servers are designed for.
const stressVariable = "MCPGEN_STRESS"

func stressSize(t *testing.T) (sessions, calls int) {
	size := cmp.Or(os.Getenv(stressVariable), "100,30")
	if _, err := fmt.Sscanf(size, "%d,%d", &sessions, &calls); err != nil {
		t.Fatalf("%s=%s: %v", stressVariable, size, err)
	}
	return sessions, calls
}

// TestManySessionsOfReplicas sends each request of many clients to a random replica and cuts connections: every
// call is answered with its own answer, and handled once.
func TestManySessionsOfReplicas(t *testing.T) {
	sessions, calls := stressSize(t)
	sessions = max(sessions/5, 1)
	done := make([]atomic.Int32, sessions*calls)
	var bus Memory
	opts := options{Sharing: Sessions{Keys: keys(1), Bus: &bus, KV: &bus}, Options: streamable.Options{
		Events: streamable.NewMemoryEvents(64 << 20),
		Retry:  time.Millisecond, KeepAlive: time.Second, StreamAfter: streamable.DefaultStreamAfter,
	}}
	rs := alike(t, 3, base.with(handlers{
		"once": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			n, _ := wire.NewStringReader(string(params)).PeekInt64("n")
			done[n].Add(1)
			time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond)
			return params, nil
		},
	}), opts)
	spread := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { rs[rand.IntN(len(rs))].ServeHTTP(w, r) })
	ts := httptest.NewServer(flaky(spread, func() int { return 1000 + rand.IntN(4000) }))
	defer ts.Close()
	pool := &http.Transport{MaxIdleConnsPerHost: 4 * sessions}
	defer pool.CloseIdleConnections()
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1", Limits: runtime.Limits{Timeout: -1}}, echoing.bind(r11, runtime.ToClient))
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

// flaky cuts the event streams of a handler after some bytes.
func flaky(next http.Handler, bytes func() int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&cutter{ResponseWriter: w, left: bytes()}, r)
	})
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cutter) Write(p []byte) (int, error) {
	if c.Header().Get("Content-Type") != "text/event-stream" {
		return c.ResponseWriter.Write(p)
	}
	n := min(len(p), c.left)
	c.left -= n
	if _, err := c.ResponseWriter.Write(p[:n]); err != nil {
		return 0, err
	}
	if n < len(p) {
		http.NewResponseController(c.ResponseWriter).Flush()
		return n, errors.New("cut")
	}
	return n, nil
}
