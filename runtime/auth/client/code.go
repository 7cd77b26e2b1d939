package client

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/runtime/auth"
)

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
	// Start prepares one authorization. previous is the redirect URI of the last one at the same
	// authorization server, or "". Using it again saves a registration.
	Start(ctx context.Context, previous string) (Visit, error)
}

// Visit is one authorization.
type Visit interface {
	// RedirectURI returns the URI to which the authorization server sends the user back.
	RedirectURI() string
	// Go takes the user to a URL of the authorization server and returns the URL to which the server
	// sent the user back: the redirect URI with a query. Go should ignore URLs whose state differs
	// from the one in the query of address.
	Go(ctx context.Context, address string) (back string, err error)
	// Close ends the visit.
	Close() error
}

func (AuthorizationCode) kind() string { return "code" }

func (f AuthorizationCode) grant(ctx context.Context, t *Transport, from *target, scopes []string) (*grant, error) {
	endpoint, err := t.web.endpoint("authorization_endpoint", from.server.AuthorizationEndpoint)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(from.server.CodeChallengeMethodsSupported, methodS256) {
		return nil, fmt.Errorf("the authorization server %s does not support PKCE by S256: its metadata has code_challenge_methods_supported %q", shown(from.issuer), from.server.CodeChallengeMethodsSupported)
	}
	agent := f.Agent
	if agent == nil {
		agent = &Browser{}
	}
	var last registration
	if _, err := t.load(ctx, registrationKey(from.issuer), &last); err != nil {
		return nil, err
	}
	visit, err := agent.Start(ctx, last.RedirectURI)
	if err != nil {
		return nil, err
	}
	defer visit.Close()
	client, err := t.identify(ctx, from, visit.RedirectURI())
	if v, ok := visit.(interface{ renamed() bool }); ok && refusesRedirect(err) && v.renamed() {
		client, err = t.identify(ctx, from, visit.RedirectURI())
	}
	if err != nil {
		return nil, err
	}
	r := &authorization{from: from, client: client, redirect: visit.RedirectURI(), scopes: scopes,
		state: rand.Text(), verifier: oauth2.GenerateVerifier()}
	t.mu.Lock()
	t.budget.visits = append(t.budget.visits, time.Now())
	t.mu.Unlock()
	back, err := visit.Go(ctx, r.url(endpoint.String()))
	if err != nil {
		return nil, &stopped{err}
	}
	authorizationCode, err := r.check(back)
	if err != nil {
		return nil, &stopped{err}
	}
	form := url.Values{
		"grant_type":    {grantCode},
		"code":          {authorizationCode},
		"redirect_uri":  {r.redirect},
		"code_verifier": {r.verifier},
	}
	g, err := t.requestGrant(ctx, from, client, scopes, form, t.newProofs(from))
	if err != nil {
		return nil, &stopped{err}
	}
	return g, nil
}

// refusesRedirect reports whether an authorization server has refused to register a redirect URI (RFC 7591,
// section 3.2.2).
func refusesRedirect(err error) bool {
	refused, ok := errors.AsType[*OAuthError](err)
	return ok && refused.Code == "invalid_redirect_uri"
}

// stopped is the error of an authorization for which the user was asked. The user is not asked again
// before the program calls Login.
type stopped struct{ err error }

func (e *stopped) Error() string { return e.err.Error() }
func (e *stopped) Unwrap() error { return e.err }

// authorization is one authorization request, with what its response must match.
type authorization struct {
	from            *target // whose issuer the response must name
	client          *Credentials
	redirect        string
	scopes          []string
	state, verifier string
}

// url returns the URL for the user.
func (r *authorization) url(endpoint string) string {
	config := oauth2.Config{
		ClientID:    r.client.ClientID,
		Endpoint:    oauth2.Endpoint{AuthURL: endpoint},
		RedirectURL: r.redirect,
		Scopes:      r.scopes,
	}
	return config.AuthCodeURL(r.state, oauth2.S256ChallengeOption(r.verifier), oauth2.SetAuthURLParam("resource", r.from.resource))
}

// check validates the response to an authorization request and returns its code. Nothing of a response
// that another authorization server may have caused is used or shown ("Authorization Response
// Validation", 2026-07-28).
func (r *authorization) check(back string) (string, error) {
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
	if subtle.ConstantTimeCompare([]byte(response.Get("state")), []byte(r.state)) != 1 {
		return "", errors.New("the response to the authorization request has another state")
	}
	if response.Has("iss") {
		if response.Get("iss") != r.from.server.Issuer {
			return "", fmt.Errorf("the response to the authorization request is that of another issuer than %s", shown(r.from.server.Issuer))
		}
	} else if r.from.server.AuthorizationResponseIssParameterSupported {
		return "", fmt.Errorf("the response to the authorization request has no iss, which %s always sends", shown(r.from.server.Issuer))
	}
	if response.Has("error") {
		return "", &OAuthError{
			Endpoint:    shown(r.from.server.AuthorizationEndpoint),
			Code:        shown(response.Get("error")),
			Description: shown(response.Get("error_description")),
		}
	}
	if response.Get("code") == "" {
		return "", errors.New("the response to the authorization request has no code")
	}
	return response.Get("code"), nil
}

// wanted returns the scopes of an authorization ("Scope Selection Strategy" and "Step-Up Authorization
// Flow", 2026-07-28): those of the challenge, or else those of the metadata, with those of earlier
// authorizations.
func wanted(challenge auth.Challenge, from *target, earlier []string, user bool) []string {
	offline := user && slices.Contains(from.server.ScopesSupported, scopeOffline)
	scopes := auth.UnionScopes(earlier, challenge.Scopes())
	if len(scopes) == 0 {
		scopes = auth.UnionScopes(from.scopes)
	}
	scopes = slices.DeleteFunc(scopes, func(s string) bool { return !auth.IsScope(s) || s == scopeOffline && !offline })
	// A request without scopes asks for the default of the server, which offline_access would replace.
	if offline && len(scopes) > 0 {
		scopes = auth.UnionScopes(scopes, []string{scopeOffline})
	}
	return scopes
}
