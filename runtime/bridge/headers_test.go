package bridge_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/bridge"
	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// TestHeaderMismatch checks that a bridge over HTTP, which is an intermediary, answers a request whose
// headers differ from its body itself, with an HTTP error.
//
// H55
func TestHeaderMismatch(t *testing.T) {
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a",%s"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	b := bridge.New(func() runtime.Transport {
		t.Error("the request has reached the server")
		return nil
	}, compat.Table(), bridge.Options{Name: "bridge", Version: "1"})
	handler := streamable.NewHandler(b, streamable.Options{})
	defer handler.Close()
	for name, c := range map[string]struct {
		more   string // a member of the params
		header map[string]string
	}{
		"another name":              {"", map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "b"}},
		"another method":            {"", map[string]string{"Mcp-Method": "tools/list", "Mcp-Name": "a"}},
		"no method":                 {"", map[string]string{"Mcp-Name": "a"}},
		"a name in another case":    {`"Name":"b",`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "a"}},
		"arguments in another case": {`"Arguments":{"a":1},`, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(fmt.Sprintf(body, c.more)))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("MCP-Protocol-Version", "2026-07-28")
			for field, value := range c.header {
				r.Header.Set(field, value)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			text, _ := io.ReadAll(w.Result().Body)
			if w.Code != http.StatusBadRequest || !strings.Contains(string(text), `"code":-32020`) {
				t.Errorf("status %d: %s", w.Code, text)
			}
		})
	}
}
