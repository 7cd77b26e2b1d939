package client_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

// world is a protected MCP server and its authorization server, both on this machine. A test sets its
// hooks before the first request. A request to the MCP server names the scope that it needs in the header
// Need.
type world struct {
	t       *testing.T
	mcp, as *httptest.Server

	resource func(map[string]any)                            // changes the metadata of the MCP server
	metadata func(map[string]any)                            // changes the metadata of the authorization server
	response func(url.Values)                                // changes authorization responses
	serve    func(http.ResponseWriter, *http.Request) bool   // answers requests to the MCP server
	answer   func(http.ResponseWriter, *http.Request) bool   // answers requests to the authorization server
	issue    func(form url.Values, response map[string]any)  // changes token responses
	agree    func(ctx context.Context, address string) error // what the user does before agreeing

	mu      sync.Mutex
	log     []string              // of requests, in words
	tokens  map[string][]string   // access tokens with their scopes
	refresh map[string]string     // refresh tokens with "current" or "used"
	codes   map[string]url.Values // authorization requests by their codes
	reused  bool                  // a refresh token was used twice
	issued  int
	clients int
	visits  []url.Values // authorization requests that the user has seen
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, tokens: map[string][]string{}, refresh: map[string]string{}, codes: map[string]url.Values{}}
	w.as = httptest.NewServer(http.HandlerFunc(w.serveAS))
	w.mcp = httptest.NewServer(http.HandlerFunc(w.serveMCP))
	t.Cleanup(w.mcp.Close)
	t.Cleanup(w.as.Close)
	return w
}

// url returns the URL of the MCP server.
func (w *world) url() string { return w.mcp.URL + "/mcp" }

func (w *world) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// count returns how many requests begin with a text.
func (w *world) count(prefix string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, line := range w.log {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

func (w *world) serveMCP(rw http.ResponseWriter, r *http.Request) {
	w.note("mcp %s %s", r.Method, r.URL.Path)
	if w.serve != nil && w.serve(rw, r) {
		return
	}
	if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
		document := map[string]any{"resource": w.url(), "authorization_servers": []string{w.as.URL}, "scopes_supported": []string{"basic"}}
		if w.resource != nil {
			w.resource(document)
		}
		reply(rw, 200, document)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/.well-known/") {
		http.NotFound(rw, r)
		return
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	w.mu.Lock()
	scopes, ok := w.tokens[token]
	w.mu.Unlock()
	need := r.Header.Get("Need")
	switch {
	case !ok:
		rw.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+w.mcp.URL+`/.well-known/oauth-protected-resource/mcp"`)
		rw.WriteHeader(401)
	case need != "" && !slices.Contains(scopes, need):
		rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+need+`"`)
		rw.WriteHeader(403)
	default:
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(rw, "ok %s %s", token, body)
	}
}

func (w *world) serveAS(rw http.ResponseWriter, r *http.Request) {
	w.note("as %s %s", r.Method, r.URL.Path)
	if w.answer != nil && w.answer(rw, r) {
		return
	}
	switch r.URL.Path {
	case "/.well-known/oauth-authorization-server":
		document := map[string]any{
			"issuer": w.as.URL, "authorization_endpoint": w.as.URL + "/authorize", "token_endpoint": w.as.URL + "/token",
			"registration_endpoint": w.as.URL + "/register", "revocation_endpoint": w.as.URL + "/revoke",
			"code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
			"scopes_supported": []string{"basic", "write", "offline_access"},
			"authorization_response_iss_parameter_supported": true,
		}
		if w.metadata != nil {
			w.metadata(document)
		}
		reply(rw, 200, document)
	case "/register":
		var request map[string]any
		json.NewDecoder(r.Body).Decode(&request)
		w.mu.Lock()
		w.clients++
		id := fmt.Sprintf("client-%d", w.clients)
		w.mu.Unlock()
		w.note("as registers %v %v", request["application_type"], request["grant_types"])
		reply(rw, 201, map[string]any{"client_id": id})
	case "/authorize":
		w.authorize(rw, r)
	case "/token":
		w.token(rw, r)
	case "/revoke":
		w.note("as revokes %s %s", r.FormValue("token_type_hint"), r.FormValue("token"))
	default:
		http.NotFound(rw, r)
	}
}

func (w *world) authorize(rw http.ResponseWriter, r *http.Request) {
	request := r.URL.Query()
	w.mu.Lock()
	w.visits = append(w.visits, request)
	code := fmt.Sprintf("code-%d", len(w.visits))
	w.codes[code] = request
	w.mu.Unlock()
	response := url.Values{"code": {code}, "state": {request.Get("state")}, "iss": {w.as.URL}}
	if w.response != nil {
		w.response(response)
	}
	http.Redirect(rw, r, request.Get("redirect_uri")+"?"+response.Encode(), http.StatusFound)
}

func (w *world) token(rw http.ResponseWriter, r *http.Request) {
	r.ParseForm()
	w.note("as grants by %s", r.Form.Get("grant_type"))
	w.mu.Lock()
	defer w.mu.Unlock()
	scope := r.Form.Get("scope")
	switch r.Form.Get("grant_type") {
	case "authorization_code":
		request, ok := w.codes[r.Form.Get("code")]
		delete(w.codes, r.Form.Get("code"))
		sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
		switch {
		case !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != request.Get("code_challenge"):
			reply(rw, 400, map[string]any{"error": "invalid_grant", "error_description": "the code or its verifier"})
			return
		case request.Get("redirect_uri") != r.Form.Get("redirect_uri") || request.Get("resource") != r.Form.Get("resource"):
			reply(rw, 400, map[string]any{"error": "invalid_request"})
			return
		}
		scope = request.Get("scope")
	case "refresh_token":
		old := r.Form.Get("refresh_token")
		if w.refresh[old] != "current" {
			w.reused = w.reused || w.refresh[old] == "used"
			reply(rw, 400, map[string]any{"error": "invalid_grant"})
			return
		}
		w.refresh[old] = "used"
		scope = strings.TrimPrefix(old[strings.Index(old, " "):], " ")
	}
	w.issued++
	access, refresh := fmt.Sprintf("access-%d", w.issued), fmt.Sprintf("refresh-%d %s", w.issued, scope)
	w.tokens[access] = strings.Fields(scope)
	w.refresh[refresh] = "current"
	response := map[string]any{"access_token": access, "token_type": "bearer", "refresh_token": refresh, "expires_in": 3600}
	if w.issue != nil {
		w.issue(r.Form, response)
	}
	reply(rw, 200, response)
}

// revokeAccess makes the access tokens invalid.
func (w *world) revokeAccess() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.tokens)
}

func reply(rw http.ResponseWriter, status int, document any) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(status)
	json.NewEncoder(rw).Encode(document)
}

// Authorize is that of a user who agrees to everything.
func (w *world) Authorize(ctx context.Context, _ string, begin func(string) (string, error)) (string, error) {
	address, err := begin("http://127.0.0.1:1/callback")
	if err != nil {
		return "", err
	}
	return w.visit(ctx, address)
}

// visit returns the URL to which the authorization server sends the user back.
func (w *world) visit(ctx context.Context, address string) (string, error) {
	if w.agree != nil {
		if err := w.agree(ctx, address); err != nil {
			return "", err
		}
	}
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Get(address)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		return "", err
	}
	return back.String(), nil
}

// transport returns a transport to the MCP server. opts needs no Flow if the user agrees.
func (w *world) transport(opts client.Options) *client.Transport {
	w.t.Helper()
	if opts.Flow == nil {
		opts.Flow = client.AuthorizationCode{Agent: w}
	}
	transport, err := client.New(w.url(), opts)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// call sends a request that needs a scope, or none, and returns the body of the response with its status.
func call(ctx context.Context, c *http.Client, address, scope string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader("body"))
	if err != nil {
		return "", err
	}
	req.Header.Set("Need", scope)
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return fmt.Sprintf("%d %s", resp.StatusCode, text), err
}
