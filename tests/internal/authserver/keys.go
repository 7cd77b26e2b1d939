package authserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// keyring has the keys of a server, the current one last.
type keyring struct {
	mu   sync.Mutex
	keys []jose.JSONWebKey
	next int
}

func (k *keyring) rotate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // rand.Reader does not fail
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next++
	k.keys = append(k.keys, jose.JSONWebKey{Key: key, KeyID: fmt.Sprintf("key-%d", k.next), Algorithm: string(jose.ES256), Use: "sig"})
}

func (k *keyring) current() jose.JSONWebKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[len(k.keys)-1]
}

func (k *keyring) public() jose.JSONWebKeySet {
	k.mu.Lock()
	defer k.mu.Unlock()
	var set jose.JSONWebKeySet
	for _, key := range k.keys {
		set.Keys = append(set.Keys, key.Public())
	}
	return set
}

// Rotate makes a new key, with which tokens are signed from now on. The old keys stay in the key set.
func (s *Server) Rotate() { s.keys.rotate() }

// Retire removes all keys but the current one from the key set.
func (s *Server) Retire() {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	s.keys.keys = s.keys.keys[len(s.keys.keys)-1:]
}

// Key returns the current key, with its private part.
func (s *Server) Key() jose.JSONWebKey { return s.keys.current() }

// Claims returns the claims of an access token for a resource. A test may change them and pass them to
// Sign.
func (s *Server) Claims(resource string, scopes ...string) map[string]any {
	now := s.opts.Now()
	return map[string]any{
		"iss": s.Issuer, "sub": s.opts.Subject, "aud": resource, "client_id": "client", "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(s.opts.Lifetime).Unix(), "scope": strings.Join(scopes, " "),
	}
}

// Token returns an access token for a resource.
func (s *Server) Token(resource string, scopes ...string) string {
	return s.Issue(s.Claims(resource, scopes...))
}

// Sign returns an access token with the claims, signed with the current key.
func (s *Server) Sign(claims map[string]any) string { return Sign(s.keys.current(), "at+jwt", claims) }

// Issue returns an access token with the claims, of the kind that the server issues.
func (s *Server) Issue(claims map[string]any) string {
	if !s.opts.Opaque {
		return s.Sign(claims)
	}
	token := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opaque[token] = maps.Clone(claims)
	return token
}

// Revoke makes introspection say that an opaque token is not active.
func (s *Server) Revoke(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.opaque, token)
}

// Sign returns a JWT of a type, signed with a key. The algorithm is that of the key, by default ES256 for
// an EC key, RS256 for an RSA key and HS256 for bytes.
func Sign(key jose.JSONWebKey, typ string, claims map[string]any) string {
	alg := jose.SignatureAlgorithm(key.Algorithm)
	if alg == "" {
		switch key.Key.(type) {
		case *rsa.PrivateKey:
			alg = jose.RS256
		case []byte:
			alg = jose.HS256
		default:
			alg = jose.ES256
		}
	}
	opts := (&jose.SignerOptions{}).WithType(jose.ContentType(typ))
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, opts)
	if err != nil {
		panic(err) // a mistake of the test
	}
	text, err := json.Marshal(claims) // not that of package jwt, which does not know json.Number
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		panic(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return token
}

// assertion verifies a JWT of a client or another issuer. The audience must be the issuer or the token
// endpoint.
func (s *Server) assertion(text string, key func(issuer string) any) (map[string]any, error) {
	token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.ES256, jose.RS256, jose.EdDSA})
	if err != nil {
		return nil, err
	}
	var unverified jwt.Claims
	if err := token.UnsafeClaimsWithoutVerification(&unverified); err != nil {
		return nil, err
	}
	k := key(unverified.Issuer)
	if k == nil {
		return nil, fmt.Errorf("no key of the issuer %q", unverified.Issuer)
	}
	var claims map[string]any
	if err := token.Claims(k, &claims); err != nil {
		return nil, err
	}
	expected := jwt.Expected{AnyAudience: jwt.Audience{s.Issuer, s.Issuer + "/token"}, Time: s.opts.Now()}
	if unverified.Expiry == nil {
		return nil, fmt.Errorf("the assertion has no exp")
	}
	return claims, unverified.ValidateWithLeeway(expected, time.Second)
}

// text returns a claim that is a string.
func text(claims map[string]any, name string) string {
	switch v := claims[name].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
