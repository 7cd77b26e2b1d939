package resource

import (
	"net/http"
	"slices"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/auth"
)

// access is the runtime.Access of a caller.
type access struct {
	guard  *Guard
	caller *auth.Caller
}

// Allow implements runtime.Access.
func (a *access) Allow(scopes []string) *runtime.DeniedError {
	for _, needed := range scopes {
		if !a.has(needed) {
			return a.guard.insufficient(a.caller, scopes)
		}
	}
	return nil
}

// has reports whether the token has a scope, or one that includes it.
func (a *access) has(needed string) bool {
	return slices.ContainsFunc(a.caller.Scopes, func(has string) bool {
		return has == needed || a.guard.opts.Implies != nil && a.guard.opts.Implies(has, needed)
	})
}

// insufficient returns the error for a token without the scopes of an operation. Its challenge names all
// of them, and those of every request ("Runtime Insufficient Scope Errors").
func (g *Guard) insufficient(caller *auth.Caller, scopes []string) *runtime.DeniedError {
	all := auth.UnionScopes(g.opts.Scopes, scopes)
	const message = "the access token lacks a scope of this operation"
	c := g.challenge(schemeOf(caller), all).With("error", auth.ErrorInsufficientScope).With("error_description", message)
	return &runtime.DeniedError{Status: http.StatusForbidden, Challenges: []string{c.String()}, Message: "forbidden: " + message}
}

// schemeOf returns the scheme by which a caller's token is sent.
func schemeOf(caller *auth.Caller) string {
	if caller.KeyThumbprint != "" {
		return auth.SchemeDPoP
	}
	return auth.SchemeBearer
}

// challenge returns a challenge with the parameters that all challenges have.
func (g *Guard) challenge(scheme string, scopes []string) auth.Challenge {
	c := auth.Challenge{Scheme: scheme}.With("resource_metadata", g.metadataURL).With("scope", auth.FormatScopes(scopes))
	if scheme == auth.SchemeDPoP {
		c = c.With("algs", auth.FormatScopes(proofAlgorithmNames()))
	}
	return c
}
