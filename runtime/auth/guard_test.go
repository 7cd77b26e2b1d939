package auth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
)

// TestStreamEnds checks when the streams of a token end: at its expiry, or when it is verified again after it was
// revoked, but not because it cannot be verified for a while.
func TestStreamEnds(t *testing.T) {
	const revoked, unreachable = 10 * time.Second, 5 * time.Minute
	for name, test := range map[string]struct {
		expires, cacheFor time.Duration
		fails             time.Duration // when the token is no longer accepted
		err               error
		want              time.Duration
	}{
		"expired":                  {90 * time.Second, 0, time.Hour, nil, 90 * time.Second},
		"revoked":                  {0, 0, revoked, &TokenError{Reason: "revoked"}, time.Minute},
		"revoked, that expires":    {time.Hour, 0, revoked, &TokenError{Reason: "revoked"}, time.Minute},
		"revoked, without a cache": {0, -1, revoked, &TokenError{Reason: "revoked"}, time.Minute},
		"revoked, for a day":       {0, 24 * time.Hour, revoked, &TokenError{Reason: "revoked"}, 24 * time.Hour},
		"unreachable":              {unreachable + time.Minute/2, 0, revoked, errors.New("no answer"), unreachable + time.Minute/2},
	} {
		for _, stream := range []struct{ method, header string }{
			{http.MethodGet, ""},
			{http.MethodPost, "subscriptions/listen"},
			{http.MethodPost, " \tsubscriptions/listen "}, // HTTP/2 delivers the white space, and the check ignores it
		} {
			t.Run(name+"/"+stream.method+stream.header, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					verifier := func(context.Context, string) (*Caller, error) {
						if test.err != nil && time.Since(start) >= test.fails {
							return nil, test.err
						}
						caller := &Caller{Subject: "u"}
						if test.expires > 0 {
							caller.Expiry = start.Add(test.expires)
						}
						return caller, nil
					}
					g, err := NewGuard(Options{Resource: "https://r.example", Verifier: verifier, CacheFor: test.cacheFor})
					if err != nil {
						t.Fatal(err)
					}
					r := httptest.NewRequestWithContext(t.Context(), stream.method, "https://r.example", nil)
					r.Header.Set("Authorization", "Bearer token")
					r.Header.Set("Mcp-Method", stream.header)
					w := httptest.NewRecorder()
					g.Protect(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })).ServeHTTP(w, r)
					if got := time.Since(start); w.Code != http.StatusOK || got < test.want || got > test.want+time.Minute {
						t.Errorf("status %d, ended after %v, want %v", w.Code, got, test.want)
					}
				})
			})
		}
	}
}

// TestTokenInQuery checks that a request with a token in its query is refused, however the query is written.
func TestTokenInQuery(t *testing.T) {
	verifier := func(context.Context, string) (*Caller, error) { return &Caller{Subject: "u"}, nil }
	g, err := NewGuard(Options{Resource: "https://r.example", Verifier: verifier})
	if err != nil {
		t.Fatal(err)
	}
	handler := g.Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for query, want := range map[string]int{
		"access_token=a": http.StatusBadRequest, "access_token": http.StatusBadRequest, "access_token=": http.StatusBadRequest,
		"x=1&access_token=a": http.StatusBadRequest, "access%5Ftoken=a": http.StatusBadRequest, "%61ccess_toke%6e=a": http.StatusBadRequest,
		"access_token=a;b": http.StatusBadRequest, "x=1;access_token=a": http.StatusBadRequest, "access_token=%zz": http.StatusBadRequest,
		"%zz=1&access_token=a": http.StatusBadRequest, "&&access_token=a": http.StatusBadRequest,
		"": http.StatusOK, "x=access_token": http.StatusOK, "my_access_token=a": http.StatusOK, "access_tokens=a": http.StatusOK,
		"x=a&access_token%zz=a": http.StatusOK, "x=%26access_token=a": http.StatusOK, "x=a;b": http.StatusOK,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "https://r.example/?"+query, nil)
		r.Header.Set("Authorization", "Bearer token")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s: status %d, want %d", query, w.Code, want)
		}
	}
}

// TestPrincipal checks that no two callers have the same principal.
func TestPrincipal(t *testing.T) {
	seen := map[string]Caller{}
	for _, c := range []Caller{
		{Issuer: "https://a", Subject: "b"}, {Issuer: `https://a" b`, Subject: "c"}, {Issuer: "https://a", Subject: `b" c`},
		{Issuer: "https://a", ClientID: "b"}, {Issuer: "https://a b"}, {Issuer: "https://b", Subject: "b"},
		{Issuer: "https://a", Subject: "client b"}, {Issuer: "https://a", Subject: "b", Kind: KindUsername}, {Subject: "b"},
		{Issuer: "https://a", Subject: "c", Kind: KindClient}, {Issuer: "https://a", Subject: "c", Kind: KindUsername},
	} {
		p := c.Principal()
		if other, ok := seen[p]; ok {
			t.Errorf("%+v and %+v have the principal %q", other, c, p)
		}
		seen[p] = c
	}
}

// TestScopesOfAccess checks which scopes the work of a task may use when its request is over: those of the token and,
// of the scopes that the server knows, those that they include.
func TestScopesOfAccess(t *testing.T) {
	verifier := func(context.Context, string) (*Caller, error) { return nil, errors.New("not asked") }
	g, err := NewGuard(Options{Resource: "https://r.example", Verifier: verifier, ScopesSupported: []string{"read", "write", "other", "admin"},
		Implies: func(has, needed string) bool { return has == "admin" && needed != "other" }})
	if err != nil {
		t.Fatal(err)
	}
	ctx := g.As(t.Context(), &Caller{Subject: "u", Scopes: []string{"admin", "special"}})
	of, ok := runtime.AccessOf(ctx).(interface{ Scopes() []string })
	if want := []string{"admin", "special", "read", "write"}; !ok || !slices.Equal(of.Scopes(), want) {
		t.Errorf("got %q, want %q", of.Scopes(), want)
	}
}

// TestStreamEndsAgain checks that a stream ends if its token has lost a scope that every request needs, and if the
// Verifier panics.
func TestStreamEndsAgain(t *testing.T) {
	for name, again := range map[string]func() *Caller{
		"scope": func() *Caller { return &Caller{Subject: "u", Scopes: []string{"other"}} },
		"panic": func() *Caller { panic("verifier") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := true
				g, err := NewGuard(Options{Resource: "https://r.example", Scopes: []string{"read"}, Verifier: func(context.Context, string) (*Caller, error) {
					if first {
						first = false
						return &Caller{Subject: "u", Scopes: []string{"read"}}, nil
					}
					return again(), nil
				}})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				r := httptest.NewRequestWithContext(ctx, http.MethodGet, "https://r.example", nil)
				r.Header.Set("Authorization", "Bearer token")
				g.Protect(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })).ServeHTTP(httptest.NewRecorder(), r)
				if ctx.Err() != nil {
					t.Error("the stream has not ended")
				}
			})
		})
	}
}
