package resource

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
)

// Verifier verifies access tokens.
type Verifier interface {
	// Verify returns the caller that a token identifies. If the token is not acceptable, the error is
	// a *TokenError, and the client gets status 401 and may obtain another token. After any other
	// error, the client gets status 503. Verify must check that the token was issued for this server.
	// It is called concurrently.
	Verify(ctx context.Context, token string) (*auth.Caller, error)
}

// VerifierFunc is a function that is a Verifier.
type VerifierFunc func(ctx context.Context, token string) (*auth.Caller, error)

// Verify calls f.
func (f VerifierFunc) Verify(ctx context.Context, token string) (*auth.Caller, error) {
	return f(ctx, token)
}

// verifiers asks one Verifier after the other, until one accepts the token or fails.
type verifiers []Verifier

// Verify implements Verifier. If none accepts it, the error is that of the last one.
func (all verifiers) Verify(ctx context.Context, token string) (caller *auth.Caller, err error) {
	for _, v := range all {
		caller, err = v.Verify(ctx, token)
		if _, refused := errors.AsType[*TokenError](err); !refused {
			break
		}
	}
	return caller, err
}

// TokenError is the error for a token that is not acceptable.
type TokenError struct {
	Reason string // what the client is told: "the access token has expired"
}

// Error returns the reason.
func (e *TokenError) Error() string { return e.Reason }

func refusedf(format string, args ...any) error { return &TokenError{fmt.Sprintf(format, args...)} }

// Issuer is an authorization server whose tokens are accepted.
type Issuer struct {
	// URL is the issuer identifier. Its metadata is found there, unless JWKS or Introspection makes
	// it unnecessary.
	URL string
	// JWKS is the URL of the keys; "" means the one in the metadata.
	JWKS string
	// Algorithms are the signatures that are accepted; nil means RS256, PS256, ES256, ES384 and EdDSA.
	Algorithms []string
	// Introspection, if not nil, asks the authorization server about each token, which then may be
	// opaque.
	Introspection *Introspection
}

// Introspection says how an authorization server is asked about tokens (RFC 7662).
type Introspection struct {
	// Endpoint is the URL; "" means the one in the metadata.
	Endpoint string
	// ClientID and ClientSecret are sent as client_secret_basic.
	ClientID, ClientSecret string
	// Authorize, if not nil, authorizes the request otherwise.
	Authorize func(*http.Request) error
}

// defaultAlgorithms are those of Issuer.Algorithms: asymmetric ones that authorization servers use.
var defaultAlgorithms = []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.ES384, jose.EdDSA}

// asymmetric are the algorithms that Issuer.Algorithms may name. Symmetric ones are missing on purpose: a
// public key would then be enough to sign tokens.
var asymmetric = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// issuers is the Verifier of Options.Issuers.
type issuers struct {
	byURL  map[string]*issuer
	asking []*issuer                 // those with Introspection
	parsed []jose.SignatureAlgorithm // of any issuer
}

// issuer is an Issuer with what is known of it.
type issuer struct {
	Issuer
	opts       *Options
	algorithms []jose.SignatureAlgorithm
	web        *fetch.Client
	metadata   atomic.Pointer[auth.AuthorizationServerMetadata] // nil until it was read
	keys       *keySet
	now        func() time.Time
	places     chan struct{} // a place for each question to the authorization server
}

func newIssuers(o *Options, now func() time.Time) (*issuers, error) {
	all := &issuers{byURL: make(map[string]*issuer)}
	for _, given := range o.Issuers {
		i := &issuer{Issuer: given, opts: o, now: now, algorithms: defaultAlgorithms, places: make(chan struct{}, maxQuestions)}
		u, err := fetch.ParseURL(given.URL)
		if err != nil {
			return nil, fmt.Errorf("issuer %q: %w", given.URL, err)
		}
		// The operator has chosen the issuer. Its metadata may name other servers, but public ones only.
		may := func(host string, _ reach.Kind) bool { return host == fetch.HostPort(u) }
		i.web = fetch.New(fetch.Options{May: may, Timeout: waits.AuthFetch, Idle: maxQuestions, HTTP: o.HTTP})
		if all.byURL[given.URL] != nil {
			return nil, fmt.Errorf("issuer %q: listed twice", given.URL)
		}
		if given.Algorithms != nil {
			i.algorithms = nil
		}
		for _, name := range given.Algorithms {
			alg := jose.SignatureAlgorithm(name)
			if !slices.Contains(asymmetric, alg) {
				return nil, fmt.Errorf("issuer %q: the algorithm %q is not one for access tokens", given.URL, name)
			}
			i.algorithms = append(i.algorithms, alg)
		}
		i.keys = newKeySet(i.fetchKeys, now)
		for _, alg := range i.algorithms {
			if !slices.Contains(all.parsed, alg) {
				all.parsed = append(all.parsed, alg)
			}
		}
		all.byURL[given.URL] = i
		if given.Introspection != nil {
			all.asking = append(all.asking, i)
		}
	}
	return all, nil
}

// discover returns the metadata of the authorization server.
func (i *issuer) discover(ctx context.Context) (*auth.AuthorizationServerMetadata, error) {
	if known := i.metadata.Load(); known != nil {
		return known, nil
	}
	m, err := i.web.IssuerMetadata(ctx, i.URL)
	if err == nil {
		i.metadata.Store(m)
	}
	return m, err
}

// Verify implements Verifier.
func (all *issuers) Verify(ctx context.Context, token string) (*auth.Caller, error) {
	if strings.Count(token, ".") == 2 {
		jws, err := jose.ParseSignedCompact(token, all.parsed)
		if err == nil {
			return all.verifyJWT(ctx, token, jws)
		}
		if len(all.asking) == 0 {
			return nil, refusedf("the access token is not a JWT with an acceptable signature")
		}
	}
	for _, i := range all.asking {
		caller, err := i.introspect(ctx, token)
		if _, bad := errors.AsType[*TokenError](err); !bad || i == all.asking[len(all.asking)-1] {
			return caller, err
		}
	}
	return nil, refusedf("the access token is not a JWT")
}

// verifyJWT verifies a JWT by the keys of the issuer that it names (RFC 9068, section 4).
func (all *issuers) verifyJWT(ctx context.Context, token string, jws *jose.JSONWebSignature) (*auth.Caller, error) {
	unverified, err := claimsOf(string(jws.UnsafePayloadWithoutVerification()))
	if err != nil {
		return nil, err
	}
	i := all.byURL[unverified.text("iss")]
	if i == nil {
		return nil, refusedf("the access token is of an issuer that is not accepted")
	}
	if i.Introspection != nil {
		return i.introspect(ctx, token)
	}
	claims, err := i.signed(ctx, jws)
	if err != nil {
		return nil, err
	}
	return i.callerOf(claims)
}

// signed returns the claims of a JWT with a valid signature. The error does not say which part of
// the check has failed.
func (i *issuer) signed(ctx context.Context, jws *jose.JSONWebSignature) (*claims, error) {
	h := jws.Signatures[0].Protected
	typ, given := h.ExtraHeaders[jose.HeaderType]
	kind, _ := typ.(string)
	kind = strings.ToLower(strings.TrimPrefix(kind, "application/"))
	if given && kind != "jwt" && kind != "at+jwt" {
		return nil, refusedf("the token is not an access token: its type is %.50q", fmt.Sprint(typ))
	}
	if !slices.Contains(i.algorithms, jose.SignatureAlgorithm(h.Algorithm)) {
		return nil, refusedf("the access token has a signature that is not acceptable")
	}
	keys, err := i.keys.find(ctx, h.KeyID, h.Algorithm)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if payload, err := jws.Verify(key.Key); err == nil {
			c, err := claimsOf(string(payload))
			if err == nil {
				c.checkKind(kind != "at+jwt")
			}
			return c, err
		}
	}
	return nil, refusedf("the signature of the access token is wrong")
}

// callerOf checks the claims of a token whose signature or introspection was valid, and returns the
// caller.
func (i *issuer) callerOf(c *claims) (*auth.Caller, error) {
	caller := &auth.Caller{Issuer: i.URL, Audience: c.list("aud"), Expiry: c.date("exp"), Scopes: c.scopes(), Claims: []byte(c.Object)}
	c.identify(caller)
	c.confirm(caller)
	start, issued := c.date("nbf"), c.date("iat")
	now := i.now()
	soon := now.Add(max(i.opts.Leeway, waits.NotYetValid))
	switch {
	case c.fault != nil:
		return nil, c.fault
	case caller.Expiry.IsZero() && i.Introspection == nil:
		return nil, refusedf("the access token has no end")
	case !caller.Expiry.IsZero() && !now.Before(caller.Expiry.Add(i.opts.Leeway)):
		return nil, refusedf("the access token has expired")
	case soon.Before(start) || soon.Before(issued):
		return nil, refusedf("the access token is not valid yet")
	case !i.isAudience(caller.Audience):
		return nil, refusedf("the access token was not issued for this server")
	}
	return caller, nil
}

// isAudience reports whether a token is for this server.
func (i *issuer) isAudience(audience []string) bool {
	return slices.ContainsFunc(audience, func(one string) bool {
		if slices.Contains(i.opts.Audiences, one) || one == i.opts.Resource {
			return true
		}
		canonical, err := auth.CanonicalResource(one)
		return err == nil && canonical == i.opts.Resource && !strings.Contains(one, "#")
	})
}
