package streamable

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
)

// TestSessionsInLogs checks that no log contains the id of a session, which is a secret, and that logs
// of different sessions can be told apart.
func TestSessionsInLogs(t *testing.T) {
	log := new(testkit.Buffer)
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server := base.With(mcptest.Handlers{"steps": noteAndWait})
	r := newRigOf(t, newRuntimeServer(t, server, runtime.ServerOptions{
		Logger: logger, Receiving: []runtime.Middleware{runtime.LogRequests(logger, slog.LevelInfo)},
	}, r11), Options{MaxSessions: 2, Events: NewMemoryEvents(1)})
	var ids []string
	for range 4 { // two of them make room
		id := r.open(r11)
		ids = append(ids, id)
		session := []string{"Mcp-Session-Id", id}
		r.do("POST", mcptest.Call(1, "echo", "{}"), session...)
		r.do("POST", mcptest.Call(1, "boom", "{}"), session...)
		r.do("POST", mcptest.Call(1, "note", "{}"), session...)
		r.do("POST", mcptest.Call(1, "nope", "{}"), session...)
		r.do("GET", "", append(session, "Last-Event-ID", "x_1")...)
	}
	r.do("DELETE", "", "Mcp-Session-Id", ids[3])
	r.handler.Close()
	text := log.String()
	for _, id := range ids {
		if strings.Contains(text, id) {
			t.Errorf("a session's id is logged:\n%s", text)
		}
		if !strings.Contains(text, "session="+runtime.LogID(id)) {
			t.Errorf("nothing is logged of session %s", runtime.LogID(id))
		}
	}
}
