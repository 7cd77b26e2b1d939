package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Login obtains a token if the server demands one and the store has none that it accepts. Sessions do that
// on their own. A program calls Login first if the user may take longer than the timeout of a call, or to
// ask again after the user has refused.
func (t *Transport) Login(ctx context.Context) error {
	t.mu.Lock()
	t.budget = budget{}
	t.mu.Unlock()
	status, err := t.touch(ctx, http.MethodPost)
	if err == nil && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed) {
		_, err = t.touch(ctx, http.MethodGet) // HTTP with SSE begins with a GET
	}
	return err
}

// touch sends a request that changes nothing at the server, and returns the status of the response.
func (t *Transport) touch(ctx context.Context, method string) (int, error) {
	var req *http.Request
	var err error
	if method == http.MethodPost {
		req, err = http.NewRequestWithContext(ctx, method, t.server.String(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	} else {
		req, err = http.NewRequestWithContext(ctx, method, t.server.String(), nil)
	}
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodGet {
		req.Header.Del("Content-Type")
		req.Header.Set("Accept", "text/event-stream")
	}
	resp, err := t.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	resp.Body.Close() // without reading: it may be an endless stream
	return resp.StatusCode, nil
}

// Status describes the token for a server, without its secrets.
type Status struct {
	// Issuer is the authorization server that issued the token; "" for a token from elsewhere.
	Issuer string
	// ClientID is the id of the program there.
	ClientID string
	// Scopes are those of the token, as far as they are known.
	Scopes []string
	// Expiry is the end of the token; zero if it is unknown.
	Expiry time.Time
	// Renewable says that a refresh token can renew it without the user.
	Renewable bool
	// Bound says that it is bound to a key of this program (DPoP).
	Bound bool
}

// Status returns what the store knows about the token for the server. It sends no request. Without a
// token the error is ErrNoGrant.
func (t *Transport) Status(ctx context.Context) (Status, error) {
	g, err := t.firstGrant(ctx)
	if err != nil {
		return Status{}, fmt.Errorf("auth: %w", err)
	}
	if g == nil {
		return Status{}, fmt.Errorf("auth: %w to %s", ErrNoGrant, t.canonical)
	}
	return Status{Issuer: g.Issuer, ClientID: g.ClientID, Scopes: g.Granted, Expiry: g.Expiry, Renewable: g.Refresh != "", Bound: g.Type == "DPoP"}, nil
}

// Logout deletes what the store has for the server: the token, and the registration of the client, which other
// servers of the same authorization server may share and then repeat. It revokes the token at the authorization
// server if that is possible (RFC 7009); the token is deleted even if that fails. If there is nothing to delete,
// the error is ErrNoGrant.
func (t *Transport) Logout(ctx context.Context) error {
	unlock, err := t.store.Lock(ctx, t.grantKey())
	if err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	defer unlock()
	// Values that are broken are deleted, too.
	g, broken := t.loadGrant(ctx)
	var keys []string
	_, _ = t.load(ctx, t.notesKey(), &keys)
	if g != nil && g.Issuer != "" {
		keys = append(keys, registrationKey(g.Issuer))
	}
	t.mu.Lock()
	t.current, t.loaded = nil, true
	t.mu.Unlock()
	found := false
	for _, key := range append(keys, t.notesKey(), t.grantKey()) {
		old, err := t.store.Get(ctx, key)
		if err == nil && old != nil {
			found = true
			err = t.save(ctx, key, nil)
		}
		if err != nil {
			return fmt.Errorf("auth: %w", err)
		}
	}
	switch {
	case !found:
		return fmt.Errorf("auth: %w to %s", ErrNoGrant, t.canonical)
	case g != nil:
		broken = t.revoke(ctx, g)
	}
	if broken != nil {
		return fmt.Errorf("auth: the token is deleted here, but not revoked: %w", broken)
	}
	return nil
}

// revoke revokes the tokens of a grant, if the authorization server can do that.
func (t *Transport) revoke(ctx context.Context, g *grant) error {
	if g.Issuer == "" {
		return nil
	}
	from, err := t.again(ctx, g)
	if err != nil {
		return err
	}
	client, err := t.clientOf(ctx, from, g)
	if err != nil || client == nil || from.server.RevocationEndpoint == "" {
		return err
	}
	endpoint, err := t.web.endpoint("revocation_endpoint", from.server.RevocationEndpoint)
	if err != nil {
		return err
	}
	var problems []error
	for _, token := range []struct{ value, kind string }{{g.Refresh, "refresh_token"}, {g.Access, "access_token"}} {
		if token.value == "" {
			continue
		}
		form := url.Values{"token": {token.value}, "token_type_hint": {token.kind}}
		status, text, err := (&tokens{web: t.web, server: from.server, client: client}).post(ctx, endpoint, form)
		if err == nil && status/100 != 2 {
			err = oauthError(endpoint, status, text)
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}
