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

// denied returns the error of a request that is not admitted (OAuth 2.1, section 5.3), with a challenge for a
// scheme, or for all if it is "".
func (g *Guard) denied(status int, scheme, code, reason string) *runtime.DeniedError {
	e := &runtime.DeniedError{Status: status, Message: http.StatusText(status) + ": " + reason}
	schemes := []string{scheme}
	if scheme == "" {
		schemes = g.schemes()
	}
	for _, scheme := range schemes {
		e.Challenges = append(e.Challenges, g.challenge(scheme, g.opts.Scopes, code, reason))
	}
	return e
}

func (g *Guard) badToken(scheme, reason string) *runtime.DeniedError {
	return g.denied(http.StatusUnauthorized, scheme, oauth.ErrorInvalidToken, reason)
}

func (g *Guard) badRequest(reason string) *runtime.DeniedError {
	return g.denied(http.StatusBadRequest, "", oauth.ErrorInvalidRequest, reason)
}

// unavailable returns the error of a request that may be repeated, whose token need not be replaced.
func unavailable(reason string) *runtime.DeniedError {
	return &runtime.DeniedError{Status: http.StatusServiceUnavailable, Message: http.StatusText(http.StatusServiceUnavailable) + ": " + reason}
}

// credentials are the token of a request and the scheme by which it was sent.
type credentials struct{ scheme, token string }

// credentialsOf returns the credentials of a request (OAuth 2.1, section 5.1.1). A token in the query is
// refused, because queries are logged (section Token Requirements).
func (g *Guard) credentialsOf(r *http.Request) (credentials, *runtime.DeniedError) {
	if hasToken(r.URL.RawQuery) {
		return credentials{}, g.badRequest("an access token must be in the Authorization header, not in the query")
	}
	values := r.Header["Authorization"]
	if len(values) == 0 {
		return credentials{}, g.denied(http.StatusUnauthorized, "", "", "an access token is required")
	}
	if len(values) > 1 {
		return credentials{}, g.badRequest("there are several Authorization headers")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	switch {
	case strings.EqualFold(scheme, oauth.SchemeBearer):
		scheme = oauth.SchemeBearer
	case strings.EqualFold(scheme, oauth.SchemeDPoP):
		scheme = oauth.SchemeDPoP
	default:
		return credentials{}, g.denied(http.StatusUnauthorized, "", "", "an access token is required")
	}
	if len(token) > maxToken {
		return credentials{}, g.badToken(scheme, "the access token is too long")
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
func (g *Guard) admit(w http.ResponseWriter, r *http.Request) (a *access, denied *runtime.DeniedError) {
	given, denied := g.credentialsOf(r)
	if denied == nil {
		a, denied = g.verify(r.Context(), given)
	}
	if denied == nil {
		denied = g.checkPossession(w, r, given, a.caller)
	}
	if denied == nil {
		denied = a.Allow(g.opts.Scopes)
	}
	return a, denied
}

// verify returns what is known of a token, verifying it if necessary.
func (g *Guard) verify(ctx context.Context, given credentials) (*access, *runtime.DeniedError) {
	now := time.Now()
	key := keyOf(given.token)
	if a, ok := g.accepted.get(key, now); ok {
		return a, nil
	}
	if !oauth.IsToken68(given.token) { // those that were accepted were well-formed
		return nil, g.badRequest("the Authorization header has no well-formed access token")
	}
	if known, ok := g.refused.get(key, now); ok {
		return nil, g.badToken(given.scheme, known.Reason)
	}
	caller, err := g.askVerifiers(ctx, given.token)
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
		return nil, g.badToken(given.scheme, bad.Reason)
	}
	if err != nil {
		g.opts.Logger.ErrorContext(ctx, "an access token could not be verified", "error", err)
		return nil, unavailable("the access token cannot be verified now")
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

// refuse answers a request that is not admitted.
func (g *Guard) refuse(w http.ResponseWriter, r *http.Request, denied *runtime.DeniedError) {
	g.opts.Logger.DebugContext(r.Context(), "request refused", "status", denied.Status, "reason", denied.Message)
	if len(denied.Challenges) > 0 {
		w.Header()["Www-Authenticate"] = denied.Challenges
	}
	w.Header().Set("Cache-Control", "no-store")
	(&web.Refusal{Status: denied.Status, Code: int64(denied.Status), Message: denied.Message}).WriteTo(w)
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
	const reason = "the access token lacks a scope of this operation"
	c := a.guard.challenge(schemeOf(a.caller), all, oauth.ErrorInsufficientScope, reason)
	return &runtime.DeniedError{Status: http.StatusForbidden, Challenges: []string{c}, Message: "forbidden: " + reason}
}

// Scopes returns the scopes of the token, and those which they include among the scopes that the server knows. Package
// tasks keeps them for work that goes on when the request is over.
func (a *access) Scopes() []string {
	return oauth.UnionScopes(a.caller.Scopes, slices.DeleteFunc(slices.Clone(a.guard.metadataScopes()), a.lacks))
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
