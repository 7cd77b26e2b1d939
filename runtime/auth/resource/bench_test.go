package resource

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth"
)

type verifier func(ctx context.Context, token string) (*auth.Caller, error)

func (v verifier) Verify(ctx context.Context, token string) (*auth.Caller, error) {
	return v(ctx, token)
}

// BenchmarkProtect measures what the guard adds to a request with a token that was verified before. The
// aim is at most 3 µs.
func BenchmarkProtect(b *testing.B) {
	calls := 0
	guard, err := New(Options{
		Resource: "https://mcp.example.com/mcp", AuthorizationServers: []string{"https://auth.example.com"}, Scopes: []string{"a"},
		Verifier: verifier(func(context.Context, string) (*auth.Caller, error) {
			calls++
			return &auth.Caller{Issuer: "https://auth.example.com", Subject: "u", Scopes: []string{"a"}, Expiry: time.Now().Add(time.Hour)}, nil
		}),
		CacheFor: time.Hour,
	})
	if err != nil {
		b.Fatal(err)
	}
	served := 0
	h := guard.Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }))
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "https://mcp.example.com/mcp", nil)
	r.Header.Set("Authorization", "Bearer "+strings.Repeat("a", 800)) // as long as a JWT of Keycloak
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		h.ServeHTTP(w, r)
		n++
	}
	if served != n || calls != 1 {
		b.Errorf("%d of %d requests were served, and %d tokens verified", served, n, calls)
	}
}
