package streamable

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
)

// TestMaxSessions checks that the number of sessions is limited, and that an idle session makes room for
// another but a busy one does not.
func TestMaxSessions(t *testing.T) {
	inBubble(t, Options{MaxSessions: 2}, func(t *testing.T, h *Handler, open func(string) []string) {
		first := open(r11)
		time.Sleep(time.Second)
		second := open(r11)
		time.Sleep(time.Second)
		works := func(session []string) bool {
			return testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, "echo", "{}"), session...).Code == 200
		}
		if !works(first) {
			t.Error("the first session does not work")
		}
		time.Sleep(time.Second)
		third := open(r11)
		if works(second) || !works(first) || !works(third) {
			t.Error("not the session that was idle for longest has made room")
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go testkit.Serve(ctx, h, "GET", "", first...)
		go testkit.Serve(ctx, h, "GET", "", third...)
		synctest.Wait()
		if w := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11)); w.Code != 503 || codeOf(t, w.Body.String()) == 0 {
			t.Errorf("while all sessions are in use: %d: %s", w.Code, w.Body)
		}
		testkit.Serve(t.Context(), h, "DELETE", "", first...)
		if fourth := open(r11); !works(fourth) || !works(third) {
			t.Error("no room after the end of a session")
		}
	})
}

// TestInitializeFlood checks that a flood of initialize requests does not end the sessions of other
// clients, and that the sessions of the flood end within seconds.
func TestInitializeFlood(t *testing.T) {
	inBubble(t, Options{MaxSessions: 1000}, func(t *testing.T, h *Handler, open func(string) []string) {
		before := open(r11)
		for range 5000 {
			if w := testkit.Serve(t.Context(), h, "POST", mcptest.Initialize(r11)); w.Code != 200 {
				t.Fatalf("%d: %s", w.Code, w.Body)
			}
		}
		after := open(r11)
		for _, session := range [][]string{before, after} {
			if w := testkit.Serve(t.Context(), h, "POST", mcptest.Call(1, "echo", "{}"), session...); w.Code != 200 {
				t.Errorf("%d: %s", w.Code, w.Body)
			}
		}
		if n := h.sessions.count.len(); n != 1000 {
			t.Errorf("%d sessions are open, want as many as may be", n)
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if n := h.sessions.count.len(); n != 2 {
			t.Errorf("%d sessions are open, want those of the clients that use them", n)
		}
	})
}

// TestSessionsOfAddress checks that the number of sessions of an address is limited.
func TestSessionsOfAddress(t *testing.T) {
	h := NewHandler(newRuntimeServer(t, base, runtime.ServerOptions{Logger: discard}, r11), Options{MaxSessionsPerAddress: 3})
	defer h.Close()
	for range 2 {
		for _, address := range []string{"192.0.2.1:1", "192.0.2.1:2", "192.0.2.2:3", "127.0.0.1:4", "127.0.0.1:5"} {
			for range 2 {
				r := httptest.NewRequest("POST", "/", strings.NewReader(mcptest.Initialize(r11)))
				r.Header.Set("Content-Type", "application/json")
				r.RemoteAddr = address
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != 200 {
					t.Errorf("%s: %d: %s", address, w.Code, w.Body)
				}
			}
		}
	}
	if n := h.sessions.count.len(); n != 3+3+8 {
		t.Errorf("%d sessions are open, want 3 of each address but for the loopback one", n)
	}
}
