package streamable

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
)

// TestSession checks the requests of a session from its beginning to its end.
func TestSession(t *testing.T) {
	r := newRig(t, base, Options{})
	id := r.open(r11)
	session := []string{"Mcp-Session-Id", id, "MCP-Protocol-Version", r11}

	resp, text := r.do("POST", mcptest.Call(1, "echo", `{"a":1}`), session...)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "application/json" || text != `{"jsonrpc":"2.0","id":1,"result":{"a":1}}` {
		t.Errorf("echo: %s %s: %s", resp.Status, resp.Header.Get("Content-Type"), text)
	}
	resp, text = r.do("POST", mcptest.Call(2, "note", `{}`), session...)
	events := testkit.Events(t, strings.NewReader(text), 0)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" || len(events) != 3 ||
		events[2].Data != `{"jsonrpc":"2.0","id":2,"result":{}}` || !strings.Contains(text, "retry: 1000\n") {
		t.Errorf("note: %s %s: %s", resp.Status, resp.Header.Get("Content-Type"), text)
	}
	if resp, _ := r.do("DELETE", "", session...); resp.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: %s", resp.Status)
	}
	for method, body := range map[string]string{"POST": mcptest.Call(3, "echo", `{}`), "GET": "", "DELETE": ""} {
		resp, text := r.do(method, body, session...)
		if resp.StatusCode != 404 || codeOf(t, text) != -32600 {
			t.Errorf("%s after DELETE: %s: %s", method, resp.Status, text)
		}
	}
}

// TestNoServer has no server. The panic says so.
func TestNoServer(t *testing.T) {
	defer func() {
		if got := recover(); got != "streamable: NewHandler: the server is nil" {
			t.Errorf("got %v", got)
		}
	}()
	var server *runtime.Server
	NewHandler(server, Options{})
}
