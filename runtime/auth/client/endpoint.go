package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// Methods of client authentication at a token endpoint (RFC 7591, section 2).
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// Types of grants (RFC 7591, section 2, and RFC 8693).
const (
	grantCode        = "authorization_code"
	grantRefresh     = "refresh_token"
	grantClient      = "client_credentials"
	grantJWT         = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange    = "urn:ietf:params:oauth:grant-type:token-exchange"
	assertionTypeJWT = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// Credentials identify a program to one authorization server.
type Credentials struct {
	// Issuer is the authorization server that knows the program by these credentials. They are used
	// with no other one. If it is "", they are bound to the first authorization server that the MCP
	// server names.
	Issuer string
	// ClientID is the id of the program.
	ClientID string
	// Secret is its secret, if it has one.
	Secret Secret
	// Key signs its assertions, if it authenticates by private_key_jwt.
	Key *Key
	// AuthMethod is how the program authenticates at the token endpoint: none, client_secret_basic,
	// client_secret_post or private_key_jwt. If it is "", it follows from the other fields and the
	// metadata of the authorization server.
	AuthMethod string
}

// method returns how the client authenticates.
func (c *Credentials) method(server *oauth.AuthorizationServerMetadata) string {
	switch supported := server.TokenEndpointAuthMethodsSupported; {
	case c.AuthMethod != "":
		return c.AuthMethod
	case c.Key != nil:
		return methodKey
	case c.Secret == "":
		return methodNone
	case !slices.Contains(supported, methodBasic) && slices.Contains(supported, methodPost):
		return methodPost
	}
	return methodBasic // the default of RFC 8414
}

// authenticate adds the client's authentication to a request to the token endpoint.
func (c *Credentials) authenticate(server *oauth.AuthorizationServerMetadata, form url.Values) error {
	switch method := c.method(server); method {
	case methodNone:
		form.Set("client_id", c.ClientID)
	case methodBasic: // in the header
	case methodPost:
		form.Set("client_id", c.ClientID)
		form.Set("client_secret", c.Secret.Reveal())
	case methodKey:
		if c.Key == nil {
			return fmt.Errorf("the client %s has no key for private_key_jwt", shown(c.ClientID))
		}
		assertion, err := c.Key.assertion(c.ClientID, server)
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", assertionTypeJWT)
		form.Set("client_assertion", assertion)
	default:
		return fmt.Errorf("the client %s authenticates by the unknown method %q", shown(c.ClientID), method)
	}
	return nil
}

// issued is the response of a token endpoint (RFC 6749, section 5.1, and RFC 8693, section 2.2.1).
type issued struct {
	AccessToken     string  `json:"access_token"`
	TokenType       string  `json:"token_type"`
	ExpiresIn       seconds `json:"expires_in"`
	RefreshToken    string  `json:"refresh_token"`
	Scope           *string `json:"scope"`
	IssuedTokenType string  `json:"issued_token_type"`
}

// seconds is a duration that some servers write as a string.
type seconds float64

// UnmarshalJSON implements json.Unmarshaler.
func (s *seconds) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if string(text) == "null" || string(text) == `""` {
		return nil
	}
	if err != nil || n < 0 || math.IsNaN(n) {
		return errors.New("expires_in is not a number of seconds")
	}
	*s = seconds(min(n, math.MaxInt32))
	return nil
}

// isToken reports whether a text can be sent as an access token.
func isToken(text string) bool { return oauth.IsVisible(text) && len(text) <= oauth.MaxHeader }

// token asks an authorization server for a token, without DPoP if proofs is nil. It changes the form.
func (t *Transport) token(ctx context.Context, server *oauth.AuthorizationServerMetadata, client *Credentials, proofs *prover, form url.Values) (*issued, error) {
	text, err := t.post(ctx, "token_endpoint", server.TokenEndpoint, server, client, proofs, form)
	if err != nil {
		return nil, err
	}
	var response issued
	err = json.Unmarshal(text, &response) // its error does not show the text, which may hold a token
	switch {
	case err != nil:
		err = fmt.Errorf("the response is not what RFC 6749 defines: %w", err)
	case response.AccessToken == "":
		err = errors.New("the response has no access_token")
	case !isToken(response.AccessToken):
		err = errors.New("the access_token is too long, or has characters that a header cannot have")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(server.TokenEndpoint), err)
	}
	return &response, nil
}

// post sends a form to an endpoint with the authentication of the client. If the endpoint demands a DPoP nonce, it
// sends the form once more (RFC 9449, section 8).
func (t *Transport) post(ctx context.Context, name, address string, server *oauth.AuthorizationServerMetadata, client *Credentials, proofs *prover, form url.Values) ([]byte, error) {
	send := func() (text []byte, fresh bool, err error) {
		if err := client.authenticate(server, form); err != nil {
			return nil, false, err
		}
		var sent *http.Request
		header, text, err := t.ask(ctx, name, address, oauth.Form, form.Encode(), func(req *http.Request) error {
			sent = req
			if client.method(server) == methodBasic {
				req.SetBasicAuth(url.QueryEscape(client.ClientID), url.QueryEscape(client.Secret.Reveal())) // RFC 6749, section 2.3.1
			}
			return proofs.prove(req, "")
		})
		return text, sent != nil && proofs.learn(sent.URL, header), err
	}
	text, fresh, err := send()
	if fresh && code(err) == oauth.ErrorUseDPoPNonce {
		text, _, err = send()
	}
	return text, err
}

// ask posts a body to an endpoint of an authorization server, and returns the header and the text of the response. If
// that is not a success, the error is an *OAuthError (RFC 6749, section 5.2). Some servers, such as GitHub, report
// errors with status 200.
func (t *Transport) ask(ctx context.Context, name, address, contentType, body string, authorize func(*http.Request) error) (http.Header, []byte, error) {
	endpoint, err := t.endpoint(name, address)
	if err != nil {
		return nil, nil, err
	}
	status, header, text, err := t.web.Post(ctx, address, contentType, body, authorize)
	if err != nil {
		return nil, nil, err
	}
	var problem struct {
		Code        string `json:"error"`
		Description string `json:"error_description"`
	}
	_ = json.Unmarshal(text, &problem) // a response that is not JSON has no code
	if status/100 == 2 && problem.Code == "" {
		return header, text, nil
	}
	return header, nil, &OAuthError{
		Endpoint:    shown(endpoint.Scheme + "://" + endpoint.Host + endpoint.Path),
		Status:      status,
		Code:        shown(problem.Code),
		Description: shown(problem.Description),
	}
}

// Errors that callers may want to tell apart.
var (
	// ErrNoClient reports that the program has no id at the authorization server, and no way to get
	// one.
	ErrNoClient = errors.New("no client id for the authorization server")
	// ErrRefused reports that the server refuses tokens although the authorization server has just
	// issued them.
	ErrRefused = errors.New("the server refuses the access token that was issued for it")
	// ErrDenied reports that the user, or the authorization server, denied the authorization.
	ErrDenied = errors.New("the authorization was denied")
	// ErrNoGrant reports that the store has no token for the server.
	ErrNoGrant = errors.New("not logged in")
)

// unhandled is the error of a request that the server has refused for its token. Package streamable asks it, so
// that it does not report that the answer was lost.
type unhandled struct{ error }

// Unhandled reports that the server has not handled the request.
func (unhandled) Unhandled() bool { return true }

// Unwrap returns the reason.
func (e unhandled) Unwrap() error { return e.error }

// OAuthError is an error that an authorization server reports (RFC 6749, sections 4.1.2.1 and 5.2, and
// RFC 7591, section 3.2.2).
type OAuthError struct {
	// Endpoint is the URL of the endpoint, without its query.
	Endpoint string
	// Status is the HTTP status of the response; 0 for the response to an authorization request.
	Status int
	// Code is the value of error, such as "invalid_grant". It is "" if the response has none.
	Code string
	// Description is the value of error_description, shortened and without control characters.
	Description string
}

// Error implements error.
func (e *OAuthError) Error() string {
	text := "the authorization server reports " + e.Code
	if e.Code == "" {
		text = "the authorization server responds without an error code"
	}
	if e.Description != "" {
		text += fmt.Sprintf(" (%s)", e.Description)
	}
	if e.Status != 0 {
		text += fmt.Sprintf(" with status %d", e.Status)
	}
	return text + " at " + e.Endpoint
}

// Is reports that access_denied is ErrDenied.
func (e *OAuthError) Is(target error) bool { return target == ErrDenied && e.Code == "access_denied" }

// code returns the code of an OAuthError in the chain of err, or "".
func code(err error) string {
	if e, ok := errors.AsType[*OAuthError](err); ok {
		return e.Code
	}
	return ""
}
