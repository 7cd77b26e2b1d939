package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// oneSecret is the list of the servers that demand a token.
const oneSecret = `[{"name":"secret","inputSchema":{"type":"object"}}]`

// serveLogin serves a list to those who have logged in at its authorization server, which is at the same
// origin. It returns the URL of the server. The path /log lists what the authorization server did.
func serveLogin(t *testing.T) string {
	t.Helper()
	s, err := newListServer([]byte(oneSecret))
	if err != nil {
		t.Fatal(err)
	}
	handler := streamable.NewHandler(s.server(nil), streamable.Options{})
	t.Cleanup(handler.Close)
	var mu sync.Mutex
	var log []string
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, text)
	}
	revoked := false
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	document := func(path string, content map[string]any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(content) })
	}
	document("/.well-known/oauth-protected-resource/mcp", map[string]any{
		"resource": server.URL + "/mcp", "authorization_servers": []string{server.URL}, "scopes_supported": []string{"read"},
	})
	document("/.well-known/oauth-authorization-server", map[string]any{
		"issuer": server.URL, "authorization_endpoint": server.URL + "/authorize", "token_endpoint": server.URL + "/token",
		"registration_endpoint": server.URL + "/register", "revocation_endpoint": server.URL + "/revoke",
		"code_challenge_methods_supported": []string{"S256"},
	})
	document("/register", map[string]any{"client_id": "registered"})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		note("authorize " + q.Get("client_id") + " " + q.Get("scope"))
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"c"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		note(strings.TrimSpace("token " + r.FormValue("grant_type") + " " + id + secret))
		json.NewEncoder(w).Encode(map[string]any{"access_token": "good", "token_type": "Bearer", "refresh_token": "again"})
	})
	mux.HandleFunc("/revoke", func(_ http.ResponseWriter, r *http.Request) {
		note("revoke " + r.FormValue("token"))
		revoked = true
	})
	mux.HandleFunc("/log", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, strings.Join(log, "\n"))
		log, revoked = nil, false
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		ok := r.Header.Get("Authorization") == "Bearer good" && !revoked
		mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	return server.URL + "/mcp"
}

// browserMain is the program xdg-open of scripts: it visits the URL in its argument as a user would who
// agrees. If the variable BROWSER is "none", it fails.
func browserMain() {
	if os.Getenv("BROWSER") == "none" {
		os.Exit(1)
	}
	getMain()
}

// getMain prints the page at the URL in the first argument.
func getMain() {
	resp, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer resp.Body.Close()
	io.Copy(os.Stdout, resp.Body)
}
