package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// TestProtected calls the tool without a token, without the scope and with both.
func TestProtected(t *testing.T) {
	as := authserver.New(t, authserver.Options{})
	server := httptest.NewUnstartedServer(nil)
	resource := "http://" + server.Listener.Addr().String() + "/mcp"
	t.Setenv("MCP_RESOURCE", resource)
	t.Setenv("MCP_ISSUER", as.Issuer)
	h, err := handler()
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = h
	server.Start()
	defer server.Close()
	for _, test := range []struct {
		token  string
		status int
		want   string
	}{
		{"", http.StatusUnauthorized, "an access token is required"},
		{as.Token(resource), http.StatusForbidden, "lacks a scope"},
		{as.Token(resource, "notes:write"), http.StatusOK, `"by":"user"`},
	} {
		request, err := http.NewRequest(http.MethodPost, resource, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write_note","arguments":{"text":"x"},`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"write_note"}}
		if test.token != "" {
			request.Header.Set("Authorization", "Bearer "+test.token)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != test.status || !strings.Contains(string(body), test.want) {
			t.Errorf("status %d, want %d: %s", response.StatusCode, test.status, body)
		}
	}
}
