package hostile

import (
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// TestResponsesAreApart checks that what was scheduled for the response to one request never reaches that of the next
// one: it would become an event stream with status 200, whatever its answer is. The first request reports progress,
// and its client reads so slowly that what a server does a millisecond later happens while its answer is written.
func TestResponsesAreApart(t *testing.T) {
	h := newTarget(t).serve(t, streamable.Options{})
	call := func(tool string) string {
		return request("tools/call", `{"_meta":{`+terms+`,"progressToken":1},"name":"`+tool+`"}`)
	}
	for i := range 300 {
		writes := 0
		slow := &gated{httptest.NewRecorder(), func([]byte) error {
			if writes++; writes == 2 {
				for start := time.Now(); time.Since(start) < time.Millisecond+time.Duration(i)*time.Microsecond; {
					runtime.Gosched()
				}
			}
			return nil
		}}
		h.ServeHTTP(slow, post(t.Context(), call("steps"), 0, "tools/call", "steps", ""))
		w := answer(h, post(t.Context(), call("yield"), 0, "tools/call", "yield", ""))
		if kind := w.Header().Get("Content-Type"); kind != "application/json" {
			t.Fatalf("request %d: %s: %q", i, kind, w.Body)
		}
	}
}
