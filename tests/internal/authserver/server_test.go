package authserver_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

func get(t *testing.T, target string, into any) int {
	t.Helper()
	response, err := http.Get(target)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode
}

func post(t *testing.T, target string, form url.Values) (int, map[string]any) {
	t.Helper()
	response, err := http.PostForm(target, form)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// TestCode gets a token for a registered client as a browser would, refreshes it, and uses a refresh
// token twice.
func TestCode(t *testing.T) {
	s := authserver.New(t, authserver.Options{Path: "/tenant", Scopes: []string{"a", "b"}})
	var m struct {
		Issuer                string
		AuthorizationEndpoint string `json:"authorization_endpoint"`
		TokenEndpoint         string `json:"token_endpoint"`
		RegistrationEndpoint  string `json:"registration_endpoint"`
		IntrospectionEndpoint string `json:"introspection_endpoint"`
		JWKSURI               string `json:"jwks_uri"`
	}
	for _, path := range authserver.MetadataPaths("/tenant") {
		place := s.URL + path
		if status := get(t, place, &m); status != http.StatusOK || m.Issuer != s.Issuer {
			t.Fatalf("%s: status %d, issuer %q", place, status, m.Issuer)
		}
	}
	response, err := http.Post(m.RegistrationEndpoint, "application/json",
		strings.NewReader(`{"application_type":"native","redirect_uris":["http://127.0.0.1:1/back"],"token_endpoint_auth_method":"none"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(response.Body).Decode(&client); err != nil || client.ID == "" {
		t.Fatalf("registration: status %d: %v", response.StatusCode, err)
	}

	const verifier = "0123456789012345678901234567890123456789012"
	sum := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {"http://127.0.0.1:999/back"}, "state": {"s"}, "scope": {"a b"},
		"resource": {"https://r"}, "code_challenge_method": {"S256"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
	}
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	redirect, err := browser.Get(m.AuthorizationEndpoint + "?" + query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	redirect.Body.Close()
	back, err := redirect.Location()
	if err != nil {
		t.Fatal(err)
	}
	if back.Host != "127.0.0.1:999" || back.Query().Get("iss") != s.Issuer || back.Query().Get("state") != "s" {
		t.Errorf("redirected to %s", back)
	}
	form := url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client.ID}, "redirect_uri": query["redirect_uri"],
		"code": {back.Query().Get("code")}, "code_verifier": {verifier}, "resource": {"https://r"},
	}
	status, tokens := post(t, m.TokenEndpoint, form)
	if status != http.StatusOK || tokens["token_type"] != "Bearer" || tokens["scope"] != "a b" {
		t.Fatalf("status %d: %v", status, tokens)
	}
	if status, again := post(t, m.TokenEndpoint, form); status != http.StatusBadRequest {
		t.Errorf("a code used twice: status %d: %v", status, again)
	}
	first := url.Values{"grant_type": {"refresh_token"}, "client_id": {client.ID}, "refresh_token": {tokens["refresh_token"].(string)}}
	status, renewed := post(t, m.TokenEndpoint, first)
	if status != http.StatusOK {
		t.Fatalf("refresh: status %d: %v", status, renewed)
	}
	if status, _ := post(t, m.TokenEndpoint, first); status != http.StatusBadRequest {
		t.Errorf("a refresh token used twice: status %d", status)
	}
	second := url.Values{"grant_type": {"refresh_token"}, "client_id": {client.ID}, "refresh_token": {renewed["refresh_token"].(string)}}
	if status, _ := post(t, m.TokenEndpoint, second); status != http.StatusBadRequest {
		t.Errorf("a refresh token after the reuse of another: status %d", status)
	}
}

// TestClientCredentials gets an opaque token and asks what it is.
func TestClientCredentials(t *testing.T) {
	s := authserver.New(t, authserver.Options{Opaque: true, Clients: []authserver.Client{{ID: "c", Secret: "x"}}})
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"c"}, "client_secret": {"x"}, "scope": {"a"}, "resource": {"https://r"}}
	status, tokens := post(t, s.Issuer+"/token", form)
	if status != http.StatusOK {
		t.Fatalf("status %d: %v", status, tokens)
	}
	token := tokens["access_token"].(string)
	_, told := post(t, s.Issuer+"/introspect", url.Values{"token": {token}, "client_id": {"c"}, "client_secret": {"x"}})
	got := map[string]any{"active": told["active"], "aud": told["aud"], "scope": told["scope"], "sub": told["sub"]}
	if diff := cmp.Diff(map[string]any{"active": true, "aud": []any{"https://r"}, "scope": "a", "sub": "c"}, got); diff != "" {
		t.Errorf("introspection (-want +got):\n%s", diff)
	}
	s.Revoke(token)
	if _, told := post(t, s.Issuer+"/introspect", url.Values{"token": {token}, "client_id": {"c"}, "client_secret": {"x"}}); told["active"] != false {
		t.Errorf("a revoked token: %v", told)
	}
	form.Set("client_secret", "y")
	if status, _ := post(t, s.Issuer+"/token", form); status != http.StatusUnauthorized {
		t.Errorf("a wrong secret: status %d", status)
	}
}
