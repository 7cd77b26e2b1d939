package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// TestProtected makes requests without a token, without the scope and with both.
func TestProtected(t *testing.T) {
	as := authserver.New(t, authserver.Options{})
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, address, as.Issuer) }()
	defer func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	resource := "http://" + address + "/mcp"
	if !testkit.Eventually(func() bool {
		response, err := http.Get("http://" + address + "/readyz")
		return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
	}) {
		t.Fatal("the server does not listen")
	}
	metadata, err := http.Get("http://" + address + "/.well-known/oauth-protected-resource/mcp")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(metadata.Body)
	metadata.Body.Close()
	if err != nil || !strings.Contains(string(text), `"scopes_supported":["notes:write"]`) {
		t.Errorf("metadata %s, %v", text, err)
	}
	write := as.Token(resource, "notes:write")
	for _, test := range []struct {
		token, method, name, params string
		status                      int
		want                        string
	}{
		{"", "tools/call", "write_note", `"arguments":{"text":"x"}`, http.StatusUnauthorized, "an access token is required"},
		{as.Token(resource), "tools/call", "write_note", `"arguments":{"text":"x"}`, http.StatusForbidden, "lacks a scope"},
		{write, "tools/call", "write_note", `"arguments":{"text":"x"}`, http.StatusOK, `"structuredContent":{"id":1,"by":"user"}`},
		{write, "tools/call", "write_note", `"arguments":{"text":"","kind":"plan"}`, http.StatusOK, `at /kind: must be one of \"idea\", \"task\", found \"plan\"`},
		{write, "tools/call", "find_notes", `"arguments":{}`, http.StatusOK, `"structuredContent":{"notes":{"1":{"text":"x","kind":"idea"}}}`},
		{write, "prompts/get", "summarize", `"arguments":{"words":"20"}`, http.StatusOK, "Summarize my notes in 20 words."},
		{write, "prompts/get", "summarize", `"arguments":{"words":"1.5"}`, http.StatusOK, "/arguments/words: must be an integer, found 1.5"},
		{write, "resources/read", "notes://1", `"uri":"notes://1"`, http.StatusOK, `"text":"x"`},
		{write, "tools/call", "delete_note", `"arguments":{"id":1}`, http.StatusOK, `"structuredContent":{"text":"x","kind":"idea"}`},
		{write, "tools/call", "delete_note", `"arguments":{"id":1}`, http.StatusOK, "there is no note 1"},
	} {
		request, err := http.NewRequest(http.MethodPost, resource, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":%q,%s,`+
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
			test.method, test.name, test.params)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
			"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {test.method}, "Mcp-Name": {test.name}}
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
			t.Errorf("%s %s: status %d, want %d: %s", test.method, test.name, response.StatusCode, test.status, body)
		}
	}
}
