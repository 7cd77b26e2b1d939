package streamable

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestDuplicate sends a request with the id of one in flight. In a session it is refused in its own response, and
// without one it is another client's; the first request is answered in both cases.
func TestDuplicate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := NewHandler(newRuntimeServer(t, base.With(mcptest.Handlers{"hold": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			<-release
			return wire.Raw(`{}`), nil
		}}), runtime.ServerOptions{Logger: discard}, r11, r07), Options{})
		opened := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11))
		session := []string{headerSession, opened.Header().Get(headerSession), headerRevision, r11}
		testkit.Serve(t.Context(), h, "POST", mcptest.Initialized, session...)
		var all sync.WaitGroup
		inSession := later(&all, h, "POST", mcptest.Call(7, "hold", "{}"), session...)
		without := later(&all, h, "POST", alone(7, "hold", ""), standard("hold")...)
		synctest.Wait()
		if got := testkit.Serve(t.Context(), h, "POST", mcptest.Call(7, "echo", "{}"), session...).Body.String(); !strings.Contains(got, "id 7 is that of a request in flight") {
			t.Errorf("in a session: %s", got)
		}
		if got := testkit.Serve(t.Context(), h, "POST", alone(7, "echo", ""), standard("echo")...).Body.String(); !strings.Contains(got, `"id":7,"result":{`) {
			t.Errorf("without a session: %s", got)
		}
		close(release)
		all.Wait()
		for name, w := range map[string]string{"in a session": inSession.Body.String(), "without a session": without.Body.String()} {
			if !strings.Contains(w, `"id":7,"result":{`) {
				t.Errorf("the first request %s: %s", name, w)
			}
		}
		h.Close()
	})
}
