package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/runtime/auth/client"
)

func want(t *testing.T, got string, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A4, A9, A11, A13, A14, A17: a request without a token leads to a login, whose token the next ones have.
func TestLogin(t *testing.T) {
	w := newWorld(t)
	transport := w.transport(client.Options{Name: "Program"})
	for range 2 {
		got, err := call(t.Context(), transport.Client(), w.url()+"?x=1", "")
		want(t, got, err, "200 ok access-1 body")
	}
	if diff := cmp.Diff([]string{
		"mcp POST /mcp",
		"mcp GET /.well-known/oauth-protected-resource/mcp",
		"as GET /.well-known/oauth-authorization-server",
		"as POST /register",
		"as registers native [authorization_code refresh_token]",
		"as GET /authorize",
		"as POST /token",
		"as grants by authorization_code",
		"mcp POST /mcp",
		"mcp POST /mcp",
	}, w.log); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	visit := w.visits[0]
	visit.Del("state")
	visit.Del("code_challenge")
	if diff := cmp.Diff(url.Values{
		"client_id": {"client-1"}, "code_challenge_method": {"S256"}, "redirect_uri": {"http://127.0.0.1:1/callback"},
		"resource": {w.url()}, "response_type": {"code"}, "scope": {"basic offline_access"},
	}, visit); diff != "" {
		t.Errorf("authorization request (-want +got):\n%s", diff)
	}
}

// A20: step-up asks for the scopes of before and of the challenge.
func TestStepUp(t *testing.T) {
	w := newWorld(t)
	c := w.transport(client.Options{}).Client()
	got, err := call(t.Context(), c, w.url(), "")
	want(t, got, err, "200 ok access-1 body")
	got, err = call(t.Context(), c, w.url(), "write")
	want(t, got, err, "200 ok access-2 body")
	got, err = call(t.Context(), c, w.url(), "basic")
	want(t, got, err, "200 ok access-2 body")
	if diff := cmp.Diff("basic offline_access write", w.visits[1].Get("scope")); diff != "" {
		t.Error(diff)
	}
}

// A17: a refresh token is used when the server refuses the access token, and when that ends.
func TestRefresh(t *testing.T) {
	w := newWorld(t)
	c := w.transport(client.Options{}).Client()
	got, err := call(t.Context(), c, w.url(), "")
	want(t, got, err, "200 ok access-1 body")
	w.revokeAccess()
	w.issue = func(_ url.Values, response map[string]any) { response["expires_in"] = "1" } // ends at once
	got, err = call(t.Context(), c, w.url(), "")
	want(t, got, err, "200 ok access-2 body")
	w.issue = func(_ url.Values, response map[string]any) { delete(response, "refresh_token") }
	got, err = call(t.Context(), c, w.url(), "")
	want(t, got, err, "200 ok access-3 body")
	w.revokeAccess()
	got, err = call(t.Context(), c, w.url(), "")
	want(t, got, err, "200 ok access-4 body") // the old refresh token is used up: the user agrees again
	if n := len(w.visits); n != 2 || w.count("as grants by refresh_token") != 3 {
		t.Errorf("%d visits; requests:\n%s", n, strings.Join(w.log, "\n"))
	}
}

// TestRefusedRefresh checks that a refresh token that the authorization server refuses, with whatever code, is
// forgotten, and that one which it cannot use now is not.
func TestRefusedRefresh(t *testing.T) {
	for _, test := range []struct {
		status  int
		body    string
		refused bool
	}{
		{400, `{"error":"invalid_grant"}`, true},
		{400, `{"error":"interaction_required"}`, true},
		{200, `{"error":"bad_refresh_token"}`, true}, // GitHub
		{401, `{"error":"invalid_token"}`, true},
		{400, `{"error":"use_dpop_nonce"}`, false},
		{403, `<html>`, false},
		{403, `{"status":403,"error":"Forbidden"}`, false}, // a gateway
		{400, `{"error":"Bad Request"}`, false},
		{404, `{"error":"Not Found"}`, false},
		{429, `{"error":"slow_down"}`, false},
		{503, `{"error":"temporarily_unavailable"}`, false},
	} {
		w := newWorld(t)
		c := w.transport(client.Options{}).Client()
		got, err := call(t.Context(), c, w.url(), "")
		want(t, got, err, "200 ok access-1 body")
		w.revokeAccess()
		w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
			refuses := r.FormValue("grant_type") == "refresh_token"
			if refuses {
				rw.WriteHeader(test.status)
				io.WriteString(rw, test.body)
			}
			return refuses
		}
		got, err = call(t.Context(), c, w.url(), "")
		text := "refreshing the token: the authorization server re"
		if test.status/100 == 4 {
			text = "refreshing the token, which a logout forgets: the authorization server re"
		}
		if test.refused {
			want(t, got, err, "200 ok access-2 body")
		} else if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%d %s: got %s, %v", test.status, test.body, got, err)
		}
	}
}

// TestRefusedOnce checks that a refusal, also one with status 200, is not asked for again with each request.
func TestRefusedOnce(t *testing.T) {
	for _, status := range []int{200, 400} {
		w := newWorld(t)
		w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/token" {
				return false
			}
			reply(rw, status, map[string]any{"error": "incorrect_client_credentials"}) // GitHub
			return true
		}
		c := w.transport(client.Options{Flow: client.ClientCredentials{}, Credentials: []client.Credentials{{ClientID: "c"}}}).Client()
		for range 2 {
			if got, err := call(t.Context(), c, w.url(), ""); err == nil || !strings.Contains(err.Error(), "incorrect_client_credentials") {
				t.Errorf("%d: got %s, %v", status, got, err)
			}
		}
		if n := w.count("as POST /token"); n != 1 {
			t.Errorf("%d: %d requests for a token", status, n)
		}
	}
}

// A response without scopes means those that were asked for, and that of a refresh those that were granted before
// (RFC 6749, sections 5.1 and 6).
func TestGrantedScopes(t *testing.T) {
	for _, test := range []struct{ first, refreshed, want string }{
		{"", "", "basic offline_access"},
		{"basic", "", "basic"},
		{"basic", "basic write", "basic write"},
		{"", "basic", "basic"},
	} {
		w := newWorld(t)
		reported := test.first
		w.issue = func(_ url.Values, response map[string]any) {
			if reported != "" {
				response["scope"] = reported
			}
		}
		transport := w.transport(client.Options{})
		got, err := call(t.Context(), transport.Client(), w.url(), "")
		want(t, got, err, "200 ok access-1 body")
		reported = test.refreshed
		w.revokeAccess()
		got, err = call(t.Context(), transport.Client(), w.url(), "")
		want(t, got, err, "200 ok access-2 body")
		status, err := transport.Status(t.Context())
		want(t, strings.Join(status.Scopes, " "), err, test.want)
		if len(w.visits) != 1 {
			t.Errorf("%d visits", len(w.visits))
		}
	}
}

// A server that begins to demand tokens that are bound to a key gets one by a new login: the refresh token of a
// token that is not bound would bring another one like it.
func TestBoundLater(t *testing.T) {
	w := newWorld(t)
	bound := false
	w.serve = func(rw http.ResponseWriter, r *http.Request) bool {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "DPoP ")
		switch {
		case !bound || r.URL.Path != "/mcp":
			return false
		case ok:
			io.WriteString(rw, "ok "+token)
		default:
			rw.Header().Set("WWW-Authenticate", `DPoP resource_metadata="`+w.mcp.URL+`/.well-known/oauth-protected-resource/mcp"`)
			rw.WriteHeader(401)
		}
		return true
	}
	w.issue = func(form url.Values, response map[string]any) {
		if bound && form.Get("grant_type") == "authorization_code" {
			response["token_type"] = "DPoP"
		}
	}
	c := w.transport(client.Options{}).Client()
	got, err := call(t.Context(), c, w.url(), "")
	want(t, got, err, "200 ok access-1 body")
	bound = true
	for range 2 {
		got, err = call(t.Context(), c, w.url(), "")
		want(t, got, err, "200 ok access-2")
	}
	if used := w.refresh["refresh-1 basic offline_access"]; used != "current" || len(w.visits) != 2 {
		t.Errorf("the refresh token is %q, %d visits; requests:\n%s", used, len(w.visits), strings.Join(w.log, "\n"))
	}
}

// Concurrent requests wait for one login.
func TestCoalesced(t *testing.T) {
	w := newWorld(t)
	c := w.transport(client.Options{}).Client()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			got, err := call(t.Context(), c, w.url(), "")
			if err != nil || got != "200 ok access-1 body" {
				t.Error(got, err)
			}
		})
	}
	wait.Wait()
	if len(w.visits) != 1 {
		t.Errorf("%d visits", len(w.visits))
	}
}

// A login goes on when the first request that waits for it has ended, and ends with the last.
func TestLoginOutlivesRequest(t *testing.T) {
	w := newWorld(t)
	asked, agreed := make(chan struct{}, 1), make(chan struct{})
	var ended error
	w.agree = func(ctx context.Context, _ string) error {
		asked <- struct{}{}
		select {
		case <-agreed:
			return nil
		case <-ctx.Done():
			ended = context.Cause(ctx)
			return ended
		}
	}
	c := w.transport(client.Options{}).Client()
	first, cancel := context.WithCancel(t.Context())
	results := make(chan string, 2)
	do := func(ctx context.Context) {
		got, err := call(ctx, c, w.url(), "")
		if err != nil {
			got = "error"
		}
		results <- got
	}
	go do(first)
	<-asked
	waiting := w.count("mcp POST")
	go do(t.Context())
	for w.count("mcp POST") == waiting {
	}
	cancel()
	if got := <-results; got != "error" {
		t.Error(got)
	}
	close(agreed)
	if got := <-results; got != "200 ok access-1 body" && got != "200 ok access-2 body" {
		t.Error(got)
	}
}

// A17: what the token endpoint issues is stored, even if the last request that waits for it has ended: the code or
// the refresh token is used up.
func TestExchangeOutlivesRequests(t *testing.T) {
	for _, by := range []string{"authorization_code", "refresh_token"} {
		t.Run(by, func(t *testing.T) {
			w := newWorld(t)
			store, err := client.NewFile(t.TempDir()) // which obeys the end of a context
			if err != nil {
				t.Fatal(err)
			}
			c := w.transport(client.Options{Store: store}).Client()
			if by == "refresh_token" {
				got, err := call(t.Context(), c, w.url(), "")
				want(t, got, err, "200 ok access-1 body")
				w.revokeAccess()
			}
			issued, answer := make(chan struct{}), make(chan struct{})
			w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/token" || w.count("as grants by "+by) > 0 {
					return false
				}
				w.token(rw, r)
				close(issued)
				<-answer
				return true
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-issued
				cancel()
			}()
			if got, err := call(ctx, c, w.url(), ""); !errors.Is(err, context.Canceled) {
				t.Errorf("got %s, %v", got, err)
			}
			close(answer)
			newest := map[string]string{"authorization_code": "access-1", "refresh_token": "access-2"}[by]
			got, err := call(t.Context(), c, w.url(), "")
			want(t, got, err, "200 ok "+newest+" body")
			if n := w.count("as grants by " + by); n != 1 || len(w.visits) != 1 {
				t.Errorf("%d exchanges, %d visits", n, len(w.visits))
			}
		})
	}
}

// A user who refuses is not asked again by the next request, but by Login.
func TestRefusedLogin(t *testing.T) {
	w := newWorld(t)
	w.response = func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }
	transport := w.transport(client.Options{})
	for range 2 {
		if _, err := call(t.Context(), transport.Client(), w.url(), ""); !errors.Is(err, client.ErrDenied) {
			t.Errorf("got %v", err)
		}
	}
	if len(w.visits) != 1 {
		t.Errorf("%d visits", len(w.visits))
	}
	w.response = nil
	if err := transport.Login(t.Context()); err != nil {
		t.Error(err)
	}
	status, err := transport.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if status.Issuer != w.as.URL || status.ClientID != "client-1" || !status.Renewable {
		t.Errorf("%+v", status)
	}
}

// A store gives the token to the next program; Logout revokes it.
func TestStoredLogin(t *testing.T) {
	w := newWorld(t)
	store, err := client.NewFile(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		got, err := call(t.Context(), w.transport(client.Options{Store: store}).Client(), w.url(), "")
		want(t, got, err, "200 ok access-1 body")
	}
	// A16: another client does not use it.
	other := w.transport(client.Options{Store: store, Credentials: []client.Credentials{{ClientID: "other"}}})
	if _, err := other.Status(t.Context()); !errors.Is(err, client.ErrNoGrant) {
		t.Errorf("got %v", err)
	}
	transport := w.transport(client.Options{Store: store})
	if err := transport.Logout(t.Context()); err != nil {
		t.Error(err)
	}
	if err := transport.Logout(t.Context()); !errors.Is(err, client.ErrNoGrant) {
		t.Errorf("got %v", err)
	}
	if w.count("as revokes refresh_token refresh-1") != 1 || w.count("as revokes access_token access-1") != 1 {
		t.Error(strings.Join(w.log, "\n"))
	}
}

// A7: the order of registrations, and A8: what a URL as client id must be.
func TestRegistrationOrder(t *testing.T) {
	documents := func(m map[string]any) { m["client_id_metadata_document_supported"] = true }
	none := func(m map[string]any) { delete(m, "registration_endpoint") }
	ask := func(context.Context, string) (client.Credentials, error) {
		return client.Credentials{ClientID: "asked"}, nil
	}
	for _, test := range []struct {
		name     string
		opts     client.Options
		metadata func(map[string]any)
		want     string // client id, or error
	}{
		{"given first", client.Options{Credentials: []client.Credentials{{ClientID: "given"}}, ClientIDURL: "https://a/b"}, documents, "given"},
		{"document", client.Options{ClientIDURL: "https://a/b", Ask: ask}, documents, "https://a/b"},
		{"document is not supported", client.Options{ClientIDURL: "https://a/b", Ask: ask}, nil, "client-1"},
		{"dynamic", client.Options{Ask: ask}, documents, "client-1"},
		{"asked", client.Options{Ask: ask, ClientIDURL: "https://a/b"}, none, "asked"},
		{"nothing", client.Options{}, none, "no client id for the authorization server"},
		{"given for another", client.Options{Credentials: []client.Credentials{{Issuer: "https://other", ClientID: "given"}}}, documents,
			"which the server now uses: the given credentials are those for https://other"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.metadata = test.metadata
			_, err := call(t.Context(), w.transport(test.opts).Client(), w.url(), "")
			got := ""
			if err != nil {
				got = err.Error()
			} else if len(w.visits) == 1 {
				got = w.visits[0].Get("client_id")
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	for _, bad := range []string{"http://a/b", "https://a", "https://a/", "https://a/b#c", "https://u@a/b", "a"} {
		if _, err := client.New("https://a", client.Options{Flow: client.ClientCredentials{}, ClientIDURL: bad}); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// A25: flows without a user, each with what the token endpoint receives.
func TestFlowsWithoutUser(t *testing.T) {
	secret := func(text string) func(context.Context) (client.Secret, error) {
		return func(context.Context) (client.Secret, error) { return client.Secret(text), nil }
	}
	w := newWorld(t)
	var forms []url.Values
	w.issue = func(form url.Values, response map[string]any) {
		forms = append(forms, form)
		if form.Has("subject_token") {
			response["issued_token_type"] = "urn:ietf:params:oauth:token-type:id-jag"
			response["token_type"] = "N_A"
		}
		delete(response, "refresh_token")
	}
	credentials := []client.Credentials{{Issuer: w.as.URL, ClientID: "a b", Secret: "c&d", AuthMethod: "client_secret_post"}}
	for _, test := range []struct {
		name string
		opts client.Options
		want []url.Values
	}{
		{"secret", client.Options{Flow: client.ClientCredentials{}, Credentials: credentials}, []url.Values{
			{"grant_type": {"client_credentials"}, "client_id": {"a b"}, "client_secret": {"c&d"}, "scope": {"basic"}, "resource": {w.url()}}}},
		{"workload", client.Options{Credentials: []client.Credentials{{ClientID: "id"}}, Flow: client.Workload{
			Assertion: func(_ context.Context, audience string) (client.Secret, error) {
				return client.Secret("jwt for " + audience), nil
			}}}, []url.Values{
			{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {"jwt for " + w.as.URL}, "client_id": {"id"}, "scope": {"basic"}, "resource": {w.url()}}}},
		{"enterprise", client.Options{Credentials: credentials, Flow: client.Enterprise{Issuer: w.as.URL, Client: client.Credentials{ClientID: "idp"}, Identity: secret("id token")}}, []url.Values{
			{"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "audience": {w.as.URL}, "client_id": {"idp"},
				"requested_token_type": {"urn:ietf:params:oauth:token-type:id-jag"}, "resource": {w.url()}, "scope": {"basic"},
				"subject_token": {"id token"}, "subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"}},
			{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {"access-3"}, "client_id": {"a b"}, "client_secret": {"c&d"},
				"scope": {"basic"}, "resource": {w.url()}}}},
		{"enterprise by SAML", client.Options{Credentials: credentials, Flow: client.Enterprise{
			TokenEndpoint: w.as.URL + "/token", Client: client.Credentials{ClientID: "idp"}, Identity: secret("saml"),
			IdentityType: "urn:ietf:params:oauth:token-type:saml2"}}, []url.Values{
			{"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "audience": {w.as.URL}, "client_id": {"idp"},
				"requested_token_type": {"urn:ietf:params:oauth:token-type:id-jag"}, "resource": {w.url()}, "scope": {"basic"},
				"subject_token": {"saml"}, "subject_token_type": {"urn:ietf:params:oauth:token-type:saml2"}},
			{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {"access-5"}, "client_id": {"a b"}, "client_secret": {"c&d"},
				"scope": {"basic"}, "resource": {w.url()}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			forms = nil
			got, err := call(t.Context(), w.transport(test.opts).Client(), w.url(), "")
			if err != nil || !strings.HasPrefix(got, "200 ok access-") {
				t.Error(got, err)
			}
			if diff := cmp.Diff(test.want, forms); diff != "" {
				t.Errorf("token requests (-want +got):\n%s", diff)
			}
		})
	}
	if len(w.visits) > 0 {
		t.Error("a user was asked")
	}
}

// sources is an oauth2.TokenSource of tokens in order; the last one is repeated.
type sources struct{ tokens []string }

func (s *sources) Token() (*oauth2.Token, error) {
	token := s.tokens[0]
	if len(s.tokens) > 1 {
		s.tokens = s.tokens[1:]
	}
	return &oauth2.Token{AccessToken: token}, nil
}

// A token source is asked again when the server refuses its token, and never replaced by a login.
func TestTokenSource(t *testing.T) {
	w := newWorld(t)
	w.tokens["good"] = nil
	opts := client.Options{Flow: client.TokenSource{TokenSource: &sources{[]string{"bad", "good"}}}}
	got, err := call(t.Context(), w.transport(opts).Client(), w.url(), "")
	want(t, got, err, "200 ok good body")
	opts.Flow = client.TokenSource{TokenSource: &sources{[]string{"bad"}}}
	_, err = call(t.Context(), w.transport(opts).Client(), w.url(), "")
	if !errors.Is(err, client.ErrRefused) {
		t.Errorf("got %v", err)
	}
	type unhandled interface {
		error
		Unhandled() bool
	}
	if e, ok := errors.AsType[unhandled](err); !ok || !e.Unhandled() {
		t.Errorf("the error does not say that the server has not handled the request: %v", err)
	}
	opts.Flow = client.TokenSource{TokenSource: &sources{[]string{""}}}
	if _, err := call(t.Context(), w.transport(opts).Client(), w.url(), ""); err == nil || !strings.Contains(err.Error(), "the token source returned an empty token") {
		t.Errorf("got %v for an empty token", err)
	}
	if w.count("as") > 0 || w.count("mcp GET") > 0 {
		t.Error(strings.Join(w.log, "\n"))
	}
}

// Requests that the transport must not touch.
func TestLeftAlone(t *testing.T) {
	w := newWorld(t)
	transport := w.transport(client.Options{})
	if err := transport.Login(t.Context()); err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequest(http.MethodGet, w.url(), nil)
	req.Header.Set("Authorization", "Bearer own")
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 401 || req.Header.Get("Authorization") != "Bearer own" {
		t.Error(resp.Status)
	}
}

// A25: a nonce that the authorization server or the server demands is in the next proof, and a demand that is never
// satisfied is repeated once.
func TestNoncesOfServers(t *testing.T) {
	for _, changing := range []bool{false, true} {
		w := newWorld(t)
		demands := 0
		// refused answers a request whose proof has not the nonce of a server.
		refused := func(rw http.ResponseWriter, r *http.Request, nonce string) bool {
			parsed, err := jwt.ParseSigned(r.Header.Get("DPoP"), []jose.SignatureAlgorithm{jose.ES256})
			if err != nil {
				t.Error(err)
			}
			var proof struct {
				Nonce string `json:"nonce"`
			}
			if err := parsed.UnsafeClaimsWithoutVerification(&proof); err != nil {
				t.Error(err)
			}
			if proof.Nonce == nonce && !changing {
				return false
			}
			demands++
			if changing {
				nonce += strings.Repeat("x", demands)
			}
			rw.Header().Set("DPoP-Nonce", nonce)
			return true
		}
		w.metadata = func(m map[string]any) { m["dpop_signing_alg_values_supported"] = []string{"ES256"} }
		w.answer = func(rw http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/token" || !refused(rw, r, "of the AS") {
				return false
			}
			reply(rw, 400, map[string]any{"error": "use_dpop_nonce"})
			return true
		}
		w.issue = func(_ url.Values, response map[string]any) { response["token_type"] = "DPoP" }
		w.serve = func(rw http.ResponseWriter, r *http.Request) bool {
			token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "DPoP ")
			switch {
			case !ok || r.URL.Path != "/mcp":
				return false
			case refused(rw, r, "of the server"):
				rw.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
				rw.WriteHeader(401)
			default:
				body, _ := io.ReadAll(r.Body)
				io.WriteString(rw, "ok "+token+" "+string(body))
			}
			return true
		}
		got, err := call(t.Context(), w.transport(client.Options{DPoP: true}).Client(), w.url(), "")
		if changing {
			if err == nil || !strings.Contains(err.Error(), "use_dpop_nonce") || demands != 2 {
				t.Errorf("got %s, %v after %d demands", got, err, demands)
			}
			continue
		}
		want(t, got, err, "200 ok access-1 body")
		if demands != 2 || len(w.visits) != 1 {
			t.Errorf("%d demands, %d visits", demands, len(w.visits))
		}
	}
}
