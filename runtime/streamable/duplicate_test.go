package streamable

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestDuplicate sends a request with the id of one in flight. In a session it is refused in its own response, and
// without one it is another client's; the first request is answered in both cases.
func TestDuplicate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		h := NewHandler(newRuntimeServer(t, base.with(handlers{"hold": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			<-release
			return wire.Raw(`{}`), nil
		}}), runtime.ServerOptions{Logger: discard}, r11, r07), Options{})
		opened := serve(t.Context(), h, "POST", initialize(r11))
		session := []string{headerSession, opened.Header().Get(headerSession), headerRevision, r11}
		serve(t.Context(), h, "POST", initialized, session...)
		var all sync.WaitGroup
		inSession := later(&all, h, "POST", call(7, "hold", "{}"), session...)
		without := later(&all, h, "POST", alone(7, "hold", ""), standard("hold")...)
		synctest.Wait()
		if got := serve(t.Context(), h, "POST", call(7, "echo", "{}"), session...).Body.String(); !strings.Contains(got, "id 7 is that of a request in flight") {
			t.Errorf("in a session: %s", got)
		}
		if got := serve(t.Context(), h, "POST", alone(7, "echo", ""), standard("echo")...).Body.String(); !strings.Contains(got, `"id":7,"result":{`) {
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
