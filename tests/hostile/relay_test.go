package hostile

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/proxy"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// TestRelayAfterCancellation checks that a proxy serves the requests of others while it cancels one whose client has
// closed its connection: its server is healthy, and they have not begun.
func TestRelayAfterCancellation(t *testing.T) {
	x := newTarget(t)
	p := proxy.New(func() runtime.Transport {
		near, far := inproc.Pair()
		go x.Serve(context.Background(), far)
		return near
	}, proxy.Options{})
	h := streamable.NewHandler(p, streamable.Options{})
	t.Cleanup(h.Close)
	for _, kind := range []string{"call", "listener"} {
		t.Run(kind, func(t *testing.T) {
			for i := range 300 {
				ctx, cancel := context.WithCancel(t.Context())
				var left sync.WaitGroup
				next := make(chan *httptest.ResponseRecorder)
				begin := func() {
					if kind == "listener" {
						listen(ctx, h, alone("subscriptions/listen", `,"notifications":{"toolsListChanged":true}`), 0, &left)
						return
					}
					left.Go(func() { answer(h, callWith(ctx, "1", "wait", 0, "")) })
					<-x.begun
				}
				begin()
				go func() {
					left.Wait()
					next <- answer(h, callWith(t.Context(), "2", "greet", 0, ""))
				}()
				cancel()
				others := answer(h, callWith(t.Context(), "3", "greet", 0, ""))
				for _, w := range []*httptest.ResponseRecorder{<-next, others} {
					if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "hello") {
						t.Fatalf("request %d: %d %s", i, w.Code, w.Body)
					}
				}
			}
		})
	}
}
