package auth

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Verifier verifies access tokens: it returns the caller that a token identifies. If the token is not acceptable, the
// error is a *TokenError, and the client gets status 401 and may obtain another token. After any other error, the client
// gets status 503. A Verifier must check that the token was issued for this server. It is called concurrently.
type Verifier func(ctx context.Context, token string) (*Caller, error)

// askVerifiers asks one Verifier after the other, until one accepts the token or fails. If none accepts it, the error is
// that of the last one that knows its issuer.
func (g *Guard) askVerifiers(ctx context.Context, token string) (*Caller, error) {
	var refusal error
	for _, verify := range g.verifiers {
		caller, err := verify(ctx, token)
		if _, refused := errors.AsType[*TokenError](err); !refused {
			return caller, err
		}
		if refusal == nil || err != errOtherIssuer {
			refusal = err
		}
	}
	return nil, refusal
}

// errOtherIssuer is the error for a token that names another issuer.
var errOtherIssuer = refusedf("the access token is of an issuer that is not accepted")

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
	// Authorize, if not nil, adds other credentials to the request.
	Authorize func(*http.Request) error
}

// defaultAlgorithms are those of Issuer.Algorithms: asymmetric ones that authorization servers use.
var defaultAlgorithms = []string{"RS256", "PS256", "ES256", "ES384", "EdDSA"}

// asymmetric are the algorithms that Issuer.Algorithms may name. Symmetric ones are missing on purpose: a
// public key would then be enough to sign tokens.
var asymmetric = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// issuer verifies the tokens of an Issuer, with what is known of it.
type issuer struct {
	Issuer
	opts     *Options
	web      *oauth.Fetcher
	metadata atomic.Pointer[oauth.AuthorizationServerMetadata] // nil until it was read
	keys     *keySet
	slots    chan struct{} // one for each introspection at a time
}

func newIssuer(given Issuer, o *Options) (*issuer, error) {
	i := &issuer{Issuer: given, opts: o, slots: make(chan struct{}, maxIntrospections)}
	u, err := oauth.ParseURL(given.URL)
	if err != nil {
		return nil, fmt.Errorf("issuer %q: %w", given.URL, err)
	}
	if i.Algorithms == nil {
		i.Algorithms = defaultAlgorithms
	}
	for _, name := range i.Algorithms {
		if !slices.Contains(asymmetric, jose.SignatureAlgorithm(name)) {
			return nil, fmt.Errorf("issuer %q: the algorithm %q is not one for access tokens", given.URL, name)
		}
	}
	// The operator has chosen the issuer. Its metadata may name other servers, but public ones only.
	i.web = oauth.NewFetcher(oauth.FetchOptions{Host: oauth.HostPort(u), Timeout: waits.AuthFetch, Idle: maxIntrospections, HTTP: o.HTTP})
	i.keys = &keySet{fetch: i.fetchKeys}
	return i, nil
}

// address returns the URL that the options give, or else a member of the metadata.
func (i *issuer) address(ctx context.Context, given, name string, member func(*oauth.AuthorizationServerMetadata) string) (string, error) {
	if given != "" {
		return given, nil
	}
	m := i.metadata.Load()
	if m == nil {
		var err error
		if m, err = i.web.IssuerMetadata(ctx, i.URL); err != nil {
			return "", err
		}
		i.metadata.Store(m)
	}
	if given = member(m); given == "" {
		return "", fmt.Errorf("the metadata of %s has no %s", i.URL, name)
	}
	return given, nil
}

// verify is a Verifier. A JWT names its issuer, and only that issuer verifies it: by its keys (RFC 9068, section 4), or
// by introspection as any other token.
func (i *issuer) verify(ctx context.Context, token string) (*Caller, error) {
	jws, err := jose.ParseSignedCompact(token, asymmetric)
	if err != nil {
		if i.Introspection != nil {
			return i.introspect(ctx, token)
		}
		return nil, refusedf("the access token is not a JWT with an acceptable signature")
	}
	c, err := claimsOf(string(jws.UnsafePayloadWithoutVerification())) // which choose the issuer and are checked below
	switch {
	case err != nil:
		return nil, err
	case c.text("iss") != i.URL:
		return nil, errOtherIssuer
	case i.Introspection != nil:
		return i.introspect(ctx, token)
	}
	if err := i.checkSignature(ctx, jws, c); err != nil {
		return nil, err
	}
	return i.checkClaims(c)
}

// checkSignature checks the type and the signature of a JWT with claims. The error does not say which part of
// the check has failed.
func (i *issuer) checkSignature(ctx context.Context, jws *jose.JSONWebSignature, c *claims) error {
	h := jws.Signatures[0].Protected
	typ, given := h.ExtraHeaders[jose.HeaderType]
	kind, _ := typ.(string)
	kind = strings.ToLower(strings.TrimPrefix(kind, "application/"))
	if given && kind != "jwt" && kind != "at+jwt" {
		return refusedf("the token is not an access token: its type is %.50q", fmt.Sprint(typ))
	}
	if !slices.Contains(i.Algorithms, h.Algorithm) {
		return refusedf("the access token has a signature that is not acceptable")
	}
	keys, err := i.keys.find(ctx, h.KeyID, h.Algorithm)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if _, err := jws.Verify(key.Key); err == nil {
			c.checkKind(kind != "at+jwt")
			return nil
		}
	}
	return refusedf("the signature of the access token is wrong")
}

// checkClaims checks the claims of a token whose signature or introspection was valid, and returns the
// caller.
func (i *issuer) checkClaims(c *claims) (*Caller, error) {
	caller := &Caller{Issuer: i.URL, Audience: c.list("aud"), Expiry: c.date("exp"), Scopes: c.scopes(), Claims: []byte(c.Object)}
	c.setIdentity(caller)
	c.setPossession(caller)
	start, issued := c.date("nbf"), c.date("iat")
	now := time.Now()
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
		canonical, err := oauth.CanonicalURL(one)
		return err == nil && canonical.String() == i.opts.Resource
	})
}

// maxIntrospections limits the concurrent requests to an authorization server, because anyone can send tokens
// that lead to such requests.
const maxIntrospections = 32

// introspect asks the authorization server about a token (RFC 7662, section 2).
func (i *issuer) introspect(ctx context.Context, token string) (*Caller, error) {
	select {
	case i.slots <- struct{}{}:
		defer func() { <-i.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	text, err := i.ask(ctx, token)
	if err != nil {
		return nil, fmt.Errorf("introspection at %s: %w", i.URL, err)
	}
	c := new(claims)
	if err := wire.UnmarshalString(string(text), &c.Object); err != nil {
		return nil, fmt.Errorf("introspection at %s: %w", i.URL, err)
	}
	if active, _ := c.get("active"); active != "true" {
		return nil, refusedf("the access token is not valid, or no longer")
	}
	if _, ok := c.get("iss"); ok && c.text("iss") != i.URL {
		return nil, errOtherIssuer
	}
	c.checkKind(false)
	return i.checkClaims(c)
}

func (i *issuer) ask(ctx context.Context, token string) ([]byte, error) {
	how := i.Introspection
	endpoint := func(m *oauth.AuthorizationServerMetadata) string { return m.IntrospectionEndpoint }
	address, err := i.address(ctx, how.Endpoint, "introspection_endpoint", endpoint)
	if err != nil {
		return nil, err
	}
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	status, _, text, err := i.web.Post(ctx, address, oauth.Form, form.Encode(), func(r *http.Request) error {
		if how.ClientID != "" {
			r.SetBasicAuth(url.QueryEscape(how.ClientID), url.QueryEscape(how.ClientSecret)) // RFC 6749, section 2.3.1
		}
		if how.Authorize != nil {
			return how.Authorize(r)
		}
		return nil
	})
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s: status %d", oauth.Shown(address), status)
	}
	return text, err
}

// keySet keeps the public keys of an issuer. Keys are read when they are first needed and again when a
// token names an unknown one, but not often, because clients choose what tokens name. One request reads
// them for all waiting tokens.
type keySet struct {
	fetch func(context.Context) ([]jose.JSONWebKey, error)

	mu      sync.Mutex
	keys    []jose.JSONWebKey
	read    time.Time     // when the keys were read; zero if never
	tried   time.Time     // when reading them ended last
	failure error         // of the last try
	reading chan struct{} // closed when the current try ends; nil if there is none
}

const (
	// maxKeys limits the keys of an issuer.
	maxKeys = 100
	// minRSA is the shortest RSA key that is accepted, in bits (RFC 7518, section 3.3).
	minRSA = 2048
)

// maxUnnamed limits the keys that are tried for a token that names none.
const maxUnnamed = 8

// find returns the keys that may have signed a token. The error is a *TokenError if there is none, and
// another one if the keys are not known.
func (s *keySet) find(ctx context.Context, id, algorithm string) ([]jose.JSONWebKey, error) {
	for waited := false; ; waited = true {
		s.mu.Lock()
		now := time.Now()
		age := now.Sub(s.read)
		usable := !s.read.IsZero() && age < waits.KeysUsable
		found := s.matching(id, algorithm)
		known := usable && len(found) > 0
		if !waited && (!known || age >= waits.KeysFresh) && (s.tried.IsZero() || now.Sub(s.tried) >= waits.KeysAgain) {
			s.start()
		}
		reading, failure := s.reading, s.failure
		s.mu.Unlock()
		switch {
		case known:
			return found, nil
		case !waited && reading != nil:
		case !usable || failure != nil:
			return nil, fmt.Errorf("the keys of the issuer are not known: %w", failure)
		default:
			return nil, refusedf("the access token is signed with an unknown key")
		}
		select {
		case <-reading:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// start starts reading the keys, unless they are being read already. The context of a request does not end the reading,
// because other requests may wait for it. The lock must be held.
func (s *keySet) start() {
	if s.reading != nil {
		return
	}
	s.reading = make(chan struct{})
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), waits.AuthFetch)
		defer cancel()
		keys, err := s.fetch(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		close(s.reading)
		s.tried, s.failure, s.reading = time.Now(), err, nil
		if err == nil {
			s.keys, s.read = keys, s.tried
		}
	}()
}

// matching returns the keys with an id, or those with any id if it is "", and at most maxUnnamed.
func (s *keySet) matching(id, algorithm string) []jose.JSONWebKey {
	var found []jose.JSONWebKey
	for _, key := range s.keys {
		if id != "" && key.KeyID != id || key.Algorithm != "" && key.Algorithm != algorithm {
			continue
		}
		if found = append(found, key); len(found) == maxUnnamed {
			break
		}
	}
	return found
}

// fetchKeys reads the public keys of the issuer.
func (i *issuer) fetchKeys(ctx context.Context) ([]jose.JSONWebKey, error) {
	uri := func(m *oauth.AuthorizationServerMetadata) string { return m.JWKSURI }
	address, err := i.address(ctx, i.JWKS, "jwks_uri", uri)
	if err != nil {
		return nil, err
	}
	var document struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if _, err := i.web.Document(ctx, nil, &document, address); err != nil {
		i.metadata.Store(nil) // the keys may have moved
		return nil, err
	}
	if len(document.Keys) > maxKeys {
		return nil, fmt.Errorf("%s: %d keys are more than %d", address, len(document.Keys), maxKeys)
	}
	var keys []jose.JSONWebKey
	for _, text := range document.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(text, &key) != nil || !isSigning(&key) {
			continue // of a kind that is not needed here
		}
		keys = append(keys, key)
	}
	return slices.Clip(keys), nil
}

// isSigning reports whether a key is a public key for signatures.
func isSigning(key *jose.JSONWebKey) bool {
	if !key.Valid() || !key.IsPublic() || key.Use != "" && key.Use != "sig" {
		return false
	}
	if r, ok := key.Key.(*rsa.PublicKey); ok {
		return r.N.BitLen() >= minRSA
	}
	return true
}
