package streamable

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// TestGuard checks which hosts and origins are refused, by where the connection arrives.
//
// H3
func TestGuard(t *testing.T) {
	const loopback, public = "127.0.0.1:80", "192.0.2.1:80"
	for _, c := range []struct {
		name, local, host, origin string
		guard                     Options
		refused                   bool
	}{
		{name: "local", local: loopback, host: "localhost:80"},
		{name: "local address", local: loopback, host: "127.0.0.1"},
		{name: "local IPv6", local: "[::1]:80", host: "[::1]:80"},
		{name: "local name with dot and case", local: loopback, host: "LocalHost."},
		{name: "rebound", local: loopback, host: "evil.example.com", refused: true},
		{name: "rebound to a name that looks local", local: loopback, host: "localhost.evil.example.com", refused: true},
		{name: "no host", local: loopback, host: "", refused: true},
		{name: "mapped loopback", local: "[::ffff:127.0.0.1]:80", host: "evil.example.com", refused: true},
		{name: "public", local: public, host: "mcp.example.com"},
		{name: "proxied", local: loopback, host: "mcp.example.com", guard: Options{Hosts: []string{"mcp.example.com"}}},
		{name: "not that host", local: public, host: "evil.example.com", guard: Options{Hosts: []string{"mcp.example.com"}}, refused: true},
		{name: "any host", local: loopback, host: "x", guard: Options{Hosts: []string{"*"}}},
		{name: "same origin", local: public, host: "mcp.example.com", origin: "https://mcp.example.com"},
		{name: "other origin", local: public, host: "mcp.example.com", origin: "https://evil.example.com", refused: true},
		{name: "other port", local: public, host: "mcp.example.com", origin: "https://mcp.example.com:8443", refused: true},
		{name: "local page of a public server", local: public, host: "mcp.example.com", origin: "http://localhost:3000", refused: true},
		{name: "local page", local: loopback, host: "localhost:80", origin: "http://127.0.0.1:3000"},
		{name: "file", local: loopback, host: "localhost:80", origin: "null", refused: true},
		{name: "extension", local: loopback, host: "localhost:80", origin: "chrome-extension://abc", refused: true},
		{name: "allowed extension", local: loopback, host: "localhost:80", origin: "chrome-extension://abc", guard: Options{Origins: []string{"chrome-extension://abc"}}},
		{name: "any origin", local: public, host: "x", origin: "null", guard: Options{Origins: []string{"*"}}},
	} {
		r := httptest.NewRequest("POST", "/", nil)
		addr, err := net.ResolveTCPAddr("tcp", c.local)
		if err != nil {
			t.Fatal(err)
		}
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if why := c.guard.checkOrigin(r); (why != "") != c.refused {
			t.Errorf("%s: %q, want refused %t", c.name, why, c.refused)
		}
	}
	r := httptest.NewRequest("POST", "/", nil)
	r.Header["Origin"] = []string{"http://example.com", "http://evil.example.com"}
	if new(Options).checkOrigin(r) == "" {
		t.Error("two origins are allowed")
	}
}

// TestAccepts checks the reading of the Accept header.
func TestAccepts(t *testing.T) {
	for accept, want := range map[string]bool{
		"application/json": true, "*/*": true, "application/*": true, "text/html, application/json;q=0.1": true,
		"APPLICATION/JSON": true, "application/json; charset=utf-8": true,
		"text/html": false, "application/json;q=0": false, "application/json; Q=0.000": false, "application/jsonx": false, "": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		if got := accepts(r, web.JSON); got != want {
			t.Errorf("%q: %t", accept, got)
		}
	}
}
