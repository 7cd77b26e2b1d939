package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/tests/internal/authserver"
)

// maxAuth is what a valid token that was verified before may add to a request, in nanoseconds.
const maxAuth = 3000

// authRows are requests with access tokens. Mcp-go has no middleware for them.
func authRows() []*Row {
	plain := func(next http.Handler, _ *authserver.Server) (http.Handler, error) { return next, nil }
	middleware := func(name string, over protection) Subject {
		return Subject{name, func(context.Context, *Lab) (*Work, error) { return over.alone() }}
	}
	call := func(l library, over protection) Subject {
		return Subject{l.name, func(ctx context.Context, _ *Lab) (*Work, error) { return over.call(ctx, l) }}
	}
	return []*Row{
		{
			Name: "auth/middleware", Title: "the middleware of a request with a valid token that was verified before", Counts: "server",
			Subjects: []Subject{middleware(floor, plain), middleware(mcpgen, guarded), middleware(goSDK, bearer)},
			Targets:  []Target{floorPlus(maxAuth)},
		},
		{
			Name:   "auth/http/json/raw/1",
			Title:  "a call over Streamable HTTP with a valid token that was verified before, answered with JSON, 1 at a time, all with net/http",
			Counts: "client and server",
			Subjects: []Subject{
				{floor, func(ctx context.Context, _ *Lab) (*Work, error) { return echoHTTP(ctx, false, 1) }},
				call(onMcpgen(revision), guarded), call(onGoSDK(revision), bearer),
			},
			Targets: []Target{rowPlus(maxAuth, "http/json/raw/1")},
		},
	}
}

// resourceURL identifies the server to the authorization server.
const resourceURL = "https://mcp.example.com/mcp"

// protection is how a library protects a handler. It accepts the tokens of an authorization server.
type protection func(http.Handler, *authserver.Server) (http.Handler, error)

// guarded is this project's middleware. It verifies a token once.
func guarded(next http.Handler, as *authserver.Server) (http.Handler, error) {
	guard, err := auth.NewGuard(auth.Options{
		Resource: resourceURL, Issuers: []auth.Issuer{{URL: as.Issuer}}, Scopes: []string{"mcp"},
		CacheFor: time.Hour, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	return guard.Protect(next), nil
}

// bearer is the middleware of the Go SDK. It verifies nothing itself and calls a function for each request,
// which here knows the token: that is the least that it can cost.
func bearer(next http.Handler, _ *authserver.Server) (http.Handler, error) {
	expiry := time.Now().Add(time.Hour)
	verify := func(_ context.Context, token string, _ *http.Request) (*sdkauth.TokenInfo, error) {
		if len(token) < 100 {
			return nil, sdkauth.ErrInvalidToken
		}
		return &sdkauth.TokenInfo{Scopes: []string{"mcp"}, Expiration: expiry, UserID: "user"}, nil
	}
	return sdkauth.RequireBearerToken(verify, &sdkauth.RequireBearerTokenOptions{Scopes: []string{"mcp"}})(next), nil
}

// quiet returns work that fails if it asks the authorization server anything.
func quiet(work *Work, as *authserver.Server) *Work {
	before := len(as.Requests(""))
	do, closed := work.Do, work.Close
	work.Do = func(n int) error {
		if err := do(n); err != nil {
			return err
		}
		if now := len(as.Requests("")); now != before {
			return fmt.Errorf("the authorization server was asked %d times", now-before)
		}
		return nil
	}
	work.Close = func() {
		if closed != nil {
			closed()
		}
		as.Close()
	}
	return work
}

// alone is the middleware around a handler that only counts.
func (p protection) alone() (*Work, error) {
	as := authserver.Start(authserver.Options{})
	served := 0
	h, err := p(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }), as)
	if err != nil {
		return nil, err
	}
	r := httptest.NewRequest(http.MethodPost, resourceURL, nil)
	r.Header.Set("Authorization", "Bearer "+as.Token(resourceURL, "mcp"))
	w := &discarded{header: http.Header{}}
	work := &Work{Do: func(n int) error {
		before := served
		for range n {
			h.ServeHTTP(w, r)
		}
		if served-before != n {
			return fmt.Errorf("%d of %d requests were served", served-before, n)
		}
		return nil
	}}
	if err := work.Do(1); err != nil {
		return nil, err
	}
	return quiet(work, as), nil
}

// call calls the server of a library behind the middleware.
func (p protection) call(ctx context.Context, l library) (*Work, error) {
	as := authserver.Start(authserver.Options{})
	h, err := l.handler(1, false)
	if err != nil {
		return nil, err
	}
	if h, err = p(h, as); err != nil {
		return nil, err
	}
	url, over, end, err := listen(h)
	if err != nil {
		return nil, err
	}
	if err := (&poster{url: url, over: over}).open(ctx); err == nil {
		return nil, fmt.Errorf("%s lets in requests without a token", l.name)
	}
	caller := &poster{url: url, over: over, token: as.Token(resourceURL, "mcp")}
	if err := caller.open(ctx); err != nil {
		return nil, err
	}
	return quiet(caller.work(ctx, 1, end), as), nil
}

// discarded is an http.ResponseWriter that keeps no body.
type discarded struct{ header http.Header }

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) Write(p []byte) (int, error) { return io.Discard.Write(p) }
func (d *discarded) WriteHeader(int)             {}
