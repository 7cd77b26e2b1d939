package resource

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth"
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
	return &refusal{status: http.StatusUnauthorized, scheme: scheme, code: auth.ErrorInvalidToken, reason: reason}
}

func badRequest(reason string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: auth.ErrorInvalidRequest, reason: reason}
}

// credentials are the token of a request and the scheme by which it was sent.
type credentials struct{ scheme, token string }

// credentialsOf returns the credentials of a request (OAuth 2.1, section 5.1.1). A token in the query is
// refused, because queries are logged (section Token Requirements).
func credentialsOf(r *http.Request) (credentials, *refusal) {
	// The raw query is searched for the name too, because parsing leaves out what it cannot decode.
	if strings.Contains(r.URL.RawQuery, "access_token") && hasToken(r) {
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
	case strings.EqualFold(scheme, auth.SchemeBearer):
		scheme = auth.SchemeBearer
	case strings.EqualFold(scheme, auth.SchemeDPoP):
		scheme = auth.SchemeDPoP
	default:
		return credentials{}, &refusal{status: http.StatusUnauthorized, reason: "an access token is required"}
	}
	if len(token) > maxToken {
		return credentials{}, badToken(scheme, "the access token is too long")
	}
	return credentials{scheme, token}, nil
}

func hasToken(r *http.Request) bool {
	_, ok := r.URL.Query()["access_token"]
	return ok
}

// isToken reports whether s has the syntax of a bearer token (RFC 6750, section 2.1).
func isToken(s string) bool {
	core := strings.TrimRight(s, "=")
	for i := range len(core) {
		c := core[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && strings.IndexByte("-._~+/", c) < 0 {
			return false
		}
	}
	return core != ""
}

// admit verifies the token of a request.
func (g *Guard) admit(w http.ResponseWriter, r *http.Request) (*admission, *refusal) {
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
	if denied := a.access.Allow(g.opts.Scopes); denied != nil {
		return nil, &refusal{status: denied.Status, scheme: schemeOf(a.caller), code: auth.ErrorInsufficientScope,
			reason: "the access token lacks a scope of this server", scopes: g.opts.Scopes}
	}
	return a, nil
}

// verify returns what is known of a token, verifying it if necessary.
func (g *Guard) verify(ctx context.Context, given credentials) (*admission, *refusal) {
	now := g.now()
	key := keyOf(given.token)
	if a, ok := g.known.get(key, now); ok {
		return a, nil
	}
	if !isToken(given.token) { // those that are known were well-formed
		return nil, badRequest("the Authorization header has no well-formed access token")
	}
	if known, ok := g.refused.get(key, now); ok {
		return nil, badToken(given.scheme, known.Reason)
	}
	caller, err := g.verifier.Verify(ctx, given.token)
	now = g.now()
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
	a := g.newAdmission(caller)
	if g.opts.CacheFor > 0 {
		until := now.Add(g.opts.CacheFor)
		if end := caller.Expiry.Add(g.opts.Leeway); !caller.Expiry.IsZero() && end.Before(until) {
			until = end
		}
		g.known.put(key, a, until)
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
			c := g.challenge(scheme, scopes)
			if f.code != "" {
				c = c.With("error", f.code).With("error_description", f.reason)
			}
			w.Header().Add("WWW-Authenticate", c.String())
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
		return []string{auth.SchemeDPoP}
	case g.opts.DPoP.Offer:
		return []string{auth.SchemeBearer, auth.SchemeDPoP}
	}
	return []string{auth.SchemeBearer}
}
