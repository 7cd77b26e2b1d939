package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
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
	return t.requestGrant(ctx, from, nil, scopes, url.Values{"grant_type": {grantClient}})
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
	assertion, err := f.Assertion(ctx, from.Issuer)
	if err != nil {
		return nil, err
	}
	return t.requestGrant(ctx, from, nil, scopes, asserted(assertion.Reveal()))
}

// asserted returns the form of a request for a token by a JWT (RFC 7523).
func asserted(assertion string) url.Values {
	return url.Values{"grant_type": {grantJWT}, "assertion": {assertion}}
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
	provider := &oauth.AuthorizationServerMetadata{Issuer: f.Issuer, TokenEndpoint: f.TokenEndpoint}
	if f.TokenEndpoint == "" {
		if provider, err = t.web.IssuerMetadata(ctx, f.Issuer); err != nil {
			return nil, err
		}
	}
	form := url.Values{
		"grant_type":           {grantExchange},
		"requested_token_type": {typeIDJAG},
		"audience":             {from.Issuer},
		"resource":             {from.resource},
		"subject_token":        {identity.Reveal()},
		"subject_token_type":   {cmp.Or(f.IdentityType, typeIDToken)},
	}
	if len(scopes) > 0 {
		form.Set("scope", oauth.FormatScopes(scopes))
	}
	response, err := t.token(ctx, provider, &f.Client, nil, form)
	if err != nil {
		return nil, fmt.Errorf("token exchange: %w", err)
	}
	if response.IssuedTokenType != typeIDJAG {
		return nil, fmt.Errorf("token exchange: the identity provider issued a token of type %q, not %s", shown(response.IssuedTokenType), typeIDJAG)
	}
	return t.requestGrant(ctx, from, nil, scopes, asserted(response.AccessToken))
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
	if scheme := token.Type(); scheme != oauth.SchemeBearer {
		return nil, fmt.Errorf("the token source returned a token of type %q, not Bearer", shown(scheme))
	}
	if token.AccessToken == "" {
		return nil, errors.New("the token source returned an empty token")
	}
	if !isToken(token.AccessToken) {
		return nil, errors.New("the token source returned a token that is too long, or has characters that a header cannot have")
	}
	return &grant{Type: oauth.SchemeBearer, Access: token.AccessToken, Expiry: token.Expiry}, nil
}

// methodS256 is the method of PKCE that MCP demands.
const methodS256 = "S256"

// scopeOffline is the scope by which some authorization servers issue refresh tokens.
const scopeOffline = "offline_access"

// AuthorizationCode is the flow of a program that acts for a user: the user agrees in a browser (OAuth
// 2.1, section 4.1, with PKCE).
type AuthorizationCode struct {
	// Agent takes the user to the authorization server. Nil is a *Browser with its defaults.
	Agent UserAgent
}

// UserAgent takes users to authorization servers and back.
type UserAgent interface {
	// Authorize takes the user to an authorization server, and returns the URL to which that server sent the user
	// back: the redirect URI with a query. The function begin returns the URL at the authorization server for a
	// redirect URI. If the server refuses to register that URI, its error is an *OAuthError with the code
	// invalid_redirect_uri, and begin may be called with another one. previous is the redirect URI of the last
	// authorization at the same server, or "". Using it again saves a registration. Authorize should ignore URLs
	// whose state differs from the one in the query of the URL at the authorization server.
	Authorize(ctx context.Context, previous string, begin func(redirectURI string) (address string, err error)) (back string, err error)
}

func (AuthorizationCode) kind() string { return "code" }

func (f AuthorizationCode) grant(ctx context.Context, t *Transport, from *target, scopes []string) (*grant, error) {
	t.mu.Lock()
	err := t.budget.mayVisit(from.need, time.Now())
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	endpoint, err := t.endpoint("authorization_endpoint", from.AuthorizationEndpoint)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(from.CodeChallengeMethodsSupported, methodS256) {
		return nil, fmt.Errorf("the authorization server %s does not support PKCE by S256: its metadata has code_challenge_methods_supported %q", shown(from.Issuer), from.CodeChallengeMethodsSupported)
	}
	agent := f.Agent
	if agent == nil {
		agent = &Browser{}
	}
	var last registration
	if _, err := t.load(ctx, registrationKey(from.Issuer), &last); err != nil {
		return nil, err
	}
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	config := oauth2.Config{Endpoint: oauth2.Endpoint{AuthURL: endpoint.String()}, Scopes: scopes}
	var client *Credentials // nil until the user is sent to the authorization server
	back, err := agent.Authorize(ctx, last.RedirectURI, func(redirectURI string) (string, error) {
		known, err := t.identify(ctx, from, redirectURI)
		if err != nil {
			return "", err
		}
		client, from.client, config.ClientID, config.RedirectURL = known, known, known.ClientID, redirectURI
		t.mu.Lock()
		t.budget.visits = append(t.budget.visits, time.Now())
		t.mu.Unlock()
		return config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", from.resource)), nil
	})
	if client == nil {
		return nil, cmp.Or(err, errors.New("the user agent took the user nowhere"))
	}
	authorizationCode := ""
	if err == nil {
		authorizationCode, err = codeIn(back, state, from.AuthorizationServerMetadata)
	}
	var g *grant
	if err == nil {
		g, err = t.requestGrant(ctx, from, client, scopes, url.Values{
			"grant_type":    {grantCode},
			"code":          {authorizationCode},
			"redirect_uri":  {config.RedirectURL},
			"code_verifier": {verifier},
		})
	}
	if err != nil {
		return nil, &stopped{err}
	}
	return g, nil
}

// stopped is the error of an authorization for which the user was asked. The user is not asked again
// before the program calls Login.
type stopped struct{ err error }

func (e *stopped) Error() string { return e.err.Error() }
func (e *stopped) Unwrap() error { return e.err }

// codeIn validates the response to an authorization request with a state and returns its code. Nothing of a response
// that another authorization server may have caused is used or shown ("Authorization Response
// Validation", 2026-07-28).
func codeIn(back, state string, server *oauth.AuthorizationServerMetadata) (string, error) {
	u, err := url.Parse(back)
	if err != nil {
		return "", errors.New("the response to the authorization request is not a URL")
	}
	response, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", errors.New("the response to the authorization request has a broken query")
	}
	for _, name := range []string{"state", "iss", "code", "error"} {
		if len(response[name]) > 1 {
			return "", fmt.Errorf("the response to the authorization request has %s more than once", name)
		}
	}
	switch iss := response["iss"]; {
	case subtle.ConstantTimeCompare([]byte(response.Get("state")), []byte(state)) != 1:
		return "", errors.New("the response to the authorization request has another state")
	case len(iss) > 0 && iss[0] != server.Issuer:
		return "", fmt.Errorf("the response to the authorization request is that of another issuer than %s", shown(server.Issuer))
	case len(iss) == 0 && server.AuthorizationResponseIssParameterSupported:
		return "", fmt.Errorf("the response to the authorization request has no iss, which %s always sends", shown(server.Issuer))
	case response.Has("error"):
		return "", &OAuthError{
			Endpoint:    shown(server.AuthorizationEndpoint),
			Code:        shown(response.Get("error")),
			Description: shown(response.Get("error_description")),
		}
	case response.Get("code") == "":
		return "", errors.New("the response to the authorization request has no code")
	}
	return response.Get("code"), nil
}

// wanted returns the scopes of an authorization ("Scope Selection Strategy" and "Step-Up Authorization
// Flow", 2026-07-28): those of the challenge, or else those of the metadata, with those of earlier
// authorizations.
func wanted(challenge oauth.Challenge, from *target, earlier []string, user bool) []string {
	offline := user && slices.Contains(from.ScopesSupported, scopeOffline)
	scopes := oauth.UnionScopes(earlier, challenge.Scopes())
	if len(scopes) == 0 {
		scopes = oauth.UnionScopes(from.scopes)
	}
	scopes = slices.DeleteFunc(scopes, func(s string) bool { return !oauth.IsScope(s) || s == scopeOffline && !offline })
	// A request without scopes asks for the default of the server, which offline_access would replace.
	if offline && len(scopes) > 0 {
		scopes = oauth.UnionScopes(scopes, []string{scopeOffline})
	}
	return scopes
}
