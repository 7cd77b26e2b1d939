package streamable

import (
	"math"
	"net/http"
	goruntime "runtime"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
)

// idle opens a session that has been used.
func idle(t testing.TB, h *Handler) {
	t.Helper()
	id := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11)).Header().Get(headerSession)
	testkit.Serve(t.Context(), h, "POST", mcptest.Initialized, headerSession, id)
	if w := testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, "echo", "{}"), headerSession, id); w.Code != http.StatusOK {
		t.Fatal(w.Code, w.Body)
	}
}

// TestIdleSession checks that an idle session has no goroutine.
func TestIdleSession(t *testing.T) {
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r11), Options{})
	defer h.Close()
	idle(t, h)
	before := goruntime.NumGoroutine()
	const sessions = 500
	for range sessions {
		idle(t, h)
	}
	if !testkit.Eventually(func() bool { return goruntime.NumGoroutine() < before+sessions/10 }) {
		t.Errorf("%d sessions have %d goroutines", sessions, goruntime.NumGoroutine()-before)
	}
}

// BenchmarkIdleSession measures the memory of an idle session. The aim is at most 1.3 KB.
func BenchmarkIdleSession(b *testing.B) {
	const sessions = 500
	grown := 0
	for b.Loop() {
		grown = testkit.Heap(math.MaxInt, func() any {
			h := NewHandler(newRuntimeServer(b, base, runtime.ServerOptions{Logger: discard}, r11), Options{})
			for range sessions {
				idle(b, h)
			}
			return h
		})
	}
	b.ReportMetric(float64(grown)/sessions, "B/session")
}
