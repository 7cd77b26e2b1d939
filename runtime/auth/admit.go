package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// maxToken limits the length of an access token, in bytes.
const maxToken = 16 << 10

// refusal is why a request is not admitted.
type refusal struct {
	status int
	scheme string // of the challenge; "" for those of all schemes
	code   string // the parameter error; "" for none
	reason string
	nonce  string // of DPoP
	scopes []string
}

func badToken(scheme, reason string) *refusal {
	return &refusal{status: http.StatusUnauthorized, scheme: scheme, code: oauth.ErrorInvalidToken, reason: reason}
}

func badRequest(reason string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: oauth.ErrorInvalidRequest, reason: reason}
}

// credentials are the token of a request and the scheme by which it was sent.
type credentials struct{ scheme, token string }

// credentialsOf returns the credentials of a request (OAuth 2.1, section 5.1.1). A token in the query is
// refused, because queries are logged (section Token Requirements).
func credentialsOf(r *http.Request) (credentials, *refusal) {
	if hasToken(r.URL.RawQuery) {
		return credentials{}, badRequest("an access token must be in the Authorization header, not in the query")
	}
	values := r.Header["Authorization"]
	if len(values) == 0 {
		return credentials{}, &refusal{status: http.StatusUnauthorized, reason: "an access token is required"}
	}
	if len(values) > 1 {
		return credentials{}, badRequest("there are several Authorization headers")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	switch {
	case strings.EqualFold(scheme, oauth.SchemeBearer):
		scheme = oauth.SchemeBearer
	case strings.EqualFold(scheme, oauth.SchemeDPoP):
		scheme = oauth.SchemeDPoP
	default:
		return credentials{}, &refusal{status: http.StatusUnauthorized, reason: "an access token is required"}
	}
	if len(token) > maxToken {
		return credentials{}, badToken(scheme, "the access token is too long")
	}
	return credentials{scheme, token}, nil
}

// hasToken reports whether a query has the parameter access_token. Package net/url leaves out parameters whose values
// it cannot decode, and those with semicolons, which other programs take for separators.
func hasToken(query string) bool {
	for parameter := range strings.FieldsFuncSeq(query, func(c rune) bool { return c == '&' || c == ';' }) {
		name, _, _ := strings.Cut(parameter, "=")
		if name, err := url.QueryUnescape(name); err == nil && name == "access_token" {
			return true
		}
	}
	return false
}

// admit verifies the token of a request.
func (g *Guard) admit(w http.ResponseWriter, r *http.Request) (*access, *refusal) {
	given, refused := credentialsOf(r)
	if refused != nil {
		return nil, refused
	}
	a, refused := g.verify(r.Context(), given)
	if refused != nil {
		return nil, refused
	}
	if refused := g.possession(w, r, given, a.caller); refused != nil {
		return nil, refused
	}
	if denied := a.Allow(g.opts.Scopes); denied != nil {
		return nil, &refusal{status: denied.Status, scheme: schemeOf(a.caller), code: oauth.ErrorInsufficientScope,
			reason: "the access token lacks a scope of this server", scopes: g.opts.Scopes}
	}
	return a, nil
}

// verify returns what is known of a token, verifying it if necessary.
func (g *Guard) verify(ctx context.Context, given credentials) (*access, *refusal) {
	now := time.Now()
	key := keyOf(given.token)
	if a, ok := g.accepted.get(key, now); ok {
		return a, nil
	}
	if !oauth.IsToken68(given.token) { // those that were accepted were well-formed
		return nil, badRequest("the Authorization header has no well-formed access token")
	}
	if known, ok := g.refused.get(key, now); ok {
		return nil, badToken(given.scheme, known.Reason)
	}
	caller, err := g.verifier.Verify(ctx, given.token)
	now = time.Now()
	if err == nil && (caller == nil || caller.Subject == "") {
		err = errors.New("the Verifier returned no caller with a Subject")
	}
	if err == nil && !caller.Expiry.IsZero() && !now.Before(caller.Expiry.Add(g.opts.Leeway)) {
		err = &TokenError{Reason: "the access token has expired"}
	}
	if bad, ok := errors.AsType[*TokenError](err); ok {
		if g.opts.CacheFor > 0 {
			g.refused.put(key, bad, now.Add(min(g.opts.CacheFor, waits.TokenRefused)))
		}
		return nil, badToken(given.scheme, bad.Reason)
	}
	if err != nil {
		g.opts.Logger.ErrorContext(ctx, "an access token could not be verified", "error", err)
		return nil, &refusal{status: http.StatusServiceUnavailable, reason: "the access token cannot be verified now"}
	}
	a := g.newAccess(caller)
	if g.opts.CacheFor > 0 {
		until := now.Add(g.opts.CacheFor)
		if end := caller.Expiry.Add(g.opts.Leeway); !caller.Expiry.IsZero() && end.Before(until) {
			until = end
		}
		g.accepted.put(key, a, until)
	}
	return a, nil
}

// refuse answers a request that is not admitted (OAuth 2.1, section 5.3).
func (g *Guard) refuse(w http.ResponseWriter, r *http.Request, f *refusal) {
	g.opts.Logger.DebugContext(r.Context(), "request refused", "status", f.status, "error", f.code, "reason", f.reason)
	if f.status != http.StatusServiceUnavailable {
		scopes := f.scopes
		if scopes == nil {
			scopes = g.opts.Scopes
		}
		schemes := []string{f.scheme}
		if f.scheme == "" {
			schemes = g.schemes()
		}
		for _, scheme := range schemes {
			w.Header().Add("WWW-Authenticate", g.challenge(scheme, scopes, f.code, f.reason))
		}
	}
	if f.nonce != "" {
		w.Header().Set("DPoP-Nonce", f.nonce)
	}
	w.Header().Set("Cache-Control", "no-store")
	(&web.Refusal{Status: f.status, Code: int64(f.status), Message: http.StatusText(f.status) + ": " + f.reason}).WriteTo(w)
}

// schemes returns the schemes that a client without a token may choose from.
func (g *Guard) schemes() []string {
	switch {
	case g.opts.RequireBound && g.opts.Certificate == nil:
		return []string{oauth.SchemeDPoP}
	case g.opts.DPoP.Offer:
		return []string{oauth.SchemeBearer, oauth.SchemeDPoP}
	}
	return []string{oauth.SchemeBearer}
}

// access is what the requests with a token share: its caller, who is its runtime.Access.
type access struct {
	guard     *Guard
	caller    *Caller
	principal string
}

// Allow implements runtime.Access. The challenge of its error names the scopes of an operation, and those of every
// request ("Runtime Insufficient Scope Errors").
func (a *access) Allow(scopes []string) *runtime.DeniedError {
	if !slices.ContainsFunc(scopes, a.lacks) {
		return nil
	}
	all := oauth.UnionScopes(a.guard.opts.Scopes, scopes)
	const message = "the access token lacks a scope of this operation"
	c := a.guard.challenge(schemeOf(a.caller), all, oauth.ErrorInsufficientScope, message)
	return &runtime.DeniedError{Status: http.StatusForbidden, Challenges: []string{c}, Message: "forbidden: " + message}
}

// Scopes returns the scopes of the token, and those which they include among the scopes that the server knows. Package
// tasks keeps them for work that goes on when the request is over.
func (a *access) Scopes() []string {
	return oauth.UnionScopes(a.caller.Scopes, slices.DeleteFunc(slices.Clone(a.guard.supported()), a.lacks))
}

// lacks reports whether the token has neither a scope nor one that includes it.
func (a *access) lacks(needed string) bool {
	return !slices.ContainsFunc(a.caller.Scopes, func(has string) bool {
		return has == needed || a.guard.opts.Implies != nil && a.guard.opts.Implies(has, needed)
	})
}

// schemeOf returns the scheme by which a caller's token is sent.
func schemeOf(caller *Caller) string {
	if caller.KeyThumbprint != "" {
		return oauth.SchemeDPoP
	}
	return oauth.SchemeBearer
}

// challenge returns a challenge with the parameters that all challenges have, and those of an error unless code
// is "".
func (g *Guard) challenge(scheme string, scopes []string, code, reason string) string {
	algorithms := ""
	if scheme == oauth.SchemeDPoP {
		algorithms = oauth.FormatScopes(proofAlgorithmNames())
	}
	if code == "" {
		reason = ""
	}
	return oauth.FormatChallenge(scheme, "resource_metadata", g.metadataURL, "scope", oauth.FormatScopes(scopes), "algs", algorithms,
		"error", code, "error_description", reason)
}

// tokenKey is the digest of a token, so that the memory of the server holds no tokens.
type tokenKey [sha256.Size]byte

func keyOf(token string) tokenKey {
	var space [2 << 10]byte // on the stack, for tokens of usual length
	return sha256.Sum256(append(space[:0], token...))
}

// cache remembers values by tokens until their time is over. It has two generations of half its size:
// when the young one is full, it becomes the old one, and the values of the previous old one are
// dropped.
type cache[V any] struct {
	half int

	mu         sync.RWMutex
	young, old map[tokenKey]entry[V]
}

type entry[V any] struct {
	value V
	until time.Time
}

func newCache[V any](size int) *cache[V] {
	return &cache[V]{half: max(size/2, 1), young: make(map[tokenKey]entry[V])}
}

func (c *cache[V]) get(key tokenKey, now time.Time) (value V, ok bool) {
	c.mu.RLock()
	e, ok := c.young[key]
	old := false
	if !ok {
		e, old = c.old[key]
	}
	c.mu.RUnlock()
	if !ok && !old || !now.Before(e.until) {
		return value, false
	}
	if old {
		c.put(key, e.value, e.until)
	}
	return e.value, true
}

func (c *cache[V]) put(key tokenKey, value V, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.young[key]; !known && len(c.young) >= c.half {
		c.old, c.young = c.young, make(map[tokenKey]entry[V])
	}
	c.young[key] = entry[V]{value, until}
}
