package authorization

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// inBothForms runs a test with JWTs and with opaque tokens, about which the authorization server is asked. A
// claim that is absent is one that token gets as the value absent.
func inBothForms(t *testing.T, test func(t *testing.T, r *rig, token func(change map[string]any) string)) {
	for _, opaque := range []bool{false, true} {
		name := "JWT"
		options := authserver.Options{Opaque: opaque}
		if opaque {
			name, options.Clients = "introspection", []authserver.Client{{ID: "rs", Secret: "secret"}}
		}
		t.Run(name, func(t *testing.T) {
			r := newRig(t, options, func(_ *rig, o *auth.Options) {
				if opaque {
					o.Issuers[0].Introspection = &auth.Introspection{ClientID: "rs", ClientSecret: "secret"}
				}
			})
			test(t, r, func(change map[string]any) string {
				claims := r.as.Claims(r.url, "mcp")
				maps.Copy(claims, change)
				maps.DeleteFunc(claims, func(_ string, value any) bool { return value == absent })
				return r.as.Issue(claims)
			})
		})
	}
}

// absent is the value of a claim that a token does not have.
var absent = any(struct{}{})

// testIdentities checks that the callers of one identity are one caller, however their tokens name them: in
// the session of one, all others get status 404.
func testIdentities(t *testing.T) {
	inBothForms(t, func(t *testing.T, r *rig, token func(map[string]any) string) {
		// Tokens in a row are those of one caller.
		callers := [][]map[string]any{
			{{"sub": "alice"}, {"sub": "alice", "client_id": "other"}, {"sub": "alice", "username": "Alice"}, {"sub": "alice", "client_id": absent, "azp": "app"}, {"sub": "alice", "azp": []string{"app"}, "appid": 1}},
			{{"sub": "bob"}},
			{{"sub": "Bob"}},
			{{"sub": "client \"x\" c"}},
			{{"sub": absent, "username": "alice"}, {"sub": absent, "username": "alice", "client_id": "other"}, {"sub": "app", "username": "alice", "client_id": "app"}},
			{{"sub": absent, "username": "bob"}, {"sub": "app", "username": "bob", "client_id": absent, "azp": "app"}},
			{{"sub": "app", "client_id": "app"}},
			{{"sub": absent, "username": "bob "}},
			{{"sub": absent, "username": "client"}},
			{{"sub": "alice", "client_id": "alice"}, {"sub": absent, "client_id": "alice", "grant_type": "client_credentials"}, {"sub": absent, "client_id": absent, "azp": "alice", "gty": "client-credentials"}},
			{{"sub": "bob", "client_id": "bob"}, {"sub": "bob", "client_id": absent, "cid": "bob"}, {"sub": "bob", "client_id": absent, "appid": "bob"}, {"sub": absent, "client_id": "bob", "idtyp": "app"}, {"sub": absent, "client_id": "bob", "gty": []string{"client_credentials"}}},
		}
		sessions := make([]string, len(callers))
		for i, tokens := range callers {
			sessions[i] = r.session(token(tokens[0]))
		}
		const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
		for i, tokens := range callers {
			for _, change := range tokens {
				for j, session := range sessions {
					want := http.StatusNotFound
					if i == j {
						want = http.StatusOK
					}
					if a := r.inSession(session, token(change), list); a.status != want {
						t.Errorf("%v in the session of %v: status %d, want %d: %s", change, callers[j][0], a.status, want, a.body)
					}
				}
			}
		}
	})
}

// testNobody checks that tokens whose user cannot be told are refused, and that the id of the client does not
// stand for the user.
func testNobody(t *testing.T) {
	inBothForms(t, func(t *testing.T, r *rig, token func(map[string]any) string) {
		r.accepted("a user", token(map[string]any{}))
		for _, sub := range []any{1, 2, 1.5, true, nil, "", " ", "\t\n", []string{"alice"}, map[string]any{"a": 1}} {
			r.refused(fmt.Sprintf("sub %v", sub), token(map[string]any{"sub": sub}))
			r.refused(fmt.Sprintf("sub %v with a username", sub), token(map[string]any{"sub": sub, "username": "alice"}))
			r.refused(fmt.Sprintf("sub %v with a username and no client", sub), token(map[string]any{"sub": sub, "username": "alice", "client_id": absent, "scope": "mcp"}))
			r.refused(fmt.Sprintf("sub %v of a client's own", sub), token(map[string]any{"sub": sub, "grant_type": "client_credentials"}))
		}
		for _, username := range []any{absent, nil, "", "  ", 1, []string{"alice"}} {
			r.refused(fmt.Sprintf("no sub, username %v", username), token(map[string]any{"sub": absent, "username": username}))
		}
		for name, value := range map[string]any{
			"grant_type": "authorization_code", "gty": "password", "idtyp": "user",
			"client_id": 1, "azp": 1, "scope": 1, "exp": "9999999999",
		} {
			r.refused(fmt.Sprintf("no sub, %s %v", name, value), token(map[string]any{"sub": absent, name: value}))
		}
		r.refused("several grants", token(map[string]any{"sub": absent, "gty": []string{"client_credentials", "authorization_code"}}))
		r.refused("no client", token(map[string]any{"sub": absent, "client_id": absent, "grant_type": "client_credentials"}))
		r.refused("an empty client", token(map[string]any{"sub": absent, "client_id": "", "grant_type": "client_credentials"}))
	})
	for _, caller := range []*auth.Caller{nil, {}, {ClientID: "c"}, {Scopes: []string{"mcp"}}} {
		r := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) {
			o.Issuers, o.Verifier = nil, func(context.Context, string) (*auth.Caller, error) { return caller, nil }
		})
		if a := r.call("who", "key"); a.status != http.StatusServiceUnavailable || !strings.Contains(r.log.String(), "no caller with a Subject") {
			t.Errorf("a Verifier that returns %+v: status %d: %s", caller, a.status, a.body)
		}
	}
}

// testOddClaims checks that claims of the wrong type are not taken for absent ones.
func testOddClaims(t *testing.T) {
	soon := time.Now().Add(time.Hour).Unix()
	inBothForms(t, func(t *testing.T, r *rig, token func(map[string]any) string) {
		for name, values := range map[string][]any{
			"aud":         {1, true, []any{1}, []any{r.url, 1}, []any{[]string{r.url}}, map[string]any{"a": r.url}, r.url + "\r\n", " " + r.url},
			"exp":         {fmt.Sprint(soon), true, []any{soon}, map[string]any{}, -1, 0, 0.5, json.Number("1e400"), json.Number("-1e400"), math.MaxInt64},
			"nbf":         {"0", true, []any{1}, soon, 1e300, json.Number("1e400")},
			"iat":         {"0", true, []any{1}, soon, 1e300, json.Number("1e400")},
			"client_id":   {1, true, []string{"client"}, map[string]any{}},
			"scope":       {1, true, map[string]any{"mcp": true}, []any{"mcp", 1}},
			"username":    {1},
			"cnf":         {"jkt", 1, []any{}, map[string]any{"jkt": 1}, map[string]any{"jkt": ""}, map[string]any{"x5t#S256": nil}},
			"token_type":  {1, "refresh_token", "Refresh", "N_A", "mac"},
			"token_use":   {"id", "refresh_token", 1},
			"typ":         {"ID", "Refresh", "Offline", 1},
			"iss":         {1, []string{r.as.Issuer}, r.as.Issuer + "/", "", "https://other.example"},
			"grant_type":  {},
			"not a claim": {},
		} {
			for _, value := range values {
				change := map[string]any{name: value}
				if name == "username" {
					change["sub"] = absent
				}
				r.refused(fmt.Sprintf("%s %v", name, value), token(change))
			}
		}
		for name, values := range map[string][]any{
			"aud": {[]string{r.url}, []string{"https://other.example", r.url}}, "exp": {float64(soon) + 0.5, json.Number(fmt.Sprintf("%de0", soon))},
			"nbf": {nil, absent, 0, -1, 1.5}, "iat": {nil, absent, 0, time.Now().Add(2 * time.Second).Unix()}, "client_id": {nil, absent},
			"scope": {[]string{"mcp", "x"}, " mcp  x\t"}, "cnf": {nil}, "token_type": {"bearer", "Bearer", "access_token"}, "token_use": {"access", "access_token"}, "typ": {"Bearer"},
		} {
			for _, value := range values {
				r.accepted(fmt.Sprintf("%s %v", name, value), token(map[string]any{name: value}))
			}
		}
	})
	asking := newRig(t, authserver.Options{Opaque: true, Clients: []authserver.Client{{ID: "rs", Secret: "s"}}}, func(_ *rig, o *auth.Options) {
		o.Issuers[0].Introspection = &auth.Introspection{ClientID: "rs", ClientSecret: "s"}
	})
	for _, active := range []any{"true", 1, nil, []bool{true}, map[string]any{}, false} {
		claims := asking.as.Claims(asking.url, "mcp")
		claims["active"] = active
		asking.refused(fmt.Sprintf("active %v", active), asking.as.Issue(claims))
	}
}

// testKinds checks that ID tokens with the type of an access token are refused as far as they can be told.
func testKinds(t *testing.T) {
	r := newRig(t, authserver.Options{}, nil)
	for what, change := range map[string]map[string]any{
		"nonce":                   {"nonce": "n"},
		"hash of an access token": {"at_hash": "h"},
		"hash of a code":          {"c_hash": "h"},
		"Keycloak":                {"typ": "ID"},
		"Cognito":                 {"token_use": "id"},
	} {
		claims := r.as.Claims(r.url, "mcp")
		maps.Copy(claims, change)
		r.refused(what, authserver.Sign(r.as.Key(), "JWT", claims))
	}
	open := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) { o.Scopes = nil })
	claims := open.as.Claims(open.url)
	delete(claims, "client_id")
	delete(claims, "scope")
	open.refused("neither a client nor scopes", authserver.Sign(open.as.Key(), "JWT", claims))
	open.accepted("the same as an access token", authserver.Sign(open.as.Key(), "at+jwt", claims))
	claims["azp"] = "client"
	open.accepted("with a client", authserver.Sign(open.as.Key(), "JWT", claims))
	for _, typ := range []string{"ID", "at+jwt;v=2", "", "application/", "jwt at+jwt"} {
		open.refused(typ, authserver.Sign(open.as.Key(), typ, claims))
	}
	header := map[string]any{"alg": "ES256", "kid": open.as.Key().KeyID, "typ": 1}
	open.refused("a type that is a number", unsigned(t, header, claims)+".YWJj")
}

// testListenEnds checks that a subscription of a client without a session ends with its token.
func testListenEnds(t *testing.T) {
	var lifetime atomic.Int64
	r := newRig(t, authserver.Options{}, func(_ *rig, o *auth.Options) {
		o.CacheFor = -1
		o.Verifier = func(_ context.Context, token string) (*auth.Caller, error) {
			if token != "short" {
				return nil, &auth.TokenError{Reason: "unknown"}
			}
			return &auth.Caller{Subject: "u", Scopes: []string{"mcp", "files:read"}, Expiry: time.Now().Add(time.Duration(lifetime.Load()))}, nil
		}
	})
	for status := 0; status != http.StatusOK; lifetime.Store(2 * lifetime.Load()) {
		lifetime.CompareAndSwap(0, int64(100*time.Millisecond))
		// The answer is read to its end, which would not come. On a busy machine, a short lifetime ends at once.
		a := r.send(r.request("subscriptions/listen", `"notifications":{"resourceSubscriptions":["a:b"]}`, "short"))
		if status = a.status; status != http.StatusOK && status != http.StatusUnauthorized || time.Duration(lifetime.Load()) > time.Minute {
			t.Fatalf("status %d: %s", a.status, a.body)
		}
	}
	for _, method := range []string{"tools/call", "Subscriptions/listen", "", "=?base64?c3Vic2NyaXB0aW9ucy9saXN0ZW4=?="} { // a header that hides the method
		request := r.request("subscriptions/listen", `"notifications":{"resourceSubscriptions":["a:b"]}`, r.as.Token(r.url, "mcp", "files:read"))
		request.Header["Mcp-Method"] = slices.DeleteFunc([]string{method}, func(s string) bool { return s == "" })
		if a := r.send(request); a.status != http.StatusBadRequest {
			t.Errorf("Mcp-Method %q: status %d: %s", method, a.status, a.body)
		}
	}
}
