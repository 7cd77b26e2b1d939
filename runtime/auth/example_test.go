package auth_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth"
)

// A server that accepts the access tokens of one authorization server. Clients without one learn where to get it.
func Example() {
	guard, err := auth.NewGuard(auth.Options{
		Resource: "https://mcp.example.com/mcp",
		Issuers:  []auth.Issuer{{URL: "https://auth.example.com"}},
		Scopes:   []string{"notes"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var server http.Handler // that of package streamable
	mux := http.NewServeMux()
	guard.Protect(server).Mount(mux, "/mcp")

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "https://mcp.example.com/mcp", nil))
	fmt.Println(answer.Code, answer.Header().Get("WWW-Authenticate"))
	// Output: 401 Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="notes"
}

// A server with tokens of its own kind. Handlers learn who calls.
func ExampleVerifier() {
	keys := map[string]*auth.Caller{"key-of-zoe": {Subject: "Zoë", Scopes: []string{"notes"}}}
	guard, err := auth.NewGuard(auth.Options{
		Resource: "https://mcp.example.com/mcp",
		Verifier: func(_ context.Context, token string) (*auth.Caller, error) {
			if caller, ok := keys[token]; ok {
				return caller, nil
			}
			return nil, &auth.TokenError{Reason: "unknown API key"}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	handler := guard.Protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "hello", auth.CallerOf(r.Context()).Subject)
	}))
	for _, key := range []string{"key-of-zoe", "guess"} {
		request := httptest.NewRequest(http.MethodPost, "https://mcp.example.com/mcp", nil)
		request.Header.Set("Authorization", "Bearer "+key)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	// Output:
	// 200 hello Zoë
	// 401 {"jsonrpc":"2.0","error":{"code":401,"message":"Unauthorized: unknown API key"}}
}

// A scope that includes others: the one of an administrator is enough for every operation.
func ExampleOptions_implies() {
	guard, err := auth.NewGuard(auth.Options{
		Resource: "https://mcp.example.com/mcp",
		Verifier: func(_ context.Context, token string) (*auth.Caller, error) {
			return &auth.Caller{Subject: "somebody", Scopes: []string{"notes:" + token}}, nil
		},
		Scopes:  []string{"notes:write"},
		Implies: func(has, needed string) bool { return has == "notes:admin" && strings.HasPrefix(needed, "notes:") },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	handler := guard.Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for _, token := range []string{"read", "admin"} {
		request := httptest.NewRequest(http.MethodPost, "https://mcp.example.com/mcp", nil)
		request.Header.Set("Authorization", "Bearer "+token)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		fmt.Println(token, answer.Code)
	}
	// Output:
	// read 403
	// admin 200
}
