package client

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/runtime/auth"
)

// Flow is a way to obtain tokens: AuthorizationCode, ClientCredentials, Enterprise, Workload or
// TokenSource.
type Flow interface {
	// kind names the flow in the keys of the store.
	kind() string
	// grant obtains a grant with scopes.
	grant(ctx context.Context, t *Transport, from *target, scopes []string) (*grant, error)
}

// ClientCredentials is the flow of a program that acts on its own behalf, with the credentials in the
// options (extension io.modelcontextprotocol/oauth-client-credentials).
type ClientCredentials struct{}

func (ClientCredentials) kind() string { return "client" }

func (ClientCredentials) grant(ctx context.Context, t *Transport, from *target, scopes []string) (*grant, error) {
	client, err := t.identify(ctx, from, "")
	if err != nil {
		return nil, err
	}
	return t.requestGrant(ctx, from, client, scopes, url.Values{"grant_type": {grantClient}}, t.newProofs(from))
}

// Workload is the flow of a program that has an identity from its platform, such as a service account of
// Kubernetes: it exchanges a JWT of the platform for a token (RFC 7523, section 2.1).
type Workload struct {
	// Assertion returns a JWT for an audience, which is the issuer of the authorization server. It is
	// called for each token, because such JWTs are short-lived.
	Assertion func(ctx context.Context, audience string) (Secret, error)
}

func (Workload) kind() string { return "workload" }

func (f Workload) grant(ctx context.Context, t *Transport, from *target, scopes []string) (*grant, error) {
	assertion, err := f.Assertion(ctx, from.issuer)
	if err != nil {
		return nil, err
	}
	return t.grantByAssertion(ctx, from, scopes, assertion.Reveal())
}

// grantByAssertion obtains a grant by a JWT (RFC 7523).
func (t *Transport) grantByAssertion(ctx context.Context, from *target, scopes []string, assertion string) (*grant, error) {
	client, err := t.identify(ctx, from, "")
	if err != nil {
		return nil, err
	}
	form := url.Values{"grant_type": {grantJWT}, "assertion": {assertion}}
	return t.requestGrant(ctx, from, client, scopes, form, t.newProofs(from))
}

// requestGrant asks the token endpoint for a grant.
func (t *Transport) requestGrant(ctx context.Context, from *target, client *Credentials, scopes []string, form url.Values, proofs *prover) (*grant, error) {
	form.Set("resource", from.resource)
	switch form.Get("grant_type") {
	case grantCode, grantRefresh: // which have their scopes
	default:
		if len(scopes) > 0 {
			form.Set("scope", auth.FormatScopes(scopes))
		}
	}
	requested := time.Now()
	endpoint := &tokens{web: t.web, server: from.server, client: client, proofs: proofs}
	response, err := endpoint.request(ctx, form)
	if err != nil {
		return nil, err
	}
	return t.newGrant(from, client, scopes, response, requested, proofs)
}

// newProofs returns a prover with a new key if tokens are to be bound to one, and nil otherwise.
func (t *Transport) newProofs(from *target) *prover {
	if !from.bound && !(t.opts.DPoP && slices.Contains(from.server.DPoPSigningAlgValuesSupported, "ES256")) {
		return nil
	}
	p, err := newProver(nil)
	if err != nil {
		return nil // never: crypto/rand does not fail
	}
	return p
}

// Enterprise is the flow of enterprise-managed authorization: the identity provider of an organization
// exchanges the user's identity for an assertion, which the authorization server accepts in place of the
// user's consent (extension io.modelcontextprotocol/enterprise-managed-authorization). The credentials in
// the options are those at the authorization server of the MCP server.
type Enterprise struct {
	// Issuer is the identity provider, whose metadata has the token endpoint.
	Issuer string
	// TokenEndpoint is the URL of its token endpoint. If it is "", the metadata is read.
	TokenEndpoint string
	// Client identifies the program to the identity provider.
	Client Credentials
	// Identity returns the identity assertion that the identity provider issued when the user logged
	// in: an ID token or a SAML assertion.
	Identity func(ctx context.Context) (Secret, error)
	// IdentityType is the type of the assertion (RFC 8693, section 3). If it is "", it is that of an ID
	// token.
	IdentityType string
}

func (Enterprise) kind() string { return "enterprise" }

// Types of tokens (RFC 8693, section 3, and the extension).
const (
	typeIDToken = "urn:ietf:params:oauth:token-type:id_token"
	typeIDJAG   = "urn:ietf:params:oauth:token-type:id-jag"
)

func (f Enterprise) grant(ctx context.Context, t *Transport, from *target, scopes []string) (*grant, error) {
	identity, err := f.Identity(ctx)
	if err != nil {
		return nil, err
	}
	provider := &auth.AuthorizationServerMetadata{Issuer: f.Issuer, TokenEndpoint: f.TokenEndpoint}
	if f.TokenEndpoint == "" {
		if provider, err = t.web.IssuerMetadata(ctx, f.Issuer); err != nil {
			return nil, err
		}
	}
	form := url.Values{
		"grant_type":           {grantExchange},
		"requested_token_type": {typeIDJAG},
		"audience":             {from.issuer},
		"resource":             {from.resource},
		"subject_token":        {identity.Reveal()},
		"subject_token_type":   {typeIDToken},
	}
	if f.IdentityType != "" {
		form.Set("subject_token_type", f.IdentityType)
	}
	if len(scopes) > 0 {
		form.Set("scope", auth.FormatScopes(scopes))
	}
	response, err := (&tokens{web: t.web, server: provider, client: &f.Client}).request(ctx, form)
	if err != nil {
		return nil, fmt.Errorf("token exchange: %w", err)
	}
	if response.IssuedTokenType != typeIDJAG {
		return nil, fmt.Errorf("token exchange: the identity provider issued a token of type %q, not %s", shown(response.IssuedTokenType), typeIDJAG)
	}
	return t.grantByAssertion(ctx, from, scopes, response.AccessToken)
}

// TokenSource is the flow of tokens that come from elsewhere. They are not stored, and no authorization
// server is discovered. The source must return tokens that are meant for the MCP server.
type TokenSource struct{ oauth2.TokenSource }

func (TokenSource) kind() string { return "source" }

func (f TokenSource) grant(context.Context, *Transport, *target, []string) (*grant, error) {
	token, err := f.Token()
	if err != nil {
		return nil, err
	}
	if scheme := token.Type(); scheme != auth.SchemeBearer {
		return nil, fmt.Errorf("the token source returned a token of type %q, not Bearer", shown(scheme))
	}
	if token.AccessToken == "" {
		return nil, errors.New("the token source returned an empty token")
	}
	if !isToken(token.AccessToken) {
		return nil, errors.New("the token source returned a token that is too long, or has characters that a header cannot have")
	}
	return &grant{Type: auth.SchemeBearer, Access: token.AccessToken, Expiry: token.Expiry}, nil
}
