package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

// TestAttacks checks what hostile servers, pages and networks try. Each row ends with an error and without
// what the attacker wants.
func TestAttacks(t *testing.T) {
	set := func(name string, value any) func(map[string]any) {
		return func(m map[string]any) { m[name] = value }
	}
	redirect := func(to string) func(http.ResponseWriter, *http.Request) bool {
		return func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/token" {
				return false
			}
			http.Redirect(rw, r, to, http.StatusTemporaryRedirect)
			return true
		}
	}
	for _, test := range []struct {
		name  string
		setup func(w *world)
		want  string // part of the error
		never string // no request begins with this
	}{
		{"A6 metadata of another issuer", func(w *world) { w.metadata = set("issuer", "https://honest.example") },
			`is that of the issuer "https://honest.example"`, "as POST"},
		{"A6 issuer with another slash", func(w *world) { w.metadata = set("issuer", w.as.URL+"/") }, "is that of the issuer", "as POST"},
		{"A13 metadata of another resource", func(w *world) { w.resource = set("resource", "https://evil.example/mcp") },
			`describes the resource "https://evil.example/mcp"`, "as"},
		{"A13 resource beside the server", func(w *world) { w.resource = set("resource", w.mcp.URL+"/mc") }, "describes the resource", "as"},
		{"A13 resource below the server", func(w *world) { w.resource = set("resource", w.url()+"/x") }, "describes the resource", "as"},
		{"A22 no PKCE", func(w *world) { w.metadata = func(m map[string]any) { delete(m, "code_challenge_methods_supported") } },
			"does not support PKCE by S256", "as POST"},
		{"A22 plain PKCE only", func(w *world) { w.metadata = set("code_challenge_methods_supported", []string{"plain"}) },
			"does not support PKCE by S256", "as POST"},
		{"A12 mix-up: iss of another issuer", func(w *world) { w.response = func(q url.Values) { q.Set("iss", "https://honest.example") } },
			"is that of another issuer", "as POST /token"},
		{"A12 mix-up: iss with a slash", func(w *world) { w.response = func(q url.Values) { q.Set("iss", w.as.URL+"/") } },
			"is that of another issuer", "as POST /token"},
		{"A12 mix-up: iss in other case", func(w *world) { w.response = func(q url.Values) { q.Set("iss", strings.ToUpper(w.as.URL)) } },
			"is that of another issuer", "as POST /token"},
		{"A12 mix-up: no iss though announced", func(w *world) { w.response = func(q url.Values) { q.Del("iss") } },
			"has no iss", "as POST /token"},
		{"A12 mix-up: another iss, not announced", func(w *world) {
			w.metadata = set("authorization_response_iss_parameter_supported", false)
			w.response = func(q url.Values) { q.Set("iss", "https://honest.example") }
		}, "is that of another issuer", "as POST /token"},
		{"A12 mix-up: two values of iss", func(w *world) { w.response = func(q url.Values) { q.Add("iss", "https://honest.example") } },
			"iss more than once", "as POST /token"},
		{"A23 another state", func(w *world) { w.response = func(q url.Values) { q.Set("state", "guess") } }, "another state", "as POST /token"},
		{"A23 no state", func(w *world) { w.response = func(q url.Values) { q.Del("state") } }, "another state", "as POST /token"},
		{"A23 state in other case", func(w *world) { w.response = func(q url.Values) { q.Set("state", strings.ToLower(q.Get("state"))) } },
			"another state", "as POST /token"},
		{"open redirect: a page that is a script", func(w *world) { w.metadata = set("authorization_endpoint", "javascript:alert(1)") },
			"refused the URL", "as POST"},
		{"open redirect: a file", func(w *world) { w.metadata = set("authorization_endpoint", "file:///etc/passwd") }, "refused the URL", "as POST"},
		{"open redirect: plain HTTP", func(w *world) { w.metadata = set("authorization_endpoint", "http://evil.example/authorize") },
			"only this machine may be reached without HTTPS", "as POST"},
		{"token endpoint over plain HTTP", func(w *world) { w.metadata = set("token_endpoint", "http://evil.example/token") },
			"only this machine may be reached without HTTPS", "as POST /token"},
		{"token endpoint with credentials in its URL", func(w *world) { w.metadata = set("token_endpoint", "https://u:p@evil.example/token") },
			"refused the URL", "as POST /token"},
		{"token endpoint that redirects", func(w *world) { w.answer = redirect(w.as.URL + "/stolen") }, "status 307", "as POST /stolen"},
		{"metadata that redirects to plain HTTP", func(w *world) {
			w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
				http.Redirect(rw, r, "http://evil.example/", http.StatusFound)
				return true
			}
		}, "only this machine may be reached without HTTPS", "as POST"},
		{"metadata that redirects in a circle", func(w *world) {
			w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
				http.Redirect(rw, r, r.URL.Path, http.StatusFound)
				return true
			}
		}, "too many redirects", "as POST"},
		{"metadata without end", func(w *world) {
			w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
				for r.Context().Err() == nil {
					if _, err := io.WriteString(rw, strings.Repeat(" ", 1<<16)); err != nil {
						break
					}
				}
				return true
			}
		}, "the response is longer than 262144 bytes", "as POST"},
		{"authorization endpoint with control characters for terminals", func(w *world) { w.metadata = set("authorization_endpoint", w.as.URL+"/authorize?\u009b2J") },
			"refused the URL", "as POST"},
		{"issuer with control characters for terminals", func(w *world) {
			w.resource = set("authorization_servers", []string{w.as.URL + "/\u009b2J"})
		}, "characters that a URL cannot have", "as"},
		{"client id with line breaks", func(w *world) {
			w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/register" {
					reply(rw, 201, map[string]any{"client_id": "a\r\nb"})
				}
				return r.URL.Path == "/register"
			}
		}, "no usable client_id", "as GET /authorize"},
		{"registration with another method", func(w *world) {
			w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/register" {
					reply(rw, 201, map[string]any{"client_id": "a", "client_secret": "b", "token_endpoint_auth_method": "private_key_jwt"})
				}
				return r.URL.Path == "/register"
			}
		}, `registered with the method "private_key_jwt"`, "as GET /authorize"},
		{"metadata service of a cloud", func(w *world) { w.resource = set("authorization_servers", []string{"https://169.254.169.254"}) },
			"refused to connect", "as"},
		{"no authorization server", func(w *world) { w.resource = set("authorization_servers", []string{}) }, "names no authorization server", "as"},
		{"a token of another type", func(w *world) {
			w.issue = func(_ url.Values, response map[string]any) { response["token_type"] = "mac" }
		}, `a token of type "mac"`, "as revokes"},
		{"the server refuses every token", func(w *world) {
			w.issue = func(url.Values, map[string]any) { clear(w.tokens) }
		}, "the server refuses the access token", "as revokes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			test.setup(w)
			got, err := call(t.Context(), w.transport(client.Options{}).Client(), w.url(), "")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, %v, want an error with %q", got, err, test.want)
			}
			if w.count(test.never) > 0 || len(w.visits) > 1 {
				t.Errorf("%d visits; requests:\n%s", len(w.visits), strings.Join(w.log, "\n"))
			}
		})
	}
}

// A12: nothing of an error response that another server may have caused is shown; that of the right one is,
// without control characters.
func TestErrorResponse(t *testing.T) {
	for _, test := range []struct {
		iss, want, not string
	}{
		{"https://honest.example", "another issuer", "visit evil.example"},
		{"", "reports access_denied (visit evil.example[31m)", "\x1b"},
	} {
		w := newWorld(t)
		w.response = func(q url.Values) {
			q.Del("code")
			q.Set("error", "access_denied")
			q.Set("error_description", "visit evil.example\x1b[31m")
			if test.iss != "" {
				q.Set("iss", test.iss)
			}
		}
		_, err := call(t.Context(), w.transport(client.Options{}).Client(), w.url(), "")
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), test.not) {
			t.Errorf("got %v, want %q without %q", err, test.want, test.not)
		}
	}
}

// remote is an MCP server that is not on this machine, as far as the transport knows.
type remote struct{ challenge string }

func (r remote) RoundTrip(req *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	rec.Header().Set("WWW-Authenticate", r.challenge)
	rec.WriteHeader(http.StatusUnauthorized)
	return rec.Result(), nil
}

// A server elsewhere makes the client request nothing on this machine or in its network, neither by address
// nor by a name that resolves to one.
func TestRequestForgery(t *testing.T) {
	reached := false
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer inside.Close()
	_, port, _ := strings.Cut(inside.Listener.Addr().String(), ":")
	for _, test := range []struct{ place, want string }{
		{"https://127.0.0.1:" + port, "is loopback"},
		{"https://localhost:" + port, "is loopback"}, // a name that resolves to this machine
		{"https://[::1]:" + port, "is loopback"},
		{"https://[::ffff:127.0.0.1]:" + port, "is loopback"},
		{"https://[64:ff9b::7f00:1]:" + port, "is loopback"},
		{"https://10.0.0.1", "is private"},
		{"https://192.168.1.1/admin", "is private"},
		{"https://100.64.0.1", "is private"},
		{"https://[fd00::1]", "is private"},
		{"https://169.254.169.254/latest/meta-data", "is link-local"},
		{"https://[fe80::1]", "is link-local"},
		{"https://0.0.0.0:" + port, "is reserved"},
		{"https://[::]:" + port, "is reserved"},
		{"https://224.0.0.1", "is reserved"},
		{"https://[2002:7f00:1::]", "is loopback"},
		{"http://93.184.216.34", "without HTTPS"},
		{"ftp://93.184.216.34", "expected https://HOST/PATH"},
		{"gopher:x", "expected https://HOST/PATH"},
	} {
		for _, parameter := range []string{`Bearer resource_metadata="%s"`} {
			transport, err := client.New("https://mcp.example.com/mcp", client.Options{
				Flow: client.ClientCredentials{},
				Base: remote{fmt.Sprintf(parameter, test.place)},
			})
			if err != nil {
				t.Fatal(err)
			}
			_, err = call(t.Context(), transport.Client(), "https://mcp.example.com/mcp", "")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: got %v, want an error with %q", test.place, err, test.want)
			}
		}
	}
	if reached {
		t.Error("the client reached this machine")
	}
}

// A14, A16: the token goes to the server alone: to no other origin, and along no redirect. The same is true of the
// bodies of requests.
func TestTokenLeakage(t *testing.T) {
	var leaked []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		leaked = append(leaked, r.Header.Get("Authorization")+r.URL.RawQuery)
	}))
	defer other.Close()
	w := newWorld(t)
	transport := w.transport(client.Options{})
	if err := transport.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	var status int
	w.serve = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "Bearer access-1" {
			t.Error("the server got no token")
		}
		http.Redirect(rw, r, other.URL, status)
		return true
	}
	for _, status = range redirects {
		if _, err := call(t.Context(), transport.Client(), w.url(), ""); err == nil || !strings.Contains(err.Error(), "redirect") {
			t.Errorf("status %d: got %v, want an error", status, err)
		}
	}
	for _, status = range []int{307, 308} { // which keep the body
		if _, err := call(t.Context(), &http.Client{Transport: transport}, w.url(), ""); err == nil || !strings.Contains(err.Error(), "redirects the body") {
			t.Errorf("status %d, with a client of the program: got %v, want an error", status, err)
		}
	}
	if len(leaked) > 0 {
		t.Errorf("a redirect was followed: %q", leaked)
	}
	if _, err := call(t.Context(), transport.Client(), other.URL, ""); err != nil {
		t.Error(err)
	}
	if len(leaked) != 1 || leaked[0] != "" {
		t.Errorf("%q", leaked)
	}
}

var redirects = []int{301, 302, 303, 307, 308}

// Requests that carry a secret or register the client follow no redirect, those for metadata carry none.
func TestRedirectedEndpoints(t *testing.T) {
	for _, status := range redirects {
		for path, follows := range map[string]bool{
			"/register": false, "/token": false, "/revoke": false, "/.well-known/oauth-authorization-server": true, "/.well-known/oauth-protected-resource/mcp": true,
		} {
			w := newWorld(t)
			var reached []string
			other := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				reached = append(reached, r.Method+" "+string(body)+r.Header.Get("Authorization")+r.Header.Get("Cookie"))
				reply(rw, 200, map[string]any{"issuer": w.as.URL, "access_token": "stolen", "token_type": "Bearer", "client_id": "stolen"})
			}))
			defer other.Close()
			redirect := func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == path {
					http.SetCookie(rw, &http.Cookie{Name: "c", Value: "v"})
					http.Redirect(rw, r, other.URL+"/?"+r.URL.RawQuery, status)
				}
				return r.URL.Path == path
			}
			w.answer, w.serve = redirect, redirect
			transport := w.transport(client.Options{})
			err := transport.Login(t.Context())
			if path == "/revoke" {
				err = errors.Join(err, transport.Logout(t.Context()))
			}
			if err == nil {
				t.Errorf("%s with status %d: no error", path, status)
			}
			if follows != (len(reached) == 1) || follows && reached[0] != "GET " {
				t.Errorf("%s with status %d: the other server got %q", path, status, reached)
			}
		}
	}
}

// A10: when the server moves to another authorization server, nothing of the first one is sent there.
func TestIssuerChange(t *testing.T) {
	first, second := newWorld(t), newWorld(t)
	c := first.transport(client.Options{}).Client()
	got, err := call(t.Context(), c, first.url(), "")
	want(t, got, err, "200 ok access-1 body")
	first.resource = func(m map[string]any) { m["authorization_servers"] = []string{second.as.URL} }
	first.revokeAccess()
	second.clients, second.issued = 10, 10
	second.issue = func(form url.Values, response map[string]any) {
		if form.Has("refresh_token") || form.Get("client_id") != "client-11" {
			t.Errorf("token request %v", form)
		}
		first.tokens["access-11"] = nil
	}
	first.agree = func(_ context.Context, address string) error {
		if strings.Contains(address, "client-1&") || !strings.HasPrefix(address, second.as.URL) {
			return errors.New("credentials of the first server at the second: " + address)
		}
		return nil
	}
	got, err = call(t.Context(), c, first.url(), "")
	want(t, got, err, "200 ok access-11 body")
	// Back again: the registration of the first is still there, and is not made anew.
	first.resource, first.agree = nil, nil
	first.revokeAccess()
	got, err = call(t.Context(), c, first.url(), "")
	want(t, got, err, "200 ok access-2 body")
	if first.clients != 1 {
		t.Errorf("%d registrations", first.clients)
	}
}

// A23: the response to one authorization is of no use for another.
func TestStateReused(t *testing.T) {
	w := newWorld(t)
	var old string
	w.response = func(q url.Values) {
		if old == "" {
			old = q.Get("state")
		} else {
			q.Set("state", old)
		}
	}
	c := w.transport(client.Options{}).Client()
	got, err := call(t.Context(), c, w.url(), "")
	want(t, got, err, "200 ok access-1 body")
	if _, err := call(t.Context(), c, w.url(), "write"); err == nil || !strings.Contains(err.Error(), "another state") {
		t.Errorf("got %v", err)
	}
}

// A22: who intercepts the code cannot redeem it, because the verifier is in no URL.
func TestCodeIntercepted(t *testing.T) {
	w := newWorld(t)
	w.agree = func(_ context.Context, address string) error {
		if strings.Contains(address, "verifier") {
			t.Error("the verifier is in the URL")
		}
		return nil
	}
	w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
		r.ParseForm()
		if r.URL.Path == "/token" && r.Form.Get("code_verifier") != "" {
			// The attacker is faster.
			stolen := url.Values{"grant_type": {"authorization_code"}, "code": {r.Form.Get("code")}, "redirect_uri": {r.Form.Get("redirect_uri")},
				"resource": {r.Form.Get("resource")}, "code_verifier": {w.visits[0].Get("code_challenge")}}
			rec := httptest.NewRecorder()
			theft := httptest.NewRequest(http.MethodPost, "/token", strings.NewReader(stolen.Encode()))
			theft.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w.token(rec, theft)
			if rec.Code != http.StatusBadRequest {
				t.Errorf("the code was redeemed: %s", rec.Body)
			}
		}
		return false
	}
	if _, err := call(t.Context(), w.transport(client.Options{}).Client(), w.url(), ""); err == nil {
		t.Error("the code was redeemed twice")
	}
}

// A20: a server that always wants more scopes gets no endless logins, over many requests.
func TestStepUpLoop(t *testing.T) {
	for name, demand := range map[string]func(n int) string{
		"the same scope": func(int) string { return "write" },
		"another scope":  func(n int) string { return fmt.Sprintf("scope-%d", n) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			n := 0
			w.serve = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.Header.Get("Authorization") == "" || r.Method == http.MethodGet {
					return false
				}
				n++
				rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+demand(n)+`"`)
				rw.WriteHeader(http.StatusForbidden)
				return true
			}
			c := w.transport(client.Options{}).Client()
			for range 5 {
				if _, err := call(t.Context(), c, w.url(), ""); !errors.Is(err, client.ErrRefused) {
					t.Errorf("got %v", err)
				}
			}
			if len(w.visits) > 3 {
				t.Errorf("%d visits", len(w.visits))
			}
		})
	}
}

// A20: a server that demands another scope every other time, or refuses every other token, sends the user to the
// browser a few times. Login allows a few more.
func TestVisitsAreLimited(t *testing.T) {
	for name, refuse := range map[string]func(w *world, rw http.ResponseWriter, n int){
		"more scopes": func(_ *world, rw http.ResponseWriter, n int) {
			rw.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope="scope-%d"`, n))
			rw.WriteHeader(http.StatusForbidden)
		},
		"the same scope": func(_ *world, rw http.ResponseWriter, n int) {
			rw.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="write"`)
			rw.WriteHeader(http.StatusForbidden)
		},
		"scopes that are none": func(_ *world, rw http.ResponseWriter, n int) {
			rw.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer error=\"insufficient_scope\", scope=\"\u009b%d\"", n))
			rw.WriteHeader(http.StatusForbidden)
		},
		"no token": func(w *world, rw http.ResponseWriter, n int) { // of an authorization server without refresh tokens
			rw.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="invalid_token", resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, w.mcp.URL))
			rw.WriteHeader(http.StatusUnauthorized)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.issue = func(_ url.Values, response map[string]any) { delete(response, "refresh_token") }
			n, spared := 0, ""
			w.serve = func(rw http.ResponseWriter, r *http.Request) bool {
				token := r.Header.Get("Authorization")
				if token == "" || r.Method == http.MethodGet {
					return false
				}
				if n++; token != spared { // a token is good once
					spared = token
					return false
				}
				refuse(w, rw, n)
				return true
			}
			transport := w.transport(client.Options{})
			for range 40 {
				call(t.Context(), transport.Client(), w.url(), "")
			}
			if n := len(w.visits); n < 1 || n > 3 {
				t.Errorf("%d visits for 40 requests", n)
			}
			if name == "scopes that are none" {
				return
			}
			before := len(w.visits)
			err := transport.Login(t.Context())
			if err == nil {
				_, err = call(t.Context(), transport.Client(), w.url(), "")
			}
			if len(w.visits) == before {
				t.Errorf("no visit after Login: %v", err)
			}
		})
	}
}

// A token that no header can carry is refused and not stored; later logins work. So they do if it was stored.
func TestTokenThatCannotBeSent(t *testing.T) {
	for _, bad := range []string{"a\r\nX-Injected: b", "a\nb", "a\x00b", "a b", " ", "a\u00e9", strings.Repeat("a", 70_000)} {
		w := newWorld(t)
		w.issue = func(_ url.Values, response map[string]any) { response["access_token"] = bad }
		store := &client.Memory{}
		transport := w.transport(client.Options{Store: store})
		if err := transport.Login(t.Context()); err == nil || !strings.Contains(err.Error(), "characters that a header cannot have") {
			t.Errorf("%.20q: got %v", bad, err)
		}
		if _, err := transport.Status(t.Context()); !errors.Is(err, client.ErrNoGrant) {
			t.Errorf("%.20q: got %v", bad, err)
		}
		w.issue = nil
		if err := transport.Login(t.Context()); err != nil {
			t.Errorf("%.20q: %v", bad, err)
		}
		const key = "grant code "
		good, err := store.Get(t.Context(), key+w.url())
		if err != nil || good == nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(bad)
		stored := bytes.Replace(good, []byte(`"access-2"`), text, 1)
		for _, stored := range [][]byte{
			stored, bytes.ReplaceAll(stored, []byte("refresh_token"), []byte("x")),
			bytes.Replace(good, []byte(`"Bearer"`), []byte(`"Bearer\r\nX-Injected:"`), 1), bytes.Replace(good, []byte(`"Bearer"`), []byte(`"DPoP"`), 1),
		} {
			if err := store.Set(t.Context(), key+w.url(), stored); err != nil {
				t.Fatal(err)
			}
			if err := w.transport(client.Options{Store: store}).Login(t.Context()); err != nil {
				t.Errorf("%.20q was stored: %v", bad, err)
			}
		}
	}
}

// Secrets are in no text that anything prints.
func TestSecretsAreNotPrinted(t *testing.T) {
	key := client.Credentials{ClientID: "id", Secret: "hidden-secret"}
	opts := client.Options{Flow: client.ClientCredentials{}, Credentials: []client.Credentials{key}}
	w := newWorld(t)
	transport := w.transport(opts)
	if err := transport.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{key, &key, opts, key.Secret, &key.Secret} {
			text := fmt.Sprintf(format, value)
			if strings.Contains(text, "hidden-secret") || strings.Contains(text, fmt.Sprintf("%x", "hidden-secret")) {
				t.Errorf("%s of %T: %s", format, value, text)
			}
		}
	}
	w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			fmt.Fprint(rw, `{"access_token":"hidden-token","token_type":7}`)
			return true
		}
		return false
	}
	w.revokeAccess()
	_, err := call(t.Context(), transport.Client(), w.url(), "")
	if err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}
