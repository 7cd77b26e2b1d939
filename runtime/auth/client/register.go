package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/reach"
)

// identity is a client of an authorization server, as the store keeps it. A program that is not configured with the
// secret and the method needs them to renew a grant.
type identity struct {
	Issuer     string `json:"issuer,omitempty"`
	ClientID   string `json:"client_id,omitempty"`
	Secret     string `json:"client_secret,omitempty"`
	AuthMethod string `json:"auth_method,omitempty"`
}

// String keeps secrets out of logs and error messages, also those of the types that have an identity.
func (*identity) String() string { return redacted }

func (i *identity) credentials() *Credentials {
	return &Credentials{Issuer: i.Issuer, ClientID: i.ClientID, Secret: Secret(i.Secret), AuthMethod: i.AuthMethod}
}

// registration is a client that was registered dynamically, or that the user has named, as the store
// keeps it.
type registration struct {
	identity
	Expiry      time.Time `json:"expiry,omitzero"`        // of the secret
	RedirectURI string    `json:"redirect_uri,omitempty"` // "" if any may be used
}

// expired reports whether the client must register again.
func (r *registration) expired() bool { return !r.Expiry.IsZero() && time.Until(r.Expiry) <= 0 }

// registrationKey is the key of a registration in the store. It is used with its own issuer only.
func registrationKey(issuer string) string { return "client " + issuer }

// identify returns the client at an authorization server, in the order of "Client Registration",
// 2026-07-28. Flows without a user have no redirect URI, and use credentials that were given.
func (t *Transport) identify(ctx context.Context, from *target, redirect string) (*Credentials, error) {
	if given, err := t.given(ctx, from.Issuer); given != nil || err != nil {
		return given, err
	}
	if redirect != "" && t.opts.ClientIDURL != "" && from.ClientIDMetadataDocumentSupported {
		return &Credentials{Issuer: from.Issuer, ClientID: t.opts.ClientIDURL, AuthMethod: methodNone}, nil
	}
	var stored registration
	known, err := t.load(ctx, registrationKey(from.Issuer), &stored)
	if err != nil {
		return nil, err
	}
	if err := t.note(ctx, registrationKey(from.Issuer)); err != nil {
		return nil, err
	}
	if known && stored.Issuer == from.Issuer && !stored.expired() && (stored.RedirectURI == "" || stored.RedirectURI == redirect && t.isKnown(ctx, from, &stored)) {
		return stored.credentials(), nil
	}
	if redirect != "" && from.RegistrationEndpoint != "" {
		r, err := t.register(ctx, from, redirect)
		if err != nil && from.legacy {
			err = fmt.Errorf("the server has no metadata that names its authorization server, and is taken for its own: %w", err)
		}
		if err != nil {
			return nil, fmt.Errorf("registration of the client: %w", err)
		}
		return r.credentials(), t.save(ctx, registrationKey(from.Issuer), r)
	}
	if t.opts.Ask == nil {
		return nil, fmt.Errorf("%w %s: it must be given, because the server offers neither client id metadata documents that this client could use nor dynamic registration", ErrNoClient, shown(from.Issuer))
	}
	asked, err := t.opts.Ask(ctx, from.Issuer)
	if err != nil {
		return nil, err
	}
	if asked.Issuer != "" && asked.Issuer != from.Issuer || asked.ClientID == "" {
		return nil, fmt.Errorf("%w %s", ErrNoClient, shown(from.Issuer))
	}
	if asked.Key == nil { // keys are not stored
		err = t.save(ctx, registrationKey(from.Issuer), &registration{identity: identity{from.Issuer, asked.ClientID, asked.Secret.Reveal(), asked.AuthMethod}})
	}
	return &asked, err
}

// given returns the credentials in the options for an authorization server, or nil if the options have
// none. Credentials without an issuer are bound to the first one, which the store remembers.
func (t *Transport) given(ctx context.Context, issuer string) (*Credentials, error) {
	var issuers []string
	for i := range t.opts.Credentials {
		c := &t.opts.Credentials[i]
		of := c.Issuer
		if of == "" {
			key := "bound " + c.ClientID + " " + t.canonical
			if ok, err := t.load(ctx, key, &of); err != nil {
				return nil, err
			} else if !ok {
				of = issuer
				if err := errors.Join(t.note(ctx, key), t.save(ctx, key, of)); err != nil {
					return nil, err
				}
			}
		}
		if of == issuer {
			return c, nil
		}
		issuers = append(issuers, shown(of))
	}
	if issuers == nil {
		return nil, nil
	}
	return nil, fmt.Errorf("%w %s, which the server now uses: the given credentials are those for %s", ErrNoClient, shown(issuer), strings.Join(issuers, ", "))
}

// isKnown reports whether the authorization server still knows a client that was registered dynamically. A server
// that has forgotten the client would show an error to the user and never redirect the browser. So isKnown sends
// it a refresh token that it has not issued, for which it returns another error than invalid_client if it knows
// the client.
func (t *Transport) isKnown(ctx context.Context, from *target, r *registration) bool {
	if from.known == r.ClientID {
		return true
	}
	form := url.Values{"grant_type": {grantRefresh}, "refresh_token": {rand.Text()}}
	_, err := t.token(ctx, from.AuthorizationServerMetadata, r.credentials(), nil, form)
	return code(err) != "invalid_client"
}

// forget removes the registration of a client that the authorization server does not know, or whose secret it refuses.
// It reports whether there was one, so that the client can register, or the user be asked, again. It keeps that of
// another client, such as one that the user has named since.
func (t *Transport) forget(ctx context.Context, issuer string, client *Credentials) (bool, error) {
	var r registration
	ok, err := t.load(ctx, registrationKey(issuer), &r)
	if !ok || err != nil || client == nil || r.ClientID != client.ClientID || r.Secret != client.Secret.Reveal() {
		return false, err
	}
	return true, t.save(ctx, registrationKey(issuer), nil)
}

// registered is the response (RFC 7591, section 3.2.1).
type registered struct {
	ClientID   string `json:"client_id"`
	Secret     string `json:"client_secret"`
	Expiry     int64  `json:"client_secret_expires_at"`
	AuthMethod string `json:"token_endpoint_auth_method"`
}

// register registers the client ("Dynamic Client Registration", 2026-07-28).
func (t *Transport) register(ctx context.Context, from *target, redirect string) (*registration, error) {
	application := "native" // of OpenID Connect ("Application Type and Redirect URI Constraints", 2026-07-28)
	if u, err := url.Parse(redirect); err == nil && u.Scheme == "https" && !reach.IsLoopback(u.Hostname()) {
		application = "web"
	}
	metadata := map[string]any{ // RFC 7591, section 2
		"redirect_uris":              []string{redirect},
		"application_type":           application,
		"grant_types":                []string{grantCode, grantRefresh},
		"response_types":             []string{"code"},
		"token_endpoint_auth_method": preferredMethod(from.TokenEndpointAuthMethodsSupported),
	}
	if t.opts.Name != "" {
		metadata["client_name"] = t.opts.Name
	}
	body, err := json.Marshal(metadata)
	if err != nil {
		return nil, err
	}
	_, text, err := t.ask(ctx, "registration_endpoint", from.RegistrationEndpoint, "application/json", string(body), nil)
	if err != nil {
		return nil, fmt.Errorf("with the redirect URI %s as a %s application: %w", redirect, application, err)
	}
	var response registered
	if err := json.Unmarshal(text, &response); err != nil || !oauth.IsVisible(response.ClientID) {
		return nil, errors.Join(fmt.Errorf("%s: the response has no usable client_id", shown(from.RegistrationEndpoint)), err)
	}
	r := &registration{
		identity:    identity{from.Issuer, response.ClientID, response.Secret, response.AuthMethod},
		RedirectURI: redirect,
	}
	if response.Secret == "" {
		r.AuthMethod = methodNone
	}
	if !slices.Contains([]string{"", methodNone, methodBasic, methodPost}, r.AuthMethod) {
		return nil, fmt.Errorf("%s: the client is registered with the method %q, which it did not ask for", shown(from.RegistrationEndpoint), shown(r.AuthMethod))
	}
	if response.Expiry > 0 && response.Secret != "" {
		r.Expiry = time.Unix(min(response.Expiry, math.MaxUint32), 0)
	}
	return r, nil
}

// preferredMethod returns the method of authentication that a client asks for: none, because a program on
// the machine of a user cannot keep a secret (OAuth 2.1, section 2.1).
func preferredMethod(supported []string) string {
	for _, method := range []string{methodNone, methodBasic, methodPost} {
		if slices.Contains(supported, method) {
			return method
		}
	}
	return methodBasic // the default of RFC 8414
}
